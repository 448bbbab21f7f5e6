"""Conversion of explanations to `shap.Explanation`, for the plots of shap."""

from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap.explanation import Explanation
from cogmap.explanation._subject import output_index

__all__ = ["to_shap"]


def to_shap(explanation: Explanation, output: Any = None) -> Any:
    """Convert an explanation to a `shap.Explanation`.

    Parameters
    ----------
    explanation : Explanation
        Result of `cogmap.explain`.
    output : object, default=None
        A class or the name of an output. Values then have shape (n_rows, n_features), which most plots of shap require.
        None: all outputs; with several, values have shape (n_rows, n_features, n_outputs).

    Returns
    -------
    shap.Explanation
        Values, base values, rows and names, for the plots of shap.

    See Also
    --------
    cogmap.explain : Compute the contribution of each feature to the outputs of each row.
    cogmap.explanation.Explanation : Contributions of each feature to the outputs of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, explain
    >>> from cogmap.integrations.shap import to_shap
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> explanation = explain(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y), X[:3])
    >>> to_shap(explanation, output=2).values.shape  # doctest: +SKIP
    (3, 4)
    """
    shap: Any = import_or_raise("shap", "Explanation.to_shap", "shap")
    if output is None and len(explanation.output_names) > 1:
        output_names: Any = list(explanation.output_names)
        values, base_values = explanation.contributions, explanation.base_values
    else:
        k = 0 if output is None else output_index("to_shap", output, explanation.output_names)
        output_names = explanation.output_names[k]
        values, base_values = explanation.contributions[:, :, k], explanation.base_values[k]
    return shap.Explanation(
        values=values.copy(),
        base_values=np.tile(base_values, (len(values), *[1] * np.ndim(base_values))),
        data=explanation.values.copy(),
        feature_names=list(explanation.feature_names),
        output_names=output_names,
    )
