"""Graphs: from whatever a program holds, and what there is to say of them."""

import json
import os
import tempfile

import numpy as np

from . import _kith
from ._arrays import Texts, is_missing, numbers, view
from ._frames import as_text, columns, ends_of, is_frame
from ._html import facts_html
from ._table import Table

_MERGE = {"auto": 0, "max": 1, "sum": 2, "count": 3, "mean": 4}
_SOURCES = ("source", "src", "from", "sender", "u")
_TARGETS = ("target", "dst", "to", "receiver", "v")
_WEIGHTS = ("weight", "w")
_TABLE = ("time", "until", "label", "features", "unlabelled", "order", "window",
          "hub", "history", "id", "node", "strict")


class Graph:
    """An undirected graph that does not change.

    Parameters
    ----------
    data : what holds the edges
        - a SciPy sparse matrix or array, square: entry (u, v) is an edge
        - an array of integers of shape (2, m), such as PyG's ``edge_index``, or a
          tuple ``(u, v)`` or ``(u, v, weights)`` of arrays
        - a NetworkX or igraph graph
        - a table with a row for each edge: a pandas frame, anything that has
          ``__arrow_c_stream__`` (polars, DuckDB, pyarrow), a dict of arrays
        - a table whose rows are the nodes, if `link` names columns: rows that
          share a value are tied
        - the path of a graph file or data set folder, as the command takes it
        - a Graph: then this is the same graph
    source, target, weight : names of columns of a table of edges; well-known
        names are found by themselves, else the first two columns are the ends
    nodes : for a table of edges, the ids of all nodes in order, so that those
        without an edge are there, too; for arrays, how many nodes there are
    merge : what an edge given several times weighs: "auto", "max", "sum",
        "count", "mean"
    link : columns of a table whose rows are the nodes
    threads : how many; None: all that the machine has
    **table : with `link` or a path: label, features, id, order, window, hub,
        history, time, until, node, unlabelled, strict, as for the command

    >>> import kith
    >>> g = kith.Graph({"source": ["ann", "bob"], "target": ["bob", "cid"]})
    >>> g
    <kith.Graph: 3 nodes, 2 edges>
    >>> list(g.ids)
    ['ann', 'bob', 'cid']
    """

    def __init__(self, data, source=None, target=None, weight=None, nodes=None,
                 merge="auto", link=None, threads=None, progress=None, **table):
        unknown = [k for k in table if k not in _TABLE]
        if unknown:
            raise TypeError(f"Graph() has no parameter '{unknown[0]}'")
        if merge not in _MERGE:
            raise ValueError(f"merge is {merge!r}, expected one of {list(_MERGE)}")
        if nodes is not None and np.ndim(nodes) == 0 and int(nodes) >= 2**31 - 1:
            raise ValueError(
                f"the graph has {int(nodes)} nodes, expected at most 2147483646")
        self._names = None  # ids as objects, where they are not the library's own
        self._number = None  # of each place; None: the places themselves
        self._ids = None
        self._index = None
        self._path = None
        how = _How(source, target, weight, nodes, _MERGE[merge], int(threads or 0),
                   progress)
        if isinstance(data, Graph):
            self.__dict__.update(data.__dict__)
            return
        self._data = self._make(data, how, link, table)
        self._counts = _kith.graph_counts(self._data)
        order = np.empty(len(self), np.int32)
        if _kith.graph_order(self._data, order):
            self._number = order

    def _make(self, data, how, link, table):
        if link is not None:
            return _from_rows(data, how, link, table)
        if isinstance(data, (str, os.PathLike)):
            self._path = os.fspath(data)
            return _from_path(self._path, how, table)
        if table:
            raise TypeError(f"'{next(iter(table))}' goes with a path or with link")
        if _is_sparse(data):
            return _from_sparse(data, how)
        module = type(data).__module__.partition(".")[0]
        if module == "networkx" or (hasattr(data, "adj") and hasattr(data, "edges")):
            return self._from_networkx(data, how)
        if module == "igraph":
            return self._from_igraph(data, how)
        if is_frame(data):
            return _from_edges(data, how)
        return _from_arrays(data, how)

    def _from_networkx(self, g, how):
        names = list(g.nodes)
        at = {name: i for i, name in enumerate(names)}
        m = g.number_of_edges()
        ends = np.fromiter(
            (at[x] for e in g.edges() for x in e[:2]), np.int32, 2 * m
        ).reshape(m, 2)
        weight = how.weight or "weight"
        w = None
        if how.weight or any(weight in d for _, _, d in g.edges(data=True)):
            w = np.fromiter((d.get(weight, 1) for _, _, d in g.edges(data=True)),
                            np.float64, m)
        return self._from_named(names, ends, w, how)

    def _from_igraph(self, g, how):
        m = g.ecount()
        ends = np.array(g.get_edgelist(), np.int32).reshape(m, 2)
        names = g.vs["name"] if "name" in g.vs.attributes() else range(g.vcount())
        weight = how.weight or "weight"
        w = None
        if how.weight or weight in g.es.attributes():
            w = np.array(g.es[weight], np.float64)
        return self._from_named(list(names), ends, w, how)

    def _from_named(self, names, ends, w, how):
        if not names:
            raise ValueError("the graph has no nodes, expected some")
        plain = names == list(range(len(names)))
        ids = None if plain else _kith.ids_from_strings(*Texts.of(
            [str(n) for n in names]).ends())
        if not plain and not all(type(n) is str for n in names):
            self._names = np.empty(len(names), object)
            self._names[:] = names
        return _kith.graph_from_coo(
            np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1]), w,
            len(names), ids, how.merge, how.threads, how.progress)

    # ---- what it says of itself ----------------------------------------------

    def __len__(self):
        return self._counts["nodes"]

    @property
    def n_nodes(self):
        return self._counts["nodes"]

    @property
    def n_edges(self):
        """Undirected edges."""
        return self._counts["edges"]

    @property
    def weighted(self):
        return self._counts["weighted"]

    @property
    def borrows(self):
        """Does it use the arrays of the matrix that it was made of?"""
        return self._counts["borrows"]

    @property
    def cleaning(self):
        """What reading met and mended, counted."""
        return dict(self._counts["cleaning"])

    @property
    def hash(self):
        """A fingerprint: the same for the same graph, however it was read."""
        return self._counts["hash"]

    @property
    def ids(self):
        """The nodes' ids, in the order of all arrays about nodes."""
        if self._names is not None:
            return self._names
        if self._ids is None:
            offsets, data = _kith.graph_ids(self._data)
            texts = Texts(np.frombuffer(offsets, np.int64), data)
            self._ids = _as_integers(texts)
            if self._ids is None:
                self._ids = texts.array()
            self._ids.flags.writeable = False
        return self._ids

    @property
    def csr(self):
        """(indptr, indices, weights or None) of its rows, not copied; nodes as
        the library numbers them."""
        rows, neighbours, weights = _kith.graph_rows(self._data)
        entries = neighbours[1]
        return (view(rows, (rows[1],), np.int64, self._data),
                view(neighbours, (entries,), np.int32, self._data),
                view(weights, (entries,), np.float32, self._data))

    def info(self):
        """What there is to say about the graph before any method runs.

        >>> import kith
        >>> kith.Graph(([0, 1, 2], [1, 2, 0])).info()["max_degree"]
        2
        """
        return Info(json.loads(_kith.graph_facts(self._data)))

    @property
    def splits(self):
        """Names of the splits of a data set folder."""
        return _kith.data_splits(self._data)

    def split(self, name):
        """(train, val, test) of a split, as ids' places."""
        return self._split(_kith.split_read(self._data, str(name)))[1:]

    def _split(self, told):
        name, *parts = told
        return (name, *(self._places(np.frombuffer(p, np.int32)) for p in parts))

    def save(self, path):
        """Write it, labels and features included, as one built file (.kg)."""
        _kith.save_data(self._data, os.fspath(path))

    def __repr__(self):
        more = ", weighted" if self.weighted else ""
        more += f", {self._counts['features']:,} features" \
            if self._counts["features"] else ""
        return (f"<kith.Graph: {self.n_nodes:,} nodes, {self.n_edges:,} edges"
                f"{more}>")

    def _repr_html_(self):
        return facts_html(self.info())

    # ---- nodes by id, by place and by number ---------------------------------

    def find(self, ids):
        """The place of each id in `ids`, -1 for those it does not have."""
        if self._names is not None:
            if self._index is None:
                self._index = {name: i for i, name in enumerate(self._names)}
            return np.fromiter((self._index.get(i, -1) for i in ids), np.int32)
        ids = ids if isinstance(ids, (list, np.ndarray)) else list(ids)
        texts = Texts.of(_plain_text(ids))
        out = np.empty(len(texts), np.int32)
        _kith.graph_find(self._data, *texts.ends(), out)
        return out

    def places(self, nodes, name="nodes"):
        """The places of nodes: a mask, ids, or, where ids are texts, places."""
        if _is_sparse(nodes) or isinstance(nodes, str):
            raise TypeError(f"{name}: expected an array of nodes")
        nodes = np.asarray(nodes)
        if nodes.ndim != 1:
            raise ValueError(f"{name}: shape {nodes.shape}, expected one dimension")
        if nodes.dtype == bool:
            if len(nodes) != len(self):
                raise ValueError(f"{name}: a mask of {len(nodes)} for "
                                 f"{len(self)} nodes")
            return np.flatnonzero(nodes).astype(np.int32)
        if nodes.size == 0:
            return np.empty(0, np.int32)
        if nodes.dtype.kind in "iu" and self.ids.dtype == object:
            return self._checked_places(nodes, name)
        found = self.find(nodes)
        if (found < 0).any():
            missing = nodes[np.argmax(found < 0)]
            raise ValueError(f"{name}: the graph has no node {missing!r}")
        return found

    def _checked_places(self, nodes, name):
        if nodes.min() < 0 or nodes.max() >= len(self):
            bad = nodes[(nodes < 0) | (nodes >= len(self))][0]
            raise ValueError(f"{name}: place {bad}, expected 0 to {len(self) - 1}")
        return nodes.astype(np.int32)

    def _numbers(self, places):
        """What the library calls the nodes at places."""
        if places is None:
            return None
        places = np.ascontiguousarray(places, np.int32)
        return places if self._number is None else self._number[places]

    def _places(self, given):
        if self._number is None:
            return given
        back = np.empty(len(self), np.int32)
        back[self._number] = np.arange(len(self), dtype=np.int32)
        return back[given]

    def _by_place(self, rows):
        """Rows by number as rows by place."""
        return rows if self._number is None or rows is None else rows[self._number]

    def _by_number(self, rows):
        if self._number is None:
            return rows
        out = np.empty_like(rows)
        out[self._number] = rows
        return out

    # ---- copies: it does not change ------------------------------------------

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.kg")
            self.save(path)
            with open(path, "rb") as f:
                return _unpickle, (f.read(), self._names)


def _unpickle(data, names):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "g.kg")
        with open(path, "wb") as f:
            f.write(data)
        g = Graph(path)
    g._path, g._names = None, names
    return g


class Info(dict):
    """What `kith graph info` tells, as a dict."""

    def __repr__(self):
        flat = {k: v for k, v in self.items() if not isinstance(v, (dict, list))}
        return repr(Table({"what": list(flat), "value": list(flat.values())}))

    def _repr_html_(self):
        return facts_html(self)


class _How:
    """The parameters of Graph(), for those who make it."""

    def __init__(self, source, target, weight, nodes, merge, threads, progress):
        self.source, self.target, self.weight = source, target, weight
        self.nodes, self.merge = nodes, merge
        self.threads, self.progress = threads, progress

    def ids(self):
        """The list of all nodes, for the library."""
        if self.nodes is None:
            return None
        return _kith.ids_from_strings(*Texts.of(_plain_text(self.nodes)).ends())


def as_graph(data, **how):
    """`data` itself if it is a Graph, else one made of it."""
    return data if isinstance(data, Graph) and not how else Graph(data, **how)


def _is_sparse(x):
    return hasattr(x, "tocsr") and hasattr(x, "nnz") and hasattr(x, "shape")


def _plain_text(ids):
    """Ids as str, whatever they are."""
    ids = ids if isinstance(ids, list) else np.asarray(ids)
    if isinstance(ids, np.ndarray):
        if ids.dtype.kind == "f" and ids.size and (ids == np.floor(ids)).all():
            ids = ids.astype(np.int64)
        ids = ids.tolist()
    return [i if isinstance(i, str) else str(i) for i in ids]


def _as_integers(texts):
    """Ids as integers if all are such; else None."""
    data = np.frombuffer(texts.data, np.uint8)
    if len(texts) == 0 or ((data < 48) | (data > 57)).any():
        return None
    length = np.diff(texts.offsets)
    if length.max() > 18:
        return None
    first = data[texts.offsets[:-1]]
    if ((first == 48) & (length > 1)).any():
        return None
    out = np.zeros(len(texts), np.int64)
    for digit in range(int(length.max())):
        more = length > digit
        out[more] = out[more] * 10 + (data[texts.offsets[:-1][more] + digit] - 48)
    return out


def ones(values):
    """Do all entries say no more than where they are?"""
    return values.size > 0 and values.min() == 1 == values.max()


def _from_sparse(a, how):
    if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"the matrix has the shape {a.shape}, expected a square "
                         "one for a graph")
    if a.shape[0] >= 2**31 - 1:
        raise ValueError(f"the graph has {a.shape[0]} nodes, expected at most "
                         "2147483646")
    if a.dtype.kind == "c":
        raise TypeError(f"the matrix is of {a.dtype}, expected real numbers")
    a = a.tocsr()
    values = None if a.dtype.kind == "b" or ones(a.data) else numbers(a.data, "data")
    return _kith.graph_from_csr(
        numbers(a.indptr, "indptr"), numbers(a.indices, "indices"), values,
        a.shape[0], how.ids(), how.merge, how.threads, how.progress)


def _from_arrays(data, how):
    if isinstance(data, (tuple, list)) and len(data) in (2, 3) and np.ndim(data[0]) == 1:
        u, v, w = (*data, None)[:3]
    else:
        if hasattr(data, "detach"):
            data = data.detach().cpu()
        a = np.from_dlpack(data) if hasattr(data, "__dlpack__") and not isinstance(
            data, np.ndarray) else np.asarray(data)
        if a.dtype.kind not in "iu" or a.ndim != 2 or a.shape[0] != 2:
            raise TypeError(
                f"{type(data).__name__} of {a.dtype}, shape {a.shape}: expected a "
                "sparse matrix, an array of integers of shape (2, m), a table of "
                "edges, a NetworkX or igraph graph, a path or a kith.Graph")
        u, v, w = a[0], a[1], None
    u, v = numbers(u, "u", integers=True), numbers(v, "v", integers=True)
    w = None if w is None else numbers(w, "weights")
    plain = how.nodes is None or np.ndim(how.nodes) == 0
    return _kith.graph_from_coo(u, v, w, int(how.nodes or 0) if plain else 0,
                                None if plain else how.ids(), how.merge,
                                how.threads, how.progress)


def _pick(have, given, known, place):
    """The name of a column: as given, a well-known one, or by its place."""
    if given is not None:
        if str(given) not in have:
            raise ValueError(f"there is no column '{given}', expected one of "
                             f"{have}")
        return str(given)
    for name in have:
        if name.lower() in known:
            return name
    return have[place] if place is not None and place < len(have) else None


def _from_edges(frame, how):
    source = target = weight = None

    def choose(have):
        nonlocal source, target, weight
        if len(have) < 2:
            raise ValueError(f"the table has the columns {have}, expected two ends "
                             "of edges")
        source = _pick(have, how.source, _SOURCES, 0)
        target = _pick(have, how.target, _TARGETS, 1)
        weight = _pick(have, how.weight, _WEIGHTS, None)
        if source == target:
            raise ValueError(f"both ends are column '{source}': name source and "
                             "target")
        return [n for n in (source, target, weight) if n is not None]

    of = columns(frame, choose)
    u, v = ends_of(of[source], source), ends_of(of[target], target)
    if isinstance(u, tuple) != isinstance(v, tuple):
        u, v = as_text(u), as_text(v)
    w = numbers(of[weight], f"column '{weight}'") if weight else None
    named = how.source is not None or how.target is not None or how.weight is not None
    merge = how.merge or (0 if named else _MERGE["max"])  # as the command has it
    return _kith.graph_from_ids(u, v, w, how.ids(), merge, how.threads, how.progress)


def _from_path(path, how, table):
    told = {k: v for k, v in table.items() if v is not None}
    if how.nodes is not None:
        told["nodes"] = os.fspath(how.nodes)
    for name in ("source", "target", "weight"):
        if getattr(how, name) is not None:
            told[name] = str(getattr(how, name))
    told["merge"] = how.merge
    return _kith.open_data(path, _words(told), how.threads, how.progress)


def _from_rows(data, how, link, table):
    told = {k: v for k, v in table.items() if v is not None}
    told["rows"] = True
    told["link"] = link
    if isinstance(data, (str, os.PathLike)):
        return _kith.open_data(os.fspath(data), _words(told), how.threads,
                               how.progress)
    if not is_frame(data):
        raise TypeError(f"{type(data).__name__}: expected a table, whose columns "
                        "link names")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        _write_csv(columns(data), path)
        return _kith.open_data(path, _words(told), how.threads, how.progress)


def _words(told):
    """Lists as "a,b"; numbers and flags as integers."""
    out = {}
    for key, value in told.items():
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        out[key] = int(value) if isinstance(value, (bool, int)) else str(value)
    return out


def _write_csv(of, path):
    """Columns as a table that the library reads: missing values are empty."""
    import csv

    rows = []
    for column in of.values():
        values = column.array() if isinstance(column, Texts) else column
        if values.dtype.kind in "OfM":
            gone = is_missing(values) if values.dtype.kind == "O" else values != values
            values = values.astype(object)
            values[gone] = ""
        rows.append(values.tolist())
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(of)
        out.writerows(zip(*rows))
