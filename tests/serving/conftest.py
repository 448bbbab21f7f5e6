"""Models of all kinds, and real servers on the loopback interface."""

import contextlib
import http.client
import json
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import Pipeline

from cogmap import FCMClassifier, FCMRegressor, TablePreparer
from cogmap.serving import application
from cogmap.serving.server import Server, open_listener


class Client:
    """HTTP client that opens a new connection for each request."""

    def __init__(self, port):
        self.port = port

    def send(self, method, path, body=None, **headers):
        """Send a request; return status, headers and body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def post(self, path, body, kind="application/json", **headers):
        """Post a body; return the status and the decoded JSON of the response."""
        if not isinstance(body, str | bytes):
            body = json.dumps(body)
        status, _, text = self.send("POST", path, body, content_type=kind, **headers)
        return status, json.loads(text)


@contextlib.contextmanager
def running(app):
    """Serve an application in a thread."""
    listener = open_listener("127.0.0.1", 0)
    server = Server(app)
    thread = threading.Thread(target=server.run_on, args=(listener,))
    thread.start()
    try:
        yield Client(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()


def people(n_rows=80, seed=0):
    """Return a table with all kinds of columns, an identifier and missing values, and its target."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "id": np.arange(n_rows) + 1000,
            "age": rng.integers(18, 80, n_rows).astype(float),
            "member": rng.choice(["yes", "no"], n_rows),
            "colour": rng.choice(["red", "blue", "green"], n_rows),
            "joined": pd.date_range("2019-12-30", periods=n_rows, freq="17D").strftime("%Y-%m-%d"),
        }
    )
    y = np.where(table["age"] + 20 * (table["colour"] == "red") > 55, "buys", "waits")
    table.loc[::7, "age"] = np.nan
    table.loc[::9, "colour"] = None
    return table, y


@pytest.fixture(scope="session")
def table_model():
    """A pipeline and its training table."""
    X, y = people()
    model = Pipeline([("prepare", TablePreparer()), ("map", FCMClassifier(n_teachers=0, random_state=0))])
    return model.fit(X, y), X


@pytest.fixture(scope="session")
def models(table_model):
    """Models of all kinds, each with its training table."""
    iris, species = load_iris(return_X_y=True, as_frame=True)
    diabetes, progression = load_diabetes(return_X_y=True, as_frame=True)
    few = diabetes[:100]
    both = pd.DataFrame({"now": progression[:100], "later": progression[:100] ** 0.5})
    quickly = {"n_teachers": 0, "random_state": 0}
    classifier = FCMClassifier(**quickly).fit(iris, species)
    return {
        "table": table_model,
        "names": (classifier, iris),
        "model": (classifier.model_, iris),
        "two classes": (FCMClassifier(**quickly).fit(iris[:100], species[:100] == 0), iris[:100]),
        "words": (FCMClassifier(terms=3, **quickly).fit(iris, species), iris),
        "no names": (
            FCMClassifier(scale=True, **quickly).fit(iris.to_numpy(), species),
            iris.set_axis(["x0", "x1", "x2", "x3"], axis=1),
        ),
        "value": (FCMRegressor(**quickly).fit(few, progression[:100]), few),
        "values": (FCMRegressor(**quickly).fit(few, both), few),
    }


@pytest.fixture(scope="module")
def client(table_model):
    """Client of a server for the pipeline."""
    with running(application(table_model[0])) as client:
        yield client
