"""Insert the figures of ``results/`` into the README and the docs: ``python docs/figures.py``.

A generated block begins with ``<!-- results: name -->`` and ends with ``<!-- end -->``, on lines of their own or within
a sentence. `BLOCKS` maps its name to the function that writes it from a ``summary.json``; the block ``guides name:
title`` is the table of that title in ``results/guides/name.json``. A test fails when a block is stale, and when a page
has a measured figure outside of the blocks that is not a sentence of ``results/guides``.
"""

import re
from functools import cache
from textwrap import fill

import guide_figures
import reproduction
import third_group
import uncertainty
from figure_text import ROOT, markdown, nth, number, summary

_BLOCK = re.compile(r"(?P<head><!-- results: (?P<name>[^>]+?) -->)(?P<line>\n?).*?(?P<tail><!-- end -->)", re.DOTALL)


# --- accuracy of classifiers

_HEADLINE = "catboost"  # the comparison that the README shows
_README_METHODS = (
    "fcm_named", "fcm", "catboost", "lightgbm", "xgboost", "rforest", "mlp", "logreg",
)  # fmt: skip
_OURS = ("fcm_named", "fcm")


def comparison(name):
    """Return a comparison of classifiers."""
    return summary("accuracy")["comparisons"][name]


def accuracy_table(name, methods=None):
    """Return ranks, accuracy and log loss of a comparison, best rank first."""
    rows = []
    for row in comparison(name)["methods"]:
        if methods is None or row["method"] in methods:
            title = f"**{row['title']}**" if row["method"] in _OURS else row["title"]
            cells = [number(row["rank"], 2), number(row["accuracy"]), number(row["log_loss"])]
            rows.append([title, *cells, number(row["fit_seconds"], 2)])
    return markdown(["", "mean rank", "accuracy", "log loss", "CPU seconds of a fit"], rows)


def accuracy_setting(name):
    """Return which datasets, folds and methods a comparison has."""
    entry = comparison(name)
    folds = sorted(set(entry["folds"].values()))
    per_dataset = f"{folds[0]} fold{'s' * (folds[0] > 1)}" if len(folds) == 1 else f"{folds[0]} to {folds[-1]} folds"
    n_methods, n_datasets = len(entry["methods"]), len(entry["datasets"])
    return f"{n_methods} classifiers at their defaults on {n_datasets} tables, {per_dataset} each"


def accuracy_sentence(name):
    """Return the places of the maps, of CatBoost and of the best, by mean rank, mean accuracy and log loss."""
    ranked = comparison(name)["methods"]
    orders = {
        "mean rank": ranked,
        "mean accuracy": sorted(ranked, key=lambda row: -row["accuracy"]),
        "log loss": sorted((row for row in ranked if row["log_loss"] is not None), key=lambda row: row["log_loss"]),
    }
    named = {order[0]["method"] for order in orders.values()} | {*_OURS, "catboost"}
    parts = []
    for row in (row for row in ranked if row["method"] in named):
        places = [f"{nth(order.index(row))} by {what}" for what, order in orders.items() if row in order]
        parts.append(f"{'the ' * (row['method'] in _OURS)}{row['title']} is {', '.join(places)}")
    text = "; ".join(parts)
    critical = comparison(name)["critical_difference"]
    close = f"Mean ranks that differ by less than {critical:.1f} are not significantly different (Nemenyi, 5 %)."
    return f"{text[0].upper()}{text[1:]}. {close}"


def accuracy_text(name, methods=None):
    """Return setting, result and table of a comparison."""
    sentence = fill(f"{accuracy_setting(name)}. {accuracy_sentence(name)}", 120)
    return f"{sentence}\n\n{accuracy_table(name, methods)}"


def missing_rivals():
    """Return on which tables methods were not run, or not on all folds, and why."""
    lines = []
    for method, of_method in summary("accuracy")["missing"].items():
        places = [f"{name} ({entry['folds']}: {', '.join(entry['why'])})" for name, entry in of_method.items()]
        lines.append(f"- {summary('accuracy')['titles'].get(method, method)}: {'; '.join(places)}.")
    head = "Folds without a result, by method:\n\n"
    return head + "\n".join(fill(line, 120, subsequent_indent="  ") for line in lines)


# --- other FCM classifiers

_FAMILY = {
    "fcm": '`FCMClassifier(structure="full")`',
    "ltcn": "`LTCNClassifier()`",
    "frcn": "`FRCNClassifier()`",
    "fcmper": "`FCMperClassifier()`",
    "fcmper_de": "... single output, differential evolution",
    "nhl": '`HebbianFCMClassifier("nhl")`',
    "dd_nhl": '`HebbianFCMClassifier("dd_nhl")`',
}
_SHORT = {
    "fcm": "FCMClassifier", "ltcn": "LTCN", "frcn": "FRCN", "fcmper": "FCMper", "fcmper_de": "FCMper, DE", "nhl": "NHL",
    "dd_nhl": "DD-NHL",
}  # fmt: skip


@cache
def family_tables():
    """Return the tables of ``results/accuracy/family.md`` as lists of rows of cells."""
    text = (ROOT / "results" / "accuracy" / "family.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    return [[line.strip("| ").split(" | ") for line in table.splitlines()] for table in tables]


def family_table():
    """Return scores of the family over all datasets."""
    head, _, *rows = family_tables()[0]
    return markdown(["", *head[1:]], [[_FAMILY[row[0]], *row[1:]] for row in rows])


def family_datasets():
    """Return accuracy and log loss of the family on each dataset."""
    head, _, *rows = family_tables()[1]
    return markdown(["accuracy, log loss", *(_SHORT.get(name, name) for name in head[1:])], rows)


# --- regression


def regression_table(group):
    """Return mean R² and ranks of regressors on a group of tables."""
    entry = summary("regression")["groups"][group]
    fields = ("rank", "rank, targets scaled")
    names = {"small map": "**FCMRegressor()**", "full map": '**FCMRegressor(structure="full")**'}
    rows = [
        [names.get(method, method), number(row["r2"], 4), *(number(row.get(field), 2) for field in fields)]
        for method, row in entry["methods"].items()
    ]
    low, high = entry["folds"]
    folds = f"{low} fold{'s' * (low > 1)}" if low == high else f"{low} to {high} folds"
    return markdown([f"{group}: {len(entry['tables'])} tables, {folds}", "mean R²", *fields], rows)


def regression_differences():
    """Return on which tables the default map and extra trees differ clearly."""
    tables = summary("regression")["groups"]["all"]["r2"]
    pairs = {name: (row["small map"], row["extra trees"]) for name, row in tables.items()}

    def listed(sign):
        chosen = [(name, pair) for name, pair in pairs.items() if sign * (pair[0] - pair[1]) > 0.05]
        chosen.sort(key=lambda entry: sign * (entry[1][1] - entry[1][0]))
        return ", ".join(f"{name} ({ours:.2f} against {theirs:.2f})" for name, (ours, theirs) in chosen) or "none"

    text = f"R² of the default map is better than that of extra trees by more than 0.05 on: {listed(1)}. "
    return fill(f"{text}It is worse by more than 0.05 on: {listed(-1)}.", 120)


# --- forecasting

_FORECASTER = "FCMForecaster"


def forecasting_table():
    """Return scaled errors, ranks and CPU time of forecasts of single series."""
    entry = summary("forecasting")["confirming"]
    rows = [
        [
            f"**`{method}()`**" if method == _FORECASTER else method,
            number(row["mase"]),
            number(row["median"]),
            number(row["rank"], 2),
            number(row["cpu_ratio"], 2),
        ]
        for method, row in entry["methods"].items()
    ]
    head = [f"{entry['n_series']} public series", "mean MASE", "median", "mean rank", "CPU time, AutoARIMA's = 1"]
    return markdown(head, rows)


def forecasting_chosen():
    """Return the accuracy on series on which defaults were chosen, beside AutoARIMA's."""
    sentences = []
    for part, where in (
        ("choosing", "series on which defaults were chosen"),
        ("choosing, statsmodels and sktime", "of them that come with statsmodels and sktime, mostly economic"),
    ):
        entry = summary("forecasting")[part]
        ours, arima = (entry["methods"][method] for method in (_FORECASTER, "AutoARIMA"))
        place = [row["rank"] for row in entry["methods"].values()]
        sentences.append(
            f"On the {entry['n_series']} {where}, its mean MASE is {ours['ratio']:.2f} times that of AutoARIMA "
            f"({ours['mase']:.3f} and {arima['mase']:.3f}), its mean rank {ours['rank']:.2f}, the "
            f"{nth(sorted(place).index(ours['rank']))} of {len(place)} (AutoARIMA {arima['rank']:.2f}), and its CPU "
            f"time {ours['cpu_ratio']:.2f} of AutoARIMA's."
        )
    return fill(" ".join(sentences), 120)


def forecasting_coverage():
    """Return the coverage of intervals of each step."""
    groups = {
        "choosing": "defaults were chosen on",
        "confirming": "others, on which intervals were chosen too",
        "untouched": "not looked at before",
        "all series": "all",
    }
    found = summary("forecasting")
    n_steps = len(found["all series"]["coverage_by_step"])
    rows = [
        [
            f"{found[group]['n_covered_series']} series: {title}",
            str(found[group]["n_forecasts"]),
            number(found[group]["coverage"], 2),
            *(number(share, 2) for share in found[group]["coverage_by_step"]),
        ]
        for group, title in groups.items()
    ]
    return markdown(["", "forecasts", "all steps", *map(str, range(1, n_steps + 1))], rows)


def forecasting_several():
    """Return errors of forecasts of several series."""
    entry = summary("forecasting")["tables"]
    methods = list(entry["rank"])
    titles = [f"`{method}()`" if method == _FORECASTER else method for method in methods]
    rows = []
    for name, values in {**entry["rmse"], "mean rank": entry["rank"]}.items():
        cells = [number(values[method], 2 if name == "mean rank" else 3) for method in methods]
        best = min(values.values())
        rows.append([name, *(f"**{c}**" if values[m] == best else c for m, c in zip(methods, cells, strict=True))])
    return markdown(["several series, RMSE in deviations of changes", *titles], rows)


def forecasting_planted():
    """Return how well planted maps and signs of a driver's effects are found."""
    planted, driver = (summary("forecasting")[name] for name in ("planted", "driver"))
    f1 = {name: f"{entry['f1']:.2f}" for name, entry in planted.items()}
    maps = (
        f"`learn_map` finds arrows with an F1 of {f1['learn_map']}, and {planted['learn_map']['signs']:.0%} of their "
        "signs. Populations of 20,000 evaluations, told how many arrows there are, reach "
        f"{f1['pso']} (particle swarm), {f1['rcga']} (genetic algorithm) and {f1['de']} (differential evolution)."
    )
    signs = (
        f"In {driver['systems']} simulated systems of four variables, of which one responds to a driver and passes the "
        f"effect on, a scenario with the driver held has the right sign of the effect on all four in {driver['right']}."
    )
    return f"{fill(maps, 120)}\n\n{fill(signs, 120)}"


BLOCKS = {
    **reproduction.BLOCKS,
    **uncertainty.BLOCKS,
    **third_group.BLOCKS,
    "forecasting table": forecasting_table,
    "forecasting chosen": forecasting_chosen,
    "forecasting coverage": forecasting_coverage,
    "forecasting several": forecasting_several,
    "forecasting planted": forecasting_planted,
    **guide_figures.BLOCKS,
    "readme": lambda: accuracy_text(_HEADLINE, _README_METHODS),
    **{f"accuracy {name}": lambda name=name: accuracy_text(name) for name in ("all", "catboost", "slow")},
    "accuracy missing": missing_rivals,
    "family table": family_table,
    "family datasets": family_datasets,
    "regression differences": regression_differences,
    **{
        f"regression {group}": lambda group=group: regression_table(group)
        for group in ("chosen on", "confirmed on", "all")
    },
}


def files():
    """Return the README and the pages of the docs."""
    pages = (ROOT / "docs").rglob("*.md")
    return [ROOT / "README.md", *sorted(path for path in pages if "_build" not in path.parts)]


def names(text):
    """Return the names of the blocks in a text."""
    return [match["name"] for match in _BLOCK.finditer(text)]


def block(name):
    """Return the content of a block."""
    kind, _, rest = name.partition(" ")
    return guide_figures.guide_table(*rest.split(": ", 1)) if kind == "guides" else BLOCKS[name]()


def updated(text):
    """Return a text with every block written anew."""

    def write(match):
        content = block(match["name"])
        return f"{match['head']}{match['line']}{content}{match['line']}{match['tail']}"

    return _BLOCK.sub(write, text)


def without_blocks(text):
    """Return the text outside the generated blocks."""
    return _BLOCK.sub("", text)


def main():
    """Update every file with stale blocks."""
    for path in files():
        text = path.read_text(encoding="utf-8")
        if updated(text) != text:
            path.write_text(updated(text), encoding="utf-8")


if __name__ == "__main__":
    main()
