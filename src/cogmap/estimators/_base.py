"""Base class of all estimators: validate the data, plan, train, set the fitted attributes."""

import functools
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from cogmap._learning.dataset import Dataset
from cogmap._learning.named import NamedResult, train_named
from cogmap._learning.plan import Plan
from cogmap._learning.planning import earlier_parameters, is_structured, make_encodings, make_plan, make_plans
from cogmap._learning.search import choose
from cogmap._learning.settings import CLASSIFICATION, LARGE, Defaults
from cogmap._learning.size import check_size
from cogmap._learning.solvers import RULES, Outcome
from cogmap._learning.spec import PriorDeviation
from cogmap._learning.structure_choice import check_max_arrows, compares_structures, structure_of
from cogmap._learning.table import Table
from cogmap._learning.targets import Targets
from cogmap._learning.teachers import Teacher
from cogmap._learning.training import TrainResult, train
from cogmap._utils.documentation import DocLinkMixin
from cogmap._utils.segments import SEGMENT
from cogmap.estimators._callbacks import CallbackSupport, FitMonitor, with_callbacks
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators._prediction import FittedMap
from cogmap.estimators._proposals import propose_conditions
from cogmap.estimators._refitting import Refitting
from cogmap.estimators._validation import check_sample_weight, input_names, too_large_to_be_dense
from cogmap.explanation.influences import learned_importances, sample_of
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import FeatureRange, FeatureSpread, Scaling
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import Link
from cogmap.models.logarithms import find_logarithms
from cogmap.models.model import MapModel
from cogmap.statistics.novelty import RowDistances

_N_FOLDS = 4  # of the cross-validation that selects the encoding of features

Data = tuple[NDArray[np.floating], NDArray[Any], NDArray[np.float64] | None]  # features, targets, weights


class BaseFCM(CallbackSupport, Refitting, FittedMap, DocLinkMixin, BaseEstimator, ABC):
    """Base class of estimators that train a map on a table."""

    _defaults: Defaults = CLASSIFICATION

    # Set in fit.
    _outcome: str
    loss_curve_: list[float]
    n_iter_: int
    teacher_losses_: list[float]
    structure_: str
    selection_: dict[str, Any]
    prior_deviations_: list[PriorDeviation]
    feature_importances_: NDArray[np.floating]

    @property
    def _owner(self) -> str:
        return type(self).__name__

    @property
    def outcome_(self) -> Outcome:
        """Why training stopped; stored by name, because not every file format supports enumerations."""
        return Outcome[self._outcome]

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numeric features: an array, a pandas or polars data frame, or a sparse matrix. A missing value (NaN) is
            encoded as the undecided state 0.5.
        y : array-like of shape (n_samples,)
            Targets. Classifiers take labels that are numbers, strings or booleans; regressors take numbers, with one
            column per target if there are several.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0. A weight of 0 is equivalent to removing the row. A weight of 2 is
            equivalent to repeating the row if the solver is ``"lbfgs"`` and there are at most a million values;
            otherwise the total weight is the same but the model differs, because mini-batches are drawn by row and the
            number of rows determines defaults.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model is unchanged.
        """
        check_parameters(self._owner, self.get_params(deep=False))
        self._replace_learned(lambda fitted: fitted._fit(X, y, sample_weight, self))
        self._warn_unless_converged()
        return self

    def _warn_unless_converged(self) -> None:
        if not self.outcome_.converged:
            warnings.warn(
                f"{self._owner}: {self.outcome_.sentence} {self.outcome_.cure} "
                f"({self.n_iter_} iterations, last loss {self.loss_curve_[-1]:.6g})",
                ConvergenceWarning,
                stacklevel=4,
            )

    def explore(self, X: ArrayLike, y: ArrayLike | None = None, path: str | os.PathLike[str] | None = None) -> Path:
        """Write an interactive HTML page of the learned map.

        The page is one self-contained file that evaluates the map in the browser, without Python or a network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to show in the page: a stratified sample of at most 500 is stored.
        y : array-like of shape (n_samples,), default=None
            True targets, from which the page computes the accuracy of the map, also after edits.
        path : str or path-like, default=None
            Output file, required, such as ``map.html``. An existing file is replaced.

        Returns
        -------
        pathlib.Path
            The output file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fcm.explore(X, y, path=Path(folder, "iris.html")).name
        'iris.html'
        """
        from cogmap.page import write  # lazy: fitting does not need it

        return write(self, X, y, path)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, shown_as: "BaseFCM") -> None:
        """Fit to a table; callbacks see the estimator `shown_as`."""
        earlier = getattr(self, "model_", None) if getattr(self, "warm_start", False) else None
        named = hasattr(self, "feature_names_in_")
        self._forget()
        data = self._validated(X, y, sample_weight, reset=True)
        self._fit_table(data, shown_as, earlier, named and hasattr(self, "feature_names_in_"))

    def _fit_table(self, data: Data, shown_as: "BaseFCM", earlier: MapModel | None = None, named: bool = False) -> None:
        """Fit to validated rows in memory."""
        X, y, weight = data
        known = None if earlier is None else earlier.link
        n_values = X.shape[0] * X.shape[1]
        table = Table(X, self._targets(y, known), weight, tuple(input_names(self)), n_values=n_values)
        if self._parameters()["solver"] not in RULES and n_values <= LARGE:
            table = table.merged()
        table = self._finalize(table, known)
        scaling = self._scaling(table)
        self._train(table, scaling, table.n_rows, lambda plan: plan.encoded(table), data, shown_as, earlier, named)

    def _train(
        self,
        sample: Table,
        scaling: Scaling | None,
        n_rows: int,
        encoded: Callable[[Plan], Dataset],
        data: Data,
        shown_as: "BaseFCM",
        earlier: MapModel | None = None,
        named: bool = False,
        **changes: Any,
    ) -> None:
        """Make plans, select one, train it, and set the fitted attributes.

        Parameters
        ----------
        sample : Table
            Rows in memory, with unscaled features.
        scaling : Scaling or None
            Scaling of the features, from all rows.
        n_rows : int
            Total number of rows.
        encoded : callable
            Returns all rows, encoded by a given plan.
        data : tuple
            Features, targets and weights on which callbacks may score the model.
        shown_as : BaseFCM
            The estimator that callbacks see.
        earlier : MapModel, default=None
            The model that training resumes from.
        named : bool, default=False
            Whether features of the earlier model are matched by name.
        **changes
            Parameters that override those of the estimator.
        """
        random = check_random_state(self.random_state)
        parameters = self._parameters() | changes
        structure = structure_of(parameters, sample, n_rows, earlier, len(self._grid()))
        monitor = FitMonitor(shown_as, *data)
        small = None
        if structure != "full":
            compared = compares_structures(parameters, n_rows, sample.X.shape[1])
            monitor.begin(4 if compared else 2)
            small = self._train_small(sample, scaling, parameters, structure, monitor)
            if not compared or small.outcome is Outcome.CALLBACK:
                self._publish_small(small, sample, monitor)
                return
        self._check_sparse(sample, earlier)
        plans = make_plans(sample, scaling, n_rows, parameters, self._defaults, random, earlier, named, self._grid())
        self._check_size(plans, most_rows=None if n_rows == sample.n_rows else SEGMENT)
        link = sample.targets.link
        start = None if earlier is None else earlier_parameters(earlier, plans[0], link, named)
        datasets: dict[int, Dataset] = {}
        for plan in plans:  # plans with the same encoding share the dataset
            if id(plan.encoding) not in datasets:
                datasets[id(plan.encoding)] = encoded(plan)
        tables = [datasets[id(plan.encoding)].sample() for plan in plans]
        number, teachers = self._select(plans, tables, random, monitor)
        plan = plans[number]
        result = train(datasets[id(plan.encoding)], plan, random, monitor, start, teachers)
        if small is not None:
            is_mean = sample.targets.loss.is_mean
            selection = small.selection.with_full(result.model.map.n_arrows, result.teacher_losses, is_mean)
            if selection.selected > 0 or result.outcome is Outcome.CALLBACK:
                self._publish_small(replace(small, selection=selection), sample, monitor)
                return
            self.selection_ = asdict(selection)
        self.structure_ = "full"
        self._publish(result, sample)
        self.teacher_losses_ = result.teacher_losses
        if plan.settings.early_stopping:
            self.validation_loss_curve_ = result.validation_curve
        monitor.end(self.model_)

    def _train_small(
        self, sample: Table, scaling: Scaling | None, parameters: dict[str, Any], structure: str, monitor: FitMonitor
    ) -> NamedResult:
        """Train a small map of named concepts."""
        link = sample.targets.link
        check_max_arrows(parameters["max_arrows"], link.n_outputs, self._owner)
        if parameters["scale"] == "auto" and isinstance(scaling, FeatureSpread):
            scaling = replace(scaling, logarithms=find_logarithms(sample.X, sample.weight, scaling.known))
        encoding = make_encodings(sample, scaling, parameters, None)[0]
        plan = make_plan(sample, encoding, sample.n_rows, parameters, self._defaults)
        propose = functools.partial(propose_conditions, output=link.output)
        return train_named(plan.encoded(sample), plan, propose, structure, parameters["max_arrows"], monitor)

    def _publish_small(self, small: NamedResult, sample: Table, monitor: FitMonitor) -> None:
        """Set the fitted attributes of a small map."""
        self.structure_ = "named" if small.model.n_hidden else "additive"
        self.selection_ = asdict(small.selection)
        self._publish(TrainResult(small.model, small.outcome, small.loss_curve, held_out=small.held_out), sample)
        self.teacher_losses_ = small.selection.teacher_losses
        monitor.end(self.model_)

    def _select(
        self, plans: list[Plan], tables: list[Table], random: np.random.RandomState, monitor: FitMonitor
    ) -> tuple[int, list[Teacher] | None]:
        """Return the index of the selected plan, and its teachers if they are trained already."""
        if len(plans) == 1:
            return 0, None
        choice = choose(plans, tables, _N_FOLDS, random, monitor, self.n_jobs)
        distill = plans[choice.number].settings.n_teachers > 0 or self.n_teachers == "auto"
        return choice.number, choice.teachers if distill else None

    def _publish(self, result: TrainResult, sample: Table, partial: bool = False) -> None:
        """Set the fitted attributes."""
        self.model_ = self._refined(result.model, sample)
        for name in ("held_out_errors_", "row_distances_"):  # of an earlier fit, if rows are added to it
            self.__dict__.pop(name, None)
        if result.held_out is not None:
            # An expert's weights are not changed.
            given = self.weight_bounds is not None or isinstance(self.prior, FuzzyCognitiveMap)
            keep = given or self.learn == "slopes"
            self.model_, held_out = result.held_out.calibrate(self.model_, keep)
            self.held_out_errors_ = held_out.errors(self.model_, sample)
        self._outcome = result.outcome.name
        self.loss_curve_ = result.loss_curve
        self.n_iter_ = len(result.loss_curve)
        self.prior_deviations_ = result.prior_deviations
        self.feature_importances_ = learned_importances(self.model_, sample_of(sample.X, sample.weight))
        if not partial and not issparse(sample.X):
            self.row_distances_ = RowDistances.of(sample.X, sample.weight)

    @abstractmethod
    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        """Return features and targets as validated arrays."""

    @abstractmethod
    def _targets(self, y: NDArray[Any], known: Link | None) -> Targets:
        """Return the encoded targets; `known` is the link of the earlier model if training resumes."""

    @abstractmethod
    def _finalize(self, table: Table, known: Link | None) -> Table:
        """Apply class weights or standardize targets, after equal rows are merged."""

    def _refined(self, model: MapModel, sample: Table) -> MapModel:
        """Return the trained model with a link fitted to its outputs, if it needs one; rows are not scaled."""
        return model

    def _grid(self) -> Sequence[dict[str, Any]]:
        """Return the candidate parameters of a search, the preferred ones first."""
        return ({},)

    def _check_sparse(self, table: Table, earlier: MapModel | None) -> None:
        """Raise if the table is sparse and the map is not structured."""
        stays = self.terms is None and isinstance(self.scale, str) and is_structured(self._parameters(), table, earlier)
        if issparse(table.X) and not stays:
            raise too_large_to_be_dense(table.X, self._owner)

    def _check_size(self, plans: list[Plan], most_rows: int | None) -> None:
        """Raise if training would exceed the memory, before allocating anything large."""
        for plan in plans:
            check_size(plan, most_rows=most_rows)

    def _parameters(self) -> dict[str, Any]:
        """Return all parameters of training."""
        return self.get_params(deep=False) | {"n_threads": effective_n_jobs(self.n_jobs), "owner": self._owner}

    def _validated(self, X: Any, y: Any, sample_weight: Any, reset: bool, method: str = "fit") -> Data:
        """Return features, targets and weights of the rows with positive weight."""
        X, y = self._checked_target(X, y, reset)
        weight = check_sample_weight(sample_weight, len(y), f"{self._owner}.{method}")
        if weight is not None and not weight.all():
            kept = weight > 0
            X, y, weight = X[kept], y[kept], weight[kept]
        return X, y, weight

    def _known_rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Return rows as a table of features, with targets for the link of the fitted model."""
        X, y, weight = self._validated(X, y, sample_weight, reset=False, method="arrow_intervals")
        table = Table(X, self._known_targets(y), weight, tuple(input_names(self)))
        return self._finalize(table, self.model_.link)

    def _known_targets(self, y: NDArray[Any]) -> Targets:
        """Return targets for the link of the fitted model."""
        return self._targets(y, self.model_.link)

    def _scaling(self, table: Table, earlier: Scaling | None = None) -> Scaling | None:
        """Return the scaling for a table, merged with the statistics of an earlier scaling."""
        if not self.scale:
            return None
        known = FeatureStatistics.of(table.X, table.weight)
        return self._scaling_by(known if earlier is None else earlier.known.merged(known))

    def _scaling_by(self, known: FeatureStatistics) -> Scaling | None:
        """Return the scaling for given statistics."""
        if not self.scale:
            return None
        return FeatureSpread(known) if isinstance(self.scale, str) else FeatureRange(known)
