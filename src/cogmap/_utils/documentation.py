"""Links to the documentation site, which scikit-learn's HTML representation of an estimator shows."""

from pathlib import Path

import cogmap

SITE = ""
"""Address of the site, with a slash at its end, set when a release is built. If empty, the folder of ``make docs``."""

_BUILT = Path(__file__).parents[3] / "docs" / "_build" / "html"


class DocLinkMixin:
    """Make scikit-learn link to the page of the estimator's class on our site."""

    _doc_link_module = "cogmap"
    _doc_link_template = "{address}"  # scikit-learn shows no link if it is empty

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        name = type(self).__name__
        package = "cogmap" if name in cogmap.__all__ else type(self).__module__.rpartition(".")[0]
        page = f"reference/generated/{package}.{name}.html"
        if SITE:
            return {"address": SITE + page}
        return {"address": (_BUILT / page).as_uri() if (_BUILT / page).exists() else ""}
