"""Bundling of modules."""

import shutil
import subprocess

import pytest

from cogmap.page import assemble


@pytest.fixture
def modules(monkeypatch):
    """Replace the modules of the page."""

    def put(**texts):
        monkeypatch.setattr(assemble, "_read", lambda name: texts[name.removeprefix("script/").removesuffix(".js")])

    return put


def test_modules_keep_their_own_names(modules, tmp_path):
    """Private names may be equal in two modules; imports may be renamed and re-exported."""
    modules(
        main='import { sum as plus, one } from "./front.js";\nimport * as all from "./b.js";\nconst x = 7;\n'
        "console.log(plus(one, x), all.one);\n",
        front='export { one, sum } from "./b.js";\n',
        b='const x = 1;\nexport const one = x;\nexport { sum } from "./a.js";\n',
        a="const x = 2;\nexport function sum(a, b) {\n  return a + b + x;\n}\n",
    )
    script = tmp_path / "script.mjs"
    script.write_text(assemble.bundle("main.js"), encoding="utf-8")
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    assert subprocess.run([node, script], capture_output=True, text=True, check=True).stdout == "10 1\n"


@pytest.mark.parametrize(
    "text",
    [
        'import x from "./a.js";\n',
        'import "./a.js";\n',
        "export default 1;\n",
        'import { a } from "https://x.org/a.js";\n',
    ],
)
def test_unsupported_imports_are_rejected(modules, text):
    """Other forms of import and export, and external scripts, raise an error."""
    modules(main=text, a="export const a = 1;\n")
    with pytest.raises(ValueError, match=r"main\.js has an import or export"):
        assemble.bundle("main.js")


def test_circular_imports_are_rejected(modules):
    """The message shows the cycle."""
    modules(main='import { a } from "./a.js";\n', a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match=r"main\.js -> a\.js -> b\.js -> a\.js"):
        assemble.bundle("main.js")
