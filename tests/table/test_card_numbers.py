"""Every number of the card is recomputed from the table, on twelve tables of different kinds."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

from cogmap import explain, to_rules
from cogmap.explanation import arrow_intervals
from cogmap.explanation.rules import carried_share
from cogmap.page import html
from cogmap.table import FitOptions, fit_table
from cogmap.table.scoring import rivals


def people(draw, n):
    """Two classes from a category, a boolean and a number with missing values."""
    frame = pd.DataFrame({"age": draw.integers(18, 90, n).astype(float), "smoker": draw.choice(["yes", "no"], n)})
    frame["ward"] = draw.choice(["surgery", "heart", "children"], n)
    score = 0.06 * (frame["age"] - 50) + 2.0 * (frame["ward"] == "surgery") + draw.normal(0, 0.7, n)
    frame["back"] = np.where(score > 0.5, "1", "2")
    frame.loc[::17, "age"] = np.nan
    return frame


def diabetes(draw, n):
    """A value from numbers."""
    return load_diabetes(as_frame=True, scaled=False).frame.iloc[::4].reset_index(drop=True)


def iris(draw, n):
    """Three classes from numbers."""
    return load_iris(as_frame=True).frame


def wine(draw, n):
    """Three classes from many numbers."""
    return load_wine(as_frame=True).frame


def visits(draw, n):
    """Counts."""
    frame = pd.DataFrame({"age": draw.integers(20, 80, n), "chronic": draw.choice(["yes", "no"], n)})
    frame["visits"] = draw.poisson(np.exp(0.02 * (frame["age"] - 50) + 0.8 * (frame["chronic"] == "yes")))
    return frame


def grades(draw, n):
    """Ordered classes."""
    frame = pd.DataFrame({"study": draw.gamma(2, 5, n).round(1), "sleep": draw.normal(7, 1, n).round(1)})
    frame["school"] = draw.choice(["A", "B", "C"], n)
    score = 0.15 * frame["study"] + 0.5 * frame["sleep"] + 1.5 * (frame["school"] == "B") + draw.normal(0, 0.7, n)
    frame["grade"] = np.select([score < 4.5, score < 6.0], ["low", "middle"], "high")
    return frame


def orders(draw, n):
    """A value from categories, one of them with rare values."""
    frame = pd.DataFrame({"color": draw.choice(["red", "green", "blue", "violet"], n, p=[0.5, 0.3, 0.19, 0.01])})
    frame["size"] = draw.choice(["S", "M", "L"], n)
    frame["gift"] = draw.choice([True, False], n)
    frame["price"] = 10.0 + 5.0 * (frame["color"] == "red") + 3.0 * (frame["size"] == "L") + draw.normal(0, 1.0, n)
    return frame


def sensors(draw, n):
    """Many missing values, also in the target."""
    frame = pd.DataFrame(draw.normal(size=(n, 4)).round(2), columns=["heat", "noise", "light", "dust"])
    frame["fault"] = np.where(frame["heat"] - frame["dust"] + draw.normal(0, 0.5, n) > 0, "yes", "no")
    return frame.astype({"fault": object}).mask(draw.random(frame.shape) < 0.2)


def bookings(draw, n):
    """A value from dates."""
    when = pd.Timestamp("2023-01-01") + pd.to_timedelta(draw.integers(0, 700, n), unit="D")
    frame = pd.DataFrame({"day": when.strftime("%Y-%m-%d"), "guests": draw.integers(1, 6, n)})
    frame["paid"] = 40.0 * frame["guests"] + 30.0 * (when.day_of_week > 4) + draw.normal(0, 10.0, n)
    return frame


def loans(draw, n):
    """Two classes from skewed numbers."""
    frame = pd.DataFrame({"income": np.exp(draw.normal(10, 1.2, n)).round(), "debt": np.exp(draw.normal(7, 1.5, n))})
    score = np.log(frame["income"]) - 0.8 * np.log(frame["debt"]) + draw.normal(0, 0.5, n)
    frame["paid back"] = np.where(score > 4.4, "yes", "no")
    return frame


def patients(draw, n):
    """Several rows of each patient."""
    who = draw.integers(0, n // 6, n)
    frame = pd.DataFrame({"patient": [f"p{i}" for i in who], "pulse": draw.normal(70, 10, n).round()})
    frame["fever"] = draw.normal(37.5, 0.8, n).round(1)
    frame["admitted"] = np.where(frame["fever"] + 0.5 * (who % 3) + draw.normal(0, 0.4, n) > 38.1, "yes", "no")
    return frame


def load(draw, n):
    """Rows in time."""
    hour = np.arange(n)
    frame = pd.DataFrame({"hour": hour, "heat": 15 + 8 * np.sin(hour / 24 * 2 * np.pi) + draw.normal(0, 2, n)})
    frame["load"] = 100 + 0.05 * hour - 2.0 * frame["heat"] + draw.normal(0, 3, n)
    return frame


QUICK = {
    "people": (people, "back", FitOptions(labels={"1": "comes back", "2": "stays well"})),
    "diabetes": (diabetes, "target", FitOptions(units={"target": "points"})),
}
TABLES = QUICK | {
    "iris": (iris, "target", FitOptions()),
    "wine, full map": (wine, "target", FitOptions(structure="full")),
    "counts": (visits, "visits", FitOptions(kinds={"visits": "number"})),
    "ordered classes": (grades, "grade", FitOptions(kinds={"grade": "low<middle<high"})),
    "categories": (orders, "price", FitOptions()),
    "missing values": (sensors, "fault", FitOptions()),
    "dates": (bookings, "paid", FitOptions()),
    "skew": (loans, "paid back", FitOptions()),
    "groups": (patients, "admitted", FitOptions(groups="patient")),
    "time": (load, "load", FitOptions(time="hour")),
}


def fitted_to(name):
    """Return a model with its table, target and options."""
    make, target, options = TABLES[name]
    frame = make(np.random.default_rng(0), 150)
    return fit_table(frame, target, options), frame, target, options


@pytest.fixture(scope="module", params=QUICK)
def fitted(request):
    """Return a quick model."""
    return fitted_to(request.param)


def splits(X, y, options, classes):
    """Return training and test rows of the folds."""
    if options.time is not None:
        order = np.argsort(X[options.time].to_numpy(), kind="stable")
        return [(order[train], order[test]) for train, test in TimeSeriesSplit(5).split(order)]
    if options.groups is not None:
        groups = pd.factorize(X[options.groups])[0]  # in the order in which they appear
        return (StratifiedGroupKFold if classes else GroupKFold)(5).split(X, y, groups)
    return (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=options.seed).split(X, y)


def recomputed(model, frame, target, options):
    """Return what the card should have by the key of each number, from the table."""
    whole, frame = frame, frame[frame[target].notna()].reset_index(drop=True)
    y = pd.Series(model.target.read(frame[target]), name=target)
    X = frame.drop(columns=target)
    found = {"/table/rows": len(whole), "/table/learned from": len(frame), "/table/columns": len(frame.columns)}
    found |= of_folds(model, X, y, options) | of_importances(model, X, y) | of_effects(model, X, y) | of_map(model, X)
    found |= of_rows(model, X, np.flatnonzero(whole[target].notna()) + 1)
    if model.classes:
        found |= {f"/target/rows/{label}": n_rows for label, n_rows in y.value_counts().items()}
    return found


def of_folds(model, X, y, options):
    """Scores, with scikit-learn's own functions, comparisons, and certainty or errors."""
    classes, folds, rows = model.classes, {}, []
    names = ("accuracy", "log loss") if classes else ("R²", "mean absolute error")
    for train, test in splits(X, y, options, classes):
        preparer = model.preparer.relearned(X.iloc[train])
        A, B = preparer.transform(X.iloc[train]), preparer.transform(X.iloc[test])
        for name, method in {"this map": model.estimator, **rivals(model.target.task, options.seed)}.items():
            fitted = clone(method).fit(A, y.iloc[train])
            truth, predicted = y.iloc[test].to_numpy(), fitted.predict(B)
            if classes:
                outputs = fitted.predict_proba(B)
                scores = accuracy_score(truth, predicted), log_loss(truth, outputs, labels=fitted.classes_)
                own = np.column_stack([outputs.max(axis=1), predicted == truth])
            else:
                scores = r2_score(truth, predicted), mean_absolute_error(truth, predicted)
                own = np.abs(truth - predicted)
            folds.setdefault(name, []).append(scores)
            if name == "this map":
                rows.append(own)
    found = {}
    for method, values in folds.items():
        for place, name in enumerate(names):
            column = np.array(values)[:, place]
            found[f"/scores/{method}/{name}/mean"] = column.mean()
            found[f"/scores/{method}/{name}/deviation"] = column.std()
            found |= {f"/scores/{method}/{name}/folds/{k}": value for k, value in enumerate(column)}
            if method != "this map":
                difference = np.array(folds["this map"])[:, place] - column
                found[f"/comparisons/{method}/{name}/difference"] = difference.mean()
                found[f"/comparisons/{method}/{name}/error"] = difference.std(ddof=1) / np.sqrt(5)
    held_out = np.concatenate(rows)
    if not classes:
        return found | {"/errors/median": np.median(held_out), "/errors/90 %": np.quantile(held_out, 0.9)}
    held_out = held_out[np.argsort(held_out[:, 0], kind="stable")]
    for place, group in enumerate(np.array_split(held_out, min(max(len(held_out) // 30, 1), 5))):
        found[f"/certainty/{place}/right"], found[f"/certainty/{place}/rows"] = group[:, 1].mean(), len(group)
        found[f"/certainty/{place}/from"], found[f"/certainty/{place}/probability"] = group[0, 0], group[:, 0].mean()
    return found


def of_importances(model, X, y):
    """Shares of the mean absolute contributions, and correlations of columns with what more of them leads to."""
    size = np.abs(explain(model, X.iloc[:: max(len(X) // 300, 1)]).contributions).mean(axis=(0, 2))
    shares = dict(zip(model.columns, size / size.sum(), strict=True))
    found = {}
    for place, entry in enumerate(model.card["importances"]):
        found[f"/importances/{place}/share"] = shares[entry["column"]]
        if "parts" in entry:  # of a date
            A = model.preparer.transform(X.iloc[:: max(len(X) // 300, 1)])
            sizes = pd.Series(np.abs(explain(model.estimator, A).contributions).mean(axis=(0, 2)), A.columns)
            for part in entry["parts"]:
                share = shares[entry["column"]] * sizes[part] / sizes[list(entry["parts"])].sum()
                found[f"/importances/{place}/parts/{part}"] = share
        if entry.get("alone") is not None:
            found[f"/importances/{place}/alone"] = alone(model, X, y, entry)
    return found


def alone(model, X, y, entry):
    """Return the correlation of a column with what more of it leads to: a class, or higher or lower values or ranks."""
    values = model.values(model.read(X).features)[:, model.columns.index(entry["column"])]
    if "value" in entry:
        numbers = all(value is None or isinstance(value, float) for value in values)  # of two values
        higher = float(entry["value"]) if numbers else entry["value"]
        values = [None if value is None else value == higher for value in values]
    values = np.array([np.nan if value is None else float(value) for value in values])
    if entry["more"] in ("higher", "lower"):
        order = model.target.order
        goal = (y.map(order.index) if order else y) * (1 if entry["more"] == "higher" else -1)
    else:
        goal = y == entry["more"]
    known = ~np.isnan(values)
    return np.corrcoef(values[known], goal.to_numpy(dtype=float)[known])[0, 1]


def of_effects(model, X, y):
    """Mean derivatives by central differences, differences between two values, and their intervals."""
    A = model.preparer.transform(X)
    intervals = arrow_intervals(model.estimator, A, y, n_refits=15)
    names, found = A.columns.tolist(), {}
    first = {column.name: column.outputs[0] for column in model.preparer.columns_}
    for place, entry in enumerate(model.card["effects"]):
        j, k = names.index(first[entry["column"]]), model.outputs.index(entry["output"])
        values, two = A.iloc[:, j], A.iloc[:, j].nunique() == 2
        step = 1e-5 * float(values.std() or 1.0)
        ends = (values.max(), values.min()) if two else (values + step, values - step)
        up, down = (model.model.outputs(A.assign(**{names[j]: end}).to_numpy())[:, k] for end in ends)
        told = 10.0 ** np.floor(np.log10(values.std(ddof=0)))
        told = max(told, 1.0) if (values.dropna() % 1 == 0).all() else told
        told = np.ptp(values.dropna()) if two else told
        found[f"/effects/{place}/step"] = told
        changes = (up - down) * (1.0 if two else told / (2.0 * step))
        found[f"/effects/{place}/effect"] = changes[values.notna()].mean()
        found[f"/effects/{place}/low"] = told * intervals.effects_low[j, k]
        found[f"/effects/{place}/high"] = told * intervals.effects_high[j, k]
    return found


def of_rows(model, X, numbers):
    """Sets of classes or widths of intervals, and rows that are unlike the others."""
    if model.classes:
        sizes = np.array([len(classes) for classes in model.predict_set(X, level=0.9)])
        found = {"/sets/level": 0.9, "/sets/single": (sizes == 1).mean(), "/sets/size": sizes.mean()}
    else:
        ends = model.predict_interval(X, level=0.9)
        found = {"/intervals/level": 0.9, "/intervals/width": np.median(ends[:, 1] - ends[:, 0])}
    rows = numbers[model.novelty_p_values(X) <= max(0.01, 1.0 / (len(X) + 1.0))]
    assert len(rows) <= 10
    return found | {"/unusual/count": len(rows)} | {f"/unusual/rows/{place}": row for place, row in enumerate(rows)}


def of_map(model, X):
    """Size of the map; the arrows that are drawn; and weights, strengths and turning points of the rules."""
    fcm, card = model.estimator.map_, model.card
    off_diagonal = fcm.weights[~np.eye(fcm.n_concepts, dtype=bool)]
    found = {"/map/concepts": len(fcm.concepts), "/map/arrows": np.count_nonzero(off_diagonal)}
    found |= {"/map/hidden": len([kind for kind in model.model.kinds if kind == "hidden"])}
    found |= {"/map/depth": len(model.model.trajectory(model.read(X).features)) - 1}
    if "rules" not in card:
        return found
    assert card["map"]["drawn"] == card["map"]["arrows"]  # small maps are drawn as a whole
    found |= {"/map/drawn": np.count_nonzero(off_diagonal), "/map/carried": carried_share(model, fcm.weights != 0, X)}
    features = model.preparer.transform(X).to_numpy()
    states = model.model.transformed(features)
    for place, (entry, together) in enumerate(zip(card["rules"], to_rules(model, X).together, strict=True)):
        source, target = fcm.concepts.index(entry["source"]), fcm.concepts.index(entry["target"])
        found[f"/rules/{place}/weight"] = fcm.weights[target, source]
        found[f"/rules/{place}/strength"] = abs(fcm.weights[target, source]) * states[:, source].std()
        for k, turn in enumerate(() if together is None else together.turns):
            found[f"/rules/{place}/together/turns/{k}"] = turn
    return found


def numbers_of(card, place=""):
    """Yield the key of every number of a card, except those of options."""
    for name, entry in card.items() if isinstance(card, dict) else enumerate(card):
        key = f"{place}/{name}"
        if isinstance(entry, dict | list) and name not in ("settings", "numbers"):
            yield from numbers_of(entry, key)
        elif isinstance(entry, float | int) and not isinstance(entry, bool):
            yield key


def check(model, frame, target, options):
    """No number is left over, and none differs."""
    expected = recomputed(model, frame, target, options)
    keys = list(numbers_of(model.card))
    assert sorted(keys) == sorted(expected)
    for key in keys:
        # Central differences have a rounding error.
        tolerance = {"rel": 1e-5, "abs": 1e-8} if key.endswith("/effect") else {"rel": 1e-6, "abs": 1e-9}
        assert model.card.at(key) == pytest.approx(expected[key], **tolerance), key


def test_every_number_of_the_card_is_recomputed_from_the_table(fitted):
    """Of two quick tables."""
    check(*fitted)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TABLES if name not in QUICK])
def test_every_number_on_more_tables(name, browser, tmp_path):
    """Of ten more tables, recomputed, and shown on card and page."""
    model, frame, target, options = fitted_to(name)
    check(model, frame, target, options)
    check_shown(model, frame, browser, tmp_path)


NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*(?:\.\d+)?")
SHOWN = "all => all.map(one => [one.dataset.key, one.textContent])"
# What is left of a part of the page without the numbers that have a place in the card.
REST = """one => { const copy = one.cloneNode(true); copy.querySelectorAll("[data-key]").forEach(each => each.remove());
  return copy.textContent; }"""


def agrees(text, value):
    """Return whether the first number of a text is a value, or its percentage, rounded to the digits of the text."""
    shown = NUMBER.search(text)[0].replace(",", "").replace("\u2212", "-")
    half = 0.5 * 10.0 ** -len(shown.partition(".")[2]) * (1.0 + 1e-9)
    same_sign = shown[0] not in "+-" or (shown[0] == "-") == (value < 0.0)
    return same_sign and any(abs(abs(value) * scale - abs(float(shown))) <= half for scale in (1.0, 100.0))


def wrong_figures(card, shown):
    """Return the figures that are not what the card has at their place."""
    beyond = [entry["share"] for entry in card["importances"]][10:]
    used = [share for share in beyond if share >= 0.005]
    unused = sum(entry["share"] < 0.005 for entry in card["importances"])
    counts = {len(used), unused, round(100.0 * sum(used))}
    wrong = []
    for key, text in shown:
        entry = card.at(key)
        if isinstance(entry, str):
            turns = str(card.at(key.removesuffix("rule") + "together")) if "; in all" in entry else ""
            right = all(number in f"{entry} {turns}" for number in NUMBER.findall(text))
        elif isinstance(entry, list | dict):
            right = int(text) in ({len(entry), len(entry) - 10, len(entry) - 40} | counts)
        else:
            right = agrees(text, entry)
        wrong += [] if right else [(key, text, entry)]
    return wrong


def without_names(text, model, frame):
    """Return a text without names that may have digits, and without figures of speech."""
    choices = {value for column in frame for value in frame[column] if isinstance(value, str)}
    names = {*map(str, frame.columns), *(model.classes or ()), *choices, "of 100", "R²"}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return text


def check_shown(model, frame, browser, tmp_path):
    """Every number about the model, in its card as HTML and on its page, has a key, and is the number there."""
    (tmp_path / "card.html").write_text(f"<meta charset=utf-8>{model.card._repr_html_()}", encoding="utf-8")
    target = model.target.name
    known = frame[frame[target].notna()]
    labels = model.target.read(known[target])
    (tmp_path / "page.html").write_text(html(model, known.drop(columns=target), labels), encoding="utf-8")
    tab = browser.new_page()
    try:
        tab.goto((tmp_path / "card.html").as_uri())
        shown = tab.eval_on_selector_all("[data-key]", SHOWN)
        assert len(shown) > 30
        assert wrong_figures(model.card, shown) == []
        cells = tab.eval_on_selector_all("td", f"all => all.map({REST})")
        assert [cell for cell in cells if re.search(r"\d", without_names(cell, model, frame))] == []
        tab.goto((tmp_path / "page.html").as_uri())
        tab.wait_for_selector("body[data-ready]")
        shown = tab.eval_on_selector_all("[data-key]", SHOWN)
        keys = {key.split("/")[1] for key, _ in shown}
        assert keys >= {"scores", "importances", "certainty" if model.classes else "errors"}
        assert wrong_figures(model.card, shown) == []
        rest = without_names(tab.locator("#quality").evaluate(REST), model, frame)
        assert not re.search(r"\d", rest), rest
    finally:
        tab.close()


def test_every_number_shown_is_on_the_card(fitted, browser, tmp_path):
    """On card and page of two quick tables."""
    check_shown(fitted[0], fitted[1], browser, tmp_path)


def test_a_wrong_figure_is_found(fitted):
    """A number that differs from the card in its last digit."""
    card, key = fitted[0].card, "/scores/this map/" + next(iter(fitted[0].card["scores"]["this map"])) + "/mean"
    right = f"{card.at(key):.3f}"
    assert wrong_figures(card, [(key, right)]) == []
    assert wrong_figures(card, [(key, f"{card.at(key) + 0.001:.3f}")])


def test_text_and_html_show_no_exponent_and_few_digits(fitted):
    """Numbers are for people."""
    card = fitted[0].card
    for text in (str(card), card._repr_html_()):
        assert not re.search(r"\d[eE][+-]?\d|\d\.\d{5}", text)
        assert "nan" not in text
