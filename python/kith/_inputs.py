"""What hangs on the nodes: labels y, features X, as the library takes them."""

import numpy as np

from . import _kith
from ._arrays import Texts, is_missing, numbers
from ._frames import columns, is_frame
from ._graph import _is_sparse


# ---- labels ------------------------------------------------------------------

class Labels:
    """Classes of some nodes: `of`, the class of each node by place, -1 where it
    is unknown; `classes`, what the user calls them; `names`, as texts."""

    def __init__(self, of, classes):
        self.of = of
        self.classes = classes
        self.names = [str(c) for c in classes.tolist()]
        if len(classes) == 1:  # as in a file: the others get a name, too
            other = f"not {self.names[0]}"
            self.names.append(other)
            self.classes = np.empty(2, object)
            self.classes[:] = [classes[0], other]

    def handle(self, graph):
        """For the library."""
        return _kith.labels_from_array(
            np.ascontiguousarray(graph._by_number(self.of)), self.names)


def tasks_of(graph, y):
    """Several labels a node: (known, n x tasks of 1, 0 and NaN by place; what the
    tasks are called), or None if y is no matrix."""
    names = None
    if is_frame(y) and not isinstance(y, dict) and len(columns(y)) > 1:
        of = columns(y)
        rows = _rows_by_index(graph, y)
        names = list(of)
        y = np.stack([np.asarray(c, float) for c in of.values()], axis=1)
        y = y if rows is None else y[rows]
    if hasattr(y, "toarray"):
        y = y.toarray()
    if not isinstance(y, np.ndarray) and not (
            isinstance(y, (list, tuple)) and len(y) and np.ndim(y[0]) == 1):
        return None
    y = np.asarray(y, None if isinstance(y, np.ndarray) else float)
    if y.ndim != 2 or y.shape[1] == 1:
        return None
    if y.dtype.kind not in "biuf":
        raise TypeError(f"y is a matrix of {y.dtype}, expected 0, 1 and NaN")
    if len(y) != len(graph):
        raise ValueError(f"y has {len(y)} rows for a graph of {len(graph)} nodes, "
                         "expected one for each")
    y = np.where(y == -1, np.nan, y).astype(np.float32)
    if not (np.isnan(y) | (y == 0) | (y == 1)).all():
        raise NotImplementedError(
            "y holds shares of classes, which are not taken yet: expected a matrix of "
            "0, 1 and NaN (a task for each column), or one class a node")
    return y, np.array(names or range(y.shape[1]), object if names else int)


def labels_of(graph, y):
    """What y says of the graph's nodes."""
    y = _tidy(y)
    if _is_keyed(graph, y):
        return _labels_by_id(graph, *_items(y))
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] != 1:
        raise ValueError(f"y has the shape {y.shape}, expected one class a node")
    y = y.reshape(-1) if y.ndim == 2 else y
    if y.shape != (len(graph),):
        raise ValueError(f"y has the shape {y.shape}, expected ({len(graph)},): one "
                         "class for each node, or a dict by node id")
    values, known = _known(y)
    if not known.any():
        raise ValueError("y holds no label, expected one or more")
    return _encode(values[known], np.flatnonzero(known), len(graph))


def _tidy(y):
    """A column of categories or a list as what it stands for."""
    if is_frame(y) and not isinstance(y, dict):
        of = columns(y)
        if len(of) == 1:
            (y,) = of.values()
            return y.array() if isinstance(y, Texts) else y
    if isinstance(y, (list, tuple)):
        y = np.array(y, dtype=object if any(v is None or isinstance(v, str)
                                            for v in y) else None)
    return y


def _is_keyed(graph, y):
    if isinstance(y, dict) or (hasattr(y, "items") and not hasattr(y, "index")):
        return True
    if not (hasattr(y, "index") and hasattr(y, "to_numpy")):
        return False
    plain = type(y.index).__name__ == "RangeIndex" and len(y) == len(graph)
    return not plain


def _items(y):
    if hasattr(y, "to_numpy"):
        values = y.to_numpy()
        if values.ndim != 1:
            raise ValueError(f"y has the shape {values.shape}, expected one column")
        return y.index.to_numpy(), values
    if not y:
        raise ValueError("y holds no label, expected one or more")
    values = list(y.values())
    as_object = any(v is None or isinstance(v, str) for v in values)
    return list(y), np.array(values, dtype=object if as_object else None)


def _labels_by_id(graph, ids, values):
    values, known = _known(values)
    found = graph.find(ids)
    if (found < 0).any():
        missing = ids[int(np.argmax(found < 0))]
        raise ValueError(f"y: a label for node {missing!r}, which the graph does not "
                         "have")
    if len(np.unique(found)) != len(found):
        raise ValueError("y: a node has two labels")
    if not known.any():
        raise ValueError("y holds no label, expected one or more")
    return _encode(values[known], found[known], len(graph))


def _known(y):
    """Values that can be compared, and which of them are labels."""
    kind = y.dtype.kind
    if kind == "b":
        return y, np.ones(len(y), bool)
    if kind in "iu":
        if kind == "i" and len(y) and y.min() < -1:
            at = int(np.argmin(y))
            raise ValueError(f"y[{at}] is {y[at]}, expected a class from 0 up, or -1 "
                             "where it is unknown")
        return y, (y >= 0)
    if kind == "f":
        known = ~np.isnan(y) & (y != -1)
        if not (y[known] == np.floor(y[known])).all():
            raise ValueError("y holds real numbers, expected classes")
        return np.where(known, y, -1).astype(np.int64), known
    if kind in "US":
        return y, y != y.dtype.type()
    if kind == "O":
        known = ~is_missing(y)
        kinds = {type(v) for v in y[known]}
        if kinds and all(issubclass(k, (int, np.integer)) and k is not bool
                         for k in kinds):
            return _known(np.where(known, y, -1).astype(np.int64))
        if len(kinds) > 1:
            y = np.array([str(v) for v in y], object)
        return y, known
    raise TypeError(f"y is an array of {y.dtype}, expected classes")


def _encode(values, places, n):
    classes, codes = np.unique(values, return_inverse=True)
    of = np.full(n, -1, np.int32)
    of[places] = codes
    return Labels(of, classes)


# ---- features ----------------------------------------------------------------

class Features:
    """Features that a data set takes: the library's object, and where they come
    from."""

    def __init__(self, handle, columns):
        self.handle, self.columns = handle, columns


def features_of(graph, x):
    """Rows of features in the order of the graph's nodes."""
    if is_frame(x):
        return _of_frame(graph, x)
    if _is_sparse(x):
        _check_rows(graph, x.shape)
        return _of_sparse(graph, x, x.shape[1])
    if hasattr(x, "detach"):
        x = x.detach().cpu()
    if hasattr(x, "__dlpack__") and not isinstance(x, np.ndarray):
        x = np.from_dlpack(x)
    x = np.asarray(x)
    if x.dtype.kind == "O":
        try:
            x = x.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError("X is an array of objects, expected numbers; give a "
                            "frame for columns of categories") from None
    if x.ndim == 1 and len(x) == len(graph):
        x = x.reshape(-1, 1)
    if x.ndim != 2:
        raise ValueError(f"X has the shape {x.shape}, expected two dimensions")
    _check_rows(graph, x.shape)
    x = numbers(x, "X")
    if x.dtype == np.float64:
        x = x.astype(np.float32) if np.isfinite(x).all() else x
    return Features(_kith.features_from_dense(graph._by_number(x)), x.shape[1])


def _check_rows(graph, shape):
    if shape[0] != len(graph):
        raise ValueError(f"X has {shape[0]} rows for a graph of {len(graph)} nodes, "
                         "expected one for each")


def _of_sparse(graph, x, width):
    x = x.tocsr()
    if graph._number is not None:
        x = x[np.argsort(graph._number)]
    if not x.has_sorted_indices:
        x = x.sorted_indices()
    values = None if x.dtype.kind == "b" else numbers(x.data, "data")
    return Features(_kith.features_from_csr(
        numbers(x.indptr, "indptr"), numbers(x.indices, "indices"), values, width),
        width)


def _of_frame(graph, frame):
    """Numbers as they are (missing ones their column's mean), a column for each
    category; rows by the frame's index where that names the nodes."""
    of = columns(frame)
    rows = _rows_by_index(graph, frame)
    parts = []
    for name, column in of.items():
        column = column.array() if isinstance(column, Texts) else column
        if rows is not None:
            column = column[rows]
        parts.append(_column(name, column))
    if not parts:
        raise ValueError("X has no columns, expected some")
    x = np.concatenate(parts, axis=1)
    _check_rows(graph, x.shape)
    return Features(_kith.features_from_dense(
        np.ascontiguousarray(graph._by_number(x))), x.shape[1])


def _rows_by_index(graph, frame):
    """The row of each node, where the frame's index has their ids."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or not hasattr(index, "to_numpy") or (
            type(index).__name__ == "RangeIndex" and len(index) == len(graph)):
        return None
    found = graph.find(index.to_numpy())
    known = np.flatnonzero(found >= 0)
    rows = np.full(len(graph), -1)
    rows[found[known]] = known
    if (rows < 0).any():
        missing = graph.ids[int(np.argmax(rows < 0))]
        raise ValueError(f"X has no row for node {missing!r}")
    return rows


def _column(name, column):
    kind = column.dtype.kind
    if kind in "iufb":
        x = column.astype(np.float32).reshape(-1, 1)
        if np.isinf(x).any():
            raise ValueError(f"X, column '{name}': a number that is not finite")
        gone = np.isnan(x)
        if gone.any():
            x[gone] = 0 if gone.all() else x[~gone].mean()
        return x
    if kind not in "OUS":
        raise TypeError(f"X, column '{name}' is of {column.dtype}, expected numbers "
                        "or categories")
    missing = is_missing(column.astype(object))
    values = np.array([str(v) for v in column[~missing]], object)
    found, codes = np.unique(values, return_inverse=True)
    if len(found) > 1000:
        raise ValueError(f"X, column '{name}' has {len(found)} categories, expected "
                         "at most 1000")
    x = np.zeros((len(column), max(len(found), 1)), np.float32)
    x[np.flatnonzero(~missing), codes] = 1
    return x
