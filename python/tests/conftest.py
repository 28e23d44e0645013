"""What the tests share, and their results as TAP, which tests/run.sh counts."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kith

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SHARED = Path(os.environ.get("SHARED", ROOT.parent / "shared" / "data"))


def pytest_terminal_summary(terminalreporter):
    for kind, line in (("passed", "ok {}"), ("failed", "not ok {}"),
                       ("error", "not ok {}"), ("skipped", "ok {} # SKIP {}")):
        for report in terminalreporter.stats.get(kind, []):
            name = report.nodeid.replace("::", ".").replace(" ", "_")
            why = report.longrepr[2] if kind == "skipped" else ""
            terminalreporter.write_line(line.format(name, why))


@pytest.fixture(scope="session")
def command():
    """Runs the command of this build."""
    path = os.environ.get("KITH") or str(Path(kith.__file__).parents[2] / "kith")
    if not os.path.exists(path):
        pytest.skip("there is no command")

    def run(*args):
        return subprocess.run([path, *map(str, args)], check=True, text=True,
                              capture_output=True).stdout
    return run


@pytest.fixture(scope="session")
def karate():
    return kith.Graph(DATA / "karate")


def blocks(n=300, classes=3, degree=8, seed=1, inside=0.85):
    """Edges (2, m) of a planted graph, and classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    m = n * degree // 2
    u = rng.integers(0, n, m)
    same = rng.random(m) < inside
    v = np.where(same, (u + classes * rng.integers(1, n // classes, m)) % n,
                 rng.integers(0, n, m))
    return np.stack([u, v]), y


def some(y, share=0.15, seed=2):
    """The labels of a share of the nodes, -1 elsewhere."""
    known = np.random.default_rng(seed).random(len(y)) < share
    return np.where(known, y, -1)


@pytest.fixture(scope="session")
def planted():
    edges, y = blocks()
    return edges, y, some(y)


def csr_of(edges, n, dtype=np.float32):
    """A symmetric matrix by rows: sorted, without repeats or a diagonal."""
    u, v = edges
    keep = u != v
    u, v = np.concatenate([u[keep], v[keep]]), np.concatenate([v[keep], u[keep]])
    key = np.unique(u.astype(np.int64) * n + v)
    indptr = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(key // n, minlength=n), out=indptr[1:])
    return indptr, (key % n).astype(np.int32), np.ones(len(key), dtype)


class Csr:
    """As much of a SciPy matrix as is looked at, for where there is no SciPy."""

    def __init__(self, indptr, indices, data):
        self.indptr, self.indices, self.data = indptr, indices, data
        self.shape = (len(indptr) - 1,) * 2
        self.dtype, self.nnz = data.dtype, len(data)
        self.has_sorted_indices = True

    def tocsr(self):
        return self
