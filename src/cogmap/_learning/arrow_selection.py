"""Selection of the size of a small map by the held-out losses of its teachers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from cogmap._learning.network import Network

Key = tuple[str, int | None]  # structure and largest number of arrows; None if it was not pruned
Teacher = dict[Key, tuple[Network, float]]  # networks of several sizes, with their held-out losses

ADDITIVE: Key = ("additive", None)
DENSE: Key = ("dense", None)
NAMED: Key = ("named", None)

SIZES = (400, 220, 130, 80, 50, 30, 18)  # numbers of arrows to which teachers are pruned
ADDITIVE_SIZES = (130, 80, 50, 30, 18)  # the same without hidden concepts
_NAMED_PRICE = 2.0  # an arrow of a named map counts as so many of an additive map
# A smaller map is selected if its loss is higher by at most one standard error, limited to between these shares of the
# loss. Small differences of a loss near 0, or of the sum over few rows, are negligible.
_FULL_GAIN = 0.1  # a full map must reduce the loss by this share
_TOLERANCES, _NEGLIGIBLE, _NEGLIGIBLE_SUM = (0.005, 0.02), 0.003, 1.5


@dataclass(frozen=True)
class Selection:
    """Held-out losses of the candidate sizes, from the most arrows to the fewest.

    Attributes
    ----------
    structure : list of str
        ``"named"``, ``"additive"`` or ``"full"``.
    arrows : list of float
        Mean number of arrows of the teachers.
    loss : list of float
        Mean held-out loss of the teachers.
    standard_error : list of float
        Standard error of the difference to the smallest loss; of a full map, to the selected small one.
    selected : int
        Index of the selected size; -1 if no rows could be held out.
    teacher_losses : list of float
        Held-out loss of each teacher at the selected size.
    """

    structure: list[str] = field(default_factory=list)
    arrows: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    standard_error: list[float] = field(default_factory=list)
    selected: int = -1
    teacher_losses: list[float] = field(default_factory=list)

    def with_full(self, n_arrows: int, losses: Sequence[float], is_mean: bool) -> "Selection":
        """Return the losses with those of a full map as the first, which is selected if it is clearly better.

        Its mean loss must be smaller by a share of the loss and by one standard error of the difference.
        """
        if self.selected < 0 or len(losses) < 2:
            return self
        here, there = np.array(self.teacher_losses), np.array(losses)
        gain = here.mean() - there.mean()
        error = float(np.sqrt(sum(each.var(ddof=1) / len(each) for each in (here, there))))
        least = max(_FULL_GAIN * here.mean(), _NEGLIGIBLE) if is_mean else 0.5 * _FULL_GAIN
        is_better = gain > max(least, error)
        return Selection(
            ["full", *self.structure],
            [float(n_arrows), *self.arrows],
            [float(there.mean()), *self.loss],
            [error, *self.standard_error],
            0 if is_better else self.selected + 1,
            list(losses) if is_better else self.teacher_losses,
        )


def select_size(teachers: list[Teacher], max_arrows: int, n_rows: float, is_mean: bool) -> tuple[Selection, Key, Key]:
    """Return the held-out losses, the size with the smallest, and the simplest that is not clearly worse.

    An additive map is simpler than a named one, unless it has far more arrows; otherwise the smaller map is simpler.
    """
    keys = _candidates(teachers)
    losses = np.array([[teacher[key][1] for teacher in teachers] for key in keys])
    arrows = np.array([np.mean([teacher[key][0].n_arrows for teacher in teachers]) for key in keys])
    order = np.argsort(-arrows, kind="stable")
    keys, losses, arrows = [keys[i] for i in order], losses[order], arrows[order]
    mean = losses.mean(axis=1)
    best = int(mean.argmin())
    differences = losses - losses[best]
    error = differences.std(axis=1, ddof=1) / np.sqrt(len(teachers)) if len(teachers) > 1 else 0.0 * mean
    # A loss that is half the logarithm of a mean square changes by half the relative change.
    low, high = np.array(_TOLERANCES) * (abs(mean[best]) if is_mean else 0.5)
    negligible = max(_NEGLIGIBLE, _NEGLIGIBLE_SUM / n_rows) if is_mean else 0.0
    good = mean - mean[best] <= np.clip(error, low, high) + negligible
    allowed = arrows <= max_arrows
    if not (good & allowed).any():  # the smallest loss that is allowed, or as few arrows as possible
        good = mean == mean[allowed].min() if allowed.any() else arrows == arrows.min()
        allowed[:] = True
    price = arrows * np.where([key[0] == "additive" for key in keys], 1.0, _NAMED_PRICE)
    chosen = int(np.flatnonzero(good & allowed)[price[good & allowed].argmin()])
    structures = [key[0] for key in keys]
    selection = Selection(structures, arrows.tolist(), mean.tolist(), error.tolist(), chosen, losses[chosen].tolist())
    return selection, keys[best], keys[chosen]


def _candidates(teachers: list[Teacher]) -> list[Key]:
    """Return the sizes to select from; one that pruned no teacher any further is left out."""
    keys: list[Key] = []
    for structure, sizes in (("named", SIZES), ("additive", ADDITIVE_SIZES)):
        before: Key = structure, None
        if before not in teachers[0]:
            continue
        keys.append(before)
        for key in ((structure, size) for size in sizes):
            if key in teachers[0] and any(teacher[key] is not teacher[before] for teacher in teachers):
                keys.append(key)
                before = key
    return keys
