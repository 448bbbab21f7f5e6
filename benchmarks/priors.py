"""An expert's drawing as prior when rows are few: ``python -m benchmarks.priors``.

The map is the wetland of the guide on maps by hand, from the folder of published maps (``COGMAP_MAPS``); rows are made
up as in the guide: livelihood follows the drawn edges, with noise.
"""

import warnings

import numpy as np
import pandas as pd

from benchmarks.maps import MAPS
from benchmarks.timing import print_table
from cogmap import FCMRegressor, read_map

TARGET = "Livelihood"
TRAINING_ROWS = (10, 25, 50)
N_DRAWS = 20
N_TEST = 1000


def rows(lake, n_rows, rng):
    """Return made-up features and livelihood."""
    X = pd.DataFrame(rng.uniform(0, 10, (n_rows, 4)), columns=[name for name in lake.concepts if name != TARGET])
    drawn = lake.to_frame(rows="source")[TARGET]
    return X, (X * drawn[X.columns]).sum(axis=1).rename(TARGET) + rng.normal(0, 3, n_rows)


def main():
    """Print R² on other rows, with and without the drawing."""
    warnings.simplefilter("ignore")
    lake = read_map(MAPS / "mm_ozesmi_wetland.mmp").replace(activation="logistic", slope=1.0)
    priors = {"no prior": None, "memory of features (default)": "memory", "the drawing": lake}
    table = []
    for n_rows in TRAINING_ROWS:
        scores = {title: [] for title in priors}
        for draw in range(N_DRAWS):
            rng = np.random.default_rng(draw)
            X, y = rows(lake, n_rows, rng)
            X_test, y_test = rows(lake, N_TEST, rng)
            for title, prior in priors.items():
                fcm = FCMRegressor(prior=prior, n_hidden=0, depth=2, random_state=0).fit(X, y)
                scores[title].append(fcm.score(X_test, y_test))
        table.append([n_rows, *(f"{np.mean(of_prior):.2f}" for of_prior in scores.values())])
    print_table(f"R² on new rows, mean of {N_DRAWS} draws", ["training rows", *priors], table)


if __name__ == "__main__":
    main()
