"""Methods on splits, and the estimator as scikit-learn's searches want it."""

import json

import numpy as np

from . import _kith, _options
from ._classifier import NodeClassifier
from ._graph import Graph, as_graph
from ._table import frame

_SCORES = ("val", "test", "macro_f1", "auc", "average_precision", "log_loss", "ece",
           "seconds")


def evaluate(graph, y=None, X=None, methods=("lcm-em", "linbp", "logreg"),
             splits=None, train_per_class=20, val=500, trials=5, random_state=1,
             threads=None, progress=None, **params):
    """Score methods on the same splits.

    graph, y, X : as for NodeClassifier.fit()
    splits : names of splits of a data set folder; or (train, test) or (train, val,
        test) of nodes each; or None: `trials` random ones, with `train_per_class`
        nodes of each class to learn from and `val` to tune on
    **params : options of the library

    Answers a frame with a row for each method and split: a pandas frame if the
    program has imported pandas, else a kith.Table.

    >>> import kith
    >>> ring = ([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> scores = kith.evaluate(ring, y, methods=["linbp", "lp"],
    ...                        splits=[([0, 3], [1, 2, 4, 5])])
    >>> list(scores["method"])
    ['linbp', 'lp']
    """
    estimator = NodeClassifier(random_state=random_state, threads=threads,
                               progress=progress, **params)
    options = _options.given(estimator)
    options.pop("hold-out")
    graph = as_graph(graph)
    labels = estimator._labels(graph, y)
    data = estimator._data_of(graph, labels, X)
    if isinstance(methods, str):
        methods = [methods]
    parts = _splits(graph, data, labels, splits, train_per_class, val, trials,
                    random_state)
    told = json.loads(_kith.evaluate(data, list(methods), parts, options, progress))
    rows = [(r["method"], t) for r in told["results"] for t in r["trials"]]
    out = {"method": np.array([m for m, _ in rows], object),
           "split": np.array([t["split"] for _, t in rows], object)}
    for name in _SCORES:
        values = [t.get(name) for _, t in rows]
        out["accuracy" if name == "test" else "validation" if name == "val" else name] \
            = np.array([np.nan if v is None else v for v in values], float)
    return frame(out)


def _splits(graph, data, labels, splits, per_class, val, trials, seed):
    """(name, train, val, test) each, as the library numbers nodes."""
    if splits is None:
        told = [_kith.split_random(data, per_class, val, int(seed or 0), t)
                for t in range(trials)]
        return [(n, *(np.frombuffer(p, np.int32) for p in ps)) for n, *ps in told]
    if isinstance(splits, str):
        splits = splits.split(",")
    out = []
    for i, s in enumerate(splits):
        if isinstance(s, str):
            name, *parts = _kith.split_read(graph._data, s)
            out.append((name, *(np.frombuffer(p, np.int32) for p in parts)))
            continue
        if len(s) not in (2, 3):
            raise ValueError(f"split {i} has {len(s)} parts, expected (train, test) "
                             "or (train, val, test)")
        parts = [graph._numbers(graph.places(p, f"split {i}")) for p in s]
        train, middle, test = parts if len(s) == 3 else (parts[0], None, parts[1])
        out.append((str(i), train, middle, test))
    return out


class _Kept:
    """Features that clones share: they are not copied with the estimator."""

    def __init__(self, x):
        self.x = x

    def __deepcopy__(self, memo):
        return self


class OnGraph(NodeClassifier):
    """A NodeClassifier bound to a graph, for what hands over samples: its samples
    are nodes, X is an array of them.  So GridSearchCV, cross_val_score and the
    like choose which nodes it learns from.

    >>> import kith
    >>> path = ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    >>> clf = kith.OnGraph(path, method="linbp").fit([0, 5], [0, 1])
    >>> clf.predict([1, 4]).tolist()
    [0, 1]
    """

    _NAMES = ("graph", "features", *NodeClassifier._NAMES)

    def __init__(self, graph=None, features=None, method="auto", validation=0.2,
                 random_state=None, threads=None, progress=None, **params):
        super().__init__(method, validation, random_state, threads, progress,
                         **params)
        self.graph = graph if graph is None or isinstance(graph, Graph) \
            else Graph(graph)
        self.features = features if features is None or features is False or \
            isinstance(features, _Kept) else _Kept(features)

    def fit(self, X, y, sample_weight=None):
        """Learn from the nodes X, whose classes are y."""
        if self.graph is None:
            raise ValueError("OnGraph needs a graph")
        y = np.asarray(y)
        nodes = self.graph.places(_column(X))
        if len(nodes) != len(y):
            raise ValueError(f"{len(nodes)} nodes and {len(y)} labels, expected as "
                             "many")
        of = np.full(len(self.graph), None, object)
        of[nodes] = y
        features = self.features.x if isinstance(self.features, _Kept) \
            else self.features
        super().fit(self.graph, of, X=features, sample_weight=sample_weight)
        self.classes_ = np.unique(y) if len(np.unique(y)) == len(self.classes_) \
            else self.classes_
        return self

    def predict(self, X=None):
        return super().predict(None if X is None else _column(X))

    def predict_proba(self, X=None):
        return super().predict_proba(None if X is None else _column(X))

    def score(self, X, y, sample_weight=None):
        return super().score(_column(X), y, sample_weight)


_options.sign(OnGraph)


def _column(X):
    X = np.asarray(X)
    return X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else X
