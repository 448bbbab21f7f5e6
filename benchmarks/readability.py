"""Agreement of weights with effects, beside accuracy, on the tables used to choose and to confirm the defaults.

``python -m benchmarks.readability`` needs the data folder (``COGMAP_DATA``) for the paper's tables, and for the others
the packages that `benchmarks.choosing` names; missing tables are skipped. Five folds, two seeds.

- signs: share of the edges from features to outputs whose sign is that of the effect on the output's probability,
  weighted by the size of the effect. The effect is the mean over the rows of the exact derivative, per standard
  deviation of the feature.
- strongest: share of the outputs whose strongest incoming edge has the sign of its effect.
- seeds: correlation of the weights of these edges between two seeds: the mean, and the worst table. All arrows: the
  same for all weights.
- arrows: number of edges that carry 95 % of the influence on the data.
"""

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks import choosing, regression
from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor, influence
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
    "default": {},
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
MEASURES = ["accuracy", "log loss", "signs", "strongest", "seeds", "worst", "all arrows", "arrows"]


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


def arrows_and_effects(model, X):
    """Return the weights from inputs to outputs, and the effects of the input states on the outputs."""
    fitted = model.model_
    n_outputs, n_inputs = fitted.n_outputs, fitted.n_inputs
    if fitted.encoding.terms is None:
        effects = (fitted.derivative(X) * X.std(axis=0)).mean(axis=0)[-n_outputs:]
    else:  # of each term
        effects = influence(model, X).effect[:n_inputs, -n_outputs:].T
    return fitted.map.weights[-n_outputs:, :n_inputs], effects


def n_arrows(model, X):
    """Return the number of edges that carry 95 % of the influence."""
    flow = np.sort(influence(model, X[:200]).flow.sum(axis=2), axis=None)[::-1]
    return int(np.searchsorted(np.cumsum(flow), 0.95 * flow.sum())) + 1


def measured(group, name, variant, fold):
    """Return the measures of one fold; the loss in regression is the mean squared error over the variance."""
    X, y = read_table(group, name)
    train, test = folds(group, X, y)[fold]
    estimator = FCMRegressor if group.startswith("values") else FCMClassifier
    settings = VARIANTS[variant]
    rows, arrows, weights = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in (0, 1):
            model = estimator(random_state=seed, **settings).fit(X[train], y[train])
            arrow, effect = arrows_and_effects(model, X[train])
            right = np.sign(arrow) == np.sign(effect)
            strongest = right[np.arange(len(arrow)), np.abs(arrow).argmax(axis=1)].mean()
            score = model.score(X[test], y[test])
            loss = 1 - score
            if estimator is FCMClassifier:
                loss = log_loss(y[test], model.predict_proba(X[test]), labels=np.unique(y))
            signs = (np.abs(effect) * right).sum() / np.abs(effect).sum()
            rows.append([score, loss, signs, strongest, n_arrows(model, X[train])])
            arrows.append(arrow.ravel())
            weights.append(model.map_.weights.ravel())
    score, loss, signs, strongest, arrow_count = np.mean(rows, axis=0)
    same = [np.corrcoef(*pair)[0, 1] if len(pair[0]) == len(pair[1]) else np.nan for pair in (arrows, weights)]
    return score, loss, signs, strongest, *same, arrow_count


def group_table(group, names, variants):
    """Measure the variants on a group of tables and print them."""
    pieces = [(group, name, variant, fold) for variant in variants for name in names for fold in range(N_FOLDS)]
    values = np.array(Parallel(n_jobs=os.cpu_count())(delayed(measured)(*piece) for piece in pieces))
    values = np.nanmean(values.reshape(len(variants), len(names), N_FOLDS, -1), axis=2)
    worst = np.nanmin(values[:, :, 4], axis=1)
    score, loss, signs, strongest, seeds, every, arrows = np.moveaxis(np.nanmean(values, axis=1), 1, 0)
    table = np.column_stack([score, loss, signs, strongest, seeds, worst, every, arrows])
    rows = [
        [variant, *(f"{value:.4f}" for value in row[:2]), *(f"{value:.3f}" for value in row[2:7]), f"{row[7]:.0f}"]
        for variant, row in zip(variants, table, strict=True)
    ]
    print_table(f"{group}: {len(names)} tables", ["", *MEASURES], rows)
    return table


def draw(tables, variants, path):
    """Plot accuracy against sign agreement, one point per variant, one panel per group."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(tables), figsize=(4.6 * len(tables), 4.2), layout="constrained", squeeze=False)
    for ax, (group, table) in zip(axes[0], tables.items(), strict=True):
        for i, variant in enumerate(variants):
            ax.plot(table[i, 2], table[i, 0], "o", color=f"C{i % 10}", markersize=9 if i == 0 else 6, label=variant)
        ax.set(title=group, xlabel="share of signs that agree", ylabel="mean accuracy", xlim=(0.4, 1.02))
        ax.grid(alpha=0.3)
    axes[0][-1].legend(fontsize=7, loc="best")
    figure.savefig(path)


def available(group):
    """Return the available tables of a group."""
    names = []
    for name in GROUPS[group]:
        try:
            read_table(group, name)
        except Exception as problem:  # a missing package or file only skips the table
            print(f"{group}: {name} is not at hand ({type(problem).__name__})")
        else:
            names.append(name)
    return names


def main():
    """Print a table per group, and plot them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readability", description=main.__doc__)
    parser.add_argument("--groups", nargs="+", choices=list(GROUPS), default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS), metavar="VARIANT")
    parser.add_argument("--picture", type=Path, help="file for the picture")
    arguments = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    tables = {}
    for group in arguments.groups:
        names = available(group)
        if names:
            tables[group] = group_table(group, names, arguments.variants)
    if arguments.picture:
        drawn = {group: table for group, table in tables.items() if not group.startswith("values")}
        draw(drawn, arguments.variants, arguments.picture)


if __name__ == "__main__":
    main()
