"""`FCMRegressor`: regressor and feature transformer whose model is a fuzzy cognitive map."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score

from cogmap.estimators._chunks import FitChunksMixin
from cogmap.estimators._uncertainty import IntervalMixin
from cogmap.estimators._value_map import ValueMap
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import QuantileLink, ValueLink

__all__ = ["FCMRegressor"]


class FCMRegressor(RegressorMixin, IntervalMixin, ValueMap, FitChunksMixin):
    """Regressor and feature transformer whose model is a fuzzy cognitive map.

    The concepts of the map are features, steps and combinations of features that are named after them, and the targets
    (``docs/guide/small-maps.md``). In a full map (``structure="full"``), there are anonymous hidden concepts instead,
    and every concept may influence every other.

    A sample sets the states of the features, scaled to [0, 1], all other concepts start undecided (0.5), and the map
    runs for a fixed number of steps. The prediction is the net input of an output in the last step, in standard
    deviations from the mean of the training data; the state of the output shows where the value lies (0.5 is the mean,
    0.88 one deviation above it). The weights are trained by backpropagation through these steps, by default with
    squared loss; `loss` selects another for counts, amounts, quantiles and data with outliers. The states before the
    last step are a learned transformation of the features, and the last step is a linear regression on them. A full map
    of more than 100 columns is structured, as in `FCMClassifier`.

    Parameters
    ----------
    depth : int or "auto", default="auto"
        Number of steps, at least 1. ``"auto"``: 2. With hidden concepts it is 3 if `prior` is None, if there are 20,000
        rows or more and the solver is ``"adam"``, or if the map has fewer features and outputs than one per 160 rows
        (at least 15, at most 30).
    slope : float, default=2.0
        Steepness of the sigmoid 1 / (1 + exp(-slope (x - 0.5))).
    n_hidden : int or "auto", default="auto"
        Number of hidden concepts. They start undecided and model nonlinear effects and interactions, which no single
        edge can express; 0 gives a map of features and outputs only. ``"auto"``:

        - 16, or half the number of features up to 32 if there are at least 20 rows per hidden concept. At least
          enough for one concept per 160 distinct rows, up to 30 concepts in all.
        - With ``"adam"`` and 20,000 rows or more, 16 plus 4 per feature and output, up to 100 and at most one per
          100 rows, if that is more.
        - With ``prior=None``, only enough for 15 concepts in all, or for one concept per 160 rows, up to 30.
        - With a map in `init`, as many as the map has; with one in `prior`, at least as many.
        - None for more than 100 features and outputs. A structured map has 16 to 32, or none if they would have
          more than 2¹⁸ weights.
        - None at depth 1, where they have no effect; if `init` is not ``"balanced"``; with `edges` or arrays in
          `weight_bounds`; and with ``learn="slopes"``.
    alpha : float, default=1.0
        Strength of the penalty, which shrinks the weights towards `prior`: ``alpha / n * (l1_ratio * sum |D| + (1 -
        l1_ratio) / 2 * sum D^2)``, where D is the deviation from the prior, is added to half the logarithm of the mean
        squared error, so that its strength does not depend on the noise level of the target. With a prior, edges into
        features are penalized 3 times as strongly (memory excepted), and edges between outputs 10 times. n is the
        number of rows, or their total weight if that is larger.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, which sets weights exactly to those of the prior: 0 where the prior has no edge.
    solver : {"auto", "lbfgs", "adam", "rmsprop"}, default="auto"
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` use mini-batches; an iteration is
        then one pass over the rows. ``"rmsprop"`` is that of TensorFlow 1, as in the paper. ``"adam"`` works on centred
        parameters and decays its learning rate. ``"auto"``: ``"adam"`` from 20,000 rows on if there are at most 100
        features and outputs, otherwise ``"lbfgs"``. The larger defaults for many rows (more hidden concepts, depth 3, 2
        teachers) apply only with ``"adam"``.
    max_iter : int or "auto", default="auto"
        Maximum number of iterations. ``"auto"``: with ``"lbfgs"`` one per 10 rows, from 225 to 300 (a third less
        without a `prior`), but one per 200 rows, from 40 to 50, for maps of more than 200 concepts; with ``"adam"``
        7600 divided by the square root of the number of rows, from 5 to 80 (to 500 below 20,000 rows); with
        ``"rmsprop"`` 500.
    tol : float, default=1e-4
        ``"lbfgs"`` stops when no entry of the gradient exceeds `tol` (with respect to half the weights, and to the net
        inputs of concepts at states 0.5). The other solvers, and early stopping, stop when `n_iter_no_change`
        iterations reduce the loss by less than `tol`. With 0, training runs for `max_iter` iterations, or until no step
        reduces the loss.
    learning_rate : float or "auto", default="auto"
        Largest step size of ``"adam"``, which decays it to 0 by a cosine schedule, and step size of ``"rmsprop"``.
        ``"auto"``: for ``"adam"`` 0.012, in proportion more for batches of more than 500 rows; for ``"rmsprop"`` 0.05
        divided by the number of concepts. Rates above 0.012 are reached after a warm-up of 5 % of the steps.
    batch_size : int or "auto", default="auto"
        Number of rows in a mini-batch; remaining rows are spread over the batches. With a value of at least the number
        of rows, there is one batch of all rows. ``"auto"``: 200; with ``"adam"`` and 20,000 rows or more, a fiftieth of
        the rows, from 500 to 2,000.
    early_stopping : bool, default=False
        Hold out rows for validation, stop when the loss on them no longer falls, and keep the best map.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out, in (0, 1), stratified by tenths of the target.
    n_iter_no_change : int, default=10
        Number of iterations within which the loss must fall by `tol` for training to continue.
    n_teachers : int or "auto", default="auto"
        Number of teachers in the ensemble from which the map is distilled. Each teacher is trained with early stopping
        on its own held-out part of the rows (a quarter or less). The map is then trained on all rows, with equal shares
        of the targets and of the teachers' mean prediction as target: it is about as accurate as the ensemble. 0 trains
        on the targets only. ``"auto"``: 5, but 2 to 4 for maps of more than 200 concepts, and 2 for 20,000 rows or more
        with ``"adam"``. None for fewer than 20 rows, or more than 1000 features and outputs unless the map is
        structured. None if `max_iter` or `early_stopping` is set, with ``"rmsprop"``, and if training resumes from an
        earlier fit.
    structure : {"auto", "additive", "named", "full"}, default="auto"
        ``"full"``: every concept influences every other, as in the paper. ``"additive"``: arrows from features (or
        their terms) to outputs only. ``"named"``: also hidden concepts of one to three features, named after them, such
        as "glucose > 126". In both, features keep their state. ``"auto"``: ``"named"``, additive or (from 1,000
        rows on, or above 100 columns) full, as held-out losses say, unless a parameter or a table of more than 10,000
        rows calls for a full map (``docs/guide/small-maps.md``).
    max_arrows : int, default=None
        Largest number of arrows of an additive or named map. None: as many as the held-out losses select. With a limit,
        ``"auto"`` never learns a full map, and parameters that need one raise an error.
    terms : int, dict or "auto", default=None
        Features to represent by linguistic terms. Each becomes a few concepts such as "petal width is low", whose
        states are membership degrees based on quantiles of the training data. An integer from 2 to 7 sets the number of
        terms of every feature; a dict does so for some features, by number or by name: ``{"petal width": 3, "mass":
        ["light", "heavy"]}``. Features with one or two values stay numeric, as do those in `monotonic_cst` unless the
        dict names them. ``"auto"`` tries none, 3 and 6, and uses terms only if they reduce the teachers' held-out loss
        by 3 %. None: all features stay numeric.
    prior : {"memory"}, FuzzyCognitiveMap or None, default="memory"
        Map towards which the penalty shrinks the weights. ``"memory"``: every feature keeps its value from step to
        step, and there is no other edge. The concept of a feature thus keeps its meaning, and hidden concepts do the
        computing. If there are teachers, the weight of each direct edge from a feature to an output is also bounded to
        between half and twice the weight at which the edge alone would have the feature's average effect; it thus has
        the sign of the effect. An expert's map, of some or all concepts, adds its edges to memory, matched by name. The
        data can override it: `alpha` sets how strong the evidence must be, and `prior_deviations_` lists the weights
        that changed. The expert's bias is not used. None shrinks all weights to 0: as accurate, but single weights are
        hard to interpret.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        Initial weights. ``"balanced"``: the prior plus small random weights into hidden concepts (without a prior, into
        all concepts), with biases that put every concept in the middle of its range. ``"uniform"``: random in [-1, 1],
        as in the paper. ``"correlation"``: correlations of features and targets, not random. A map: its weights and
        bias; it must have the same concepts, matched by name.
    edges : bool array, list of (from, to) names, or dict, default=None
        Allowed edges; all other weights stay 0. None allows all. Names are those of `get_feature_names_out`, as in
        ``[("mass", "target")]``; every concept may also influence itself. The values of a dict are those of
        `weight_bounds`, or None. An array of shape (n_concepts, n_concepts) is exact: ``edges[i, j]`` allows concept j
        to influence concept i. With a depth of 2 or more, a feature is then lost after the first step unless it may
        influence itself or another feature.
    weight_bounds : (low, high) or dict, default=None
        Bounds on the weights: two numbers, two arrays of shape (n_concepts, n_concepts), or a dict of single edges by
        name, ``{("mass", "target"): "+"}``, with a sign or (low, high), where None means unbounded. The sign of an edge
        constrains its influence in one step, not the total effect of a feature; use `monotonic_cst` for that.
        ``slope=5.0, weight_bounds=(-1, 1)`` gives weights in the range usual for hand-drawn maps.
    monotonic_cst : array-like of int of shape (n_features,) or dict, default=None
        Monotonicity constraints: by name, ``{"bmi": 1, "age": -1}``, or one number per feature, with 0 for
        unconstrained features. With 1, no target falls when the feature rises; with -1 none rises, whatever the other
        features are. The structure of the map guarantees it for every row: a constrained feature influences only
        itself, the outputs, and constrained features and hidden concepts, each with the matching sign.
    learn : {"weights", "slopes"}, default="weights"
        ``"slopes"`` keeps the weights of the map in `init` or `prior`, or those of ``init="correlation"``, and trains
        only the slope and bias of each concept. A map in `init` is used as it is, one in `prior` together with memory.
        If the slope of that map is a single number, it replaces `slope`.
    scale : {"auto", "logistic"} or bool, default="auto"
        How features are mapped to states in [0, 1]. ``"logistic"``: the logistic function of 0.75 times the
        standardized feature, which is robust to outliers; a constant feature becomes 0.5. ``"auto"``: the same, but in
        additive and named maps a feature with a skewness of 2 or more, such as an income, is first replaced by its
        logarithm. True, as in the paper: min-max scaling to the range seen in `fit`; values outside the range are
        extrapolated, but clipped at one range beyond it; a constant feature becomes 0. False: features are used as
        they are, and should lie in [0, 1].
    loss : {"squared_error", "poisson", "gamma", "tweedie", "quantile", "huber"}, default="squared_error"
        What training minimizes, and so what is predicted (``docs/guide/targets.md``):

        - ``"squared_error"``: the mean.
        - ``"poisson"``: the mean of counts (whole numbers >= 0), by the Poisson deviance.
        - ``"gamma"``: the mean of amounts > 0 whose noise is proportional to their size, by the Gamma deviance.
        - ``"tweedie"``: the mean of amounts >= 0, by the Tweedie deviance of the given `power`.
        - ``"quantile"``: one or several quantiles, by the pinball loss.
        - ``"huber"``: the mean, with outliers counted less: differences of more than half a deviation of the target
          (its interquartile range / 1.349) count linearly.

        Predictions with a deviance are positive: the logarithm of the value is what the map computes.
    power : float, default=1.5
        Power of ``loss="tweedie"``, between 1 and 2: the variance is proportional to the mean to this power.
    quantile : float or list of float, default=0.5
        Quantiles of ``loss="quantile"``, in (0, 1). With an ascending list, each has an output of its own, `predict`
        returns a column for each, and they never cross.
    warm_start : bool, default=False
        Start from the map of the previous `fit`, on data with the same features and targets. Named features are matched
        by name.
    random_state : int, RandomState instance or None, default=None
        Determines initial weights, mini-batches and held-out rows of a full map. The same integer gives the same model,
        bit by bit, for any `n_jobs`. A small map is the same for every `random_state`.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 means all processors.
    verbose : int, default=0
        With 1 or more, print the loss after each iteration.

    Attributes
    ----------
    model_ : MapModel
        The fitted model, which makes the predictions and provides the attributes below.
    map_ : FuzzyCognitiveMap
        The learned map. Its concepts are the features (of a small map, those with an arrow), the hidden concepts (named
        after features, or ``hidden 1`` and so on in a full map), then the targets, named after the columns of `y`, or
        ``target``.
    n_hidden_ : int
        Number of hidden concepts.
    depth_ : int
        Number of steps.
    structure_ : {"additive", "named", "full"}
        Structure of the map.
    selection_ : dict
        Of a small map, or a full one that was compared with it: ``structure``, ``arrows``, held-out ``loss`` and
        ``standard_error`` of each size, the index ``selected``, and ``teacher_losses``.
    teacher_losses_ : list of float
        Held-out loss of each teacher; empty without teachers. It is half the logarithm of the mean squared error in
        units of the variance: 0 for predicting the mean, and R² is 1 - exp(2 loss). With another `loss`, it is half the
        logarithm of the mean deviance or of twice the mean Huber loss, or the logarithm of the mean pinball loss.
    terms_ : dict of str to tuple of str
        Linguistic terms of each feature that has any.
    prior_deviations_ : list of PriorDeviation
        Edges of an expert's map in `prior`, by how much their weight changed, largest change first. Each has
        ``source``, ``target``, and the weights ``prior`` and ``learned``, both at the slope of the learned map.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Importance of each feature; they sum to 1. It is the mean absolute contribution to the difference between two
        rows of the training data (a sample of 200 if there are more).
    loss_curve_ : list of float
        Training loss with penalty: after each iteration of ``"lbfgs"``, or the mean over each pass of the others.
    validation_loss_curve_ : list of float
        Loss on the validation rows after each iteration; only with `early_stopping`.
    n_iter_ : int
        Number of iterations run.
    outcome_ : Outcome
        Why training stopped; ``outcome_.sentence`` explains it.
    scaling_ : FeatureSpread, FeatureRange or None
        Scaling of the features: ``mean`` and ``deviation``, or ``low`` and ``high`` of each; None if `scale` is False.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    See Also
    --------
    FCMClassifier : Classifier with the same kind of model.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> fcm = FCMRegressor(random_state=0).fit(X, y)
    >>> bool(fcm.score(X, y) > 0.5)
    True
    >>> fcm.map_.concepts[-1], fcm.transform(X).shape == (442, fcm.map_.n_concepts)
    ('target', True)

    Constrain the prediction to never fall as the body mass index rises:

    >>> fcm = FCMRegressor(monotonic_cst={"bmi": 1}, random_state=0).fit(X, y)
    >>> bool((fcm.predict(X.assign(bmi=X["bmi"] + 0.01)) >= fcm.predict(X)).all())
    True

    Predict three quantiles, which never cross:

    >>> fcm = FCMRegressor(loss="quantile", quantile=[0.1, 0.5, 0.9], random_state=0).fit(X, y)
    >>> low, median, high = fcm.predict(X).T
    >>> bool((low <= median).all() and (median <= high).all())
    True

    Keep the weights of a map drawn by a doctor, and train only slopes and biases:

    >>> from cogmap import FuzzyCognitiveMap
    >>> doctor = FuzzyCognitiveMap.from_edges([("bmi", "target", 1.0), ("bp", "target", 1.0), ("s3", "target", -1.0)])
    >>> fcm = FCMRegressor(prior=doctor, learn="slopes", random_state=0).fit(X, y)
    >>> float(fcm.map_.weights[-1, X.columns.get_loc("s3")]), bool(fcm.score(X, y) > 0.4)
    (-1.0, True)
    """

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
        structure: str = "auto",
        max_arrows: int | None = None,
        terms: Any = None,
        prior: str | FuzzyCognitiveMap | None = "memory",
        init: str | FuzzyCognitiveMap = "balanced",
        edges: Any = None,
        weight_bounds: Any = None,
        monotonic_cst: Any = None,
        learn: str = "weights",
        scale: str | bool = "auto",
        loss: str = "squared_error",
        power: float = 1.5,
        quantile: float | Sequence[float] = 0.5,
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
        self.structure = structure
        self.max_arrows = max_arrows
        self.terms = terms
        self.prior = prior
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.monotonic_cst = monotonic_cst
        self.learn = learn
        self.scale = scale
        self.loss = loss
        self.power = power
        self.quantile = quantile
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = self.loss in ("poisson", "gamma", "tweedie")
        return tags

    def predict(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_targets) if `y` had columns, or (n_samples, n_quantiles)
            Predicted values, in the units of `y`.
        """
        model, X = self._fitted_model(X)
        values = model.outputs(X)
        return values[:, 0] if cast(ValueLink, model.link).one_dimensional else values

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R² of the predictions, or with several quantiles, their mean D² of the pinball loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            True values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            1 is perfect; predicting the mean, or constant quantiles, gives 0.
        """
        link = self.model_.link if hasattr(self, "model_") else None
        if not (isinstance(link, QuantileLink) and link.is_sorted):
            return float(super().score(X, y, sample_weight))
        both = zip(self.predict(X).T, link.quantiles, strict=True)
        values = np.ravel(y)
        return float(np.mean([d2_pinball_score(values, p, sample_weight=sample_weight, alpha=q) for p, q in both]))
