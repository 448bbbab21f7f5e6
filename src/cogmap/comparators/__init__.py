"""Other FCM classifiers from the literature, for comparison with `FCMClassifier`.

Nothing else in the package depends on them. `LTCNClassifier` and `FRCNClassifier` are worth using; the others are
included as the literature's usual baselines. ``docs/about/family.md`` describes when each is useful.
"""

from cogmap.comparators.fcmper import FCMperClassifier
from cogmap.comparators.frcn import FRCNClassifier
from cogmap.comparators.hebbian import HebbianFCMClassifier
from cogmap.comparators.ltcn import LTCNClassifier
from cogmap.comparators.maps import search_map

__all__ = [
    "FCMperClassifier",
    "FRCNClassifier",
    "HebbianFCMClassifier",
    "LTCNClassifier",
    "search_map",
]
