"""Explanations in the form of the package shap, so that its plots work as they are."""

from typing import Any

import numpy as np

from cogmap._utils.optional import import_or_raise
from cogmap.explanation import Explanation
from cogmap.explanation._subject import output_index


def to_shap(explanation: Explanation, output: Any = None) -> Any:
    """Return an explanation as shap knows it.

    Parameters
    ----------
    explanation : Explanation
        Made by `cogmap.explain`.
    output : object, default=None
        A class or the name of an output, of which most of the plots of shap want only one: values are then of shape
        (n_rows, n_features). None: all of them, of shape (n_rows, n_features, n_outputs) if there are several.

    Returns
    -------
    shap.Explanation
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
