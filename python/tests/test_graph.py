"""Graphs from whatever a program holds are the same graph."""

import ctypes
import pickle
import sys

import numpy as np
import pytest

import kith
from conftest import Csr, csr_of

EDGES = ([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])


def test_coo_of_any_integers_is_one_graph():
    want = kith.Graph(EDGES).hash
    for dtype in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        assert kith.Graph(np.array(EDGES, dtype)).hash == want


def test_csr_is_used_where_it_is():
    a = Csr(*csr_of(np.array(EDGES), 4))
    a.data[:] = 2
    g = kith.Graph(a)
    rows, neighbours, weights = g.csr
    assert g.borrows and g.weighted
    assert neighbours.ctypes.data == a.indices.ctypes.data
    assert weights.ctypes.data == a.data.ctypes.data
    assert rows.tolist() == a.indptr.tolist()


def test_csr_of_other_types_is_copied_and_the_same():
    part = csr_of(np.array(EDGES), 4)
    part[2][:] = 2
    want = kith.Graph(Csr(*part)).hash
    for index, value in ((np.int64, np.float64), (np.int32, np.int64)):
        g = kith.Graph(Csr(part[0].astype(index), part[1].astype(index),
                           part[2].astype(value)))
        assert not g.borrows and g.hash == want


def test_all_ones_are_no_weights():
    assert not kith.Graph(Csr(*csr_of(np.array(EDGES), 4))).weighted


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    part = csr_of(np.array(EDGES), 4)
    a = sparse.csr_matrix((part[2], part[1], part[0]))
    want = kith.Graph(EDGES).hash
    for form in (a, a.tocsc(), a.tocoo(), sparse.csr_array(a), a.astype(bool)):
        assert kith.Graph(form).hash == want


def test_networkx():
    nx = pytest.importorskip("networkx")
    g = nx.Graph(zip(*EDGES))
    assert kith.Graph(g).hash == kith.Graph(EDGES).hash
    h = nx.relabel_nodes(g, {0: "a", 1: ("b", 2)})
    mine = kith.Graph(h)
    assert mine.n_edges == 5 and mine.ids[1] == ("b", 2)
    clf = kith.NodeClassifier("linbp").fit(mine, {("b", 2): "x", "a": "y"})
    assert clf.predict().tolist()[:2] == ["y", "x"]


def test_igraph():
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph(list(zip(*EDGES)))
    assert kith.Graph(g).hash == kith.Graph(EDGES).hash
    g.vs["name"] = list("abcd")
    assert list(kith.Graph(g).ids) == list("abcd")


def test_dict_of_columns_with_string_ids():
    g = kith.Graph({"from": ["b", "a", "c"], "to": ["a", "c", "b"]})
    assert list(g.ids) == ["b", "a", "c"] and g.n_edges == 3
    assert g.find(["c", "a", "nobody"]).tolist() == [2, 1, -1]


def test_ids_that_are_integers_go_by_value():
    g = kith.Graph({"u": [30, 7, 30], "v": [7, 100, 100]})
    assert g.ids.tolist() == [7, 30, 100]
    assert kith.Graph({"u": ["30", "7"], "v": ["7", "100"]}).ids.tolist() == [7, 30,
                                                                            100]


def test_nodes_without_an_edge():
    g = kith.Graph({"u": ["a"], "v": ["b"]}, nodes=["z", "b", "a"])
    assert list(g.ids) == ["z", "b", "a"] and g.info()["isolated"] == 1
    with pytest.raises(ValueError, match="'a'"):
        kith.Graph({"u": ["a"], "v": ["b"]}, nodes=["b"])
    assert len(kith.Graph(EDGES, nodes=9)) == 9


def test_frame_is_the_table_of_the_command(tmp_path, command):
    rows = [("a", "b", 1.5), ("b", "c", 2), ("a", "b", 1), ("c", "a", 0.25)]
    (tmp_path / "e.csv").write_text(
        "x,y,w\n" + "".join(f"{u},{v},{w}\n" for u, v, w in rows))
    u, v, w = zip(*rows)
    g = kith.Graph({"x": u, "y": v, "w": np.array(w)}, "x", "y", "w")
    file = kith.Graph(tmp_path / "e.csv", "x", "y", "w")
    assert g.hash == file.hash and list(g.ids) == list(file.ids)
    counted = kith.Graph({"x": u, "y": v}, "x", "y")
    assert counted.hash == kith.Graph(tmp_path / "e.csv", "x", "y").hash


def test_pandas():
    pandas = pytest.importorskip("pandas")
    f = pandas.DataFrame({"u": ["a", "b"], "v": ["b", "c"], "weight": [1, 2]})
    assert kith.Graph(f).weighted
    f["u"] = f["u"].astype("category")
    assert list(kith.Graph(f).ids) == ["a", "b", "c"]


def test_rows_that_share_a_value_are_tied(tmp_path):
    table = {"card": ["x", "x", "y", "y"], "shop": ["p", "q", "q", "p"],
             "amount": [1.0, 2.0, 3.0, 4.0]}
    g = kith.Graph(table, link=["card", "shop"], features="amount")
    assert (len(g), g.n_edges) == (4, 4)
    lines = [",".join(table), *(",".join(map(str, r)) for r in zip(*table.values()))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    file = kith.Graph(tmp_path / "t.csv", link="card,shop", features="amount")
    assert g.hash == file.hash and repr(g) == repr(file)


def test_path_and_pickle(karate):
    assert (len(karate), karate.n_edges) == (34, 78)
    assert karate.ids[0] == 1
    again = pickle.loads(pickle.dumps(karate))
    assert again.hash == karate.hash and again.ids.tolist() == karate.ids.tolist()


def test_info_is_the_command_s(karate, command, tmp_path):
    import json

    from conftest import DATA
    want = json.loads(command("graph", "info", DATA / "karate", "--json"))
    got = dict(karate.info())
    for told in (want, got):
        told.pop("path", None)
        told.pop("name", None)
    assert got == want
    assert "nodes" in repr(karate.info()) and "<table" in karate._repr_html_()


# ---- Arrow: a stream made by hand, as its specification has it ----------------

class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                    ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                  ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p)]


class ArrowTable:
    """Chunks of columns: a dict of name -> (format, buffers, length, offset) each,
    buffers as bytes or None; a dictionary is a fifth part, such a tuple."""

    def __init__(self, chunks):
        self.chunks, self.keep, self.released = chunks, [], 0

    def _schema(self, out, name, form, children=(), dictionary=None):
        out.format, out.name = form, name
        out.release = self._released(Schema)
        kids = [self._new(Schema) for _ in children]
        for kid, (child_name, c) in zip(kids, children):
            self._schema(kid, child_name.encode(), c[0],
                         dictionary=c[4] if len(c) > 4 else None)
        out.n_children = len(kids)
        out.children = self._pointers(Schema, kids)
        if dictionary:
            inner = self._new(Schema)
            self._schema(inner, b"", dictionary[0])
            out.dictionary = ctypes.pointer(inner)

    def _new(self, kind):
        made = kind()
        self.keep.append(made)
        return made

    def _pointers(self, kind, items):
        made = (ctypes.POINTER(kind) * len(items))(*map(ctypes.pointer, items))
        self.keep.append(made)
        return made

    def _released(self, kind):
        def done(p):
            self.released += 1
            p.contents.release = type(p.contents.release)()
        made = ctypes.CFUNCTYPE(None, ctypes.POINTER(kind))(done)
        self.keep.append(made)
        return made

    def _array(self, out, buffers, length, offset=0, children=(), dictionary=None):
        out.length, out.offset, out.null_count = length, offset, -1
        held = [None if b is None else ctypes.create_string_buffer(b, len(b) + 16)
                for b in buffers]
        at = (ctypes.c_void_p * len(held))(
            *(None if b is None else ctypes.addressof(b) for b in held))
        self.keep += [held, at]
        out.n_buffers, out.buffers = len(held), at
        kids = [self._new(Array) for _ in children]
        for kid, c in zip(kids, children):
            self._array(kid, c[1], c[2], c[3], dictionary=c[4] if len(c) > 4 else None)
        out.n_children = len(kids)
        out.children = self._pointers(Array, kids)
        if dictionary:
            inner = self._new(Array)
            self._array(inner, dictionary[1], dictionary[2], dictionary[3])
            out.dictionary = ctypes.pointer(inner)
        out.release = self._released(Array)

    def __arrow_c_stream__(self, requested_schema=None):
        left = list(self.chunks)

        def get_schema(_, out):
            self._schema(out.contents, b"", b"+s", list(self.chunks[0].items()))
            return 0

        def get_next(_, out):
            if not left:
                out.contents.release = type(out.contents.release)()
                return 0
            chunk = left.pop(0)
            length = next(iter(chunk.values()))[2]
            self._array(out.contents, [None], length, 0, list(chunk.values()))
            return 0

        stream = self._new(Stream)
        stream.get_schema = type(stream.get_schema)(get_schema)
        stream.get_next = type(stream.get_next)(get_next)
        stream.get_last_error = type(stream.get_last_error)(lambda _: None)
        stream.release = self._released(Stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"arrow_array_stream"
        return new(ctypes.addressof(stream), self.name, None)


def texts(*values, offset=0, wide=False):
    data = "".join(values).encode()
    ends = np.cumsum([0, *(len(v.encode()) for v in values)])
    ends = ends.astype(np.int64 if wide else np.int32).tobytes()
    return (b"U" if wide else b"u", [None, ends, data], len(values) - offset, offset)


def views(*values):
    out = b""
    far = b""
    for v in values:
        v = v.encode()
        head = len(v).to_bytes(4, "little")
        if len(v) <= 12:
            out += head + v.ljust(12, b"\0")
        else:
            out += head + v[:4] + bytes(4) + len(far).to_bytes(4, "little")
            far += v
    return b"vu", [None, out, far], len(values), 0


@pytest.mark.skipif(sys.byteorder != "little", reason="made for little-endian")
@pytest.mark.parametrize("column", [
    lambda *v: texts(*v), lambda *v: texts(*v, wide=True),
    lambda *v: texts("not used", *v, offset=1), views,
    lambda *v: (b"i", [None, np.arange(len(v), dtype=np.int32).tobytes()], len(v), 0,
                texts(*v))])
def test_arrow_texts(column):
    long = "an id of more than twelve bytes"
    table = ArrowTable([{"u": column("a", "b"), "v": column("b", long)},
                        {"u": column(long), "v": column("a")}])
    g = kith.Graph(table)
    assert list(g.ids) == ["a", "b", long] and g.n_edges == 3
    assert table.released >= 2  # the stream and the schema


def test_arrow_numbers_and_missing_values():
    u = (b"l", [None, np.array([5, 6, 7]).tobytes()], 3, 0)
    w = (b"f", [b"\x05", np.array([1, 9, 3], np.float32).tobytes()], 3, 0)
    g = kith.Graph(ArrowTable([{"u": u, "v": (b"l", [None, np.array(
        [6, 7, 5]).tobytes()], 3, 0)}]))
    assert g.ids.tolist() == [5, 6, 7]
    flags = (b"b", [None, b"\x05"], 3, 0)
    clf = kith.NodeClassifier("logreg").fit(
        g, [0, 1, -1], X=ArrowTable([{"w": w, "flag": flags}]))
    assert clf.n_features_in_ == 2
    missing = (b"l", [b"\x03", np.array([5, 6, 7]).tobytes()], 3, 0)
    with pytest.raises((ValueError, TypeError), match="column 'u'"):
        kith.Graph(ArrowTable([{"u": missing, "v": u}]))


def test_arrow_of_other_types_is_refused_by_name():
    column = (b"tiD", [None, bytes(16)], 1, 0)
    with pytest.raises(TypeError, match="column 'u' has the Arrow type 'tiD'"):
        kith.Graph(ArrowTable([{"u": column, "v": column}]))
