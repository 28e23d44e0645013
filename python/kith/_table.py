"""A small table of named columns, for those who have no pandas at hand."""

import sys
from html import escape

import numpy as np


class Table:
    """Columns by name.

    >>> from kith import Table
    >>> t = Table({"node": ["ann", "bob"], "score": [0.5, 0.25]})
    >>> t
    node  score
    ann     0.5
    bob    0.25
    >>> len(t), t["score"][0]
    (2, 0.5)
    """

    def __init__(self, columns):
        self._columns = {k: np.asarray(v) for k, v in columns.items()}

    @property
    def columns(self):
        return list(self._columns)

    def __getitem__(self, name):
        return self._columns[name]

    def __len__(self):
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self):
        return iter(self._columns)

    def to_dict(self):
        """The columns as a dict of arrays: what pandas.DataFrame() takes."""
        return dict(self._columns)

    def to_pandas(self):
        import pandas

        return pandas.DataFrame(self.to_dict())

    def _cells(self, most=20):
        shown = range(len(self)) if len(self) <= most else [
            *range(most // 2), *range(len(self) - most // 2, len(self))]
        return [[_cell(c[i]) for c in self._columns.values()] for i in shown], \
            len(self) > most

    def __repr__(self):
        cells, cut = self._cells()
        if cut:
            cells.insert(10, ["..."] * len(self._columns))
        right = [c.dtype.kind in "iuf" for c in self._columns.values()]
        width = [max([len(n), *(len(r[i]) for r in cells)])
                 for i, n in enumerate(self._columns)]
        lines = [[n.rjust(w) if r else n.ljust(w)
                  for n, w, r in zip(row, width, right)]
                 for row in [list(self._columns), *cells]]
        return "\n".join("  ".join(line).rstrip() for line in lines)

    def _repr_html_(self):
        cells, cut = self._cells()
        if cut:
            cells.insert(10, ["..."] * len(self._columns))
        head = "".join(f"<th>{escape(n)}</th>" for n in self._columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>"
            for row in cells)
        return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value):
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return str(value)


def frame(columns):
    """A pandas frame if the program has imported pandas, else a Table."""
    pandas = sys.modules.get("pandas")
    return pandas.DataFrame(columns) if pandas else Table(columns)
