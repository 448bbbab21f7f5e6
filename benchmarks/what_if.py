"""Counterfactuals of `what_if`: share of rows with a result, size of the changes, and time.

``python -m benchmarks.what_if`` prints the numbers; ``--save FILE`` also writes the size of every change, and
``--against FILE`` compares with such a file, over the rows for which both found a change. Tables are four of
scikit-learn, and five more where ``../shared/datasets``, or the folder COGMAP_DATASETS, has them.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor, TablePreparer, what_if

FOLDER = Path(os.environ.get("COGMAP_DATASETS") or Path(__file__).parents[2] / "shared" / "datasets")
N_ROWS = 40
LOADERS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
FILES = ["heart", "german_credit", "vehicle", "ionosphere"]


def tables():
    """Yield the name, features and targets of each table; float targets are for regression."""
    for name, load in LOADERS.items():
        yield name, *load(return_X_y=True, as_frame=True)
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    yield "diabetes, values", X, y.astype(float)
    for name in FILES:
        if (FOLDER / f"{name}.csv").exists():
            table = pd.read_csv(FOLDER / f"{name}.csv")
            yield name, TablePreparer().fit_transform(table.drop(columns="target")), table["target"]
            if name == "heart":  # whole numbers and categories, and a value to reach
                values = table.pop("max_heart_rate").astype(float)
                yield f"{name}, values", TablePreparer().fit_transform(table.drop(columns="target")), values


def questions(X):
    """Return the questions about each row of a table, by name."""
    return {
        "any features": {},
        "every third column fixed": {"fixed": list(X.columns[::3])},
        "at most 2 features": {"max_features": 2},
    }


def answers(fcm, rows, to, options):
    """Return the size of each change, its number of features (both NaN if none is found), and the CPU time."""
    begin = time.process_time()
    found = [what_if(fcm, rows.iloc[[i]], to=to[i], **options) for i in range(len(rows))]
    seconds = time.process_time() - begin
    for i, answer in enumerate(found):
        if answer.found:
            verify(fcm, rows.iloc[[i]], answer.row, to[i])
    return [answer.size for answer in found], [len(answer.changes) or np.nan for answer in found], seconds


def verify(fcm, row, changed, to):
    """Raise an error unless `predict` of the changed row reaches the goal."""
    before, after = fcm.predict(row)[0], fcm.predict(changed)[0]
    if isinstance(fcm, FCMRegressor):
        reached = after >= to if before < to else after <= to
    else:
        reached = after != before if to is None else after == to
    if not reached:
        raise AssertionError(f"predict says {after!r} of a row changed to reach {to!r}")


def goals(fcm, rows, y):
    """Return the goal of each row: any other class, a value, or, with several classes, each in turn."""
    if isinstance(fcm, FCMRegressor):
        return [float(y.mean() + y.std() * (1 if i % 2 else -1)) for i in range(len(rows))]
    if len(fcm.classes_) == 2:
        return [None] * len(rows)
    codes = np.searchsorted(fcm.classes_, fcm.predict(rows))
    return [
        None if i % 2 else fcm.classes_[(code + 1 + i // 2 % (len(fcm.classes_) - 1)) % len(fcm.classes_)]
        for i, code in enumerate(codes)
    ]


def measured():
    """Yield the name of a table with a question, and the results."""
    for name, X, y in tables():
        kind = FCMRegressor if y.dtype == float else FCMClassifier
        fcm = kind(random_state=0).fit(X, y)
        rows = X.iloc[np.linspace(0, len(X) - 1, N_ROWS).astype(int)]
        to = goals(fcm, rows, y)
        for question, options in questions(X).items():
            yield f"{name}: {question}", answers(fcm, rows, to, options)


def main():
    """Print the numbers, beside those of an earlier run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    given = parser.parse_args()
    earlier = json.loads(given.against.read_text()) if given.against else {}
    warnings.simplefilter("ignore")  # fits that do not converge
    lines, kept = [], {}
    for name, (sizes, features, seconds) in measured():
        kept[name] = {"sizes": sizes, "features": features, "seconds": seconds}
        sizes = np.array(sizes)
        line = [
            name,
            f"{np.isfinite(sizes).mean():.1%}",
            f"{np.nanmedian(sizes):.3f}",
            f"{np.nanmean(sizes):.3f}",
            f"{np.nanmean(features):.2f}",
            f"{1000 * seconds / len(sizes):.1f}",
        ]
        if name in earlier:
            before = np.array(earlier[name]["sizes"])
            ratio = np.log(sizes / before)
            both = np.isfinite(ratio)
            line += [
                f"{np.isfinite(before).mean():.1%}",
                f"{sizes[both].sum() / before[both].sum():.3f}",
                f"{np.exp(ratio[both].mean()):.3f}",
                f"{np.nanmean(features) / np.nanmean(earlier[name]['features']):.2f}",
                f"{seconds / earlier[name]['seconds']:.2f}",
            ]
        lines.append(line)
    header = ["table: question", "found", "median size", "mean size", "features", "ms per row"]
    if earlier:
        header += ["found before", "size / before", "mean ratio", "features / before", "time / before"]
    print_table(f"The smallest changes of {N_ROWS} rows of each table, in deviations", header, lines)
    if given.save:
        given.save.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
