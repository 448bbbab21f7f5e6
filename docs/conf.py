"""Configuration of the documentation site: ``make docs`` builds it, without a network."""

import os
import re
import warnings
from pathlib import Path

from sklearn.datasets import load_iris

import cogmap
from cogmap import fit_table, page

ROOT = Path(__file__).parents[1]

project = "cogmap"
author = "the maintainers of cogmap"
copyright = author
version = release = cogmap.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "gallery/**/*.ipynb", "**/README.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist", "html_image"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc sections name the types
toc_object_entries_show_parents = "hide"  # `fit()` fits the column beside a page, `FCMClassifier.fit()` does not
numpydoc_show_class_members = False  # the template of classes lists the methods
numpydoc_class_members_toctree = False
copybutton_exclude = ".linenos, .gp, .go"

smartquotes = False  # types and defaults in docstrings are code: default="auto"

html_theme = "pydata_sphinx_theme"
html_title = "cogmap"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.svg"
html_logo = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "cogmap"},
    "navbar_end": ["theme-switcher"],
    "navigation_depth": 2,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
}
html_sidebars = {"index": [], "about/changelog": []}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "thumbnail_size": (400, 280),
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "ignore_repr_types": "matplotlib",  # the picture is the output, not `<Axes: >`
    "min_reported_time": 1e9,
    "write_computation_times": False,
}
warnings.filterwarnings("ignore", message=".*FigureCanvasAgg is non-interactive.*")

# Files outside this folder that are pages of the site.
PAGES_ELSEWHERE = {
    "about/architecture": "ARCHITECTURE.md",
    "about/changelog": "CHANGELOG.md",
    "about/conduct": "CODE_OF_CONDUCT.md",
    "about/contributing": "CONTRIBUTING.md",
    "about/security": "SECURITY.md",
    "about/results/accuracy": "results/accuracy/summary.md",
    "about/results/family": "results/accuracy/family.md",
    "about/results/folders": "results/README.md",
}


def page_text(docname):
    """Return the Markdown of a page, with links between files replaced by links between pages."""
    folder = ROOT / "docs" / Path(docname).parent
    file = ROOT / PAGES_ELSEWHERE.get(docname, f"docs/{docname}.md")
    page_of = {ROOT / name: ROOT / "docs" / f"{page}.md" for page, name in PAGES_ELSEWHERE.items()}

    def link(match):
        path, hash_, anchor = match[1].partition("#")
        target = Path(os.path.normpath(file.parent / path))
        return f"]({os.path.relpath(page_of.get(target, target), folder)}{hash_}{anchor})"

    return re.sub(r"\]\((?!\w+:|#)([^)\s]+)\)", link, file.read_text(encoding="utf-8"))


def read_page(app, docname, source):
    """Insert a file from outside this folder for the page that stands for it."""
    if Path(app.env.doc2path(docname)).suffix == ".md":
        source[0] = page_text(docname)


def skip_members(app, what, name, obj, skip, options):
    """Leave out members of other packages' base classes, and methods that scikit-learn generates."""
    function = getattr(obj, "fget", None) or getattr(obj, "__func__", obj)
    module = getattr(function, "__module__", None) or "cogmap"
    return True if not module.startswith("cogmap") or re.fullmatch(r"set_\w+_request", name) else None


def link_pages(app, what, name, obj, options, lines):
    """Link to pages of this site where a docstring names their files."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"`{1,2}docs/([\w/-]+)\.md`{1,2}", r":doc:`/\1`", line)


def show_examples_as_code(app, ctx, lines):
    """Show the examples that end the help of a command as a block of shell code, in which nothing becomes a link."""
    if "| Example:" in lines:
        begin = lines.index("| Example:")
        examples = [line.removeprefix("| ") for line in lines[begin + 1 :]]
        lines[begin:] = [".. rubric:: Example", "", ".. code-block:: shell", "", *examples, ""]


def keep_at_signs(app, ctx, lines):
    """Escape @ in the help of options: ``price=9.5@2027-03`` is no e-mail address."""
    lines[:] = [line.replace("@", r"\@") for line in lines]


def write_live_pages(app, exception):
    """Write a drawing board and the page of a model, so that visitors can try both without an installation."""
    if exception or app.builder.name != "html":
        return
    iris = load_iris(as_frame=True)
    flowers = iris.data.assign(species=iris.target_names[iris.target])
    folder = Path(app.outdir) / "live"
    folder.mkdir(exist_ok=True)
    page.board(folder / "board.html")
    page.write(fit_table(flowers, "species"), flowers.drop(columns="species"), flowers["species"], folder / "iris.html")


def write_llms_txt(app, exception):
    """Write ``llms.txt``: the pages with their first sentences, in the order of the site."""
    if exception or app.builder.name != "html":
        return
    lines = [
        "# cogmap",
        "",
        "> Fuzzy cognitive maps learned from data: scikit-learn estimators whose model is a map.",
        "",
    ]
    for section in app.env.toctree_includes["index"]:
        lines += [f"## {app.env.titles[section].astext()}", ""]
        for name in [section, *app.env.toctree_includes.get(section, [])]:
            lines.append(f"- [{app.env.titles[name].astext()}]({name}.html){_summary(app.env.get_doctree(name))}")
        lines.append("")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def _summary(doctree):
    for paragraph in doctree.findall(lambda node: node.tagname == "paragraph"):
        sentence = re.match(r".*?[.:](?=\s|$)", " ".join(paragraph.astext().split()))
        if sentence:
            return ": " + sentence[0].rstrip(":")
    return ""


def setup(app):
    """Connect the functions above."""
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", skip_members)
    app.connect("autodoc-process-docstring", link_pages)
    app.connect("sphinx-click-process-epilog", show_examples_as_code)
    app.connect("sphinx-click-process-options", keep_at_signs)
    app.connect("build-finished", write_live_pages)
    app.connect("build-finished", write_llms_txt)
