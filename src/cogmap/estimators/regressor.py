"""FCMRegressor: the regressor and feature transformer whose model is a fuzzy cognitive map."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from cogmap._learning.settings import VALUES
from cogmap._learning.table import Table
from cogmap._learning.targets import ValueTargets
from cogmap.estimators._chunks import FitsChunks
from cogmap.estimators._out_of_core import Survey
from cogmap.estimators._validation import validated
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import Link, ValueLink


class FCMRegressor(RegressorMixin, FitsChunks):
    """Regressor and feature transformer whose model is a fuzzy cognitive map.

    Features, scaled to [0, 1], and targets are concepts of a fully connected map; hidden concepts help. The map starts
    from the features of a sample, with all else undecided, makes a fixed number of steps, and what enters an output in
    the last one is read: the value, in standard deviations from the mean of the training data. The state of the output
    thus tells where the value lies: 0.5 is the mean, 0.88 one deviation more. Weights are learned by gradients through
    these steps, by squared loss. The states before the last step are a learned transformation of the features, and the
    last step is a linear regression on them.

    Parameters
    ----------
    depth : int or "auto", default="auto"
        Number of steps, at least 1. ``"auto"``: 2; with hidden concepts 3 if `prior` is None, there are 20,000 rows
        or more, or there are less than 15 features and targets, or less than one for 160 rows, up to 30.
    slope : float, default=2.0
        Steepness of the sigmoid 1 / (1 + exp(-slope (x - 0.5))).
    n_hidden : int or "auto", default="auto"
        Number of hidden concepts, which are neither features nor outputs and start undecided. They compute what no
        single arrow can say: bends, and features that act together. ``"auto"``: 16, or one for two features if there
        are 20 rows for each, up to 32; at least as many as make one concept for 160 rows that differ, up to 30; from
        20,000 rows on 16 and 4 for each feature and output, up to 100; none for more than 100 features and targets,
        except in the structured map of a wide table, which has 16 to 32 (none if they had more than 2¹⁸ weights).
        Without a `prior`, where features compute too, as many as make 15 concepts in all, or one for 160 rows, up to
        30. As many as a map in `init` has, and at least as many as one in `prior`. None at depth 1, where they cannot
        matter, with another `init` than ``"balanced"``, with `edges` or arrays of bounds, which speak of the other
        concepts, and if only slopes are learned. 0 makes a map of features and targets alone.
    alpha : float, default=1.0
        Strength of the penalty, which pulls the weights to those of `prior`: ``alpha / n * (l1_ratio * sum |D| +
        (1 - l1_ratio) / 2 * sum D^2)``, where D is how far they are from it, beside half the logarithm of the mean
        square error, so that it is as strong for a target with little noise as for one with much. With a prior, what
        comes into features from elsewhere is pulled 3 times as hard, and what goes between outputs 10 times. n is the
        number of rows, or their total weight if that is larger.
    l1_ratio : float, default=0.0
        Share of the absolute penalty, which makes weights exactly those of the prior: 0 where it says nothing.
    solver : {"auto", "lbfgs", "adam", "rmsprop"}, default="auto"
        ``"auto"``: ``"adam"`` from 20,000 rows on, if there are at most 100 features and outputs, else ``"lbfgs"``.
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` (that of TensorFlow 1, used in the
        paper) use mini-batches; an iteration is then a pass over the rows. What pays for many
        rows (hidden concepts, a step more, two teachers) goes with ``"adam"``.
    max_iter : int or "auto", default="auto"
        Largest number of iterations. ``"auto"`` makes as many as usually pay: with ``"lbfgs"`` one for 10 rows, from
        225 to 300 (without a `prior` a third less), but for maps of more than 200 concepts one for 200 rows, from 40 to
        50; with ``"adam"`` 7600 over the root of the number of rows, from 5 to 80 (to 500 for fewer rows); with
        ``"rmsprop"`` 500.
    tol : float, default=1e-4
        ``"lbfgs"`` ends when no entry of the gradient is larger (with respect to half the weights, and the net inputs
        of concepts whose sources are all 0.5). The others, and early stopping, end when `n_iter_no_change` iterations
        have lowered the loss by less. With 0, all `max_iter` iterations are made, as far as any step still lowers the
        loss.
    learning_rate : float or "auto", default="auto"
        Step size of ``"adam"``, where it falls to 0 as half a wave of the cosine, and of ``"rmsprop"``. ``"auto"``:
        0.012, and up to 0.048 for batches of more than 500 rows; and 0.05 over the number of concepts. Rates above
        0.012 are reached after a twentieth of the steps.
    batch_size : int or "auto", default="auto"
        Rows in a mini-batch; the remainder is spread over the batches. As many rows as there are, or more, means one
        batch of all rows. ``"auto"`` is 200, from 20,000 rows on 500 to 2,000, a fiftieth of the rows.
    early_stopping : bool, default=False
        Keep a part of the rows aside, stop when the loss on them no longer falls, and keep the best map.
    validation_fraction : float, default=0.1
        Size of that part, in (0, 1). It has about the same share of each class.
    n_iter_no_change : int, default=10
        Over how many iterations the loss has to fall by `tol` for learning to go on.
    n_teachers : int or "auto", default="auto"
        Number of maps that learn first, each without another part of the rows (a quarter or less), on which it is seen
        when to stop. The map then learns from all rows, half from the targets and half from the mean prediction of the
        teachers (an ensemble and its distillation): it is about as accurate as their mean. 0 learns from the targets
        alone. ``"auto"``: 5, but 2 to 4 for maps of more than 200 concepts, 2 from 20,000 rows on, and none for more
        than 1000 concepts, for less than 20 rows, if `max_iter` or `early_stopping` say how long to learn, with
        ``"rmsprop"``, or if learning goes on from an earlier fit.
    terms : int, dict or "auto", default=None
        Features to read as words: each becomes a few concepts, "petal width is low" and so on, whose states say how
        true that is, by quantiles of the training data. A number from 2 to 7 gives every feature as many words, a dict
        some features, ``{"petal width": 3, "mass": ["light", "heavy"]}``, by number or by name. A feature of one or two
        values stays a number, as do, unless they are named, those of `monotonic_cst`. ``"auto"`` tries none, 3 and 6
        and takes words only if the loss of teachers on rows that they did not learn from is lower by 3 %. None: all
        features stay numbers.
    prior : {"memory"}, FuzzyCognitiveMap or None, default="memory"
        The map to which the penalty pulls. ``"memory"``: every feature keeps its value from step to step, and nothing
        else happens. So the concept of a feature stays what it is named after, and hidden concepts do the computing.
        If there are teachers, the weight of the arrow from a feature to an output is also kept between half and twice
        that with which the arrow alone would have the mean effect of the feature, and thus has its sign. An expert's
        map says more: its influences, of some or all concepts, by name, are pulled to instead, and memory elsewhere.
        Strong evidence in the data overrules the expert: `alpha` sets how strong it has to be, and `prior_deviations_`
        lists the edges that changed. The expert's bias is not used. None shrinks all weights towards 0: as accurate,
        but single edges mean little.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        Weights to start from. ``"balanced"``: the prior, and small random weights into hidden concepts (without a
        prior, into all), with every concept in the middle of its range. ``"uniform"``: random in [-1, 1], the paper's.
        ``"correlation"``: correlations of features and targets, not random. An expert's map of the same concepts, by
        name.
    edges : bool array, list of (from, to) names, or dict, default=None
        Which concepts may influence which; all other weights stay 0. None allows all. Names are those of
        `get_feature_names_out`: ``[("mass", "target")]``; besides, each concept may influence itself. A dict
        says of each edge what `weight_bounds` can say, or None. An array of shape (n_concepts, n_concepts) is exact:
        ``edges[i, j]`` allows concept j to influence concept i; with a depth of 2 or more a feature is then forgotten
        after the first step unless it may influence itself or another feature.
    weight_bounds : (low, high) or dict, default=None
        Bounds of the weights: two numbers, two arrays of shape (n_concepts, n_concepts), or for single influences by
        name, ``{("mass", "target"): "+"}``, a sign or (low, high), where None is no bound. A sign says how a
        concept influences another in a step, not what comes of it in all: for that there is `monotonic_cst`.
        ``slope=5.0, weight_bounds=(-1, 1)`` makes maps with the weights that are usual where maps are drawn by hand.
    monotonic_cst : array-like of int of shape (n_features,) or dict, default=None
        Features whose effect must be monotone, by name, ``{"bmi": 1, "age": -1}``, or one number per feature, 0 for
        free ones: with 1, no target ever falls when the feature rises, with -1 none ever rises, whatever the other
        features are. It holds for every row because of how the map is built: such a feature influences itself, the
        outputs, and features and hidden concepts of the same kind only, each with the sign that goes with it.
    learn : {"weights", "slopes"}, default="weights"
        ``"slopes"``: the weights of the map in `init` or `prior`, or those of ``init="correlation"``, stay as they are,
        and slope and bias of each concept are learned. A map in `init` is taken as it is, one in `prior` together with
        memory. The slope of that map is used instead of `slope` if it is one number.
    scale : {"logistic"} or bool, default="logistic"
        How features become states in [0, 1]. ``"logistic"``: the logistic function of 0.75 times the distance from the
        mean, in standard deviations; a few very large values do no harm, and a constant feature becomes 0.5. True, the
        paper's: the range learned in `fit` becomes [0, 1]; a value up to one such range outside stays outside in
        proportion, farther ones are held there; a constant feature becomes 0. False: features are used as they are, and
        should lie in [0, 1].
    warm_start : bool, default=False
        Start from the map of the previous `fit`, on data with the same features and classes. Features with names
        are matched by name.
    random_state : int, RandomState instance or None, default=None
        Decides initial weights, mini-batches and the validation part. The same number gives the same model, bit by bit,
        for any `n_jobs`.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all processors.
    verbose : int, default=0
        With 1 or more, print the loss after each iteration.

    Attributes
    ----------
    model_ : MapModel
        The fitted model, from which the attributes below are read.
    map_ : FuzzyCognitiveMap
        The learned map. Its concepts are the features, the hidden ones (``hidden 1`` and so on), then the targets, by
        the names of the columns of `y`, or ``target``.
    n_hidden_ : int
        Number of hidden concepts.
    depth_ : int
        Number of steps.
    teacher_losses_ : list of float
        Loss of each teacher on the rows that it did not learn from; empty if there were none. It is half the logarithm
        of the mean square in units of the variance: 0 is always saying the mean, and R² is 1 - exp(2 loss).
    terms_ : dict of str to tuple of str
        The words of each feature that is read as words.
    prior_deviations_ : list of PriorDeviation
        What became of the influences that an expert's map in `prior` has, those that changed most first. Each has
        ``source``, ``target``, and the weights ``prior`` and ``learned``, both at the slope of the learned map.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much each feature matters, as shares of 1: its mean absolute contribution to the difference between two rows
        of the training data (of 200 of them, if there are more).
    loss_curve_ : list of float
        Training loss, penalty included: after each iteration of ``"lbfgs"``, the mean over each pass of the others.
    validation_loss_curve_ : list of float
        Loss on the validation part after each iteration; only with `early_stopping`.
    n_iter_ : int
        Number of iterations made.
    outcome_ : Outcome
        How learning ended; ``outcome_.sentence`` says it in words.
    scaling_ : FeatureSpread, FeatureRange or None
        How features are scaled: ``mean`` and ``deviation``, or ``low`` and ``high`` of each; None if `scale` is False.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    See Also
    --------
    FCMClassifier : The same for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> fcm = FCMRegressor(random_state=0).fit(X, y)
    >>> bool(fcm.score(X, y) > 0.5)
    True
    >>> fcm.map_.concepts[-1]
    'target'

    The target never falls as the body mass index rises, whatever else is measured; and a doctor says what matters.

    >>> fcm = FCMRegressor(monotonic_cst={"bmi": 1}, random_state=0).fit(X, y)
    >>> bool((fcm.predict(X.assign(bmi=X["bmi"] + 0.01)) >= fcm.predict(X)).all())
    True
    >>> from cogmap import FuzzyCognitiveMap
    >>> doctor = FuzzyCognitiveMap.from_edges([("bmi", "target", 1.0), ("bp", "target", 1.0), ("s3", "target", -1.0)])
    >>> fcm = FCMRegressor(prior=doctor, learn="slopes", random_state=0).fit(X, y)
    >>> float(fcm.map_.weights[-1, X.columns.get_loc("s3")]), bool(fcm.score(X, y) > 0.4)
    (-1.0, True)
    """

    _rules = VALUES
    _learns_classes = False

    def __init__(
        self,
        depth: int | str = "auto",
        slope: float = 2.0,
        n_hidden: int | str = "auto",
        alpha: float = 1.0,
        l1_ratio: float = 0.0,
        solver: str = "auto",
        max_iter: int | str = "auto",
        tol: float = 1e-4,
        learning_rate: float | str = "auto",
        batch_size: int | str = "auto",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        n_teachers: int | str = "auto",
        terms: Any = None,
        prior: str | FuzzyCognitiveMap | None = "memory",
        init: str | FuzzyCognitiveMap = "balanced",
        edges: Any = None,
        weight_bounds: Any = None,
        monotonic_cst: Any = None,
        learn: str = "weights",
        scale: str | bool = "logistic",
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.depth = depth
        self.slope = slope
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.n_teachers = n_teachers
        self.terms = terms
        self.prior = prior
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.monotonic_cst = monotonic_cst
        self.learn = learn
        self.scale = scale
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_targets) if `y` had columns
        """
        model, X = self._fitted_model(X)
        values = model.outputs(X)
        return values[:, 0] if cast(ValueLink, model.link).one_dimensional else values

    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        names = _target_names(y)
        X, y = validated(self, X, y, reset=reset, multi_output=True, y_numeric=True)
        self._target_is_vector = y.ndim == 1
        self._target_names = names or (["target"] if y.ndim == 1 else [f"target {i + 1}" for i in range(y.shape[1])])
        return X, y.astype(np.float64, copy=False)

    def _targets(self, y: NDArray[Any], known: Link | None) -> ValueTargets:
        values = y.reshape(len(y), -1)
        n_targets = values.shape[1]
        if known is not None and known.n_outputs == n_targets:  # what goes on keeps the meaning of its outputs
            return ValueTargets(values, cast(ValueLink, known))
        return ValueTargets(values, self._new_link(n_targets))

    def _new_link(self, n_targets: int) -> ValueLink:
        """Return what outputs mean, before mean and deviation of the targets are known."""
        one_dimensional = n_targets == 1 and self._target_is_vector
        return ValueLink(tuple(self._target_names), np.zeros(n_targets), np.ones(n_targets), one_dimensional)

    def _surveyed_link(self, survey: Survey) -> tuple[Link, None]:
        """Return what the outputs mean."""
        statistics = cast(FeatureStatistics, survey.targets)
        link = self._new_link(len(statistics.mean))
        self._check_varied(link, statistics.low, statistics.high, survey.n_rows)
        return self._counted(link, statistics), None

    def _settled(self, table: Table, known: Link | None) -> Table:
        """Return the table with values counted from their mean in their deviation, learned from the merged rows."""
        targets = cast(ValueTargets, table.targets)
        if targets.link is known:
            return table
        self._check_varied(targets.link, targets.values.min(axis=0), targets.values.max(axis=0), table.n_rows)
        link = self._counted(targets.link, FeatureStatistics.of(targets.values, table.weight))
        return replace(table, targets=replace(targets, link=link))

    def _check_varied(self, link: ValueLink, low: NDArray[Any], high: NDArray[Any], n_rows: int) -> None:
        """Complain about targets that are always the same, or of which no floating-point number tells the range."""
        with np.errstate(over="ignore"):
            width = high - low
        for name, wide, value in zip(link.targets, width, low, strict=True):
            if not 0.0 < wide < np.inf:
                cause = f"only the value {value:g}" if wide == 0.0 else "a range beyond floating-point numbers"
                raise DataError(
                    f"`{self._owner}` needs targets that vary within finite limits, but {name!r} has {cause} "
                    f"({n_rows} sample{'s'[: n_rows != 1]}; rows with sample_weight 0 do not count)."
                )

    def _counted(self, link: ValueLink, statistics: FeatureStatistics) -> ValueLink:
        """Return the link of targets that are counted from their mean in their deviation."""
        for name, deviation in zip(link.targets, statistics.deviation, strict=True):
            if not deviation >= np.finfo(np.float64).tiny:
                raise DataError(
                    f"`{self._owner}` needs targets that vary, but the standard deviation of {name!r} is "
                    f"{deviation:g}. Multiply it by a number, or give its rows weights that are more alike."
                )
        return replace(link, mean=statistics.mean, deviation=statistics.deviation)


def _target_names(y: Any) -> list[str] | None:
    """Return the names of the targets, if `y` has any: a column of a data frame, or several."""
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    return None if name is None else [str(name)]
