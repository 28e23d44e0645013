"""Kith labels the nodes of a graph from a few known labels, the edges, and node
features if there are any.

>>> import kith
>>> clf = kith.NodeClassifier(method="linbp")
>>> clf.fit(([0, 1, 2, 3], [1, 2, 3, 4]), y=[0, -1, -1, -1, 1]).predict().tolist()
[0, 0, 0, 1, 1]
"""

import os as _os

from . import _kith
from ._classifier import NodeClassifier, NotFittedError
from ._evaluate import OnGraph, evaluate
from ._graph import Graph
from ._options import methods, options
from ._results import Explanation, Ranking, Suggestions
from ._table import Table

__version__ = _kith.version
__all__ = ["Explanation", "Graph", "NodeClassifier", "NotFittedError", "OnGraph",
           "Ranking", "Suggestions", "Table", "evaluate", "load", "methods",
           "options"]

load = NodeClassifier.load

# A child of a fork has none of OpenMP's threads, and would wait for them.
_os.register_at_fork(before=_kith.before_fork)
