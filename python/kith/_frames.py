"""Tables from elsewhere as columns: pandas, what has `__arrow_c_stream__`
(polars, DuckDB, pyarrow), a dict of arrays."""

import numpy as np

from . import _kith
from ._arrays import Texts


def is_frame(x):
    """Is it a table with named columns?"""
    return (
        hasattr(x, "__arrow_c_stream__")
        or (hasattr(x, "columns") and hasattr(x, "iloc"))
        or (isinstance(x, dict) and x and all(isinstance(k, str) for k in x)
            and all(np.ndim(v) == 1 for v in x.values()))
    )


def columns(frame, choose=None):
    """The columns as a dict of arrays and Texts, in their order: all, or those
    that choose(names) answers.  What can be read once only is read once."""
    if hasattr(frame, "iloc"):
        have = [str(c) for c in frame.columns]
        return {n: _series(frame.iloc[:, have.index(n)])
                for n in (choose(have) if choose else have)}
    if hasattr(frame, "__arrow_c_stream__"):
        told = _kith.arrow_read(frame.__arrow_c_stream__(), choose)
        return {n: _of_arrow(*c) for n, c in told.items()}
    return {n: np.asarray(frame[n])
            for n in (choose(list(frame)) if choose else frame)}


def _series(s):
    """A column of pandas: categories are spelt out."""
    if hasattr(s, "cat"):
        of = np.asarray(s.cat.categories)
        codes = np.asarray(s.cat.codes)
        out = np.empty(len(codes), object if of.dtype.kind == "O" else of.dtype)
        out = out.astype(object) if (codes < 0).any() else out
        if len(of):
            out[:] = of[np.maximum(codes, 0)]
        if out.dtype == object:
            out[codes < 0] = None
        return out
    return s.to_numpy()


def _of_arrow(kind, values, valid, offsets, dictionary):
    missing = None if valid is None else np.frombuffer(valid, np.uint8) == 0
    if kind == "text":
        column = Texts(np.frombuffer(offsets, np.int64), values, missing)
    else:
        column = np.frombuffer(values, np.dtype(kind))
        if dictionary is not None:
            of = _of_arrow(*dictionary)
            of = of.array() if isinstance(of, Texts) else of
            at = column if missing is None else np.where(missing, 0, column)
            column = of[at] if len(of) else np.full(len(at), None, object)
        if missing is not None:
            column = column.astype(object if column.dtype.kind == "O" else float)
            column[missing] = None if column.dtype == object else np.nan
    return column


def ends_of(column, name):
    """Ids in a column as the library takes them: integers or texts."""
    if isinstance(column, Texts):
        if column.missing is not None:
            _refuse_missing(column.missing, name)
        return column.ends()
    if column.dtype.kind in "iu":
        return _integers(column, name)
    if column.dtype.kind == "f":
        if np.isnan(column).any():
            _refuse_missing(np.isnan(column), name)
        raise TypeError(
            f"column '{name}' holds real numbers, expected ids: texts or integers"
        )
    if column.dtype.kind == "O" and len(column) and type(column[0]) is int:
        try:
            return _integers(column.astype(np.int64), name)
        except (TypeError, OverflowError):
            pass
    texts = Texts.of(column)
    if texts.missing is not None:
        _refuse_missing(texts.missing, name)
    return texts.ends()


def _integers(column, name):
    column = np.ascontiguousarray(
        column, np.int32 if column.dtype == np.int32 else np.int64
    )
    if len(column) and column.min() < 0:
        at = int(np.argmax(column < 0))
        raise ValueError(
            f"column '{name}', row {at}: {column[at]} is negative, expected an id "
            "from 0 up"
        )
    return column


def _refuse_missing(missing, name):
    raise ValueError(f"column '{name}', row {int(np.argmax(missing))}: no id")


def as_text(ends):
    """Ids of one end as texts, for where the other end has texts."""
    return ends if isinstance(ends, tuple) else Texts.of(ends.astype(str)).ends()
