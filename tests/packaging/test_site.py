"""Six kinds of newcomers find answers from the front page of the documentation, and its commands and names exist."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

import check_links
import cogmap
import conf
from cogmap._utils import documentation
from cogmap.cli.group import cli
from cogmap.comparators import FRCNClassifier, LTCNClassifier

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix()
    for pattern in ("index.md", "[!_]*/**/*.md")
    for path in DOCS.glob(pattern)
    if not path.relative_to(DOCS).parts[0].startswith(("gallery", "pictures"))
}
TEXTS = {page: conf.page_text(page) for page in PAGES}

# What a newcomer asks, the page that answers, and words of the answer.
JOURNEYS = {
    "data scientist": [
        ("How do I install it?", "start/install", "pip install"),
        ("What is the shortest example?", "index", "FCMClassifier"),
        ("Does it work in a pipeline and a grid search?", "guide/scikit-learn", "GridSearchCV"),
        ("How accurate is it beside CatBoost?", "about/benchmarks", "CatBoost"),
        ("What about missing values and text columns?", "guide/tables", "missing"),
        ("Are the probabilities calibrated?", "guide/how-sure", "calibrat"),
        ("How do I explain a prediction?", "guide/explaining", "contributions"),
        ("What do I do about rare classes?", "guide/scikit-learn", "class_weight"),
        ("Counts, quantiles, ordered classes?", "guide/targets", "quantile"),
        ("When should I not use it?", "start/when-not", "boosted trees"),
    ],
    "analyst": [
        ("Can I use it without Python?", "start/ten-minutes-shell", "cogmap fit"),
        ("Which files can it read?", "reference/file-formats", ".xlsx"),
        ("How good is my model?", "start/ten-minutes-shell", "on rows not learned from"),
        ("How do I predict new rows?", "guide/tables", "cogmap predict"),
        ("Why this prediction?", "start/ten-minutes-shell", "cogmap explain"),
        ("What would have to change?", "guide/what-if", "smallest change"),
        ("How do I show it to colleagues?", "guide/page", "one file|single|HTML file"),
        ("Does the page contain my data?", "start/ten-minutes-shell", "--page-rows 0"),
        ("How do I forecast sales?", "guide/forecasting", "cogmap forecast"),
        ("Which options has a command?", "reference/cli", "cogmap.cli.group:cli"),
    ],
    "workshop leader": [
        ("What is a fuzzy cognitive map?", "start/what-is-a-map", "directed graph"),
        ("How do people draw one?", "guide/workshop", "cogmap draw"),
        ("Does it need a network or an account?", "guide/workshop", "network|offline|without a server"),
        ("How do I merge the maps of a group?", "guide/workshop", "merge"),
        ("Can I open my Mental Modeler file?", "coming_from/mental-modeler", ".mmp"),
        ("How do I run a scenario?", "guide/maps-by-hand", "scenario"),
        ("What do people disagree about?", "guide/workshop", "disagree"),
        ("Does the map settle?", "guide/maps-by-hand", "fixed point"),
        ("Can I use a spreadsheet?", "guide/map-files", "spreadsheet"),
        ("What do the words mean?", "reference/glossary", "attractor"),
    ],
    "operator": [
        ("How do I serve a model?", "guide/serving", "cogmap serve"),
        ("Which endpoints are there?", "reference/openapi", "/predict"),
        ("How do I protect it?", "guide/serving", "token"),
        ("Is a model file safe to load?", "about/security", "never run code"),
        ("How do I replace a model without a restart?", "guide/serving", "reload|replaced|replace"),
        ("Which metrics are there?", "guide/deployment", "Prometheus|Grafana"),
        ("How do I run it in a container?", "guide/deployment", "container|Kubernetes"),
        ("Can it run without Python?", "guide/onnx", "without Python"),
        ("How do I notice drift?", "guide/deployment", "cogmap drift"),
        ("What is in a model file?", "guide/model-files", "JSON"),
    ],
    "researcher": [
        ("Which paper is this?", "about/citing", "Szwed"),
        ("How do I reproduce it?", "about/reproduction", "cogmap reproduce"),
        ("Were its claims confirmed?", "about/reproduction", "Claims and verdicts"),
        ("Which other FCM classifiers are included?", "about/family", "Hebbian"),
        ("I know FCMpy: what is called what?", "coming_from/fcmpy", "FcmSimulator"),
        ("Is W[i, j] from i to j?", "reference/glossary", "influence of concept j on concept i"),
        ("How were the defaults found?", "about/defaults", "tuning tables"),
        ("Can I prove convergence?", "guide/maps-by-hand", "certificate"),
        ("Can an expert's map be a prior?", "guide/steering", "prior"),
        ("Where are the raw results?", "about/results/folders", "results.jsonl"),
    ],
    "contributor": [
        ("How do I run the tests?", "about/contributing", "make test"),
        ("How is the code organised?", "about/architecture", "Imports go one way"),
        ("Where do I add a map format?", "about/architecture", "a map format"),
        ("What are the rules for text and tests?", "about/contributing", "outside oracle"),
        ("How do I build the docs?", "about/contributing", "make docs"),
        ("What changed lately?", "about/changelog", "Unreleased"),
        ("How do I report a vulnerability?", "about/security", "vulnerability"),
        ("What does the public API promise?", "reference/api", "may change without"),
        ("How is a release made?", "about/contributing", "Releasing"),
        ("Where do the figures come from?", "about/benchmarks", "make results"),
    ],
}


def links(page):
    """Return the pages that a page links to, in its text or its table of contents."""
    folder = Path(page).parent
    targets = re.findall(r"\]\((?!\w+:|#)([^)\s#]+)\.md", TEXTS[page])
    for entries in re.findall(r"```\{toctree\}\n(.*?)```", TEXTS[page], flags=re.DOTALL):
        lines = [line for line in entries.splitlines() if line and not line.startswith(":")]
        targets += [re.sub(r".* <(.*)>", r"\1", line) for line in lines]  # "title <page>", or the page alone
    return {os.path.normpath(folder / target) for target in targets}


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [pytest.param(*step, id=f"{who}: {step[0]}") for who, steps in JOURNEYS.items() for step in steps],
)
def test_questions_are_answered_within_two_clicks(question, page, answer):
    """The page with the answer is at most two links away from the front page."""
    assert re.search(answer, TEXTS[page])
    assert page in {"index"} | links("index") | {far for near in links("index") & PAGES for far in links(near)}


def test_all_pages_are_reached_by_links():
    """No page is an island, and every link between pages leads to a page."""
    found = edge = {"index"}
    while edge:
        targets = set().union(*(links(page) for page in edge))
        assert {target for target in targets if not target.startswith(("gallery/", "../"))} <= PAGES
        edge = (targets & PAGES) - found
        found = found | edge
    assert found == PAGES


def commands():
    """Return each command line that calls cogmap, in shell blocks and within sentences."""
    for page, text in sorted(TEXTS.items()):
        blocks = re.findall(r"^```(.*?)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
        for block in (block for language, block in blocks if language in ("", "sh", "bash")):
            for line in block.replace("\\\n", " ").splitlines():
                if line.startswith("cogmap "):
                    yield page, line
        sentences = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        yield from ((page, line) for line in re.findall(r"`(cogmap [^`]+)`", " ".join(sentences.split())))


def leaves(command=cli, name="cogmap"):
    """Return each command that is no group, with its name."""
    if not isinstance(command, click.Group):
        return {name: command}
    found = {}
    for part in command.list_commands(click.Context(command)):
        found |= leaves(command.get_command(click.Context(command), part), f"{name} {part}")
    return found


def test_every_command_shows_an_example():
    """The help of each command, also of groups such as `cogmap map`, ends with a call of it."""
    examples = {name: command.epilog or "" for name, command in leaves().items()}
    examples["cogmap map page"] = examples["cogmap map page"].replace("cogmap draw", "cogmap map page")  # another name
    assert {name for name, text in examples.items() if not re.search(rf"\n  {name}\b", text)} == set()


def test_commands_and_their_options_exist():
    """Every command is one of the command line, with options that it has."""
    seen = set()
    for page, line in commands():
        command, words = cli, shlex.split(line, comments=True)[1:]
        while isinstance(command, click.Group) and words:
            name = words.pop(0)
            command = command.get_command(click.Context(command), name)
            assert command is not None, (page, line)
        if isinstance(command, click.Group):  # a sentence about `cogmap map`
            continue
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= known | {"--help"}, (page, line)
        seen.add(command.name)
    assert {"fit", "predict", "explain", "what-if", "serve", "draw", "reproduce", "forecast"} <= seen


def test_extras_and_targets_of_make_exist():
    """`cogmap[extra]` and `make target` are spelled as in pyproject.toml and the Makefile."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = set(re.findall(r"`cogmap\[(\w+)\]`", TEXTS["start/install"]))
    assert installed == set(project["optional-dependencies"])
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page, text in TEXTS.items():
        for extras in re.findall(r"cogmap\[([\w,]+)\]", text):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), page
        for words in re.findall(r"(?:`|^)make ([a-z -]+)", text, flags=re.MULTILINE):
            assert set(words.split()) <= targets | {"it", "a"}, (page, words)


# Names that examples import, and what a page that imports them says. Every page may use pandas and matplotlib.
NEEDED = {
    "cogmap.integrations.dask": "cogmap[dask]",
    "cogmap.integrations.keras": "cogmap[keras]",
    "cogmap.integrations.networkx": "cogmap[networkx]",
    "cogmap.integrations.onnx": "cogmap[onnx]",
    "cogmap.serving": "cogmap[serve]",
    "onnxruntime": "onnxruntime",
    "parquet_chunks": "cogmap[parquet]",
    "statsmodels": "pip install statsmodels",
    "to_shap": "cogmap[shap]",
}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_pages_name_what_their_examples_need(page):
    """A newcomer who runs a page knows what to install."""
    code = "".join(re.findall(r"```(?:python)?\n(.*?)```", TEXTS[page], flags=re.DOTALL))
    sentences = " ".join(re.sub(r"```.*?```", "", TEXTS[page], flags=re.DOTALL).split())
    assert [named for name, named in NEEDED.items() if name in code and named not in sentences] == []


def test_public_names_are_in_the_reference(monkeypatch):
    """The pages of the API list every public name, and the page that scikit-learn links to from an estimator."""
    monkeypatch.setattr(documentation, "SITE", "site/")
    listed = {}
    for page in PAGES:
        if page.startswith("reference/api/"):
            for module, names in re.findall(
                r"currentmodule:: (\S+)\n.*?:toctree: \.\./generated/\n   :nosignatures:\n\n(.*?)```",
                TEXTS[page],
                flags=re.DOTALL,
            ):
                listed |= {f"{module}.{name}": page for name in names.split()}
    assert {f"cogmap.{name}" for name in cogmap.__all__} - {"cogmap.__version__"} <= set(listed)
    estimators = [cogmap.FCMClassifier, cogmap.FCMClassifierCV, cogmap.FCMRegressor, cogmap.FCMForecaster]
    for estimator in [*estimators, cogmap.TablePreparer, LTCNClassifier, FRCNClassifier]:
        link = estimator()._get_doc_link()
        assert link.startswith("site/reference/generated/")
        assert Path(link).stem in listed
        assert link in estimator()._repr_html_()


def test_faults_of_a_built_site_are_found(tmp_path):
    """A missing page, a missing anchor, a resource on a network and an object as output are one sentence each."""
    (tmp_path / "good.html").write_text(
        '<h1 id="top">Good</h1><a href="#top">up</a><a href="https://host.example">out</a>'
    )
    assert check_links.faults(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<a href="none.html">x</a><a href="good.html#none">x</a><img src="https://host.example/x.png">'
        "<pre>&lt;matplotlib.legend.Legend object at 0x7f&gt;</pre>"
    )
    assert [fault.split()[0] for fault in check_links.faults(tmp_path)] == ["bad.html"] * 4


def test_estimators_link_to_the_built_site_only_if_it_exists(monkeypatch, tmp_path):
    """Without an address of the site, the link leads to the page that `make docs` wrote, and there is none before."""
    monkeypatch.setattr(documentation, "SITE", "")
    monkeypatch.setattr(documentation, "_BUILT", tmp_path)
    assert cogmap.FCMClassifier()._get_doc_link() == ""
    page = tmp_path / "reference" / "generated" / "cogmap.FCMClassifier.html"
    page.parent.mkdir(parents=True)
    page.touch()
    assert cogmap.FCMClassifier()._get_doc_link() == page.as_uri()
