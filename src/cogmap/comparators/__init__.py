"""Other classifiers of the field that are fuzzy cognitive maps, for comparison with `FCMClassifier`.

None of them is needed to use the package. `LTCNClassifier` and `FRCNClassifier` are worth using; the others are here
because the literature compares itself with them. ``docs/family.md`` says what each is good for.
"""

from cogmap.comparators.frcn import FRCNClassifier
from cogmap.comparators.ltcn import LTCNClassifier

__all__ = ["FRCNClassifier", "LTCNClassifier"]
