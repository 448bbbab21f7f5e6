"""Serialization of `TablePreparer` and of pipelines of a `TablePreparer` and an estimator.

This module needs pandas. `persistence` imports it for pipelines only, so that estimators can be saved without pandas.
"""

from sklearn.pipeline import Pipeline

from cogmap._utils.params import Literal, param_error
from cogmap.estimators._base import BaseFCM
from cogmap.persistence.parts import require
from cogmap.persistence.values import Kind, State
from cogmap.table.preparation import TablePreparer


def _pipeline_state(pipeline: Pipeline) -> State:
    """Return the state of a pipeline of a `TablePreparer` and an estimator; raise an error for other pipelines."""
    steps = [step for _, step in pipeline.steps]
    kinds = [type(step).__name__ for step in steps]
    if len(steps) != 2 or not isinstance(steps[0], TablePreparer) or not isinstance(steps[1], BaseFCM):
        cure = "Save the last step alone, or prepare tables with a TablePreparer."
        raise param_error(
            "save", "estimator", "a pipeline of a TablePreparer and an estimator", Literal(" and ".join(kinds)), cure
        )
    return {"steps": [list(step) for step in pipeline.steps]}


def _pipeline_from_state(state: State) -> Pipeline:
    """Build a pipeline from its state; raise an error if the estimator does not take the features of the preparer."""
    (first, preparer), (second, estimator) = state["steps"]
    require(isinstance(first, str) and isinstance(second, str), "names of steps")
    require(isinstance(preparer, TablePreparer) and isinstance(estimator, BaseFCM), "steps")
    prepared, expected = preparer.get_feature_names_out().tolist(), getattr(estimator, "feature_names_in_", None)
    require(expected is not None and prepared == expected.tolist(), "steps")
    return Pipeline([(first, preparer), (second, estimator)])


def _preparer_state(preparer: TablePreparer) -> State:
    """Return the state of a preparer; raise an error if it is not fitted."""
    if not hasattr(preparer, "columns_"):
        raise param_error("save", "estimator", "fitted", Literal("an unfitted TablePreparer"), "Call fit.")
    return preparer.to_state()


KINDS = {
    "TablePreparer": Kind(TablePreparer, _preparer_state, TablePreparer.from_state),
    "Pipeline": Kind(Pipeline, _pipeline_state, _pipeline_from_state),
}
