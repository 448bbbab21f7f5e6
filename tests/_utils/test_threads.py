"""BLAS held to one thread: forks, limits of others, and bits that do not depend on any of it."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from cogmap import FCMClassifier
from cogmap._utils.threads import ThreadTeam, one_blas_thread

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def ends_well(work, seconds=30.0):
    """Whether a forked process does some work to its end; one that hangs is killed."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


class Fitting:
    """Fits in another thread, one after the other, until told to stop."""

    def __init__(self, X, y):
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fit, args=(X, y))

    def _fit(self, X, y):
        while not self._stop.is_set():
            FCMClassifier(max_iter=5, random_state=0).fit(X, y)
            with one_blas_thread():  # enters and leaves as often as it can
                pass

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *error):
        self._stop.set()
        self._thread.join()


def forks_while_fitting(number, X, y):
    """Return how many of so many forked processes, made while another thread fits, fit and end."""
    expected = FCMClassifier(max_iter=3, random_state=0).fit(X, y).map_

    def work():
        return FCMClassifier(max_iter=3, random_state=0).fit(X, y).map_ == expected

    with Fitting(X, y):
        return sum(ends_well(work) for _ in range(number))


@forks
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_process_forked_while_another_thread_fits_can_fit(iris):
    """No lock is left behind that nobody will release."""
    assert forks_while_fitting(30, *iris) == 30


@forks
@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_thousand_forks_while_another_thread_fits(iris):
    """None of them hangs, and all learn the same map."""
    assert forks_while_fitting(2000, *iris) == 2000
    print("2000 forks during fits, 0 hung")


@forks
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_forked_from_a_lock_that_is_held_can_fit(iris):
    """The fork waits until the lock is free."""
    from cogmap._utils.threads import _Process

    held, leave = threading.Event(), threading.Event()

    def hold():
        with _Process.lock:
            held.set()
            leave.wait(0.2)

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(10)
    assert ends_well(lambda: FCMClassifier(random_state=0).fit(*iris).score(*iris) > 0.9)
    other.join()


@forks
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_forked_while_another_thread_holds_blas_has_its_threads():
    """Only the thread that forks lives on in the child: what the others held is let go."""
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            entered.set()
            assert leave.wait(30)

    with threadpool_limits(2):
        before = blas_threads()
        other = threading.Thread(target=hold)
        other.start()
        assert entered.wait(10)
        assert set(blas_threads()) == {1}
        assert ends_well(lambda: blas_threads() == before)
        with one_blas_thread():
            assert ends_well(lambda: set(blas_threads()) == {1})
        leave.set()
        other.join()
        assert blas_threads() == before


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_around_a_fit_is_as_it_was_afterwards(iris, limit):
    """Within it and after it."""
    before = blas_threads()
    with threadpool_limits(limit):
        FCMClassifier(random_state=0).fit(*iris).predict(iris[0])
        assert set(blas_threads()) == {limit}
    assert blas_threads() == before


def test_a_limit_that_is_set_while_blas_is_held_stays():
    """Who sets a limit during a fit finds it after the fit."""
    before = blas_threads()
    with one_blas_thread():
        threadpool_limits(3)
    assert set(blas_threads()) == {3}
    threadpool_limits(before[0])
    assert blas_threads() == before


def test_predictions_do_not_depend_on_the_threads_of_blas():
    """A product of many columns is summed in another order by two threads; predictions hold BLAS to one."""
    random = np.random.default_rng(0)
    X, y = random.random((1500, 150)), random.integers(0, 3, 1500)
    fcm = FCMClassifier(max_iter=2, tol=0, random_state=0).fit(X, y)
    said = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            methods = fcm.predict_proba, fcm.transform, fcm.decision_function, fcm.model_.derivative
            said.append([method(X[:300] if method == methods[-1] else X) for method in methods])
    for one, two in zip(*said, strict=True):
        np.testing.assert_array_equal(one, two)


class TestCrew:
    """Threads that share pieces of work."""

    @pytest.mark.parametrize("n_threads", [1, 2, 5])
    def test_each_piece_is_done_once_and_results_keep_their_order(self, n_threads):
        """Whoever is faster; more threads than pieces, and no pieces, are fine."""
        crew, done = ThreadTeam(n_threads), []

        def work(number):
            time.sleep(0.002 * (number % 3 == 0))
            done.append(number)
            return number, blas_threads()

        for n_pieces in (20, 1, 2, 0):
            results = crew.each(work, n_pieces)
            assert [number for number, _ in results] == list(range(n_pieces))
            assert all(set(held) <= {1} for _, held in results)
        assert sorted(done) == sorted([*range(20), 0, 0, 1])

    @pytest.mark.parametrize("failing", [0, 1, 7])
    def test_an_error_arrives_and_nobody_is_left_working(self, failing):
        """In whichever thread it was; the crew can be asked again."""
        crew, working = ThreadTeam(3), set()

        def work(number):
            working.add(number)
            try:
                time.sleep(0.002)
                if number == failing:
                    raise KeyError(number)
            finally:
                working.remove(number)
            return number

        with pytest.raises(KeyError, match=str(failing)):
            crew.each(work, 8)
        assert not working
        failing = None
        assert crew.each(work, 8) == list(range(8))

    def test_threads_end_with_the_crew(self):
        """Nobody need tell them."""
        crew, threads = ThreadTeam(4), set()

        def work(number):
            threads.add(threading.current_thread())
            time.sleep(0.01)

        crew.each(work, 8)
        threads.remove(threading.current_thread())
        assert threads
        del crew
        for thread in threads:
            thread.join(30.0)
            assert not thread.is_alive()
