"""Other classifiers of the field that are fuzzy cognitive maps, for comparison with `FCMClassifier`.

None of them is needed to use the package. `LTCNClassifier` and `FRCNClassifier` are worth using; the others are here
because the literature compares itself with them. ``docs/family.md`` says what each is good for.
"""

from cogmap.comparators.fcmper import FCMperClassifier
from cogmap.comparators.frcn import FRCNClassifier
from cogmap.comparators.hebbian import HebbianFCMClassifier
from cogmap.comparators.ltcn import LTCNClassifier
from cogmap.comparators.maps import LearnedMap, learn_map

__all__ = [
    "FCMperClassifier",
    "FRCNClassifier",
    "HebbianFCMClassifier",
    "LTCNClassifier",
    "LearnedMap",
    "learn_map",
]
