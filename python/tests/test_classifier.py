"""The estimator: the command's answers, and scikit-learn's ways."""

import copy
import pickle

import numpy as np
import pytest

import kith
from kith import _options
from conftest import DATA, SHARED, Csr, csr_of

KNOWN = {1: "Mr. Hi", 2: "Mr. Hi", 34: "Officer", 33: "Officer"}


@pytest.mark.parametrize("method", ["auto", "lcm-em", "linbp", "lcm", "bp",
                                    "lp"])
def test_the_bytes_of_the_command(method, karate, command, tmp_path):
    labels = tmp_path / "known.tsv"
    labels.write_text("".join(f"{k}\t{v}\n" for k, v in KNOWN.items()))
    command("classify", DATA / "karate", "--labels", labels, "--method", method, "-o",
            tmp_path / "c.tsv", "-q")
    clf = kith.NodeClassifier(method).fit(karate, KNOWN)
    clf.write(tmp_path / "p.tsv")
    assert (tmp_path / "p.tsv").read_bytes() == (tmp_path / "c.tsv").read_bytes()


def test_probabilities_are_those_that_the_command_prints(karate, command, tmp_path):
    labels = tmp_path / "known.tsv"
    labels.write_text("".join(f"{k}\t{v}\n" for k, v in KNOWN.items()))
    command("classify", DATA / "karate", "--labels", labels, "--method", "lcm", "-o",
            tmp_path / "c.tsv", "-q")
    rows = [line.split("\t") for line in (tmp_path / "c.tsv").read_text().split("\n")]
    p = kith.NodeClassifier("lcm").fit(karate, KNOWN).predict_proba().astype(float)
    p /= p.sum(axis=1, keepdims=True)
    assert [r[-2:] for r in rows[1:-1]] == [[f"{x:.7g}" for x in q] for q in p]


@pytest.mark.skipif(not SHARED.exists(), reason="no data sets beside the project")
def test_the_bytes_of_the_command_with_features(command, tmp_path):
    cora = SHARED / "cora"
    train = (cora / "splits/paper-0/train.txt").read_text().split()
    of = dict(line.split("\t") for line in
              (cora / "labels.tsv").read_text().split("\n") if "\t" in line)
    labels = tmp_path / "known.tsv"
    labels.write_text("".join(f"{k}\t{of[k]}\n" for k in train))
    command("classify", cora, "--labels", labels, "--method", "linbp", "-o",
            tmp_path / "c.tsv", "-q", "--smooth", 1)
    clf = kith.NodeClassifier("linbp", smooth=1).fit(cora, {k: of[k] for k in train})
    clf.write(tmp_path / "p.tsv")
    assert (tmp_path / "p.tsv").read_bytes() == (tmp_path / "c.tsv").read_bytes()


def test_all_ways_to_give_the_graph_agree(planted):
    edges, y, known = planted
    want = kith.NodeClassifier("linbp").fit(edges, known).predict_proba()
    got = kith.NodeClassifier("linbp").fit(Csr(*csr_of(edges, len(y))), known)
    assert (got.predict_proba() == want).all()
    assert got.score(np.flatnonzero(known < 0), y[known < 0]) > 0.9


@pytest.mark.parametrize("make", [
    lambda y: y, lambda y: y.astype(float), lambda y: y.tolist(),
    lambda y: np.where(y < 0, np.nan, y), lambda y: y.astype(np.int8),
    lambda y: [None if c < 0 else int(c) for c in y],
    lambda y: {i: int(c) for i, c in enumerate(y) if c >= 0}])
def test_all_ways_to_give_labels_agree(planted, make):
    edges, _, known = planted
    want = kith.NodeClassifier("linbp").fit(edges, known)
    got = kith.NodeClassifier("linbp").fit(edges, make(known))
    assert (got.predict_proba() == want.predict_proba()).all()
    assert got.classes_.tolist() == [0, 1, 2] and got.predict().dtype.kind == "i"


def test_labels_as_texts_booleans_and_series(planted):
    edges, _, known = planted
    words = np.array(["red", "green", "blue", ""])[known]
    clf = kith.NodeClassifier("linbp").fit(edges, words)
    assert clf.classes_.tolist() == ["blue", "green", "red"]
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(words[known >= 0], index=np.flatnonzero(known >= 0))
    assert (kith.NodeClassifier("linbp").fit(edges, series).predict_proba() ==
            clf.predict_proba()).all()
    category = pandas.Series(np.where(known < 0, None, words), dtype="category")
    assert (kith.NodeClassifier("linbp").fit(edges, category).predict() ==
            clf.predict()).all()
    flags = {0: True, 1: False, 3: True, 4: False}
    assert kith.NodeClassifier("linbp").fit(edges, flags).classes_.dtype == bool


def test_all_ways_to_give_features_agree(planted):
    edges, y, known = planted
    x = (np.random.default_rng(3).random((len(y), 5)) < 0.3).astype(np.float32)
    x[:, 0] += y
    fit = kith.NodeClassifier("logreg").fit
    want = fit(edges, known, x).predict_proba()
    assert (fit(edges, known, x.astype(np.float64)).predict_proba() == want).all()
    assert (fit(edges, known, np.asfortranarray(x)).predict_proba() == want).all()
    frame = {f"c{i}": x[:, i] for i in range(5)}
    assert (fit(edges, known, frame).predict_proba() == want).all()
    sparse = pytest.importorskip("scipy.sparse")
    got = fit(edges, known, sparse.csr_matrix(x)).predict_proba()
    assert np.abs(got - want).max() < 1e-4
    pandas = pytest.importorskip("pandas")
    shuffled = pandas.DataFrame(x).sample(frac=1, random_state=1)
    assert (fit(edges, known, shuffled).predict_proba() == want).all()


def test_dlpack_and_categories(planted):
    edges, y, known = planted
    x = np.random.default_rng(3).random((len(y), 3), np.float32)

    class Tensor:
        def __dlpack__(self, stream=None):
            return x.__dlpack__()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    fit = kith.NodeClassifier("logreg").fit
    assert (fit(edges, known, Tensor()).predict_proba() ==
            fit(edges, known, x).predict_proba()).all()
    words = {"word": np.array(["a", "b", "c"])[y], "size": x[:, 0]}
    clf = fit(edges, known, words)
    assert clf.n_features_in_ == 4
    assert clf.score(np.arange(len(y)), y) > 0.9


def test_nodes_to_tune_on(planted):
    edges, y, known = planted
    val = np.flatnonzero(known >= 0)[::3]
    mask = np.zeros(len(y), bool)
    mask[val] = True
    a = kith.NodeClassifier("lcm").fit(edges, known, val=val)
    b = kith.NodeClassifier("lcm").fit(edges, known, val=mask)
    assert (a.predict_proba() == b.predict_proba()).all()
    assert a.choice_["validation"] > 0.5
    with pytest.raises(ValueError, match="val"):
        kith.NodeClassifier("lcm").fit(edges, known, val=np.flatnonzero(known < 0))


def test_answers(planted):
    edges, y, known = planted
    clf = kith.NodeClassifier("lcm", coverage=0.9).fit(edges, known)
    assert clf.predict_proba().shape == (len(y), 3)
    assert np.allclose(clf.predict_proba().sum(axis=1), 1, atol=1e-5)
    assert set(clf.evidence_) <= {"none", "weak", "some", "strong"}
    assert clf.coupling_.shape == (3, 3) and clf.certificate_["rho"] < 1
    sets = clf.predict_set(0.9)
    assert sets.dtype == bool and sets[np.arange(len(y)), y].mean() > 0.85
    assert clf.predict_set(0.99).sum() >= sets.sum()
    assert clf.choice_["method"] == "lcm" and "lambda" in clf.choice_["params"]
    assert "learnt from" in clf.summary()
    assert len(clf.to_frame()) == len(y)


def test_explanations_sum_to_the_belief(planted):
    edges, _, known = planted
    clf = kith.NodeClassifier("linbp").fit(edges, known)
    why = clf.explain(5, class_=1)
    rest = why.everything["unconverged"] + why.everything["constant"]
    assert abs(why.contributions.sum() + rest - why.belief) < 1e-4
    assert why.text == repr(why) and "<svg" in why._repr_html_()
    assert why.html.startswith("<!")
    with pytest.raises(ValueError, match="class 'x'"):
        clf.explain(5, class_="x")


def test_suggestions_and_rankings(planted, karate):
    edges, y, known = planted
    clf = kith.NodeClassifier("linbp", no_tune=True).fit(edges, known)
    found = clf.suggest(7)
    assert len(found) == 7 and (known[found.nodes] < 0).all()
    assert (np.diff(found["score"]) <= 0).all()
    among = np.flatnonzero(known < 0)[:20]
    assert set(clf.suggest(5, among).nodes) <= set(among)
    top = clf.rank(1, budget=30)
    assert len(top) == 30 and (y[top.nodes] == 1).mean() > 0.8
    assert (np.diff(top["probability"]) <= 0).all()
    assert clf.rank(1, precision=0.9).expected["precision"]["estimate"] >= 0.9
    with pytest.raises(ValueError, match="only one"):
        clf.rank(1, precision=0.9, budget=3)


def test_labels_that_arrive_later(planted):
    edges, y, known = planted
    clf = kith.NodeClassifier("lcm").fit(edges, known)
    before = clf.predict_proba().copy()
    new = np.flatnonzero(known < 0)[:30]
    assert clf.partial_fit(new, y[new]) is clf
    assert clf.refit_ == {"kept": (known >= 0).sum(), "added": 30, "changed": 0,
                          "gone": 0}
    assert (clf.predict_proba() != before).any()
    clf.partial_fit({int(new[0]): int(y[new[0]])})
    assert clf.refit_["added"] == 0
    with pytest.raises(ValueError, match="class '9'"):
        clf.partial_fit([1], [9])
    assert "learnt from" in clf.summary()


def test_files_of_the_command(karate, command, tmp_path):
    clf = kith.NodeClassifier("linbp").fit(karate, KNOWN)
    clf.save(tmp_path / "m.km")
    command("predict", "--model", tmp_path / "m.km", DATA / "karate", "-o",
            tmp_path / "c.tsv", "-q")
    again = kith.load(tmp_path / "m.km", karate)
    assert (again.predict_proba() == clf.predict_proba()).all()
    again.write(tmp_path / "p.tsv")
    assert (tmp_path / "p.tsv").read_bytes() == (tmp_path / "c.tsv").read_bytes()
    with pytest.raises(kith.NotFittedError, match="without a graph"):
        kith.load(tmp_path / "m.km").predict()


def test_report(planted, tmp_path):
    edges, _, known = planted
    clf = kith.NodeClassifier("linbp", no_tune=True).fit(edges, known)
    clf.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!") and 10_000 < len(page) < 1_000_000
    assert "<svg" in clf._repr_html_()


def test_pickle_and_copies(planted):
    edges, y, known = planted
    clf = kith.NodeClassifier("lcm", lambda_=0.1, no_tune=True).fit(edges, known)
    for again in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        assert (again.predict_proba() == clf.predict_proba()).all()
        assert again.get_params() == clf.get_params()
        assert again.explain(3).belief == clf.explain(3).belief
        again.partial_fit([0], [int(y[0])])
    fresh = pickle.loads(pickle.dumps(kith.NodeClassifier("lcm", g1=0.1)))
    assert fresh.get_params()["g1"] == 0.1


def test_several_labels_a_node(planted):
    edges, y, known = planted
    truth = np.stack([y == 0, y == 1, y != 2], axis=1)
    matrix = np.where((known >= 0)[:, None], truth, np.nan)
    clf = kith.NodeClassifier("linbp", iterations=10).fit(edges, matrix)
    assert clf.predict_proba().shape == (len(y), 3)
    assert (clf.predict()[:, :2] == truth[:, :2]).mean() > 0.85
    one = kith.NodeClassifier("linbp", iterations=10).fit(
        edges, np.where(known >= 0, y == 0, -1).astype(int))
    assert np.abs(one.predict_proba()[:, 1] - clf.predict_proba()[:, 0]).max() < 0.2
    same = kith.NodeClassifier("linbp", iterations=10).fit(
        edges, np.where(np.isnan(matrix), -1, matrix).astype(int))
    assert (same.predict_proba() == clf.predict_proba()).all()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict_proba() == clf.predict_proba()).all()
    assert clf.choice_["tasks"][0]["positives"] > 0 and set(clf.evidence_)
    assert "<svg" in clf._repr_html_()
    with pytest.raises(NotImplementedError, match="one column"):
        clf.explain(0)
    with pytest.raises(NotImplementedError, match="shares"):
        kith.NodeClassifier().fit(edges, np.full((len(y), 2), 0.5))
    assert clf.fit(edges, known).predict().ndim == 1 and clf.explain(0)


def test_options_are_the_library_s(planted, command):
    table = {o["name"]: o for o in kith.options()}
    assert {"iterations", "lambda_", "validation", "random_state"} <= set(table)
    clf = kith.NodeClassifier(iterations=7, clamp=True, prep="l2", lambda_=0.1)
    assert clf.get_params()["lambda_"] == 0.1 and clf.iterations == 7
    assert set(table) <= set(clf.get_params())
    assert kith.NodeClassifier(fit_="train").get_params()["fit_"] == "train"
    assert all(callable(getattr(clf, m)) for m in _options._METHODS)
    assert repr(clf).startswith("NodeClassifier(")
    clf.set_params(iterations=None, method="linbp")
    assert repr(clf) == "NodeClassifier(method='linbp', prep='l2', clamp=True, " \
        "lambda_=0.1)" or "method='linbp'" in repr(clf)
    edges, _, known = planted
    with pytest.raises(ValueError, match="iterations"):
        kith.NodeClassifier(iterations=0).fit(edges, known)
    with pytest.raises(ValueError, match="'prep': expected one of"):
        kith.NodeClassifier(prep="no such").fit(edges, known)
    with pytest.raises(TypeError, match="iteration"):
        kith.NodeClassifier(iteration=3)


def test_evaluate(planted):
    edges, y, _ = planted
    order = np.random.default_rng(4).permutation(len(y))
    splits = [(order[:60], order[60:120], order[120:]), (order[200:260], order[:200])]
    scores = kith.evaluate(edges, y, methods=["linbp", "lp"], splits=splits)
    assert list(scores["method"]) == ["linbp", "linbp", "lp", "lp"]
    assert (np.asarray(scores["accuracy"]) > 0.8).all()
    drawn = kith.evaluate(edges, y, methods="linbp", train_per_class=10, val=60,
                          trials=3)
    assert len(drawn) == 3
    with pytest.raises(ValueError, match="split 0"):
        kith.evaluate(edges, y, methods="linbp", splits=[([0, 9999], [1])])


@pytest.mark.skipif(not SHARED.exists(), reason="no data sets beside the project")
def test_evaluate_is_the_command_s(command):
    import json

    want = json.loads(command("eval", SHARED / "cora", "--methods", "linbp", "--splits",
                              "paper-0,paper-1", "--no-tune", "--json"))
    got = kith.evaluate(SHARED / "cora", methods=["linbp"], no_tune=True,
                        splits=["paper-0", "paper-1"])
    assert list(got["accuracy"]) == [t["test"] for r in want["results"]
                                     for t in r["trials"]]
