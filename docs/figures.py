"""Insert the figures of ``results/`` into the README and the docs: ``python docs/figures.py``.

A generated block begins with ``<!-- results: name -->`` and ends with ``<!-- end -->``, on lines of their own or within
a sentence. `BLOCKS` maps its name to the function that writes it from a ``summary.json``. A test fails when a block is
stale, and when the README has a figure outside of the blocks.
"""

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"(?P<head><!-- results: (?P<name>[\w ]+) -->)(?P<line>\n?).*?(?P<tail><!-- end -->)", re.DOTALL)

_specification = importlib.util.spec_from_file_location("reproduction", ROOT / "docs" / "reproduction.py")
reproduction = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(reproduction)
markdown = reproduction.markdown


@cache
def summary(name):
    """Return the summary of a folder of results."""
    return json.loads((ROOT / "results" / name / "summary.json").read_text(encoding="utf-8"))


def number(value, digits=3):
    """Return a number as text; empty for None."""
    return "" if value is None else f"{value:.{digits}f}"


# --- accuracy of classifiers

_README_METHODS = (
    "fcm_named", "fcm", "catboost", "lightgbm", "xgboost", "ebm", "realmlp", "tabm", "rforest", "mlp", "logreg",
)  # fmt: skip
_OURS = ("fcm_named", "fcm", "fcm_cv")


def comparison(name):
    """Return a comparison of classifiers."""
    return summary("accuracy")["comparisons"][name]


def accuracy_table(name, methods=None):
    """Return ranks, accuracy and log loss of a comparison, best rank first."""
    rows = []
    for row in comparison(name)["methods"]:
        if methods is None or row["method"] in methods:
            title = f"**{row['title']}**" if row["method"] in _OURS else row["title"]
            cells = [number(row["rank"], 1), number(row["accuracy"]), number(row["log_loss"])]
            rows.append([title, *cells, number(row["fit_seconds"], 2)])
    return markdown(["", "mean rank", "accuracy", "log loss", "CPU seconds"], rows)


def accuracy_setting(name):
    """Return which datasets, folds and methods a comparison has."""
    entry = comparison(name)
    folds = sorted(set(entry["folds"].values()))
    per_dataset = f"{folds[0]} fold{'s' * (folds[0] > 1)}" if len(folds) == 1 else f"{folds[0]} to {folds[-1]} folds"
    return (
        f"{len(entry['methods'])} classifiers at their defaults on {len(entry['datasets'])} tables ({per_dataset} each)"
    )


def accuracy_sentence(name):
    """Return who is first, and where the default map is, by rank of accuracy and by log loss."""
    entry = comparison(name)
    ranked = entry["methods"]
    with_loss = sorted((row for row in ranked if row["log_loss"] is not None), key=lambda row: row["log_loss"])
    accurate = sorted(ranked, key=lambda row: -row["accuracy"])
    parts = []
    for row in (row for row in ranked if row["method"] in _OURS[:2]):
        loss = f", {_nth(with_loss.index(row))} by log loss" if row in with_loss else ""
        parts.append(
            f"the {row['title']} is {_nth(ranked.index(row))} of {len(ranked)} by mean rank, "
            f"{_nth(accurate.index(row))} by mean accuracy{loss}"
        )
    first = next(row["title"] for row in ranked if row["method"] not in _OURS)
    text = f"{'; '.join(parts)}. The best rival by mean rank is {first}."
    return text[0].upper() + text[1:]


def _nth(place):
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[place] if place < len(words) else f"{place + 1}th"


def missing_rivals():
    """Return on which tables the slow rivals were not run or did not finish, and why."""
    entries, lines = summary("accuracy")["missing"], []
    titles = {
        row["method"]: row["title"] for entry in summary("accuracy")["comparisons"].values() for row in entry["methods"]
    }
    for method in ("catboost", "ebm", "realmlp", "tabm", "fcm_named"):
        places = [
            f"{name} ({entry['folds']} folds, {', '.join(entry['why'])})"
            for name, entry in entries.get(method, {}).items()
        ]
        if places:
            lines.append(f"- {titles.get(method, method)}: {'; '.join(places)}")
    return "\n".join(lines) or "All fits finished."


# --- regression


def regression_table(group):
    """Return mean R² and ranks of regressors on a group of tables."""
    entry = summary("regression")["groups"][group]
    fields = ("rank", "rank, targets scaled")
    names = {"default": '**FCMRegressor(structure="full")**', "small map": "**FCMRegressor()**"}
    rows = [
        [names.get(method, method), number(row["r2"], 4), *(number(row.get(field), 2) for field in fields)]
        for method, row in entry["methods"].items()
    ]
    return markdown([f"{group}: {len(entry['tables'])} tables", "mean R²", *fields], rows)


# --- forecasting


def forecasting_table():
    """Return scaled errors and ranks of forecasts of single series."""
    entry = summary("forecasting")["confirming"]
    rows = [
        [f"**`{m}()`**" if m == "FCMForecaster" else m, number(r["mase"]), number(r["median"], 2), number(r["rank"], 2)]
        for m, r in entry["methods"].items()
    ]
    return markdown([f"{entry['n_series']} public series", "mean MASE", "median", "mean rank"], rows)


def forecasting_text():
    """Return CPU time and coverage beside AutoARIMA, on both groups of series."""
    new, old = summary("forecasting")["confirming"], summary("forecasting").get("choosing")
    ours = new["methods"]["FCMForecaster"]
    text = f"The map needs {ours['cpu_ratio']:.2f} of AutoARIMA's CPU time, compilation excluded, and its intervals of "
    text += f"90 % cover {new['coverage']:.2f} of the values."
    if old:
        ours, arima = old["methods"]["FCMForecaster"], old["methods"]["AutoARIMA"]
        text += f" On the {old['n_series']} series on which defaults were chosen, its mean MASE is {ours['ratio']:.2f} "
        text += (
            f"times that of AutoARIMA ({ours['mase']:.3f} and {arima['mase']:.3f}), its mean rank {ours['rank']:.2f} "
        )
        text += f"(AutoARIMA {arima['rank']:.2f}), its CPU time {ours['cpu_ratio']:.2f}, and its coverage "
        text += f"{old['coverage']:.2f}."
    return fill(text, 120)


def forecasting_several():
    """Return errors of forecasts of several series."""
    entry = summary("forecasting")["tables"]
    methods = list(entry["rank"])
    titles = [f"`{m}()`" if m == "FCMForecaster" else m for m in methods]
    lines = {**entry["rmse"], "mean rank": entry["rank"]}
    rows = []
    for name, values in lines.items():
        best = min(values.values())
        cells = [number(values[m], 2 if name == "mean rank" else 3) for m in methods]
        rows.append([name, *(f"**{c}**" if values[m] == best else c for m, c in zip(methods, cells, strict=True))])
    return markdown(["several series, RMSE in deviations of changes", *titles], rows)


def planted_text():
    """Return how well planted maps and signs of a driver's effects are found."""
    planted, driver = summary("forecasting")["planted"], summary("forecasting")["driver"]
    f1 = {name: f"{entry['f1']:.2f}" for name, entry in planted.items()}
    text = (
        f"`learn_map` finds arrows with an F1 of {f1['learn_map']}, and {planted['learn_map']['signs']:.0%} of their "
    )
    text += "signs. Populations of 20,000 evaluations, told how many arrows there are, reach "
    text += f"{f1['pso']} (particle swarm), {f1['rcga']} (genetic algorithm) and {f1['de']} (differential evolution)."
    signs = f"In {driver['systems']} simulated systems of four variables, of which one responds to a driver and passes "
    signs += "the effect on, a scenario with the driver held has the right sign of the effect on all four in "
    signs += f"{driver['right']}."
    return f"{fill(text, 120)}\n\n{fill(signs, 120)}"


def accuracy_text(name):
    """Return setting, result and table of a comparison."""
    sentence = fill(f"{accuracy_setting(name)}. {accuracy_sentence(name)}", 120)
    return f"{sentence}\n\n{accuracy_table(name)}"


BLOCKS = {
    **reproduction.BLOCKS,
    "readme table": lambda: accuracy_table("default", _README_METHODS),
    "readme setting": lambda: accuracy_setting("default"),
    "readme sentence": lambda: accuracy_sentence("default"),
    **{
        f"accuracy {name}": lambda name=name: accuracy_text(name)
        for name in ("all", "catboost", "default", "slow")
    },
    "accuracy missing": missing_rivals,
    **{
        f"regression {group}": lambda group=group: regression_table(group)
        for group in ("chosen on", "confirmed on", "all")
    },
    "forecasting table": forecasting_table,
    "forecasting text": forecasting_text,
    "forecasting several": forecasting_several,
    "forecasting planted": planted_text,
}  # fmt: skip


def files():
    """Return the README and the pages of the docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def names(text):
    """Return the names of the blocks in a text."""
    return [match["name"] for match in _BLOCK.finditer(text)]


def updated(text):
    """Return a text with every block written anew."""

    def write(match):
        content = BLOCKS[match["name"]]()
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
