"""One row at a time: what `MapModel.net` says about it to the last bit, in a fraction of the time.

Most of the time of a single row goes into checks that have been made, and into buffers that could be kept. This is for
ordinary maps; for others there is no quick way, and `MapModel` is asked.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from cogmap._encoding import UNDECIDED, FeatureSpread
from cogmap.activations import get_activation
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel

Array = NDArray[np.floating]

_ORDINARY = 1e100  # weights and slopes below it cannot leave the range of numbers in a step


def quick_net(model: MapModel) -> Callable[[Array], Array] | None:
    """Return a function from a table of one row to what enters the outputs, of shape (n_outputs, 1); None if none fits.

    Parameters
    ----------
    model : MapModel
        The model.
    """
    scaling, fcm = model.encoding.scaling, model.map
    if type(fcm) is not FuzzyCognitiveMap or fcm.activation != "sigmoid":
        return None
    if not isinstance(scaling, FeatureSpread) or model.encoding.terms is not None:
        return None
    weights, bias, slope = (
        np.array(fcm.weights),
        np.array(fcm.bias),
        np.array(np.broadcast_to(fcm.slope, len(fcm.bias))),
    )
    if max(np.abs(weights).max(), np.abs(bias).max(), slope.max()) > _ORDINARY:
        return None
    activation = get_activation("sigmoid")
    center, middle, reach = float(activation.center), float(activation.middle), float(activation.reach)
    factor = activation.steepness * slope
    outputs = slice(len(bias) - model.n_outputs, None)
    last = np.array(weights[outputs]).T, bias[outputs], factor[outputs]
    step = weights.T
    mean, steepness = scaling.mean, scaling.steepness
    unit = np.where(scaling.deviation == 0.0, 1.0, scaling.deviation)
    n_inputs, n_steps = model.n_inputs, range(model.depth - 1)
    start = np.full((1, len(bias)), UNDECIDED)

    def net(row: Array) -> Array:
        states = start.copy()
        inputs = states[:, :n_inputs]
        with np.errstate(over="ignore"):
            np.subtract(row, mean, out=inputs)
            inputs /= unit
            inputs *= steepness
            expit(inputs, out=inputs)
            missing = np.isnan(inputs)
            if missing.any():
                inputs[missing] = UNDECIDED
            for _ in n_steps:
                states = states @ step
                states += bias
                states -= center
                states *= factor
                np.tanh(states, out=states)
                states *= reach
                states += middle
            result = states @ last[0]
            result += last[1]
            result -= center
            result *= last[2]
        return result.T

    return net
