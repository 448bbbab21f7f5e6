"""Size, names and signs of learned maps beside accuracy and time, on tables used to choose and to confirm the defaults.

``python -m benchmarks.readability`` needs the data folder (``COGMAP_DATA``) for the paper's tables, and for the others
the packages that `benchmarks.choosing` and `benchmarks.regression` name; missing tables are skipped. Five folds, two
seeds. Every result is stored at once, and the same command resumes an interrupted run.

All methods on all tables take hours. ``--short`` is what the docs show, in some 20 minutes of one core: the maps that
they compare and quick rivals, on two folds of the tables on which no default was chosen.

- arrows: number of edges between different concepts, median over the tables; > 150: share of the tables with more.
  For 95 %: number of edges that carry 95 % of the influence on the data.
- named: share of the tables in which every hidden concept has a name.
- drawn: R² between the decisions of the drawn arrows alone and those of the whole map, on held-out rows, worst table.
- signs: share of the columns whose arrows to an output, those of its features, terms and steps taken together, have the
  sign of their effect, weighted by the size of the effect: the mean over the rows of the exact derivative, per standard
  deviation. Strongest: share of the outputs for which the strongest has.
- same arrows: weighted Jaccard index of the arrows of two seeds, known by their columns, directions and output, with
  cut points left aside; in a full map by both concepts and the sign. Seeds: correlation of the weights from features
  to outputs, mean and worst table.
- time: seconds of a fit, mean over the tables.

Rivals are fitted once per fold at their defaults. EBM needs interpret-core; its arrows are its terms, those of a linear
model its coefficients.
"""

import argparse
import importlib.util
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import arrows, cached, choosing, regression
from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset

N_FOLDS = 5
PAPER = [name for name in DATASETS if not get_dataset(name).size and name != "digits"]
GROUPS = {
    "chosen on": choosing.CHOSEN_ON,
    "made up": list(choosing.MADE_UP),
    "confirmed on": choosing.CONFIRMED_ON,
    "the paper's": PAPER,
    "values, chosen on": regression.CHOSEN_ON,
    "values, confirmed on": regression.CONFIRMED_ON,
}
VARIANTS = {
    "structure='full'": {"structure": "full"},
    "structure='auto'": {"structure": "auto"},
    "structure='additive'": {"structure": "additive"},
    "structure='named'": {"structure": "named"},
    "structure='named', max_arrows=30": {"structure": "named", "max_arrows": 30},
    "structure='full', prior=None": {"structure": "full", "prior": None},
    "prior=None": {"prior": None},
    "prior=None, init='correlation'": {"prior": None, "init": "correlation"},
    "n_hidden=0": {"n_hidden": 0},
    "n_hidden=32": {"n_hidden": 32},
    "n_teachers=0 (arrows free)": {"n_teachers": 0},
    "alpha=0.05": {"alpha": 0.05},
    "alpha=1": {"alpha": 1.0},
    "terms=3": {"terms": 3},
    "terms='auto'": {"terms": "auto"},
    "classic: slope=5, weights in [-1, 1]": {"slope": 5, "weight_bounds": (-1, 1)},
}
MEASURES = [
    "accuracy", "log loss", "time", "arrows", "> 150", "for 95 %", "named", "drawn", "signs", "strongest",
    "same arrows", "seeds", "worst",
]  # fmt: skip
SIZE = MEASURES.index("arrows")
SHORT = {
    "groups": ["confirmed on", "the paper's", "values, confirmed on"],
    "variants": [
        "structure='auto'", "structure='full'", "structure='full', prior=None", "histogram boosting", "random forest",
        "linear model",
    ],
    "folds": 2,
}  # fmt: skip


def _catboost(values):
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostRegressor if values else CatBoostClassifier
    return kind(random_seed=0, thread_count=1, verbose=0, allow_writing_files=False)


def _ebm(values):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    return (ExplainableBoostingRegressor if values else ExplainableBoostingClassifier)(random_state=0, n_jobs=1)


def _linear(values):
    return make_pipeline(SimpleImputer(), StandardScaler(), Ridge() if values else LogisticRegression(max_iter=1000))


RIVALS = {
    "CatBoost": _catboost,
    "EBM": _ebm,
    "histogram boosting": lambda values: (HistGradientBoostingRegressor if values else HistGradientBoostingClassifier)(
        random_state=0
    ),
    "random forest": lambda values: (RandomForestRegressor if values else RandomForestClassifier)(random_state=0),
    "linear model": _linear,
}


def read_table(group, name):
    """Return features and targets."""
    if group.startswith("values"):
        return regression.read_table(name)
    if group == "the paper's":
        rows = load_dataset(name, "paper")
        return rows.X, np.unique(rows.y, return_inverse=True)[1]
    return choosing.read_table(name, choosing.MOST_ROWS)


def folds(group, X, y):
    """Return training and test rows of each fold."""
    kind = KFold if group.startswith("values") else StratifiedKFold
    return list(kind(N_FOLDS, shuffle=True, random_state=0).split(X, y))


def fitted(make, X, y):
    """Return a fitted model and the time that took."""
    model = make()
    begin = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - begin


def scores(model, X, y, labels):
    """Return the score and the loss, which in regression is the mean squared error over the variance."""
    score = model.score(X, y)
    return score, 1 - score if labels is None else log_loss(y, model.predict_proba(X), labels=labels)


def measured(group, name, method, fold):
    """Return the measures of one fold; NaN where a rival has none."""
    X, y = read_table(group, name)
    values = group.startswith("values")
    labels = None if values else np.unique(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train, test = folds(group, X, y)[fold]
        if method in RIVALS:
            model, seconds = fitted(lambda: RIVALS[method](values), X[train], y[train])
            blank = [np.nan] * (len(MEASURES) - 4)
            return *scores(model, X[test], y[test], labels), seconds, n_terms(model), *blank
        estimator, rows, models = FCMRegressor if values else FCMClassifier, [], []
        for seed in (0, 1):
            make = lambda seed=seed: estimator(random_state=seed, **VARIANTS[method])  # noqa: E731
            fcm, seconds = fitted(make, X[train], y[train])
            model = fcm.model_
            models.append(model)
            size = fcm.map_.n_arrows
            rows.append(
                [
                    *scores(fcm, X[test], y[test], labels),
                    seconds,
                    size,
                    size > 150,
                    arrows.n_carrying(model, X[train]),
                    arrows.n_unnamed(model) == 0,
                    arrows.drawn_share(model, X[test]),
                    *arrows.signs(model, X[train]),
                ]
            )
        same, seeds = arrows.agreement(*models)
        return *np.nanmean(rows, axis=0), same, seeds, seeds


def n_terms(model):
    """Return the number of terms of an EBM or coefficients of a linear model; NaN for other rivals."""
    if hasattr(model, "term_names_"):
        return len(model.term_names_)
    return np.size(model[-1].coef_) if hasattr(model, "steps") else np.nan


def measure_row(dataset, fold, method):
    """Return the measures of one fold as a row; the dataset is "group/table"."""
    group, _, name = dataset.partition("/")
    values = dict(zip(MEASURES, map(float, measured(group, name, method, fold)), strict=True))
    return {"score": values["accuracy"], "measures": {key: _none_if_nan(value) for key, value in values.items()}}


def _none_if_nan(value):
    return None if np.isnan(value) else float(value)


def group_table(group, rows, methods, n_folds):
    """Return the tables that all methods finished, and the summary of each method as an array; print both."""
    folds = range(n_folds)
    names = [
        name
        for name in GROUPS[group]
        if all((f"{group}/{name}", fold, method) in rows for fold in folds for method in methods)
    ]
    if not names:
        return [], np.empty((len(methods), len(MEASURES)))
    every = np.array(
        [
            [
                [list(rows[f"{group}/{name}", fold, method]["measures"].values()) for fold in folds]
                for name in names
            ]
            for method in methods
        ],
        dtype=np.float64,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing: measures that a rival does not have
        every = np.nanmean(every, axis=2)
        table = np.nanmean(every, axis=1)
        for measure, summary in (
            ("arrows", np.nanmedian), ("drawn", np.nanmin), ("worst", np.nanmin),
        ):  # fmt: skip
            place = MEASURES.index(measure)
            table[:, place] = summary(every[:, :, place], axis=1)
        for measure, limit in (("> 150", 0.5), ("named", 1.0)):  # shares of the tables, by the mean of their folds
            place = MEASURES.index(measure)
            of_tables = every[:, :, place]
            table[:, place] = np.where(np.isnan(of_tables).all(axis=1), np.nan, (of_tables >= limit).mean(axis=1))
    lines = [[method, *map(_text, MEASURES, row)] for method, row in zip(methods, table, strict=True)]
    print_table(f"{group}: {len(names)} tables", ["", *MEASURES], lines)
    return names, table


def _text(measure, value):
    if np.isnan(value):
        return ""
    digits = {"accuracy": 4, "log loss": 4, "time": 2, "arrows": 0, "for 95 %": 0}.get(measure, 3)
    return f"{value:.{digits}f}"


def draw(tables, methods, path):
    """Plot accuracy against the number of arrows, one point per method, one panel per group.

    A rival without arrows is a horizontal line.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(tables), figsize=(5.2 * len(tables), 4.4), layout="constrained", squeeze=False)
    for ax, (group, table) in zip(axes[0], tables.items(), strict=True):
        for i, (method, row) in enumerate(zip(methods, table, strict=True)):
            color, is_map = f"C{i % 10}", method in VARIANTS
            if np.isnan(row[SIZE]):
                ax.axhline(row[0], color=color, linestyle="--" if i % 2 else ":", linewidth=1.2, label=method)
            else:
                ax.plot(row[SIZE], row[0], "o" if is_map else "s", color=color, markersize=8, label=method)
        score = "mean R²" if group.startswith("values") else "mean accuracy"
        ax.set(title=group, xlabel="arrows, median over the tables", ylabel=score, xscale="log")
        sizes = table[:, SIZE][~np.isnan(table[:, SIZE])]
        ax.set_xlim(min(8.0, 0.7 * sizes.min(initial=10.0)), max(150.0, 1.5 * sizes.max(initial=10.0)))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.grid(alpha=0.3)
    axes[0][-1].legend(fontsize=7, loc="best")
    figure.savefig(path)
    plt.close(figure)


def available(group, chosen):
    """Return the available tables of a group, among the chosen ones if there is a choice."""
    names = []
    for name in (name for name in GROUPS[group] if chosen is None or name in chosen):
        try:
            read_table(group, name)
        except Exception as problem:  # a missing package or file only skips the table
            print(f"{group}: {name} is not at hand ({type(problem).__name__})")
        else:
            names.append(name)
    return names


def main():
    """Print a table per group, and plot accuracy against the number of arrows."""
    methods = [*VARIANTS, *RIVALS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readability", description=main.__doc__)
    parser.add_argument("--groups", nargs="+", choices=list(GROUPS), metavar="GROUP", help="default: all")
    parser.add_argument("--tables", nargs="+", metavar="TABLE", help="only these tables of the groups")
    parser.add_argument("--variants", nargs="+", choices=methods, metavar="METHOD", help="default: all")
    parser.add_argument("--folds", type=int, choices=range(1, N_FOLDS + 1), help=f"folds of {N_FOLDS}; default: all")
    parser.add_argument(
        "--short", action="store_true", help="what the docs show: groups, methods and folds that take minutes"
    )
    parser.add_argument("--out", type=Path, default=Path("results/readability"), help="folder for the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--tables-only", action="store_true", help="run nothing, print the stored results")
    parser.add_argument("--picture", type=Path, help="file for the picture")
    arguments = parser.parse_args()
    usual = SHORT if arguments.short else {"groups": list(GROUPS), "variants": methods, "folds": N_FOLDS}
    groups, n_folds = arguments.groups or usual["groups"], arguments.folds or usual["folds"]
    chosen = [
        method
        for method in arguments.variants or usual["variants"]
        if method != "EBM" or importlib.util.find_spec("interpret")
    ]
    if not arguments.tables_only:
        tables = {group: available(group, arguments.tables) for group in groups}
        pieces = [
            cached.Piece("readability", f"{group}/{name}", fold, method, measure_row)
            for fold in range(n_folds)
            for group, names in tables.items()
            for name in names
            for method in chosen
        ]
        cached.run(arguments.out, pieces, arguments.jobs)
    rows, tables, summary = cached.read_rows(arguments.out), {}, {}
    for group in groups:
        names, table = group_table(group, rows, chosen, n_folds)
        if names:
            tables[group] = table
            methods = {
                method: dict(zip(MEASURES, map(_none_if_nan, row), strict=True))
                for method, row in zip(chosen, table, strict=True)
            }
            summary[group] = {"tables": names, "folds": n_folds, "n_planned": len(GROUPS[group]), "methods": methods}
    cached.write_summary(arguments.out, {"groups": summary})
    if arguments.picture and tables:
        draw(tables, chosen, arguments.picture)


if __name__ == "__main__":
    main()
