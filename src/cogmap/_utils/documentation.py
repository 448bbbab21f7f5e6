"""Links to the documentation site, which scikit-learn's HTML representation of an estimator shows."""

import cogmap

SITE = "docs/_build/html/"
"""Address of the site. A maintainer replaces it by the public one; until then it is the folder of ``make docs``."""


class DocLinkMixin:
    """Make scikit-learn link to the page of the estimator's class on our site."""

    _doc_link_module = "cogmap"
    _doc_link_template = SITE + "reference/generated/{path}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        name = type(self).__name__
        package = "cogmap" if name in cogmap.__all__ else type(self).__module__.rpartition(".")[0]
        return {"path": f"{package}.{name}"}
