"""FCMClassifier: the classifier and feature transformer whose model is a fuzzy cognitive map."""

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from cogmap._learning.planning import earlier_parameters, plan_one_pass
from cogmap._learning.size import check_size
from cogmap._learning.solvers import RULES, Adam, Rule
from cogmap._learning.table import Table
from cogmap._learning.training import train_one_pass
from cogmap._utils.params import param_error, shown
from cogmap.estimators._chunks import FitsChunks
from cogmap.estimators._class_map import ClassMap
from cogmap.estimators._labels import all_labels
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators._validation import input_names
from cogmap.explanation.influences import sample_of
from cogmap.maps.map import FuzzyCognitiveMap


class FCMClassifier(ClassMap, FitsChunks):
    """Classifier and feature transformer whose model is a fuzzy cognitive map.

    Features, scaled to [0, 1], and classes are concepts of a fully connected map; hidden concepts help. The map starts
    from the features of a sample, with all else undecided, makes a fixed number of steps, and the outputs are read. Its
    weights are learned by gradients through these steps. The states before the last step are a learned transformation
    of the features, and the last step is a logistic regression on them. With more than 100 features the map is
    structured, unless something is said about single influences: features remember themselves and influence hidden
    concepts and outputs only, and those that say nothing about the classes influence nothing (``docs/wide.md``).

    Parameters
    ----------
    depth : int or "auto", default="auto"
        Number of steps, at least 1. With 1 step and one output the model is a logistic regression. ``"auto"``: 2; with
        hidden concepts 3 if `prior` is None, there are 3,000 rows or more, or there are less than 7 features and
        outputs, or less than one for 160 rows, up to 30.
    slope : float, default=2.0
        Steepness of the sigmoid 1 / (1 + exp(-slope (x - 0.5))).
    output : {"auto", "single", "one_hot"}, default="auto"
        ``"single"``: one output concept, for two classes, learned with log loss. ``"one_hot"``: one output per class,
        learned with cross-entropy of a softmax. ``"auto"``: ``"single"`` for two classes, ``"one_hot"`` for more.
    gain : float, default=10.0
        Factor on the outputs before the softmax of ``"one_hot"``. With 1, the paper's, no prediction can be confident:
        outputs lie in (0, 1). It does not matter to ``"single"``.
    n_hidden : int or "auto", default="auto"
        Number of hidden concepts, which are neither features nor outputs and start undecided. They compute what no
        single arrow can say: bends, and features that act together. ``"auto"``: 16, or one for two features if there
        are 20 rows for each, up to 32; at least as many as make one concept for 160 rows that differ, up to 30; from
        3,000 rows on 16 and 4 for each feature and output, up to 100; none for more than 100 features and outputs,
        except in the structured map of a wide table, which has 16 to 32 (none if they had more than 2¹⁸ weights).
        Without a `prior`, where features compute too, as many as make 7 concepts in all, or one for 160 rows, up to 30.
        As many as a map in `init` has, and at least as many as one in `prior`. None at depth 1, where they cannot
        matter, with another `init` than ``"balanced"``, with `edges` or arrays of bounds, which speak of the other
        concepts, and if only slopes are learned. 0 makes a map of features and outputs alone.
    alpha : float, default=0.2
        Strength of the penalty, which pulls the weights to those of `prior`: ``alpha / n * (l1_ratio * sum |D| +
        (1 - l1_ratio) / 2 * sum D^2)`` beside the mean loss, where D is how far they are from it. With a prior, what
        comes into features from elsewhere is pulled 3 times as hard, and what goes between outputs 10 times. n is the
        number of rows, or their total weight if that is larger: weights that are shares, as those of AdaBoost, do not
        make the penalty stronger. At depth 1 and slope 1 it is the 1 / C of logistic regression.
    l1_ratio : float, default=0.0
        Share of the absolute penalty, which makes weights exactly those of the prior: 0 where it says nothing.
    solver : {"auto", "lbfgs", "adam", "rmsprop"}, default="auto"
        ``"auto"``: ``"adam"`` from 3,000 rows on, if there are at most 100 features and outputs, else ``"lbfgs"``.
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` use mini-batches; an iteration is
        then a pass over the rows. ``"rmsprop"`` is that of TensorFlow 1, as in the paper. ``"adam"`` is not the
        paper's: it steps in centred parameters, and its rate falls where the paper's stays at 0.001.
        ``docs/reproduction.md`` has the call that trains exactly as the paper does. What pays for many rows (hidden
        concepts, a step more, two teachers) goes with ``"adam"``.
    max_iter : int or "auto", default="auto"
        Largest number of iterations. ``"auto"`` makes as many as usually pay: with ``"lbfgs"`` one for 10 rows, from
        150 to 300 (without a `prior` a third less), but for maps of more than 200 concepts one for 200 rows, from 20 to
        50; with ``"adam"`` 7600 over the root of the number of rows, from 5 to 80 (to 500 for fewer rows); with
        ``"rmsprop"`` 500.
    tol : float, default=1e-4
        ``"lbfgs"`` ends when no entry of the gradient is larger (with respect to half the weights, and the net inputs
        of concepts whose sources are all 0.5). The others, and early stopping, end when `n_iter_no_change` iterations
        have lowered the loss by less. With 0, all `max_iter` iterations are made, as far as any step still lowers the
        loss.
    learning_rate : float or "auto", default="auto"
        Step size of ``"adam"``, where it falls to 0 as half a wave of the cosine (in `partial_fit`, where nobody knows
        how many steps there will be, with the root of their number), and of ``"rmsprop"``. ``"auto"``: 0.012, and up to
        0.048 for batches of more than 500 rows (0.05 in `partial_fit`); and 0.05 over the number of concepts. Rates
        above 0.012 are reached after a twentieth of the steps.
    batch_size : int or "auto", default="auto"
        Rows in a mini-batch; the remainder is spread over the batches. As many rows as there are, or more, means one
        batch of all rows. ``"auto"`` is 200, from 3,000 rows on 500 to 2,000, a fiftieth of the rows.
    early_stopping : bool, default=False
        Keep a part of the rows aside, stop when the loss on them no longer falls, and keep the best map.
    validation_fraction : float, default=0.1
        Size of that part, in (0, 1). It has about the same share of each class.
    n_iter_no_change : int, default=10
        Over how many iterations the loss has to fall by `tol` for learning to go on.
    n_teachers : int or "auto", default="auto"
        Number of maps that learn first, each without another part of the rows (a quarter or less), on which it is seen
        when to stop. The map then learns from all rows, half from the labels and half from the mean prediction of the
        teachers (an ensemble and its distillation): it is about as accurate as their mean, and its probabilities are
        calibrated. 0 learns from the labels alone. ``"auto"``: one for 50 rows that differ and as many as have 300
        concepts together, from 2 to 5; 2 from 3,000 rows on; none for less than 20 rows or more than 100 features and
        outputs unless the map is structured, if `max_iter` or `early_stopping` say how long to learn, with
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
        ``"correlation"``: correlations of features and labels, not random. An expert's map of the same concepts, by
        name.
    edges : bool array, list of (from, to) names, or dict, default=None
        Which concepts may influence which; all other weights stay 0. None allows all. Names are those of
        `get_feature_names_out`: ``[("mass", "class=Gentoo")]``; besides, each concept may influence itself. A dict
        says of each edge what `weight_bounds` can say, or None. An array of shape (n_concepts, n_concepts) is exact:
        ``edges[i, j]`` allows concept j to influence concept i; with a depth of 2 or more a feature is then forgotten
        after the first step unless it may influence itself or another feature.
    weight_bounds : (low, high) or dict, default=None
        Bounds of the weights: two numbers, two arrays of shape (n_concepts, n_concepts), or for single influences by
        name, ``{("mass", "class=Gentoo"): "+"}``, a sign or (low, high), where None is no bound. A sign says how a
        concept influences another in a step, not what comes of it in all: for that there is `monotonic_cst`.
        ``slope=5.0, weight_bounds=(-1, 1)`` makes maps with the weights that are usual where maps are drawn by hand.
    monotonic_cst : array-like of int of shape (n_features,) or dict, default=None
        Features whose effect must be monotone, by name, ``{"mass": 1, "age": -1}``, or one number per feature, 0 for
        free ones: with 1, the probability of the second class never falls when the feature rises, with -1 it never
        rises, whatever the other features are. With more than two classes, ``{("mass", "class=Gentoo"): 1}``, with the
        same class throughout: that about the probability of this class; which of the others lose is left open. It holds
        for every row because of how the map is built: such a feature influences itself, the outputs, and features and
        hidden concepts of the same kind only, each with the sign that goes with it.
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
    class_weight : dict or "balanced", default=None
        Weights of the classes. ``"balanced"`` gives every class the same total weight.
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
        The fitted model, from which the attributes below are read and by which predictions are made.
    map_ : FuzzyCognitiveMap
        The learned map. Its concepts are the features, the hidden ones (``hidden 1`` and so on), then the outputs in
        the order of `classes_` (one output: the second class).
    n_hidden_ : int
        Number of hidden concepts.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    output_ : {"single", "one_hot"}
        Kind of output used.
    depth_ : int
        Number of steps.
    gain_ : float
        Factor on the outputs before the softmax; 1 for ``"single"``, which has none.
    teacher_losses_ : list of float
        Loss of each teacher on the rows that it did not learn from; empty if there were none.
    terms_ : dict of str to tuple of str
        The words of each feature that is read as words.
    prior_deviations_ : list of PriorDeviation
        What became of the influences that an expert's map in `prior` has, those that changed most first. Each has
        ``source``, ``target``, and the weights ``prior`` and ``learned``, both at the slope of the learned map.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much each feature matters, as shares of 1: its mean absolute contribution to the difference between two rows
        of the training data (of 200 of them, if there are more; after `partial_fit`, of the last part).
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
    >>> fcm.transform(X).shape  # four features, 16 hidden concepts and three classes
    (150, 23)
    >>> fcm.map_.concepts[-1]
    'class=2'

    An expert says what speaks for class 2, half of it wrongly, and is told where the data disagree most.

    >>> from cogmap import FuzzyCognitiveMap
    >>> expert = FuzzyCognitiveMap.from_edges(
    ...     [("petal width (cm)", "class=2", 1.0), ("petal length (cm)", "class=2", -1.0)]
    ... )
    >>> fcm = FCMClassifier(prior=expert, random_state=0).fit(X, y)
    >>> [(departure.source, departure.learned > 0) for departure in fcm.prior_deviations_]
    [('petal length (cm)', True), ('petal width (cm)', True)]

    The wider the petals, the more probable is class 2, whatever else is measured.

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
        terms: Any = None,
        prior: str | FuzzyCognitiveMap | None = "memory",
        init: str | FuzzyCognitiveMap = "balanced",
        edges: Any = None,
        weight_bounds: Any = None,
        monotonic_cst: Any = None,
        learn: str = "weights",
        scale: str | bool = "logistic",
        class_weight: dict[Any, float] | str | None = None,
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
        self.terms = terms
        self.prior = prior
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.monotonic_cst = monotonic_cst
        self.learn = learn
        self.scale = scale
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a part of the data: one pass over it in mini-batches.

        The scaling of the features goes on learning from every part. The solver is ``"adam"`` if `solver` is
        ``"lbfgs"``, which cannot learn in parts. `early_stopping`, `max_iter` and `n_teachers` do not apply. The number
        of hidden concepts follows the rows of the first part.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings or booleans.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur. Needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : FCMClassifier
            The classifier after the pass. If it fails, an earlier fitted model stays as it was.
        """
        check_parameters(self._owner, self.get_params(deep=False))
        owner = f"{self._owner}.partial_fit"
        if isinstance(self.class_weight, str):
            cure = "The shares of the classes are not known from a part of the data."
            raise param_error(owner, "class_weight", "a dict or None", self.class_weight, cure)
        first = not hasattr(self, "model_")
        if first and classes is None:
            cure = "List all labels that will ever occur."
            raise param_error(owner, "classes", "given in the first call", classes, cure)
        if classes is not None:
            given = all_labels(classes, owner)
            if not first and not np.array_equal(given, self.classes_):
                raise param_error(owner, "classes", f"the same as in the first call, {shown(self.classes_)}", classes)
        known = given if first else self.classes_
        self._replace_learned(lambda fitted: fitted._fit_part(X, y, known, sample_weight))
        return self

    def _fit_part(self, X: ArrayLike, y: ArrayLike, classes: NDArray[Any], sample_weight: ArrayLike | None) -> None:
        """Make one pass over some rows."""
        earlier = getattr(self, "model_", None)
        named = hasattr(self, "feature_names_in_")
        X, y, weight = self._validated(X, y, sample_weight, reset=earlier is None, method="partial_fit")
        n_values = X.shape[0] * X.shape[1]
        table = Table(X, self._targets(y, None, classes), weight, tuple(input_names(self)), n_values=n_values)
        table = self._settled(table, None)
        self._check_sparse(table, earlier)
        solver = self.solver if self.solver in RULES else "adam"  # one that can learn in parts
        if isinstance(self.terms, str):
            cure = "How to read features is chosen with all rows at hand: say a number of words."
            raise param_error(f"{self._owner}.partial_fit", "terms", "None, a number or a dict", self.terms, cure)
        scaling = self._scaling(table, None if earlier is None else earlier.encoding.scaling)
        plan = plan_one_pass(table, scaling, self._parameters() | {"solver": solver}, self._rules, earlier)
        check_size(plan)
        rule, random, seen = self._remembered(solver, plan.settings.learning_rate)
        seen += max(table.n_rows, table.total_weight)
        if scaling is not None:  # it knows of rows of an earlier fit too
            seen = max(seen, float(scaling.known.weight.max()))
        start = None
        if earlier is not None:
            named = named and hasattr(self, "feature_names_in_")
            start = earlier_parameters(earlier, plan, table.targets.link, named)
        states = replace(plan, inputs=None).encoded(table)  # of all inputs; mini-batches take rows, which lie together
        result = train_one_pass(states, plan, rule, random, seen, start)
        curve = [*getattr(self, "loss_curve_", []), *result.loss_curve]
        self._publish(replace(result, loss_curve=curve), sample_of(X, weight))
        self._incremental = rule, random, seen

    def _remembered(self, solver: str, learning_rate: float) -> tuple[Rule, np.random.RandomState, float]:
        """Return rule, random numbers and weight seen so far, as copies: a pass that fails must not leave its mark."""
        rule = RULES[solver](learning_rate)
        known_rule, random, seen = copy.deepcopy(getattr(self, "_incremental", (None, None, 0.0)))
        if type(known_rule) is type(rule) and known_rule.learning_rate == learning_rate:
            rule = known_rule
        elif isinstance(rule, Adam):
            rule.resumed = known_rule is None and hasattr(self, "model_")
        return rule, check_random_state(self.random_state) if random is None else random, seen
