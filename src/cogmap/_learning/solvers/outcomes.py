"""Outcomes of training."""

from enum import Enum


class Outcome(Enum):
    """Why training stopped, with an explanation.

    Attributes
    ----------
    sentence : str
        Description of the outcome.
    cure : str
        Advice if training did not converge; otherwise empty.
    """

    GRADIENT_VANISHED = ("The gradient vanished: no entry of it is larger than tol.", "")
    LOSS_SETTLED = ("The loss no longer falls.", "")
    VALIDATION_SETTLED = ("The loss on the validation rows no longer falls; the best map was kept.", "")
    ALL_ITERATIONS = ("All max_iter iterations were run, as requested by tol=0.", "")
    ENOUGH = ("The default number of iterations was run (max_iter='auto').", "")
    ONE_PASS = ("One pass over the data was run.", "")
    ALL_EVALUATIONS = ("All max_evaluations evaluations were made; the best map seen was kept.", "")
    RANGE_REACHED = ("The outputs are in the desired range and settled there.", "")
    CALLBACK = ("A callback requested the stop.", "")
    NO_STEP = (
        "No step in the direction of the gradient lowers the loss.",
        "Scale the features, use float64 data, or lower slope or gain.",
    )
    NOTHING_LEARNED = (
        "The outputs do not depend on the features: all rows get the same prediction.",
        "Lower depth or alpha, or raise slope; or the features are unrelated to the target.",
    )
    FORGOTTEN = (
        "No influence of a feature reaches an output in depth steps: all rows get the same prediction.",
        "Allow features to influence themselves, (name, name) in edges, or lower depth to the length of the paths.",
    )
    TIME_LIMIT = (
        "max_seconds passed before max_evaluations evaluations were made; the best map seen was kept.",
        "Raise max_seconds or lower max_evaluations.",
    )
    TOO_FEW_EVALUATIONS = (
        "max_evaluations evaluations were not enough: the loss still falls.",
        "Raise max_evaluations.",
    )
    RANGE_MISSED = (
        "The outputs did not settle in the desired range in max_iter iterations.",
        "Widen desired, raise max_iter, or start from another map.",
    )
    MAX_ITER = (
        "max_iter iterations were not enough: the loss still falls.",
        "Increase max_iter or tol; with solver='adam' or 'rmsprop' a larger learning_rate may help too.",
    )

    def __init__(self, sentence: str, cure: str) -> None:
        self.sentence = sentence
        self.cure = cure

    @property
    def converged(self) -> bool:
        """Whether training ended as expected."""
        return not self.cure

    def __str__(self) -> str:
        return self.sentence
