"""NodeClassifier: labels for all nodes of a graph, as scikit-learn's users know
it."""

import os
import sys
import tempfile
import threading

import numpy as np

from . import _kith, _options
from ._arrays import view
from ._graph import Graph, as_graph
from ._html import bars_html, matrix_html
from ._inputs import Labels, features_of, labels_of, tasks_of
from ._results import Explanation, Ranking, Suggestions
from ._table import frame

_EVIDENCE = np.array(["none", "weak", "some", "strong"])
_HELD_OUT = ("labelled nodes held out for tuning, by a model that has not learnt "
             "from them")
_GOALS = {"precision": 1, "recall": 2}


class NotFittedError(ValueError, AttributeError):
    """An estimator is asked before it was fitted."""


def _not_fitted(text):
    """That error; where scikit-learn is loaded, one that is its own, too."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return NotFittedError(text)
    both = type("NotFittedError", (NotFittedError, theirs.NotFittedError), {})
    return both(text)


class NodeClassifier:
    """Labels every node of a graph from the few whose label is known.

    The graph is there as a whole when it is fitted, labels of some nodes with it:
    `predict` needs no arguments.

    Parameters
    ----------
    method : a name of `kith.methods()`; "auto" compares some and keeps the best
    validation : share of each class that is held out to tune on
    random_state : chooses what is held out; None is the library's default, 1, so
        that the same call gives the same answer
    threads : how many; None: all that the machine has.  Results do not depend
        on it
    progress : called as ``progress(stage, done, total, unit)`` during long work
    **params : options of the library, as `kith.options()` lists them; what is set
        is not tuned

    Attributes
    ----------
    classes_ : the classes, in the order of the columns of `predict_proba()`
    evidence_ : of each node, how much of what is known reaches it: "none",
        "weak", "some", "strong"
    coupling_ : how classes attract each other across edges; None for methods that
        have none
    certificate_ : rho, residual, iterations, converged of the run, as a dict
    choice_ : what was chosen and why, as a dict
    graph_ : the kith.Graph

    >>> import kith
    >>> karate = ([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> clf = kith.NodeClassifier(method="linbp").fit(karate, {0: "a", 5: "b"})
    >>> clf.predict().tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    _estimator_type = "classifier"

    def __init__(self, method="auto", validation=0.2, random_state=None,
                 threads=None, progress=None, **params):
        self.method = method
        self.validation = validation
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        for name in params:
            _options.check(name)
        for name in _options.ROWS:
            setattr(self, name, params.get(name))

    # ---- parameters ----------------------------------------------------------

    _NAMES = ("method", "validation", "random_state", "threads", "progress")

    def get_params(self, deep=True):
        """All parameters; those of the library's table that are not set are
        None."""
        return {n: getattr(self, n) for n in (*self._NAMES, *_options.ROWS)}

    def set_params(self, **params):
        for name, value in params.items():
            if name not in self._NAMES and name not in _options.ROWS:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self!r}. Valid "
                    f"parameters are: {sorted(self.get_params())!r}.")
            setattr(self, name, value)
        return self

    def __getattr__(self, name):
        # only what is not found otherwise: what fitting would set
        if name.endswith("_") and not name.startswith("__"):
            raise _not_fitted(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' "
                "with appropriate arguments before using this estimator.")
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self):
        preset = {"method": "auto", "validation": 0.2}
        given = [f"{n}={v!r}" for n, v in self.get_params().items()
                 if v is not None and preset.get(n) != v]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True),
                    classifier_tags=ClassifierTags(), input_tags=InputTags())

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__ or "_tasks" in self.__dict__

    # ---- fitting -------------------------------------------------------------

    def fit(self, graph, y=None, X=None, val=None, sample_weight=None):
        """Learn from the labels y of some nodes of the graph.

        Parameters
        ----------
        graph : anything that kith.Graph() takes
        y : an array with a class for each node, -1 (None or NaN for texts) where
            it is unknown; or a dict or Series by node id; None: the labels of the
            data set that the graph is; or, where nodes have several labels, a
            matrix of 0, 1 and NaN, nodes x classes
        X : features of the nodes, a row each: an array, a sparse matrix, a frame;
            None: those of the data set, if it has some; False: none
        val : nodes to tune on, a mask or their ids; None: `validation` of each
            class
        """
        if sample_weight is not None:
            raise NotImplementedError(
                "sample_weight: labels of different weight are not supported")
        options = _options.given(self)
        graph = as_graph(graph)
        tasks = None if y is None else tasks_of(graph, y)
        if tasks is not None:
            return self._fit_tasks(graph, *tasks, X, val, options)
        labels = self._labels(graph, y)
        data = self._data_of(graph, labels, X)
        places = None if val is None else graph.places(val, "val")
        if places is not None and not (labels.of[places] >= 0).all():
            raise ValueError("val: a node without a label, expected nodes that have "
                             "one")
        fit = _kith.classify(data, str(self.method), options, None,
                             graph._numbers(places), self.progress)
        self._take(graph, data, labels, fit)
        return self

    def _fit_tasks(self, graph, known, names, X, val, options):
        """Several labels a node: each column by itself, on the one graph."""
        features = None if X is None else False if X is False else features_of(
            graph, X).handle
        data = _kith.data_with(graph._data, False, features)
        places = None if val is None else graph.places(val, "val")
        holder, p, evidence, fits = _kith.tasks_classify(
            data, np.ascontiguousarray(graph._by_number(known)), str(self.method),
            options, graph._numbers(places), self.progress)
        n, t = known.shape
        self._forget()
        self._tasks, self._graph, self._data = fits, graph, data
        self._p = view(p, (n, t), np.float32, holder)
        self._evidence = view(evidence, (n,), np.uint8, holder)
        self.classes_ = names
        self.choice_ = {"method": str(self.method), "tasks": [
            {"class": c, **f} for c, f in zip(names.tolist(), fits)]}
        return self

    def _labels(self, graph, y):
        if y is not None:
            return labels_of(graph, y)
        told = _kith.data_labels(graph._data)
        if told is None:
            raise ValueError("the graph has no labels of its own: give y")
        names, at = told
        of = np.array(view(at, (len(graph),), np.int32, graph._data))
        classes = np.empty(len(names), object)
        classes[:] = names
        return _own_labels(graph._by_place(of), classes)

    def _data_of(self, graph, labels, X):
        features = False if X is False else None
        if X is not None and X is not False:
            features = features_of(graph, X).handle
        own = labels is None
        return _kith.data_with(graph._data, None if own else labels.handle(graph),
                               features)

    def _take(self, graph, data, labels, fit):
        """What came of it becomes the estimator's, all at once."""
        n, c = len(graph), len(labels.names)
        told = _kith.fit_arrays(fit, n * c)
        self._forget()
        self._model = _kith.fit_model(fit)
        self._graph, self._data, self._labelled = graph, data, labels
        self._p = view(told["probabilities"], (n, c), np.float32, fit)
        self._evidence = view(told["evidence"], (n,), np.uint8, fit)
        self._unseen = view(told["unseen"], (n, c), np.float32, fit)
        self._held_out = np.frombuffer(told["held_out"], np.int32)
        self._val = np.frombuffer(told["val"], np.int32)
        self._n_validation = told["n_validation"]
        self._finish(_kith.model_facts(self._model))

    def _finish(self, facts, certificate=None):
        self._lock = threading.Lock()
        self._facts = facts
        self.classes_ = self._labelled.classes
        self.certificate_ = certificate or facts["certificate"]
        c = len(facts["classes"])
        h = view(facts["coupling"], (c, c), np.float32, self._model)
        self.coupling_ = None if h is None else h.copy()
        self.choice_ = {
            "method": facts["method"],
            "why": facts["why"],
            "params": facts["params"],
            "settings": facts["settings"],
            "temperature": facts["temperature"],
            "validation": facts["validation"],
        }
        self.n_features_in_ = _kith.graph_counts(self._data)["features"]

    def _forget(self):
        """Nothing of an earlier fit is left."""
        for name in ("_solution", "_words", "_tasks", "_model"):
            self.__dict__.pop(name, None)

    @property
    def graph_(self):
        return self._fitted(tasks=True)._graph

    @property
    def evidence_(self):
        e = self._fitted(tasks=True)._graph._by_place(self._evidence)
        return None if e is None else _EVIDENCE[e]

    def _fitted(self, tasks=False):
        if "_tasks" in self.__dict__:
            if tasks:
                return self
            raise NotImplementedError(
                "this is not told where nodes have several labels: fit one column of "
                "y for it")
        if "_model" not in self.__dict__:
            self.__dict__.pop("classes_", None)
            self.classes_  # raises
        if self._graph is None:
            raise _not_fitted(
                "the model was loaded without a graph: give it one with apply()")
        return self

    def partial_fit(self, nodes, y=None, classes=None):
        """Learn from labels that arrived since, without tuning again: what was
        chosen is kept.

        nodes, y : nodes and their classes; or one dict or Series by node id
        """
        if "_model" not in self.__dict__:
            raise _not_fitted("partial_fit() takes labels that arrive after fit()")
        graph = self._fitted()._graph
        if y is not None:
            nodes = dict(zip(graph.ids[graph.places(nodes)].tolist(),
                             np.asarray(y).tolist()))
        labels = self._merge(labels_of(graph, nodes))
        data = _kith.data_with(self._data, labels.handle(graph), None)
        model, *told = _kith.model_refit(self._model, data, int(self.threads or 0),
                                         self.progress)
        self._apply(model, graph, data, labels)
        self.refit_ = dict(zip(("kept", "added", "changed", "gone"), told))
        return self

    def _merge(self, new):
        """Labels so far, and new ones over them."""
        known = {str(c): i for i, c in enumerate(self.classes_)}
        for name, code in zip(new.names, range(len(new.names))):
            if name not in known and (new.of == code).any():
                raise ValueError(f"y: class {name!r}, which the model does not have; "
                                 "fit again")
        of = self._labelled.of.copy()
        to = np.array([known.get(name, -1) for name in new.names], np.int32)
        of[new.of >= 0] = to[new.of[new.of >= 0]]
        return _own_labels(of, self.classes_)

    def _apply(self, model, graph, data, labels):
        n, c = len(graph), len(labels.names)
        p, evidence = np.empty((n, c), np.float32), np.zeros(n, np.uint8)
        certificate = _kith.model_predict(model, data, p, evidence,
                                          int(self.threads or 0), self.progress)
        self._forget()
        self._model, self._graph, self._data = model, graph, data
        self._labelled, self._p, self._evidence = labels, p, evidence
        self._unseen, self._held_out = None, np.empty(0, np.int32)
        self._val, self._n_validation = np.empty(0, np.int32), 0
        self._finish(_kith.model_facts(model), certificate)

    def apply(self, graph, X=None):
        """Run the model, as it is, on a graph that has grown, or on another one:
        nodes are matched by id, features by column."""
        if "_model" not in self.__dict__:
            self.classes_  # raises
        graph = as_graph(graph)
        labels = _own_labels(np.full(len(graph), -1, np.int32), self.classes_)
        features = None if X is None else False if X is False else features_of(
            graph, X).handle
        data = _kith.data_with(graph._data, False, features)
        self._apply(self._model, graph, data, labels)
        return self

    # ---- answers -------------------------------------------------------------

    def predict_proba(self, nodes=None):
        """Calibrated probabilities: a row for each node of the graph, or of
        `nodes`; a column for each class."""
        p = self._fitted(tasks=True)._graph._by_place(self._p)
        return p if nodes is None else p[self._graph.places(nodes)]

    def predict(self, nodes=None):
        """The most probable class of each node, or of `nodes`; where nodes have
        several labels, a matrix of 0 and 1."""
        if "_tasks" in self.__dict__:
            return (self.predict_proba(nodes) >= 0.5).astype(np.int8)
        return self.classes_[self.predict_proba(nodes).argmax(axis=1)]

    def predict_set(self, coverage=None, nodes=None):
        """For each node the smallest set of classes that holds the truth for the
        share `coverage` of nodes: a mask, n x classes.  Fit with the parameter
        coverage to have it."""
        self._fitted()
        if not self._facts["coverage"] > 0:
            raise ValueError("sets need NodeClassifier(coverage=0.9) or the like when "
                             "it is fitted")
        coverage = self._facts["coverage"] if coverage is None else float(coverage)
        out = np.empty(self._p.shape, np.uint8)
        _kith.model_sets(self._model, self._p, self._evidence, coverage, out)
        out = self._graph._by_place(out).astype(bool)
        return out if nodes is None else out[self._graph.places(nodes)]

    def score(self, nodes, y, sample_weight=None):
        """Accuracy on nodes whose class is known."""
        right = self.predict(nodes) == np.asarray(y)
        right = right.all(axis=1) if right.ndim == 2 else right
        return float(np.average(right, weights=sample_weight))

    def to_frame(self):
        """A row for each node: node, label, confidence, evidence, and a column for
        each class."""
        p = self.predict_proba()
        out = {"node": self._graph.ids, "label": self.predict(),
               "confidence": p.max(axis=1)}
        if self._evidence is not None:
            out["evidence"] = self.evidence_
        for i, c in enumerate(self.classes_):
            out[str(c)] = p[:, i]
        return frame(out)

    def write(self, path):
        """Write the table of the command `kith classify -o`: the same bytes."""
        self._fitted()
        sets = None
        if self._facts["coverage"] > 0:
            sets = np.empty(self._p.shape, np.uint8)
            _kith.model_sets(self._model, self._p, self._evidence,
                             self._facts["coverage"], sets)
        _kith.predictions_write(self._model, self._data, self._p, self._evidence,
                                sets, os.fspath(path))

    # ---- why, and what next --------------------------------------------------

    def _solved(self):
        """The model run on the graph, kept once it is asked about."""
        self._fitted()
        with self._lock:
            if "_solution" not in self.__dict__:
                self._solution = _kith.solution_new(
                    self._model, self._data, int(self.threads or 0), self.progress)
            return self._solution

    def explain(self, node, class_=None, most=8):
        """Why a node got its belief in a class (its most probable one, if not
        given): the exact contribution of every node."""
        solution = self._solved()
        (place,) = self._graph.places(np.array([node]), "node")
        c = -1 if class_ is None else self._class(class_)
        (number,) = self._graph._numbers(np.array([place]))
        with self._lock:
            text, told, html, parts = _kith.explain(solution, int(number), c, most)
        if parts is not None:
            parts = self._graph._by_place(np.frombuffer(parts, np.float64))
        return Explanation(text, told, html, parts)

    def _class(self, class_):
        for i, c in enumerate(self.classes_):
            if c == class_ or str(c) == str(class_):
                return i
        raise ValueError(f"class {class_!r}, expected one of "
                         f"{[str(c) for c in self.classes_]}")

    def suggest(self, n=10, among=None):
        """The nodes to have labelled next, the best first; `among` names the nodes
        that could be."""
        solution = self._solved()
        if among is not None:
            among = self._graph._numbers(self._graph.places(among, "among"))
        with self._lock:
            found = _kith.suggest(solution, among, int(n))
        found.sort(key=lambda s: -s[1])
        rows = np.array(found, np.float64).reshape(len(found), 4)
        places = self._graph._places(rows[:, 0].astype(np.int32))
        return Suggestions({
            "node": self._graph.ids[places], "score": rows[:, 1],
            "uncertainty": rows[:, 2], "influence": rows[:, 3]})

    def rank(self, positive, precision=None, recall=None, budget=None):
        """The nodes whose label is unknown by how probably they are of one class,
        cut where a wish is met, and what the list holds.  It learns again, up to
        twelve times, so that what is expected comes from nodes not learnt
        from."""
        self._fitted()
        wishes = {k: v for k, v in (("precision", precision), ("recall", recall),
                                    ("budget", budget)) if v is not None}
        if len(wishes) > 1:
            raise ValueError("precision, recall, budget: only one can be wished for")
        goal, wish = 0, 0.0
        for name in _GOALS:
            if name in wishes:
                goal, wish = _GOALS[name], float(wishes[name])
        options = _options.given(self)
        if (self._labelled.of < 0).sum() == 0:
            raise ValueError("no node is left to rank: all are learnt from")
        holder, text, nodes, p, listed = _kith.rank(
            self._data, str(self.method), options, None,
            self._val if len(self._val) else None, self._class(positive), goal, wish,
            int(budget or 0), self.progress)
        nodes = view(nodes, (nodes[1],), np.int32, holder)[:listed]
        ids = self._graph.ids[self._graph._places(nodes)]
        return Ranking(text, ids, view(p, (p[1],), np.float32, holder)[:listed],
                       listed)

    # ---- in words ------------------------------------------------------------

    def _verdict(self, solution=None, title="", how=None):
        judged, by, what = None, None, None
        if len(self._held_out):
            what, by = _HELD_OUT, self._unseen
            judged = self._held_out if by is not None else None
        elif len(self._val):
            judged, what = self._val, "the nodes named for tuning"
        return _kith.verdict(
            self._model, self._data, self._p, self._evidence,
            self._val if len(self._val) else None, judged, by, what, solution, title,
            how, self._facts["validation"], self._n_validation)

    def summary(self):
        """What came of it, from what, and how far to trust it: some sentences."""
        self._fitted()
        if "_words" not in self.__dict__:
            self._words = [s for s in self._verdict()[0] if s]
        return "\n".join(self._words)

    def report(self, path=None, title="graph"):
        """One HTML page about the model on its graph, that needs no network: into a
        file, or as a text."""
        page = self._verdict(self._solved(), title)[2]
        if path is None:
            return page
        with open(path, "w", encoding="utf-8") as f:
            f.write(page)
        return None

    def _repr_html_(self):
        if "_tasks" in self.__dict__:
            return bars_html([(c, int(k), f"{k:,} nodes") for c, k in zip(
                self.classes_, (self._p >= 0.5).sum(axis=0))][:40])
        if "_model" not in self.__dict__ or self._graph is None:
            return f"<code>{repr(self)}</code>"
        from html import escape

        lines = "<br>".join(escape(s) for s in self.summary().split("\n"))
        counts = np.bincount(self._p.argmax(axis=1), minlength=len(self.classes_))
        bars = bars_html([(c, int(k), f"{k:,} nodes")
                          for c, k in list(zip(self.classes_, counts))[:12]])
        h = ""
        if self.coupling_ is not None and len(self.classes_) <= 12:
            h = matrix_html([str(c) for c in self.classes_], self.coupling_)
        return f"<div>{lines}</div>{bars}{h}"

    # ---- files ---------------------------------------------------------------

    def save(self, path):
        """Write the model, as `kith classify --save` does; it does not hold the
        graph."""
        self._fitted()
        _kith.model_save(self._model, os.fspath(path))

    @classmethod
    def load(cls, path, graph=None, X=None):
        """Read a model that save() or the command wrote; with a graph it is applied
        to it."""
        model = _kith.model_open(os.fspath(path))
        facts = _kith.model_facts(model)
        self = cls(method=facts["method"] if facts["method"] in
                   _options.methods() else "auto")
        self._model, self._graph, self._facts = model, None, facts
        classes = np.array(facts["classes"], object)
        if all(c.lstrip("-").isdecimal() and str(int(c)) == c for c in classes):
            classes = classes.astype(np.int64)
        self.classes_ = classes
        return self if graph is None else self.apply(graph, X)

    def __getstate__(self):
        state = {k: v for k, v in self.__dict__.items() if k not in (
            "_model", "_data", "_solution", "_lock", "_p", "_evidence", "_unseen",
            "_facts")}
        if "_tasks" in self.__dict__:
            state.update(_p=np.array(self._p), _evidence=np.array(self._evidence))
        if "_model" in self.__dict__:
            state["_files"] = self._as_bytes()
            for name in ("_p", "_evidence", "_unseen"):
                value = self.__dict__.get(name)
                state[name] = None if value is None else np.array(value)
        return state

    def _as_bytes(self):
        """The model, and the data set in the numbering of the results."""
        out = []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            _kith.model_save(self._model, path)
            out.append(_read(path))
            if self._graph is not None:
                _kith.save_data(self._data, path + ".kg")
                out.append(_read(path + ".kg"))
        return out

    def __setstate__(self, state):
        files = state.pop("_files", None)
        self.__dict__.update(state)
        if files is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            _write(path, files[0])
            self._model = _kith.model_open(path)
            self._facts = _kith.model_facts(self._model)
            self._lock = threading.Lock()
            if len(files) == 2:
                _write(path + ".kg", files[1])
                self._data = Graph(path + ".kg")._data


_options.sign(NodeClassifier)


def _own_labels(of, classes):
    """Labels whose classes are what they are."""
    labels = Labels.__new__(Labels)
    labels.of, labels.classes = of, classes
    labels.names = [str(c) for c in classes]
    return labels


def _read(path):
    with open(path, "rb") as f:
        return f.read()


def _write(path, data):
    with open(path, "wb") as f:
        f.write(data)
