"""`FCMClassifier`: classifier and feature transformer whose model is a fuzzy cognitive map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogmap.estimators._chunks import FitChunksMixin
from cogmap.estimators._partial_fit import PartialFitMixin
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["FCMClassifier"]


class FCMClassifier(PartialFitMixin, FitChunksMixin):
    """Classifier and feature transformer whose model is a fuzzy cognitive map.

    The concepts of the map are features, steps and combinations of features that are named after them, and the classes
    (``docs/guide/small-maps.md``). In a full map, as in the paper (``structure="full"``), there are anonymous hidden
    concepts instead, and every concept may influence every other.

    A sample sets the states of the features, scaled to [0, 1], all other concepts start undecided (0.5), the map runs
    for a fixed number of steps, and the output concepts give the prediction. The weights are trained by backpropagation
    through these steps. The states before the last step are a learned transformation of the features, and the last step
    is a logistic regression on them. With more than 100 features and no constraint on single edges, a full map is
    structured: features influence only themselves, hidden concepts and outputs, and irrelevant features influence
    nothing (``docs/guide/wide.md``).

    Parameters
    ----------
    depth : int or "auto", default="auto"
        Number of steps, at least 1. With 1 step and one output the model is a logistic regression. ``"auto"``: 2. With
        hidden concepts it is 3 if `prior` is None, if there are 3,000 rows or more and the solver is ``"adam"``, or if
        the map has fewer features and outputs than one per 160 rows (at least 7, at most 30).
    slope : float, default=2.0
        Steepness of the sigmoid 1 / (1 + exp(-slope (x - 0.5))).
    output : {"auto", "single", "one_hot"}, default="auto"
        ``"single"``: one output concept, for two classes, trained with log loss. ``"one_hot"``: one output per class,
        trained with softmax cross-entropy. ``"auto"``: ``"single"`` for two classes, ``"one_hot"`` for more.
    gain : float, default=10.0
        Factor on the outputs before the softmax of ``"one_hot"``. With 1, as in the paper, no prediction can be
        confident, because outputs lie in (0, 1). It has no effect on ``"single"``.
    n_hidden : int or "auto", default="auto"
        Number of hidden concepts. They start undecided and model nonlinear effects and interactions, which no single
        edge can express; 0 gives a map of features and outputs only. ``"auto"``:

        - 16, or half the number of features up to 32 if there are at least 20 rows per hidden concept. At least
          enough for one concept per 160 distinct rows, up to 30 concepts in all.
        - With ``"adam"`` and 3,000 rows or more, 16 plus 4 per feature and output, up to 100 and at most one per
          100 rows, if that is more.
        - With ``prior=None``, only enough for 7 concepts in all, or for one concept per 160 rows, up to 30.
        - With a map in `init`, as many as the map has; with one in `prior`, at least as many.
        - None for more than 100 features and outputs. A structured map has 16 to 32, or none if they would have
          more than 2¹⁸ weights.
        - None at depth 1, where they have no effect; if `init` is not ``"balanced"``; with `edges` or arrays in
          `weight_bounds`; and with ``learn="slopes"``.
    alpha : float, default=0.2
        Strength of the penalty, which shrinks the weights towards `prior`: ``alpha / n * (l1_ratio * sum |D| + (1 -
        l1_ratio) / 2 * sum D^2)`` is added to the mean loss, where D is the deviation from the prior. With a prior,
        edges into features are penalized 3 times as strongly (memory excepted), and edges between outputs 10 times. n
        is the number of rows, or their total weight if that is larger, so that weights that sum to 1, as in AdaBoost,
        do not increase the penalty. At depth 1 and slope 1 it is the 1 / C of logistic regression.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, which sets weights exactly to those of the prior: 0 where the prior has no edge.
    solver : {"auto", "lbfgs", "adam", "rmsprop"}, default="auto"
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` use mini-batches; an iteration is
        then one pass over the rows. ``"rmsprop"`` is that of TensorFlow 1, as in the paper. ``"adam"`` works on centred
        parameters and decays its learning rate. ``docs/about/reproduction.md`` shows how to train as in the paper.
        ``"auto"``: ``"adam"`` from 3,000 rows on if there are at most 100 features and outputs, otherwise ``"lbfgs"``.
        The larger defaults for many rows (more hidden concepts, depth 3, 2 teachers) apply only with ``"adam"``.
    max_iter : int or "auto", default="auto"
        Maximum number of iterations. ``"auto"``: with ``"lbfgs"`` one per 10 rows, from 150 to 300 (a third less
        without a `prior`), but one per 200 rows, from 20 to 50, for maps of more than 200 concepts; with ``"adam"``
        7600 divided by the square root of the number of rows, from 5 to 80 (to 500 below 3,000 rows); with
        ``"rmsprop"`` 500.
    tol : float, default=1e-4
        ``"lbfgs"`` stops when no entry of the gradient exceeds `tol` (with respect to half the weights, and to the net
        inputs of concepts at states 0.5). The other solvers, and early stopping, stop when `n_iter_no_change`
        iterations reduce the loss by less than `tol`. With 0, training runs for `max_iter` iterations, or until no step
        reduces the loss.
    learning_rate : float or "auto", default="auto"
        Largest step size of ``"adam"``, which decays it to 0 by a cosine schedule (in `partial_fit`, where the number
        of steps is unknown, by the square root of their number), and step size of ``"rmsprop"``. ``"auto"``: for
        ``"adam"`` 0.012, in proportion more for batches of more than 500 rows (0.05 in `partial_fit`); for
        ``"rmsprop"`` 0.05 divided by the number of concepts. Rates above 0.012 are reached after a warm-up of 5 % of
        the steps.
    batch_size : int or "auto", default="auto"
        Number of rows in a mini-batch; remaining rows are spread over the batches. With a value of at least the number
        of rows, there is one batch of all rows. ``"auto"``: 200; with ``"adam"`` and 3,000 rows or more, a fiftieth of
        the rows, from 500 to 2,000.
    early_stopping : bool, default=False
        Hold out rows for validation, stop when the loss on them no longer falls, and keep the best map.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out, in (0, 1), stratified by class.
    n_iter_no_change : int, default=10
        Number of iterations within which the loss must fall by `tol` for training to continue.
    n_teachers : int or "auto", default="auto"
        Number of teachers in the ensemble from which the map is distilled. Each teacher is trained with early stopping
        on its own held-out part of the rows (a quarter or less). The map is then trained on all rows, with equal shares
        of the labels and of the teachers' mean prediction as target: it is about as accurate as the ensemble, and its
        probabilities are calibrated. 0 trains on the labels only. ``"auto"``: one per 50 distinct rows, limited to 300
        concepts in total, from 2 to 5; 2 for 3,000 rows or more with ``"adam"``. None for fewer than 20 rows, or more
        than 100 features and outputs unless the map is structured. None if `max_iter` or `early_stopping` is set, with
        ``"rmsprop"``, and if training resumes from an earlier fit.
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
        as in the paper. ``"correlation"``: correlations of features and labels, not random. A map: its weights and
        bias; it must have the same concepts, matched by name.
    edges : bool array, list of (from, to) names, or dict, default=None
        Allowed edges; all other weights stay 0. None allows all. Names are those of `get_feature_names_out`, as in
        ``[("mass", "class=Gentoo")]``; every concept may also influence itself. The values of a dict are those of
        `weight_bounds`, or None. An array of shape (n_concepts, n_concepts) is exact: ``edges[i, j]`` allows concept j
        to influence concept i. With a depth of 2 or more, a feature is then lost after the first step unless it may
        influence itself or another feature.
    weight_bounds : (low, high) or dict, default=None
        Bounds on the weights: two numbers, two arrays of shape (n_concepts, n_concepts), or a dict of single edges by
        name, ``{("mass", "class=Gentoo"): "+"}``, with a sign or (low, high), where None means unbounded. The sign of
        an edge constrains its influence in one step, not the total effect of a feature; use `monotonic_cst` for that.
        ``slope=5.0, weight_bounds=(-1, 1)`` gives weights in the range usual for hand-drawn maps.
    monotonic_cst : array-like of int of shape (n_features,) or dict, default=None
        Monotonicity constraints: by name, ``{"mass": 1, "age": -1}``, or one number per feature, with 0 for
        unconstrained features. With 1, the probability of the second class never falls when the feature rises; with -1
        it never rises, whatever the other features are. With more than two classes, keys are (feature, class) with the
        same class throughout, ``{("mass", "class=Gentoo"): 1}``: the constraint is on the probability of that class
        only. The structure of the map guarantees it for every row: a constrained feature influences only itself, the
        outputs, and constrained features and hidden concepts, each with the matching sign.
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
    class_weight : dict or "balanced", default=None
        Weights of the classes. ``"balanced"`` gives every class the same total weight.
    ordered : bool or list of labels, default=False
        Whether classes are ordered, such as grades. Three or more ordered classes have one output concept, ``class``,
        which is compared with a threshold between each class and the next: a cumulative logit model. True takes the
        order of numbers, or that of a pandas ordered categorical; a list has the labels from the lowest to the highest.
    warm_start : bool, default=False
        Start from the map of the previous `fit`, on data with the same features and classes. Named features are matched
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
        after features, or ``hidden 1`` and so on in a full map), then the outputs in the order of `classes_` (a single
        output is the second class).
    n_hidden_ : int
        Number of hidden concepts.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. With several labels per row, their numbers.
    output_ : {"single", "one_hot", "ordered", "labels"}
        Kind of output used.
    depth_ : int
        Number of steps.
    gain_ : float
        Factor on the outputs before the softmax; 1 for ``"single"``, which has no softmax.
    structure_ : {"additive", "named", "full"}
        Structure of the map.
    selection_ : dict
        Of a small map, or a full one that was compared with it: ``structure``, ``arrows``, held-out ``loss`` and
        ``standard_error`` of each size, the index ``selected``, and ``teacher_losses``.
    teacher_losses_ : list of float
        Held-out loss of each teacher; empty without teachers.
    terms_ : dict of str to tuple of str
        Linguistic terms of each feature that has any.
    prior_deviations_ : list of PriorDeviation
        Edges of an expert's map in `prior`, by how much their weight changed, largest change first. Each has
        ``source``, ``target``, and the weights ``prior`` and ``learned``, both at the slope of the learned map.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Importance of each feature; they sum to 1. It is the mean absolute contribution to the difference between two
        rows of the training data (a sample of 200 if there are more; after `partial_fit`, of the last batch).
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
    FCMClassifierCV : Select depth, penalty and terms by cross-validation.
    FCMRegressor : Regressor with the same kind of model.
    cogmap.fit_table : Fit a map to a raw table, with text, dates and gaps.
    cogmap.explain : Contributions of the features to a prediction.

    References
    ----------
    P. Szwed, Classification and feature transformation with fuzzy cognitive maps, Applied Soft Computing 105 (2021),
    107271.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> fcm.score(X, y) > 0.95
    True
    >>> full = FCMClassifier(structure="full", random_state=0).fit(X, y)
    >>> full.transform(X).shape  # four features, 16 hidden concepts and three classes
    (150, 23)
    >>> fcm.map_.concepts[-1]
    'class=2'

    Use an expert's map as prior. One of its two edges has the wrong sign, which the data correct:

    >>> from cogmap import FuzzyCognitiveMap
    >>> expert = FuzzyCognitiveMap.from_edges(
    ...     [("petal width (cm)", "class=2", 1.0), ("petal length (cm)", "class=2", -1.0)]
    ... )
    >>> fcm = FCMClassifier(prior=expert, random_state=0).fit(X, y)
    >>> [(deviation.source, deviation.learned > 0) for deviation in fcm.prior_deviations_]
    [('petal length (cm)', True), ('petal width (cm)', True)]

    Constrain the probability of class 2 to never fall as petals get wider:

    >>> fcm = FCMClassifier(monotonic_cst={("petal width (cm)", "class=2"): 1}, random_state=0).fit(X, y)
    >>> wider = X.assign(**{"petal width (cm)": X["petal width (cm)"] + 0.3})
    >>> bool((fcm.predict_proba(wider)[:, 2] >= fcm.predict_proba(X)[:, 2]).all())
    True
    """

    def __init__(
        self,
        depth: int | str = "auto",
        slope: float = 2.0,
        output: str = "auto",
        gain: float = 10.0,
        n_hidden: int | str = "auto",
        alpha: float = 0.2,
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
        class_weight: dict[Any, float] | str | None = None,
        ordered: bool | Sequence[Any] = False,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.depth = depth
        self.slope = slope
        self.output = output
        self.gain = gain
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
        self.class_weight = class_weight
        self.ordered = ordered
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _takes_labels = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
