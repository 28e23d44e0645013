"""What cannot be is refused with a sentence, and never crashes."""

import subprocess
import sys

import numpy as np
import pytest

import kith
from conftest import Csr, csr_of

PATH = ([0, 1, 2], [1, 2, 3])


def refused(kind, text, call, *args, **named):
    with pytest.raises(kind, match=text):
        call(*args, **named)


@pytest.mark.parametrize("graph, kind, text", [
    (([0, -1], [1, 2]), ValueError, r"u\[1\] is -1"),
    (([0], [1, 2]), ValueError, "v has 2 numbers, expected as many as u, 1"),
    (([0.5], [1.0]), TypeError, "float64, expected integers"),
    (([], []), (ValueError, TypeError), "nodes|integers"),
    ((np.zeros(0, int), np.zeros(0, int)), ValueError, "0 nodes"),
    ((PATH[0], PATH[1], [1, np.nan, 1]), ValueError, r"weights\[1\]"),
    ((PATH[0], PATH[1], [1, -2, 1]), ValueError, r"weights\[1\]"),
    (np.zeros((3, 5), int), TypeError, r"shape \(3, 5\).*\(2, m\)"),
    (np.zeros((2, 5)), TypeError, "float64"),
    (3, TypeError, "int"),
    ("/no/such/file.tsv", OSError, "no such file|cannot open"),
    ({"u": ["a"], "v": ["b", "c"]}, ValueError, "v has 2 ids"),
    ({"u": ["a", None], "v": ["b", "c"]}, ValueError, "column 'u', row 1: no id"),
    ({"u": ["a", ""], "v": ["b", "c"]}, ValueError, r"u\[1\] is an id of 0 bytes"),
    ({"u": ["a\0b", "x"], "v": ["b", "c"]}, ValueError, "NUL"),
    ({"u": [1, -4], "v": [2, 3]}, ValueError, "row 1: -4 is negative"),
    ({"u": [1.5], "v": [2.0]}, TypeError, "column 'u' holds real numbers"),
    ({"u": ["a"]}, ValueError, "two ends"),
])
def test_graphs(graph, kind, text):
    refused(kind, text, kith.Graph, graph)


def test_matrices():
    indptr, indices, data = csr_of(np.array(PATH), 4)
    wide = Csr(indptr, indices, data)
    wide.shape = (4, 5)
    refused(ValueError, r"shape \(4, 5\), expected a square", kith.Graph, wide)
    huge = Csr(indptr, indices, data)
    huge.shape = (2**31, 2**31)
    refused(ValueError, "2147483648 nodes", kith.Graph, huge)
    refused(ValueError, "2147483648 nodes", kith.Graph, PATH, nodes=2**31)
    bad = indices.copy()
    bad[2] = 9
    refused(ValueError, r"columns\[2\] is 9", kith.Graph, Csr(indptr, bad, data))
    falls = indptr.copy()
    falls[1] = 5
    refused(ValueError, "rows", kith.Graph, Csr(falls, indices, data))
    nan = data.copy()
    nan[0] = np.nan
    refused(ValueError, r"values\[0\]", kith.Graph, Csr(indptr, indices, nan))


def test_parameters():
    refused(ValueError, "merge is 'most'", kith.Graph, PATH, merge="most")
    refused(TypeError, "no parameter 'labels'", kith.Graph, PATH, labels="x")
    refused(ValueError, "no column 'w'", kith.Graph, {"u": ["a"], "v": ["b"]},
            weight="w")
    refused(ValueError, "unknown method 'nope'|method", kith.NodeClassifier(
        "nope").fit, PATH, [0, 1, -1, -1])
    refused(ValueError, "'hold-out': expected", kith.NodeClassifier(
        validation=2).fit, PATH, [0, 1, -1, -1])
    refused(TypeError, "'seed': expected a number", kith.NodeClassifier(
        random_state=object()).fit, PATH, [0, 1, -1, -1])
    refused(TypeError, "did you mean 'iterations'", kith.NodeClassifier, iteration=3)


@pytest.mark.parametrize("y, kind, text", [
    ([0, 1], ValueError, r"shape \(2,\), expected \(4,\)"),
    ([-1, -1, -1, -1], ValueError, "no label"),
    ([None, None, None, None], ValueError, "no label"),
    ([0, 1, -2, -1], ValueError, r"y\[2\] is -2"),
    ([0.5, 1, -1, -1], ValueError, "real numbers"),
    ({0: "a", 7: "b"}, ValueError, "node 7, which the graph does not have"),
    ({}, ValueError, "no label"),
    (np.zeros(4, complex), TypeError, "complex128"),
    (None, ValueError, "no labels of its own"),
])
def test_labels(y, kind, text):
    refused(kind, text, kith.NodeClassifier("linbp").fit, PATH, y)


@pytest.mark.parametrize("x, kind, text", [
    (np.full((4, 2), np.nan), ValueError, r"values\[0\]"),
    (np.full((4, 2), np.inf, np.float32), ValueError, r"values\[0\]"),
    (np.full((4, 2), 1e300), ValueError, "values"),
    (np.zeros((3, 2)), ValueError, "3 rows for a graph of 4 nodes"),
    (np.zeros((4, 2, 2)), ValueError, r"\(4, 2, 2\), expected two dimensions"),
    (np.zeros((4, 2), complex), TypeError, "complex128"),
    ([["a", "b"]] * 4, TypeError, "U1|objects"),
    ({"when": np.zeros(4, "M8[s]")}, TypeError, "column 'when'"),
])
def test_features(x, kind, text):
    refused(kind, text, kith.NodeClassifier("logreg").fit, PATH, [0, 1, -1, -1], x)


def test_methods_that_need_features():
    refused(ValueError, "features", kith.NodeClassifier("logreg").fit, PATH,
            [0, 1, -1, -1])


def test_before_fit():
    clf = kith.NodeClassifier()
    for call in (clf.predict, clf.predict_proba, clf.summary, clf.suggest):
        refused(kith.NotFittedError, "not fitted", call)
    refused(AttributeError, "not fitted", getattr, clf, "classes_")
    refused(AttributeError, "no attribute 'nothing'", getattr, clf, "nothing")


def test_nodes():
    clf = kith.NodeClassifier("linbp").fit(PATH, [0, 1, -1, -1])
    refused(ValueError, "no node 9", clf.predict, [9])
    refused(ValueError, "mask of 2", clf.predict, [True, False])
    refused(ValueError, "one dimension", clf.predict, [[0]])
    refused(ValueError, "coverage=0.9", clf.predict_set, 0.9)
    refused(ValueError, "class 'x'", clf.rank, "x")
    named = kith.Graph({"u": ["a"], "v": ["b"]})
    refused(ValueError, "place 2, expected 0 to 1", named.places, [2])


def test_files(tmp_path):
    (tmp_path / "m.km").write_text("no model")
    refused(ValueError, "m.km", kith.load, tmp_path / "m.km")
    refused(OSError, "none.km", kith.load, tmp_path / "none.km")
    clf = kith.NodeClassifier("linbp").fit(PATH, [0, 1, -1, -1])
    refused(OSError, "no/where", clf.save, tmp_path / "no/where.km")
    (tmp_path / "g.tsv").write_text("a\tb\nc\n")
    refused(ValueError, "g.tsv:2: expected two node ids", kith.Graph,
            tmp_path / "g.tsv")


def test_memory_that_there_is_not():
    code = ("import resource, kith\n"
            "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
            "try: kith.Graph(([0], [1]), nodes=1_000_000_000)\n"
            "except MemoryError as e: print('refused:', e)\n"
            "print(len(kith.Graph(([0], [1]))))")
    out = subprocess.run([sys.executable, "-c", code], check=True, text=True,
                         capture_output=True).stdout
    assert out.startswith("refused: out of memory") and out.endswith("2\n")


def test_the_extension_checks_for_itself():
    from kith import _kith

    refused(TypeError, "kith.data", _kith.graph_counts, object())
    refused(TypeError, "NumPy array", _kith.graph_from_coo, [0], [1], None, 0, None, 0,
            0, None)
    i = np.zeros(4, np.int32)
    refused(ValueError, "contiguous", _kith.graph_from_coo, i[::2], i[::2], None, 0,
            None, 0, 0, None)
    refused(TypeError, "type '>i4'", _kith.graph_from_coo, i.astype(">i4"), i, None, 0,
            None, 0, 0, None)
    g = kith.Graph(PATH)
    refused(ValueError, "expected 4 elements", _kith.graph_order, g._data, i[:2])
    locked = np.zeros(4, np.int32)
    locked.flags.writeable = False
    refused(ValueError, "written to", _kith.graph_order, g._data, locked)
