"""Figures of the guides ``how-sure.md`` and ``targets.md``, which `docs/figures.py` inserts from ``results/``."""

import json
from statistics import fmean
from textwrap import fill

from figure_text import ROOT, markdown, summary

_ACCURATE = 0.9


def of_part(part, key):
    """Return a figure of all tables of a part of the benchmark of intervals."""
    return [found[key] for found in summary("intervals")["parts"][part].values()]


def share(value):
    """Return a number with two digits, without a leading zero."""
    return f"{value:.2f}".removeprefix("0")


def three(values):
    """Return mean, lowest and highest."""
    return [share(fmean(values)), share(min(values)), share(max(values))]


def counted(number):
    """Return a small number as a word."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)


def measured(n_tables, n_planned):
    """Return how many tables were measured, and of how many, if some are missing."""
    return str(n_tables) if n_tables == n_planned else f"{n_tables} of {n_planned}"


def head_of(part):
    """Return the first line of the table of a part."""
    n_tables = measured(len(of_part(part, "coverage")), summary("intervals")["n_planned"][part])
    return [f"{n_tables} public tables of {part}, level 0.9", "mean", "lowest", "highest"]


def values_table():
    """Return coverage and width of intervals, and the time beside MAPIE's."""
    rows = {
        "share of values inside": "coverage",
        "mean width / that of MAPIE's intervals": "width_ratio",
        "CPU time of fit and intervals / MAPIE's": "time_ratio",
    }
    return markdown(head_of("values"), [[title, *three(of_part("values", key))] for title, key in rows.items()])


def times():
    """Return what intervals cost."""
    extra, question = of_part("values", "share_of_fit"), of_part("values", "question_ratio")
    text = (
        f"What a fit does for intervals and calibration takes {100 * fmean(extra):.1f} % of its time on average, and "
        f"{100 * max(extra):.1f} % at most. An interval takes {min(question):.1f} to {max(question):.1f} times as long "
        "as a prediction."
    )
    return fill(text, 120)


def classes_table():
    """Return coverage and size of sets of classes."""
    rows = {
        "share of true classes in their sets": "coverage",
        "mean size / that of MAPIE's cross-conformal sets": "size_ratio",
        "the same, with the predicted class added to MAPIE's empty sets": "size_ratio_none_empty",
    }
    return markdown(head_of("classes"), [[title, *three(of_part("classes", key))] for title, key in rows.items()])


def empty_sets():
    """Return where MAPIE's sets are smaller, and why."""
    tables = summary("intervals")["parts"]["classes"].values()
    easy = [found["size_ratio"] for found in tables if found["accuracy"] >= _ACCURATE]
    others = [found["size_ratio"] for found in tables if found["accuracy"] < _ACCURATE]
    text = (
        f"On {counted(len(easy))} of these tables at least 90 % of the predictions are right. There nearly every set "
        "is the predicted class alone, which is more often right than asked; MAPIE leaves some sets empty, so that its "
        f"mean size is below 1, and ours is {share(fmean(easy))} times as large. On the other {counted(len(others))} "
        f"tables it is {share(fmean(others))} times as large."
    )
    return fill(text, 120)


def many_rows():
    """Return the coverage of sets on tables of many rows."""
    tables = summary("intervals")["parts"]["many"]
    sizes = [int(found["n_train"]) for found in tables.values()]
    text = (
        f"On {counted(len(tables))} public tables of {min(sizes):,} to {max(sizes):,} training rows, sets at level 0.9 "
        f"contain the true class in {share(fmean(of_part('many', 'coverage')))} of the test rows, with "
        f"{share(min(of_part('many', 'coverage')))} on the lowest."
    )
    return fill(text, 120)


def calibration():
    """Return log loss and calibration error before and after the correction."""
    tables = summary("intervals")["parts"]["classes"]
    change = {name: found["log_loss_after"] / found["log_loss_before"] - 1 for name, found in tables.items()}
    worst = max(change, key=change.get)
    loss, error = (
        [share3(fmean(of_part("classes", f"{key}_{when}"))) for when in ("before", "after")]
        for key in ("log_loss", "ece")
    )
    highest = f"rises by up to {change[worst]:.1%} (`{worst}`)" if change[worst] > 0 else "rises on none"
    text = (
        f"On the tables above it changes the mean log loss from {loss[0]} to {loss[1]} and the mean expected "
        f"calibration error from {error[0]} to {error[1]}; the log loss falls by up to {-min(change.values()):.0%} and "
        f"{highest}."
    )
    return fill(text.replace("%", " %"), 120)


def share3(value):
    """Return a number with three digits, without a leading zero."""
    return f"{value:.3f}".removeprefix("0")


def german_credit():
    """Return the log loss on German credit, the mean over its folds in the comparison of classifiers."""
    losses = {"fcm_named": [], "fcm": [], "rforest": []}
    for line in (ROOT / "results" / "accuracy" / "results.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["dataset"] == "german_credit" and row["method"] in losses and not row["error"]:
            losses[row["method"]].append(row["log_loss"])
    small, full, forest = (share3(fmean(values)) for values in losses.values())
    text = (
        f"On German credit the log loss is {small} for small maps, {full} for full maps and {forest} for random "
        f"forests ({len(losses['fcm'])} folds of `python -m benchmarks.accuracy`)."
    )
    return fill(text, 120)


def effects():
    """Return how often intervals of mean effects contain the truth."""
    found = summary("effects")["groups"]["confirming"]
    n_tables = sum(found[kind]["n_tables"] for kind in ("values", "classes"))
    of_values, of_classes, of_both = (f"{found[kind]['coverage']:.0%}" for kind in ("values", "classes", "both"))
    text = (
        f"`python -m benchmarks.effects` simulates {n_tables} tables with known effects, on which nothing was chosen; "
        f"of the 90% intervals of mean effects, {of_values} contained the truth for values and {of_classes} for "
        f"probabilities, {of_both} in all."
    )
    return fill(text.replace("%", " %"), 120)


_LOSSES = {
    "poisson": "`poisson` (Poisson deviance{visits})",
    "gamma": "`gamma` (Gamma deviance)",
    "tweedie": "`tweedie` (Tweedie deviance, power 1.5; boosting minimizes the Poisson deviance)",
    "quantile": "`quantile` (pinball loss of three quantiles; one map against three boostings)",
    "ordered": "ordered classes (log loss)",
    "huber": "`huber` (mean absolute error, which boosting minimizes)",
}


def losses_table():
    """Return the ratio of each loss to that of histogram boosting."""
    rows = []
    for loss, title in _LOSSES.items():
        if loss not in summary("targets")["losses"]:
            continue
        found = summary("targets")["losses"][loss]
        groups = found["chosen_on"], found["confirmed_on"]
        ratios = groups[0] | groups[1]
        means = [share3(fmean(group.values())) if group else "" for group in (ratios, *groups)]
        better = f"{sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)}"
        visits = f"; the RAND visits: {share3(ratios['rand_visits'])}" if "rand_visits" in ratios else ""
        rows.append([title.format(visits=visits), measured(len(ratios), found["n_planned"]), *means, better])
    return markdown(["loss", "tables", "mean ratio", "tuning tables", "confirming tables", "map better"], rows)


def losses_worst():
    """Return the tables on which boosting is clearly better."""
    ratios = {}
    for loss, found in summary("targets")["losses"].items():
        for name, ratio in (found["chosen_on"] | found["confirmed_on"]).items():
            ratios[f"`{name}` ({loss}, {ratio:.1f})"] = ratio
    worst = sorted(ratios, key=ratios.get, reverse=True)[:4]
    return fill(f"The largest ratios are those of {', '.join(worst[:-1])} and {worst[-1]}.", 120)


BLOCKS = {
    "intervals of values": values_table,
    "intervals times": times,
    "intervals of classes": classes_table,
    "intervals empty": empty_sets,
    "intervals many": many_rows,
    "intervals calibration": calibration,
    "intervals german credit": german_credit,
    "intervals of effects": effects,
    "targets losses": losses_table,
    "targets worst": losses_worst,
}
