"""Summary of `benchmarks.forecasting`: ``summary.json``, from which docs take their figures, and ``summary.md``."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept_rows import Row
from cogmap._utils.files import write_whole
from cogmap.research.experiments.store import system_information

REFERENCE = "AutoARIMA"
ALL = "all series"
HOPELESS = 100.0  # a series on which every method has a larger MASE would decide the means alone


def _table(rows: Sequence[Row], line: str, value: str) -> tuple[list[str], list[str], np.ndarray]:
    """Return the names of lines and methods, and a value of each, of lines that all methods have."""
    methods = list(dict.fromkeys(row["key"]["method"] for row in rows))
    found = {(row["key"][line], row["key"]["method"]): row[value] for row in rows}
    names = [
        name for name in dict.fromkeys(row["key"][line] for row in rows) if all((name, m) in found for m in methods)
    ]
    return names, methods, np.array([[found[name, method] for method in methods] for name in names])


def _ranks(errors: np.ndarray) -> np.ndarray:
    """Return the mean rank of each method."""
    ranks: np.ndarray = (1 + (errors[:, None, :] < errors[:, :, None]).sum(axis=2)).mean(axis=0)
    return ranks


def _short(value: float) -> float:
    return round(float(value), 4)


def _of_series(rows: Sequence[Row]) -> dict[str, Any]:
    chosen = [row for row in rows if row["key"]["group"] == "choosing"]
    economic = [row for row in chosen if row["key"]["source"] in ("statsmodels", "sktime")]
    parts = {
        "confirming": [row for row in rows if row["key"]["group"] == "confirming"],
        "choosing": chosen,
        "choosing, statsmodels and sktime": economic,
    }
    summary = {}
    for part, members in parts.items():
        names, methods, errors = _table(members, "series", "mase")
        usual = errors.min(axis=1) <= HOPELESS
        cpu = _table(members, "series", "cpu")[2][usual].sum(axis=0)
        errors = errors[usual]
        ranks, reference, means = _ranks(errors), methods.index(REFERENCE), errors.mean(axis=0)
        summary[part] = {
            "n_series": len(errors),
            "left_out": [name for name, kept in zip(names, usual, strict=True) if not kept],
            "methods": {
                method: {
                    "mase": _short(means[j]),
                    "median": _short(np.median(errors[:, j])),
                    "ratio": _short(means[j] / means[reference]),
                    "rank": _short(ranks[j]),
                    "cpu_ratio": _short(cpu[j] / cpu[reference]),
                }
                for j, method in sorted(enumerate(methods), key=lambda pair: means[pair[0]])
            },
        }
    return summary


def _of_coverage(rows: Sequence[Row]) -> dict[str, Any]:
    summary = {}
    for group in (*dict.fromkeys(row["key"]["group"] for row in rows), ALL):
        members = [row for row in rows if group in (row["key"]["group"], ALL)]
        by_series: dict[str, list[list[int]]] = {}
        for row in members:
            by_series.setdefault(row["key"]["series"], []).append(row["inside"])
        inside = np.array([row["inside"] for row in members], dtype=float)
        # Series vary independently, origins of one series do not.
        means = np.array([np.mean(one, axis=0) for one in by_series.values()])
        weights = np.array([len(one) for one in by_series.values()]) / len(members)
        deviation = np.sqrt(np.square(weights[:, None] * (means - inside.mean(axis=0))).sum(axis=0))
        summary[group] = {
            "n_covered_series": len(by_series),
            "n_forecasts": len(members),
            "coverage": _short(inside.mean()),
            "coverage_by_step": [_short(share) for share in inside.mean(axis=0)],
            "standard_error_by_step": [_short(error) for error in deviation],
            "median_width": _short(np.median([row["width"] for row in members])),
        }
    return summary


def _of_tables(rows: Sequence[Row]) -> dict[str, Any]:
    names, methods, errors = _table(rows, "table", "rmse")
    part = {
        "rmse": {
            name: {method: _short(error) for method, error in zip(methods, line, strict=True)}
            for name, line in zip(names, errors, strict=True)
        },
        "rank": {method: _short(rank) for method, rank in zip(methods, _ranks(errors), strict=True)},
    }
    return {"tables": part}


def _of_planted(rows: Sequence[Row]) -> dict[str, Any]:
    summary = {}
    for method in dict.fromkeys(row["key"]["method"] for row in rows):
        own = [row for row in rows if row["key"]["method"] == method]
        means = {key: _short(np.mean([row[key] for row in own])) for key in ("f1", "signs")}
        summary[method] = {"n_maps": len(own), **means}
    return {"planted": summary}


def _of_driver(rows: Sequence[Row]) -> dict[str, Any]:
    return {"driver": {"systems": len(rows), "right": sum(row["right"] for row in rows)}}


_PARTS: dict[str, Callable[[Sequence[Row]], dict[str, Any]]] = {
    "series": _of_series,
    "coverage": _of_coverage,
    "tables": _of_tables,
    "planted": _of_planted,
    "driver": _of_driver,
}


def _line(*cells: Any) -> str:
    return "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def _markdown(summary: dict[str, Any]) -> str:
    lines = ["# Maps in time", "", "Written by `python -m benchmarks.forecasting` from `results.jsonl`.", ""]
    for part, found in summary.items():
        if "methods" not in found:
            continue
        lines += [f"## {found['n_series']} series, three origins: {part}", ""]
        if found["left_out"]:
            lines += [
                f"Left out, because every method has a MASE above {HOPELESS:g}: {', '.join(found['left_out'])}.",
                "",
            ]
        lines += [_line("method", "mean MASE", "median", f"/ {REFERENCE}", "mean rank", "CPU time"), _rule(6)]
        lines += [_line(method, *values.values()) for method, values in found["methods"].items()] + [""]
    covered = {group: found for group, found in summary.items() if "coverage" in found}
    if covered:
        n_steps = len(next(iter(covered.values()))["coverage_by_step"])
        lines += [
            "## Coverage of intervals of 90 %",
            "",
            _line("series", "n", "forecasts", "mean", *range(1, n_steps + 1)),
        ]
        lines.append(_rule(4 + n_steps))
        for group, found in covered.items():
            counts = (found["n_covered_series"], found["n_forecasts"])
            lines.append(_line(group, *counts, found["coverage"], *found["coverage_by_step"]))
            lines.append(_line("standard error", "", "", "", *found["standard_error_by_step"]))
        lines.append("")
    if "tables" in summary:
        methods = list(summary["tables"]["rank"])
        lines += [
            "## Several series: RMSE in deviations of changes",
            "",
            _line("table", *methods),
            _rule(1 + len(methods)),
        ]
        lines += [_line(name, *errors.values()) for name, errors in summary["tables"]["rmse"].items()]
        lines += [_line("mean rank", *summary["tables"]["rank"].values()), ""]
    if "planted" in summary:
        lines += ["## Planted maps", "", _line("method", "maps", "F1 of arrows", "signs right"), _rule(4)]
        lines += [_line(method, *found.values()) for method, found in summary["planted"].items()] + [""]
    if "driver" in summary:
        found = summary["driver"]
        lines += [
            "## A held driver",
            "",
            f"Signs of all effects right in {found['right']} of {found['systems']} systems.",
            "",
        ]
    return "\n".join(lines)


def _rule(n_columns: int) -> str:
    return "| --- |" + " ---: |" * (n_columns - 1)


def write_summary(folder: Path, rows: dict[str, list[Row]]) -> None:
    """Write the summaries; what belongs to sections that were not run stays as it is there."""
    path = folder / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for section, members in rows.items():
        for part, found in _PARTS[section](members).items():
            summary[part] = {**summary.get(part, {}), **found}
    write_whole(path, json.dumps({**summary, "system": system_information()}, indent=2) + "\n")
    write_whole(folder / "summary.md", _markdown(summary))
