"""Graph inputs for the columns of a raw table, and their conversion to features.

Inputs are numbers, text, and dates as seconds since 1970-01-01, which the graph decomposes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.integrations.onnx.graph import Graph, Name, type_of
from cogmap.table.columns import Column
from cogmap.table.preparation import TablePreparer

_DAY, _HOUR = 86_400, 3_600
_UNKNOWN = -1


def add_inputs(graph: Graph, columns: tuple[Column, ...]) -> list[Name]:
    """Add one input per column and return their names: those of the columns, unless an output has that name."""
    return [graph.input(column.name, column.onnx_type, 1) for column in columns]


def add_features(graph: Graph, columns: tuple[Column, ...], inputs: list[Name]) -> Name:
    """Add the conversion of inputs to features and return the concatenated features."""
    builder = _Builder(graph)
    features = [column.onnx(builder, cells) for column, cells in zip(columns, inputs, strict=True)]
    return graph.node("Concat", *features, axis=1)


def input_arrays(preparer: TablePreparer, frame: Any) -> list[NDArray[Any]]:
    """Convert a raw table to one array per input."""
    frame, _ = preparer.arranged(frame)
    return [column.onnx_input(frame[column.name]) for column in preparer.columns_]


class _Builder:
    """Conversions of inputs that kinds of columns need."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def one_hot(self, cells: Name, places: dict[str, int], features: Iterable[int]) -> Name:
        """Return 1 for the feature of a string and 0 for the others; all are missing for an unknown string."""
        graph = self._graph
        place = graph.node(
            "LabelEncoder",
            cells,
            keys_strings=list(places),
            values_int64s=list(places.values()),
            default_int64=_UNKNOWN,
        )
        is_it = graph.node("Equal", place, np.array([list(features)]))
        unknown = graph.node("Equal", place, _UNKNOWN)
        return graph.node("Where", unknown, np.nan, graph.node("Where", is_it, 1.0, 0.0))

    def places(self, cells: Name, choices: tuple[str, ...]) -> Name:
        """Return the place of a string in an order, missing for an unknown string."""
        numbers = {"keys_strings": list(choices), "values_floats": [float(place) for place in range(len(choices))]}
        encoded = self._graph.node("LabelEncoder", cells, **numbers, default_float=np.nan)
        return self._graph.node("Cast", encoded, to=type_of(float))

    def date_parts(self, seconds: Name, parts: tuple[str, ...]) -> Name:
        """Return some parts of dates, given in seconds since 1970-01-01."""
        found = _date_parts(self._graph, seconds)
        return self._graph.node("Concat", *(found[part] for part in parts), axis=1)


def _date_parts(graph: Graph, seconds: Name) -> dict[str, Name]:
    """Decompose dates by arithmetic; missing values remain missing.

    Years start in March, so that the leap day is the last day of the year; 400 years have 146,097 days.
    """
    day_number = _floor(graph, seconds, _DAY)
    second = _minus(graph, seconds, _times(graph, day_number, _DAY))
    since_march_0 = graph.node("Add", day_number, 719_468.0)
    era = _floor(graph, since_march_0, 146_097)
    day_of_era = _minus(graph, since_march_0, _times(graph, era, 146_097))
    # Subtract leap days, so that all years have 365 days.
    leapless = _minus(graph, day_of_era, _floor(graph, day_of_era, 1_460))
    leapless = graph.node("Add", leapless, _floor(graph, day_of_era, 36_524))
    leapless = _minus(graph, leapless, _floor(graph, day_of_era, 146_096))
    year_of_era = _floor(graph, leapless, 365)
    leap_days = _minus(graph, _floor(graph, year_of_era, 4), _floor(graph, year_of_era, 100))
    first_day = graph.node("Add", _times(graph, year_of_era, 365), leap_days)
    day_of_year = _minus(graph, day_of_era, first_day)
    # From March on, months repeat the pattern 31, 30, 31, 30, 31 days: 153 days per five months.
    month_from_march = _floor(graph, graph.node("Add", _times(graph, day_of_year, 5), 2.0), 153)
    before_month = _floor(graph, graph.node("Add", _times(graph, month_from_march, 153), 2.0), 5)
    is_next_year = graph.node("GreaterOrEqual", month_from_march, 10.0)
    month = graph.node("Add", month_from_march, graph.node("Where", is_next_year, -9.0, 3.0))
    year = graph.node("Add", year_of_era, _times(graph, era, 400))
    since_monday = graph.node("Add", day_number, 3.0)
    week = _times(graph, _floor(graph, since_monday, 7), 7)
    return {
        "year": graph.node("Add", year, graph.node("Where", is_next_year, 1.0, 0.0)),
        "month": month,
        "day": graph.node("Add", _minus(graph, day_of_year, before_month), 1.0),
        "weekday": graph.node("Add", _minus(graph, since_monday, week), 1.0),
        "hour": _floor(graph, second, _HOUR),
    }


def _floor(graph: Graph, value: Name, divisor: int) -> Name:
    return graph.node("Floor", graph.node("Div", value, float(divisor)))


def _times(graph: Graph, value: Name, factor: int) -> Name:
    return graph.node("Mul", value, float(factor))


def _minus(graph: Graph, value: Name, other: Name) -> Name:
    return graph.node("Sub", value, other)
