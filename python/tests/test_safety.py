"""Memory, threads, interrupts, forks, locales."""

import gc
import locale
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import kith
from conftest import Csr, blocks, csr_of, some


def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


# ---- memory ------------------------------------------------------------------

def test_nothing_leaks(planted, tmp_path):
    edges, y, known = planted
    x = np.random.default_rng(0).random((len(y), 4), np.float32)
    frame = {"u": [f"n{u}" for u in edges[0]], "v": [f"n{v}" for v in edges[1]]}

    def once():
        clf = kith.NodeClassifier("linbp", no_tune=True).fit(edges, known, x)
        clf.explain(0)
        clf.suggest(2)
        clf.summary()
        clf.partial_fit([0], [int(y[0])])
        kith.Graph(frame)
        kith.evaluate(edges, y, methods="lp", splits=[([0, 1, 2], [3, 4, 5])])
        for wrong in (lambda: kith.Graph(([0], [-1])), lambda: kith.load("no.km"),
                      lambda: kith.NodeClassifier(prep="x").fit(edges, known)):
            with pytest.raises((ValueError, OSError)):
                wrong()

    for _ in range(5):
        once()
    gc.collect()
    before = rss()
    for _ in range(25):
        once()
    gc.collect()
    assert rss() - before < 3_000_000


def test_references_are_given_back():
    u, v = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    part = csr_of((u, v), 3)
    part[2][:] = 2
    counts = [sys.getrefcount(a) for a in part]
    g = kith.Graph(Csr(*part))
    assert g.borrows
    held = [sys.getrefcount(a) for a in part]
    assert held[1] > counts[1] and held[2] > counts[2]
    del g
    gc.collect()
    assert [sys.getrefcount(a) for a in part] == counts
    words = {"none": None, "lambda_": 0.1}
    counts = [sys.getrefcount(w) for w in words]
    for _ in range(50):
        kith.NodeClassifier(lambda_=0.1).fit((u, v), [0, 1, -1])
    assert [sys.getrefcount(w) for w in words] == counts


def test_arrays_outlive_what_they_came_from(planted):
    edges, y, known = planted
    clf = kith.NodeClassifier("linbp").fit(edges, known)
    p, (rows, neighbours, _) = clf.predict_proba(), clf.graph_.csr
    want = p.copy(), neighbours.copy()
    del clf
    gc.collect()
    junk = [np.random.random(len(y) * 3) for _ in range(200)]
    assert (p == want[0]).all() and (neighbours == want[1]).all() and len(junk)
    assert not p.flags.writeable and rows[-1] == len(neighbours)


PEAK = """
import resource, sys
import numpy as np, kith
sys.path.insert(0, {tests!r})
from conftest import Csr
with np.load({path!r}) as f:
    a = Csr(f["indptr"], f["indices"], f["data"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
g = kith.Graph(a)
kith.NodeClassifier("linbp", no_tune=True, threads=1).fit(g, {{0: "a", 1: "b"}})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, g.borrows)
"""


def test_a_matrix_is_not_copied(tmp_path):
    n, m = 200_000, 2_000_000
    edges = np.random.default_rng(0).integers(0, n, (2, m))
    indptr, indices, data = csr_of(edges, n)
    data[:] = 2
    np.savez(tmp_path / "a.npz", indptr=indptr, indices=indices, data=data)
    code = PEAK.format(path=str(tmp_path / "a.npz"), tests=os.path.dirname(__file__))
    out = subprocess.run([sys.executable, "-c", code], check=True, text=True,
                         capture_output=True).stdout.split()
    # what is left is by node: offsets, potentials, beliefs
    assert out[1] == "True" and int(out[0]) * 1024 < 150 * n
    assert 150 * n < indices.nbytes + data.nbytes


# ---- threads -----------------------------------------------------------------

def test_any_number_of_threads_gives_the_same(planted):
    edges, _, known = planted
    want = kith.NodeClassifier("lcm", threads=1).fit(edges, known).predict_proba()
    for threads in (2, 5):
        got = kith.NodeClassifier("lcm", threads=threads).fit(edges, known)
        assert (got.predict_proba() == want).all()


def test_ten_threads_fit_at_once(planted):
    edges, _, known = planted
    graph = kith.Graph(edges)
    want = kith.NodeClassifier("lcm", no_tune=True).fit(graph, known)
    got, wrong = [None] * 10, []

    def fit(i):
        try:
            clf = kith.NodeClassifier("lcm", no_tune=True, threads=2).fit(graph, known)
            clf.explain(i)
            want.explain(i)
            got[i] = clf.predict_proba()
        except Exception as e:
            wrong.append(e)

    threads = [threading.Thread(target=fit, args=(i,)) for i in range(10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert all((p == want.predict_proba()).all() for p in got)


def test_python_runs_while_c_works():
    edges, y = blocks(n=60_000, classes=3)
    ticks, done = 0, threading.Event()

    def fit():
        kith.NodeClassifier("linbp", threads=1).fit(edges, some(y))
        done.set()

    worker = threading.Thread(target=fit)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 10


def test_one_openmp_that_threadpoolctl_sees():
    control = pytest.importorskip("threadpoolctl")
    kith.NodeClassifier("linbp").fit(([0, 1], [1, 2]), [0, -1, 1])
    found = [p for p in control.threadpool_info() if p["user_api"] == "openmp"]
    assert [os.path.basename(p["filepath"]) for p in found] == ["libgomp.so.1"] \
        or len({p["prefix"] for p in found}) == 1


# ---- interrupts --------------------------------------------------------------

def test_ctrl_c_leaves_everything_usable():
    edges, y = blocks(n=200_000, classes=3)
    graph, known = kith.Graph(edges), some(y)
    clf = kith.NodeClassifier("lcm-em", threads=1)
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.time()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(graph, known)
        time.sleep(30)  # should it have been done before
    assert time.time() - began < 25
    with pytest.raises(kith.NotFittedError):
        clf.predict()
    small = kith.NodeClassifier("linbp").fit(([0, 1], [1, 2]), [0, -1, 1])
    assert small.predict().tolist()[0] == 0 and len(graph.ids) == len(y)


def test_progress_tells_and_may_stop():
    edges, y = blocks(n=100_000, classes=3)
    seen = []

    class Enough(Exception):
        pass

    def progress(stage, done, total, unit):
        seen.append((stage, done, total, unit))
        if len(seen) == 3:
            raise Enough(stage)

    with pytest.raises(Enough):
        kith.NodeClassifier("lcm", progress=progress, threads=1).fit(edges, some(y))
    assert len(seen) == 3 and all(isinstance(s[0], str) for s in seen)


# ---- processes and locales ---------------------------------------------------

def test_fork_after_fit(planted):
    edges, _, known = planted
    clf = kith.NodeClassifier("lcm", no_tune=True, threads=3).fit(edges, known)
    child = os.fork()
    if child == 0:  # its own threads, the same answer
        code = 1
        try:
            again = kith.NodeClassifier("lcm", no_tune=True, threads=3).fit(edges,
                                                                            known)
            code = int((again.predict_proba() != clf.predict_proba()).any())
        finally:
            os._exit(code)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child waits for ever")
    assert status == 0
    again = kith.NodeClassifier("lcm", no_tune=True, threads=3).fit(edges, known)
    assert (again.predict_proba() == clf.predict_proba()).all()


def test_a_locale_with_a_comma(planted, tmp_path):
    """Any locale whose decimal point is a comma, made here if there is none."""
    code = textwrap.dedent("""
        import json, locale, sys
        locale.setlocale(locale.LC_ALL, sys.argv[1])
        assert locale.localeconv()["decimal_point"] == ","
        import kith
        clf = kith.NodeClassifier("linbp", lambda_="0.25", penalty=0.5)
        clf.fit(([0, 1, 2], [1, 2, 3]), [0, -1, -1, 1])
        assert clf.choice_["params"]["tolerance"] == "1e-05", clf.choice_
        assert clf.explain(1).belief < 1
        clf.write(sys.argv[2])
        assert kith.Graph(([0], [1], [0.5])).info()["mean_degree"] == 1
    """)
    name = _comma_locale(tmp_path)
    env = dict(os.environ, LOCPATH=str(tmp_path)) if "/" not in name else os.environ
    subprocess.run([sys.executable, "-c", code, name, str(tmp_path / "t.tsv")],
                   check=True, env=env)
    assert "0," not in (tmp_path / "t.tsv").read_text()


def _comma_locale(folder):
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
        capture_output=True) if _has("localedef") else None
    if made is not None and (folder / "de_DE.UTF-8").exists():
        return "de_DE.UTF-8"
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        locale.setlocale(locale.LC_NUMERIC, "C")
        return name
    pytest.skip("there is no locale with a comma, and none can be made")


def _has(program):
    import shutil

    return shutil.which(program) is not None
