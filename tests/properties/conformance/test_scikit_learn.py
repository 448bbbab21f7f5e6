"""scikit-learn's own checks of an estimator: every one passes, none is expected to fail."""

import json
import os
import subprocess
import sys

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor
from cogmap.comparators import FCMperClassifier, FRCNClassifier, HebbianFCMClassifier, LTCNClassifier

# Every solver, output, start and penalty, so that no path escapes the checks. Early stopping is not here because
# keeping rows aside is not the same for a row of weight 2 as for two rows, which one of the checks asks for;
# neither are losses of counts and amounts, because some checks have negative targets.
ESTIMATORS = [
    FCMClassifier(),
    FCMClassifier(depth=3, output="one_hot", n_jobs=2),
    FCMClassifier(solver="adam", max_iter=50, alpha=0.1),
    FCMClassifier(solver="rmsprop", max_iter=50, scale=False, init="uniform"),
    FCMClassifier(l1_ratio=0.5, init="correlation", weight_bounds=(-5, 5)),
    FCMClassifierCV(depths=(1, 2), alphas=(0.2,), n_folds=3),
    FCMRegressor(),
    FCMRegressor(solver="adam", max_iter=50, scale=True),
    FCMRegressor(loss="quantile", n_teachers=0),
    FCMRegressor(loss="huber", n_teachers=0),
    FCMRegressor(l1_ratio=0.5, init="correlation", weight_bounds=(-5, 5)),
    LTCNClassifier(),
    FRCNClassifier(),
    FRCNClassifier(similarity="exponential", membership="soft", t_norm="product"),
    FCMperClassifier(),
    FCMperClassifier(3, rule="rescaled", bias=True, reading="argmax", max_evaluations=50),
    FCMperClassifier(output="single", reading="byt", solver="de", max_evaluations=200),
    HebbianFCMClassifier(),
    HebbianFCMClassifier("nhl", depth=2),
]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_check_of_scikit_learn(estimator, check):
    """One of scikit-learn's checks holds."""
    check(estimator)


COUNT_CHECKS = """
import json, sys, warnings
from sklearn.utils.estimator_checks import check_estimator
import cogmap, cogmap.comparators
warnings.simplefilter("ignore")
room = cogmap if hasattr(cogmap, sys.argv[1]) else cogmap.comparators
results = check_estimator(getattr(room, sys.argv[1])(), on_skip=None, on_fail=None)
print(json.dumps([[result["status"], result["check_name"]] for result in results]))
"""


@pytest.mark.parametrize(
    "name",
    [
        "FCMClassifier",
        "FCMClassifierCV",
        "FCMRegressor",
        "LTCNClassifier",
        "FRCNClassifier",
        "FCMperClassifier",
        "HebbianFCMClassifier",
    ],
)
def test_all_checks_run_and_pass(name):
    """All checks run and pass, also that of other array libraries, which has to be switched on before an import."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(
        [sys.executable, "-c", COUNT_CHECKS, name], env=environment, capture_output=True, check=True, text=True
    )
    results = json.loads(run.stdout)
    assert [result for result in results if result[0] != "passed"] == []
    assert len(results) >= 50
