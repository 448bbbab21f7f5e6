"""Cases of `benchmarks.same_predictions`: named functions that each fit a model.

They use only public names, so that the same cases run with the package of any commit whose estimators have the
parameter `structure`.
"""

from pathlib import Path

import numpy as np

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"

CASES = {}  # name -> (function, whether it takes long)
FULL = {"structure": "full", "random_state": 0}
SMALL = {"structure": "auto", "random_state": 0}


def case(name, slow=False):
    """Register a function that returns a fitted estimator and rows to predict."""

    def register(function):
        CASES[name] = function, slow
        return function

    return register


# Tables.


def frame_of(name, drop=()):
    """Return numeric features and labels of a dataset in the shared folder."""
    import pandas as pd

    table = pd.read_csv(DATASETS / f"{name}.csv").drop(columns=list(drop))
    X = table.drop(columns="target")
    for column in X.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes]]:
        X[column] = X[column].astype("category").cat.codes
    return X.astype(float), table["target"].to_numpy()


def clusters(seed, n_rows, n_features, n_classes, noise=1.0):
    """Return one cluster of rows per class."""
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n_rows)
    return random.normal(size=(n_classes, n_features))[y] + noise * random.normal(size=(n_rows, n_features)), y


def with_gaps():
    """Return a table with missing values."""
    X, y = clusters(1, 240, 6, 3)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X, y


def repeated():
    """Return a table with repeated rows and a constant column."""
    X, y = clusters(2, 60, 4, 2)
    X[:, 2] = 7.0
    return np.tile(X.round(1), (4, 1)), np.tile(y, 4)


def binary():
    """Return a table of zeros and ones."""
    X = (np.random.default_rng(3).random((250, 7)) < 0.4).astype(float)
    return X, ((X[:, 0] + X[:, 1] == 1) | (X[:, 5] > 0)).astype(int)


def ring():
    """Return two features, with one class inside a circle."""
    X = np.random.default_rng(4).normal(size=(300, 2))
    return X, np.where(np.hypot(*X.T) < 1.1, "inside", "outside")


def uneven():
    """Return a table with a rare class."""
    X, y = clusters(5, 300, 5, 2)
    kept = (y == 0) | (np.arange(300) % 10 == 0)
    return X[kept], y[kept]


def skewed():
    """Return features with a few very large values, in float32."""
    X, y = clusters(6, 260, 5, 4, noise=0.7)
    return np.exp(2.0 * X).astype(np.float32), y


def many():
    """Return enough rows for mini-batches."""
    X, y = clusters(7, 3200, 6, 2)
    return X, (y ^ (X[:, 0] * X[:, 1] > 0)).astype(int)


def scikit(name, n_rows=None):
    """Return a scikit-learn dataset."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X[:n_rows], y[:n_rows]


TABLES = {
    "iris": lambda: scikit("iris"),
    "wine": lambda: scikit("wine"),
    "breast cancer": lambda: scikit("breast_cancer"),
    "digits": lambda: scikit("digits", 400),
    "gaps": with_gaps,
    "repeated": repeated,
    "binary": binary,
    "ring": ring,
    "uneven": uneven,
    "skewed": skewed,
    "many rows": many,
    "few rows": lambda: clusters(8, 18, 3, 2),
    "glass": lambda: frame_of("glass", ["id"]),
    "heart": lambda: frame_of("heart"),
    "seeds": lambda: frame_of("seeds"),
    "ecoli": lambda: frame_of("ecoli", ["sequence_name"]),
    "sonar": lambda: frame_of("sonar"),
    "haberman": lambda: frame_of("haberman"),
    "vehicle": lambda: frame_of("vehicle"),
    "tic tac toe": lambda: frame_of("tic_tac_toe"),
}
WITH_SMALL_MAPS = {"iris", "gaps", "repeated", "binary", "ring", "uneven", "skewed", "few rows", "glass"}
SHARED = {"glass", "heart", "seeds", "ecoli", "sonar", "haberman", "vehicle", "tic tac toe"}
TAKE_LONG = {"digits", "many rows", "sonar", "vehicle", "tic tac toe", "breast cancer"}


def values_of(X, y):
    """Return a regression target: the label plus a nonlinear function of two features."""
    X = np.nan_to_num(np.asarray(X, dtype=float))
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    return np.unique(y, return_inverse=True)[1] + np.tanh(Z[:, 0]) + 0.5 * Z[:, -1] * Z[:, 0]


def add_tables():
    """Register each table with each estimator."""
    for name, load in TABLES.items():
        if name in SHARED and not DATASETS.is_dir():
            continue
        kinds = [("FCMClassifier", FULL, ""), ("FCMRegressor", FULL, ""), ("FCMClassifierCV", {"random_state": 0}, "")]
        if name in WITH_SMALL_MAPS:
            kinds += [("FCMClassifier", SMALL, ", small map"), ("FCMRegressor", SMALL, ", small map")]
        for kind, parameters, note in kinds:

            @case(f"{name}, {kind}{note}", slow=name in TAKE_LONG)
            def fit(load=load, kind=kind, parameters=parameters):
                import cogmap

                X, y = load()
                if kind == "FCMClassifierCV" and len(X) > 500:
                    X, y = X[:: len(X) // 400], y[:: len(X) // 400]
                y = values_of(X, y) if kind == "FCMRegressor" else y
                return getattr(cogmap, kind)(**parameters).fit(X, y), X


add_tables()


# Parameters.


def add_parameters():
    """Register estimators with non-default parameters."""

    def iris_names():
        from sklearn.datasets import load_iris

        return load_iris(return_X_y=True, as_frame=True)

    def expert():
        from cogmap import FuzzyCognitiveMap

        edges = [("petal width (cm)", "class=2", 1.0), ("petal length (cm)", "class=2", -1.0)]
        return FuzzyCognitiveMap.from_edges(edges)

    def whole_map():
        from cogmap import FCMClassifier

        return FCMClassifier(depth=2, n_hidden=3, structure="full", random_state=1).fit(*iris_names()).map_

    variants = {
        "depth 1": {"depth": 1},
        "no hidden concepts": {"n_hidden": 0, "depth": 3},
        "adam": {"solver": "adam", "max_iter": 40},
        "adam auto": {"solver": "adam"},
        "rmsprop": {"solver": "rmsprop", "max_iter": 60, "init": "uniform", "prior": None, "scale": True},
        "l1": {"l1_ratio": 0.5, "alpha": 2.0},
        "l1 adam": {"l1_ratio": 0.5, "alpha": 2.0, "solver": "adam", "max_iter": 30},
        "early stopping": {"early_stopping": True, "validation_fraction": 0.2},
        "early stopping adam": {"early_stopping": True, "solver": "adam"},
        "no teachers": {"n_teachers": 0},
        "two threads": {"n_jobs": 2},
        "terms": {"terms": 3},
        "terms auto": {"terms": "auto"},
        "terms auto, no teachers": {"terms": "auto", "n_teachers": 0},
        "terms and monotone": {
            "terms": {"sepal length (cm)": 3},
            "monotonic_cst": {("petal width (cm)", "class=2"): 1},
        },
        "monotone": {"monotonic_cst": {("petal width (cm)", "class=2"): 1}},
        "bounds": {"slope": 5.0, "weight_bounds": (-1, 1)},
        "edges": {"edges": [("petal width (cm)", "class=2"), ("petal length (cm)", "class=1")]},
        "no prior": {"prior": None},
        "expert": {"prior": expert, "alpha": 5.0},
        "slopes": {"prior": expert, "learn": "slopes"},
        "start map": {"init": whole_map},
        "correlation": {"init": "correlation"},
        "ranges": {"scale": True},
        "class weight": {"class_weight": "balanced"},
        "gain 1": {"gain": 1.0, "depth": 2},
        "small map, additive": {"structure": "additive"},
        "small map, named": {"structure": "named"},
        "small map, at most 8 arrows": {"structure": "auto", "max_arrows": 8},
        "small map, terms": {"structure": "auto", "terms": 3},
        "small map, monotone": {"structure": "auto", "monotonic_cst": {("petal width (cm)", "class=2"): 1}},
        "small map, ranges": {"structure": "auto", "scale": True},
    }
    for name, parameters in variants.items():

        @case(f"parameters, {name}")
        def fit(parameters=parameters):
            from cogmap import FCMClassifier

            X, y = iris_names()
            resolved = {key: value() if callable(value) else value for key, value in parameters.items()}
            return FCMClassifier(**FULL | resolved).fit(X, y, np.arange(150) % 3 + 0.5), X

    @case("parameters, warm start")
    def warm():
        from cogmap import FCMClassifier

        X, y = iris_names()
        fcm = FCMClassifier(**FULL, warm_start=True, max_iter=5).fit(X, y)
        return fcm.fit(X[X.columns[::-1]], y), X[X.columns[::-1]]

    @case("parameters, several targets")
    def targets():
        from cogmap import FCMRegressor

        X, y = clusters(9, 200, 5, 3)
        return FCMRegressor(**FULL).fit(X, np.column_stack([values_of(X, y), y, X[:, 2] ** 2])), X

    @case("parameters, chosen with two processes", slow=True)
    def processes():
        from cogmap import FCMClassifierCV

        X, y = scikit("wine")
        return FCMClassifierCV(random_state=0, n_jobs=2, class_weight="balanced").fit(X, y), X


add_parameters()


# The author's training.


def add_original():
    """Register the author's training."""
    for name, output in {"iris": "one_hot", "wine": "one_hot", "breast cancer": "single"}.items():

        @case(f"original, {name}")
        def fit(name=name, output=output):
            try:
                from cogmap.research.experiments.original import OriginalFCM
            except ImportError:
                from cogmap.experiments.original import OriginalFCM  # the tree of earlier commits

            X, y = TABLES[name]()
            X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
            resolved = OriginalFCM(
                depth=3,
                slope=3.0,
                output=output,
                loss="softmax",
                solver="rmsprop",
                learning_rate=0.001,
                batch_size=64,
                max_iter=60,
            )
            return resolved.fit(X, y), X


add_original()


# Wide and sparse tables.


def wide_table(n_rows=160, n_columns=220, informative=6):
    """Return a table with few informative columns."""
    random = np.random.default_rng(11)
    X = random.normal(size=(n_rows, n_columns))
    return X, (X[:, :informative] @ random.normal(size=informative) > 0).astype(int)


def sparse_table(n_rows=400, n_columns=9000):
    """Return a sparse table of counts that is too wide for a dense array."""
    from scipy.sparse import csr_array

    random = np.random.default_rng(12)
    X = random.poisson(0.004, size=(n_rows, n_columns)).astype(float)
    y = random.integers(3, size=n_rows)
    X[np.arange(n_rows), 7 * y] += random.integers(1, 3, size=n_rows)
    return csr_array(X), y


def add_wide():
    """Register maps of many columns."""

    @case("wide, FCMClassifier")
    def classifier():
        from cogmap import FCMClassifier

        X, y = wide_table()
        return FCMClassifier(**FULL).fit(X, y), X

    @case("wide, all columns")
    def everything():
        from cogmap import FCMClassifier

        X, _ = wide_table(300, 120)
        return FCMClassifier(**FULL).fit(X, (X.sum(axis=1) > 0).astype(int)), X

    @case("wide, FCMRegressor")
    def regressor():
        from cogmap import FCMRegressor

        X, y = wide_table()
        return FCMRegressor(**FULL).fit(X, y + X[:, 0] + X[:, 3] ** 2), X

    @case("wide, FCMClassifierCV", slow=True)
    def chosen():
        from cogmap import FCMClassifierCV

        X, y = wide_table()
        return FCMClassifierCV(depths=(2, 3), alphas=(0.2, 2.0), random_state=0).fit(X, y), X

    @case("wide, warm start")
    def warm():
        from cogmap import FCMClassifier

        X, y = wide_table()
        fcm = FCMClassifier(**FULL, warm_start=True, max_iter=5).fit(X, y)
        return fcm.fit(X[::-1], y[::-1]), X

    @case("wide, dense by bounds", slow=True)
    def bounded():
        from cogmap import FCMClassifier

        X, y = wide_table(100, 110)
        return FCMClassifier(**FULL, weight_bounds=(-3, 3), n_hidden=2, max_iter=10).fit(X, y), X

    @case("sparse, FCMClassifier")
    def sparse():
        from cogmap import FCMClassifier

        X, y = sparse_table()
        return FCMClassifier(**FULL).fit(X, y), X

    @case("sparse, FCMRegressor")
    def sparse_values():
        from cogmap import FCMRegressor

        X, y = sparse_table()
        return FCMRegressor(**FULL).fit(X, y + 0.1 * np.arange(len(y)) % 7), X

    @case("sparse, partial_fit")
    def sparse_parts():
        from cogmap import FCMClassifier

        X, y = sparse_table()
        fcm = FCMClassifier(**FULL)
        for start in range(0, 400, 100):
            fcm.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1, 2])
        return fcm, X


add_wide()


# Parts and chunks.


def add_parts():
    """Register incremental fits (`partial_fit`)."""

    def learned(first, make=lambda: many(), **parameters):
        from cogmap import FCMClassifier

        X, y = make()
        fcm = FCMClassifier(**FULL, **parameters)
        if first:
            fcm.fit(X[:200], y[:200])
        for start in range(0, len(X), 400):
            part = slice(start, start + 400)
            fcm.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=1.0 + np.arange(len(X[part])) % 2)
        return fcm, X

    case("partial_fit")(lambda: learned(False))
    case("partial_fit, after fit")(lambda: learned(True, solver="lbfgs"))
    case("partial_fit, rmsprop")(lambda: learned(False, solver="rmsprop", batch_size=50))
    case("partial_fit, terms, l1")(lambda: learned(False, terms=3, l1_ratio=0.3, class_weight={0: 1.0, 1: 3.0}))
    case("partial_fit, wide")(lambda: learned(False, lambda: wide_table(), max_iter=5))


add_parts()


def long_table(n_rows=170_000):
    """Return a table of more than a million values in three segments."""
    random = np.random.default_rng(13)
    X = random.normal(size=(n_rows, 7)).astype(np.float32)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)


def cut(X, y, weight=None, a_chunk=50_000):
    """Split a table into chunks."""
    columns = [X, y] if weight is None else [X, y, weight]
    return [tuple(column[i : i + a_chunk] for column in columns) for i in range(0, len(X), a_chunk)]


def add_chunks():
    """Register out-of-core fits, local and on a cluster."""

    @case("fit_chunks, few values")
    def few():
        from cogmap import FCMClassifier

        X, y = scikit("wine")
        return FCMClassifier(**FULL).fit_chunks(cut(X, y, a_chunk=50)), X

    variants = {
        "teachers": {"max_iter": 6, "n_teachers": 2},
        "auto": {"tol": 0.005},
        "weights": {"max_iter": 5, "class_weight": "balanced", "n_teachers": 0},
        "terms": {"max_iter": 4, "terms": 3, "n_teachers": 0, "l1_ratio": 0.5},
    }
    for name, parameters in variants.items():

        @case(f"fit_chunks, {name}", slow=name == "auto")
        def fit(name=name, parameters=parameters):
            from cogmap import FCMClassifier

            X, y = long_table()
            weight = 0.5 + np.arange(len(X)) % 3 if name == "weights" else None
            fcm = FCMClassifier(**FULL, solver="lbfgs" if "max_iter" in parameters else "auto", **parameters)
            return fcm.fit_chunks(cut(X, y, weight)), X[:5000]

    @case("fit_chunks, FCMRegressor")
    def values():
        from cogmap import FCMRegressor

        X, y = long_table()
        fcm = FCMRegressor(**FULL, max_iter=5, n_teachers=2)
        return fcm.fit_chunks(cut(X, y + X[:, 3])), X[:5000]

    @case("fit_chunks, wide")
    def wide():
        from cogmap import FCMClassifier

        X, y = wide_table(10_000, 130)
        return FCMClassifier(**FULL, max_iter=4, n_teachers=2).fit_chunks(cut(X, y, a_chunk=3000)), X[:1000]

    @case("long, fit")
    def here():
        from cogmap import FCMClassifier

        X, y = long_table()
        return FCMClassifier(**FULL, solver="lbfgs", max_iter=5, n_teachers=0).fit(X, y), X[:5000]

    def on_cluster(kind, X, y, **parameters):
        import dask.array as da
        from dask.distributed import Client

        from cogmap.integrations import dask as ours

        with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
            fcm = getattr(ours, kind)(**FULL, **parameters)
            fcm.fit(da.from_array(X, chunks=(40_000, X.shape[1])), da.from_array(y, chunks=40_000))
        return fcm.to_local(), X[:5000]

    case("dask, few values")(lambda: on_cluster("DaskFCMClassifier", *scikit("wine")))
    case("dask, FCMClassifier")(
        lambda: on_cluster("DaskFCMClassifier", *long_table(), max_iter=5, n_teachers=2, class_weight="balanced")
    )

    @case("dask, FCMRegressor", slow=True)
    def dask_values():
        X, y = long_table()
        return on_cluster("DaskFCMRegressor", X, y + X[:, 3], max_iter=5, n_teachers=0)


add_chunks()
