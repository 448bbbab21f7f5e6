"""Options of training on a raw table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cogmap.estimators.edits import Edits
from cogmap.maps.map import FuzzyCognitiveMap


@dataclass(frozen=True)
class FitOptions:
    """Options of `fit_table`.

    Parameters
    ----------
    task : {"classification", "regression"}, default=None
        Kind of target; inferred if None.
    loss : {"squared_error", "poisson", "gamma", "tweedie", "quantile", "huber"}, default=None
        Loss of a regression, as for `FCMRegressor`. If None, "poisson" for counts (whole numbers from 0 on, with a mean
        above the median), otherwise "squared_error".
    keep, drop : tuple of str, default=()
        Columns to use even if they look like identifiers, and columns to leave out.
    kinds : dict of str to str, default={}
        Kinds of columns for which the inferred kind is wrong, as for `TablePreparer`. The target may be a "number", a
        "category", "ordered", or have an order, "low<middle<high".
    tune : bool, default=False
        Select hyperparameters by cross-validation within the training rows.
    prior : FuzzyCognitiveMap, default=None
        Expert map used as a prior.
    structure : {"auto", "additive", "named", "full"}, default="auto"
        Structure of the map, as for `FCMClassifier`.
    max_arrows : int, default=None
        Largest number of arrows of an additive or named map.
    signs : dict of str to int, default={}
        Columns whose effect must be monotone: 1 for increasing, -1 for decreasing.
    groups : str, default=None
        Column with the group of each row, such as a patient. Groups are not split between folds, and the column is not
        used as a feature.
    time : str, default=None
        Column of dates or numbers that orders the rows. Each fold is scored by a model trained on earlier rows.
    seed : int, default=0
        Random seed.
    time_limit : float, default=None
        Approximate limit of the training time, in seconds. If necessary, scores are computed on fewer rows, and then
        the map is trained on fewer.
    labels : dict of str to str, default={}
        Names of classes that are codes in the table, ``{"1": "good", "2": "bad"}``. They replace the codes everywhere.
    units : dict of str to str, default={}
        Units of numbers, ``{"price": "€"}``, shown on the card and the page.
    fixed : tuple of str, default=()
        Columns that `what_if` must not change, such as age. The model keeps them.
    edits : Edits, default=None
        Changes made to a map by hand, from `read_edits`, which the new map keeps. The card says what the data object to
        and what the changes cost.

    See Also
    --------
    cogmap.fit_table : Fit a model that predicts a column of a raw table from the other columns.
    cogmap.read_edits : Read changes that were made to a map on its page.
    cogmap.TablePreparer :
        Convert a raw table to numeric features: categories, booleans, dates, numbers stored as strings.

    Examples
    --------
    >>> from cogmap.table import FitOptions
    >>> options = FitOptions(drop=("id",), signs={"age": 1}, fixed=("age",))
    >>> options.signs, options.structure
    ({'age': 1}, 'auto')
    """

    task: str | None = None
    loss: str | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    tune: bool = False
    prior: FuzzyCognitiveMap | None = None
    structure: str = "auto"
    max_arrows: int | None = None
    signs: dict[str, int] = field(default_factory=dict)
    groups: str | None = None
    time: str | None = None
    seed: int = 0
    time_limit: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    edits: Edits | None = None
