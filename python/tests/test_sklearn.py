"""scikit-learn's own checks, and its searches.

The checks that hand over random rows of features as X do not fit: here X of
OnGraph is nodes, and a graph is no table of samples (docs/python.md lists them)."""

import numpy as np
import pytest

import kith

pytest.importorskip("sklearn")

from sklearn import base, model_selection  # noqa: E402
from sklearn.utils import estimator_checks as checks  # noqa: E402

BOTH = ["check_get_params_invariance", "check_set_params",
        "check_parameters_default_constructible", "check_no_attributes_set_in_init",
        "check_estimator_get_tags_default_keys", "check_decision_proba_consistency",
        "check_non_transformer_estimators_n_iter"]
ON_GRAPH = ["check_fit1d", "check_fit_non_negative", "check_estimators_unfitted"]


def path(n):
    return kith.Graph((np.arange(n - 1), np.arange(1, n)))


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("make", [lambda: kith.NodeClassifier("linbp"),
                                  lambda: kith.OnGraph(path(9), method="linbp")])
def test_checks(name, make):
    estimator = make()
    getattr(checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("name", ON_GRAPH)
def test_checks_on_a_graph(name):
    getattr(checks, name)("OnGraph", kith.OnGraph(path(9), method="linbp"))


@pytest.fixture
def samples(planted):
    edges, y, _ = planted
    return kith.Graph(edges), np.arange(len(y)).reshape(-1, 1), y


def test_clones_share_the_graph(samples):
    graph, _, _ = samples
    x = np.ones((len(graph), 2), np.float32)
    one = kith.OnGraph(graph, x, method="lcm", lambda_=0.1)
    two = base.clone(one)
    assert two.graph is graph and two.features is one.features
    assert two.get_params() == one.get_params()
    assert base.is_classifier(two)
    assert base.clone(kith.NodeClassifier(g1=0.1)).g1 == 0.1


def test_grid_search_over_splits(samples):
    graph, nodes, y = samples
    search = model_selection.GridSearchCV(
        kith.OnGraph(graph, method="linbp", validation=0),
        {"iterations": [1, 10], "method": ["linbp", "lp"]},
        cv=model_selection.StratifiedKFold(3, shuffle=True, random_state=0))
    search.fit(nodes, y)
    assert search.best_score_ > 0.9 and "iterations" in search.best_params_
    assert search.predict(nodes[:4]).shape == (4,)
    assert search.best_estimator_.graph is graph


def test_cross_validation_in_other_processes(samples):
    graph, nodes, y = samples
    scores = model_selection.cross_val_score(
        kith.OnGraph(graph, method="linbp", no_tune=True), nodes, y, cv=3, n_jobs=2)
    assert scores.min() > 0.9


def test_classes_keep_their_type(samples):
    graph, nodes, y = samples
    words = np.array(["a", "b", "c"])[y]
    clf = kith.OnGraph(graph, method="linbp").fit(nodes[:200], words[:200])
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert clf.score(nodes[200:], words[200:]) > 0.9
