"""The files of a release parse, and agree with each other."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

import cogmap

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def read(name):
    """Return the text of a file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def recipe():
    """Return the conda recipe, with its template filled in."""
    text = read("conda/meta.yaml")
    version = re.search(r'{% set version = "(.*)" %}', text)[1]
    text = re.sub(r"{%.*?%}", "", text).replace("{{ version }}", version).replace("{{ PYTHON }}", "python")
    return yaml.safe_load(text)


def test_the_version_is_the_same_everywhere():
    """Package, citation, conda recipe and the newest release in the changelog have one version, of one day."""
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["version"] == cogmap.__version__
    assert recipe()["package"]["version"] == cogmap.__version__
    headings = re.findall(r"^## (.*)", read("CHANGELOG.md"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1] == f"{cogmap.__version__} ({citation['date-released']})"


def test_the_changelog_fits_a_page():
    """The newest release is described in at most 60 lines."""
    release = read("CHANGELOG.md").split("\n## ")[2]
    assert len(release.splitlines()) <= 60


def test_the_citation_has_the_paper():
    """Both the software and the paper can be cited."""
    citation = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    assert citation["license"] == PROJECT["license"]
    (paper,) = citation["references"]
    assert paper["authors"] == [{"family-names": "Szwed", "given-names": "Piotr"}]


def test_the_conda_recipe_has_the_requirements_of_the_package():
    """Lower bounds of dependencies and of the extras that the recipe brings are those of pyproject.toml."""
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["plot"], *extras["table"], "click>=8.1"]
    assert "click>=8.1" in extras["cli"]
    names = {"matplotlib": "matplotlib-base"}
    pairs = [requirement.split(">=") for requirement in wanted]
    expected = {f"{names.get(name, name)} >={bound}" for name, bound in pairs}
    found = recipe()["requirements"]
    assert set(found["run"]) == expected | {f"python {PROJECT['requires-python']}"}
    assert {entry.replace(" ", "") for entry in found["host"]} >= set(SETTINGS["build-system"]["requires"])


@pytest.mark.parametrize("path", [*WORKFLOWS, *sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))])
def test_forms_and_workflows_parse(path):
    """Forms ask something; workflows run only targets of the Makefile, and install only groups, that exist."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        return
    if path.parent.name == "ISSUE_TEMPLATE":
        assert {"name", "description", "body"} <= set(content)
        assert len({field["id"] for field in content["body"]}) == len(content["body"])
        return
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), flags=re.MULTILINE))
    commands = [step["run"] for job in content["jobs"].values() for step in job["steps"] if "run" in step]
    for command in commands:
        assert set(re.findall(r"\bmake ([\w-]+)", command)) <= targets
        assert set(re.findall(r"--group ([\w-]+)", command)) <= set(SETTINGS["dependency-groups"])


def test_continuous_integration_covers_the_supported_versions():
    """Three systems, and every version of Python in the classifiers."""
    matrix = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    classified = re.findall(r":: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == classified
    assert [name.split("-")[0] for name in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert PROJECT["requires-python"] == f">={classified[0]}"


def test_hooks_are_local():
    """Hooks of pre-commit run programs of the environment: no other source of code."""
    config = yaml.safe_load(read(".pre-commit-config.yaml"))
    assert [entry["repo"] for entry in config["repos"]] == ["local"]
    assert {hook["id"] for hook in config["repos"][0]["hooks"]} >= {"codespell", "import-linter", "mypy", "ruff-check"}


def test_extras_are_all_tested_in_empty_environments():
    """The script that tests wheel and sdist knows every extra, and extras name only others that exist."""
    extras = PROJECT["optional-dependencies"]
    tested = re.search(r"^EXTRAS = \{\n(.*?)^\}", read(".ci/distributions.py"), flags=re.MULTILINE | re.DOTALL)[1]
    assert re.findall(r'^    "(\w+)":', tested, flags=re.MULTILINE) == sorted(extras)
    for entry in (entry for of_extra in extras.values() for entry in of_extra if entry.startswith("cogmap[")):
        assert set(entry[len("cogmap[") : -1].split(",")) <= set(extras)


def test_the_lines_of_python_in_the_readme_run(capsys):
    """They print rules, contributions and a change; the first install line of the README brings what they need."""
    text = read("README.md")
    extras = re.search(r"pip install 'cogmap\[([\w,]+)\]'", text)[1]
    assert any("cogmap[table]" in PROJECT["optional-dependencies"][extra] for extra in extras.split(","))  # pandas
    assert text.index("pip install 'cogmap[") < text.index("pip install cogmap ")
    exec(re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)[1], {})
    printed = capsys.readouterr().out
    assert "raises class=" in printed
    assert "petal width" in printed


def test_links_of_the_readme_exist():
    """Every link and picture is a file of the project or a heading."""
    for path in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"):
        for target in LINK.findall(read(path)):
            assert target.startswith("#") or (ROOT / target).exists(), target


def test_links_of_the_readme_work_on_a_package_index():
    """The built readme has absolute links and pictures, whose base is one word of pyproject.toml."""
    command = [sys.executable, "-m", "hatch_fancy_pypi_readme"]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = [target for target in LINK.findall(text) if not target.startswith("#")]
    base = PROJECT["urls"]["Source"]  # the word REPOSITORY, or the address that a release puts in its place
    assert len(targets) > 10
    assert len({target.removeprefix(f"{base}/blob/").partition("/")[0] for target in targets}) == 1
    assert all(target.startswith(f"{base}/blob/") for target in targets)
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert pictures
    assert all(picture.endswith("?raw=true") for picture in pictures)
    assert all(address.startswith(base) for address in PROJECT["urls"].values())


def test_no_file_names_a_host():
    """The settings of the release name no host: addresses follow from where the repository is."""
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "conda" / "meta.yaml", ROOT / "pyproject.toml"]
    files += [ROOT / name for name in (".pre-commit-config.yaml", "CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        if not (ROOT / ".git").exists():  # the sdist of a release has the address of the repository
            text = text.replace(PROJECT["urls"]["Source"], "REPOSITORY")
        assert not re.search(r"https?://|\b\w+\.(?:com|org|net|io)\b", text), path


@pytest.mark.skipif(sys.platform != "linux", reason="the workflow runs on Linux, with GNU's sed")
@pytest.mark.skipif(PROJECT["urls"]["Source"] != "REPOSITORY", reason="this is such a release")
def test_a_release_with_addresses_passes_these_tests(tmp_path):
    """With addresses as the workflow writes them, the sdist passes the tests of the release and of the site."""
    copy = tmp_path / "cogmap"
    unneeded = shutil.ignore_patterns(
        ".*cache", ".git", ".venv*", "_build", "dist", "gallery", "generated", "__pycache__"
    )
    shutil.copytree(ROOT, copy, ignore=unneeded)
    steps = yaml.safe_load(read(".github/workflows/publish.yml"))["jobs"]["build"]["steps"]
    commands = [step["run"] for step in steps if step.get("run", "").startswith("sed ")]
    assert len(commands) == 2
    address = {
        "GITHUB_SERVER_URL": "https://host.example",
        "GITHUB_REPOSITORY": "us/cogmap",
        "GITHUB_REF_NAME": "v0.1.0",
    }
    for command in commands:
        command = command.replace("${{ steps.pages.outputs.base_url }}", "https://us.host.example/cogmap")
        subprocess.run(["sh", "-c", command], cwd=copy, env=os.environ | address, check=True)
    assert 'Source = "https://host.example/us/cogmap"' in (copy / "pyproject.toml").read_text(encoding="utf-8")
    assert 'SITE = "https://us.host.example/cogmap/"' in (copy / "src/cogmap/_utils/documentation.py").read_text()
    tests = ["tests/packaging/test_release.py", "tests/packaging/test_site.py", "-k", "not with_addresses"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_sdist_contains_what_its_tests_need(tmp_path):
    """All files of git but local settings, so that tests, docs and results are there."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs a clone")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in listed.stdout.splitlines() if (ROOT / name).exists()} - names <= {".gitignore"}
