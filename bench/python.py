#!/usr/bin/env python3
"""Kith's Python package beside its peers, each on the same arrays in a process of
its own: accuracy, AUC, seconds of user's and system's time, peak memory beyond the data.

Usage: PYTHONPATH=build/python bench/python.py [--data FOLDER] [--nodes N]
           [--sets NAME,NAME] [--only WORD] [--skip WORD,WORD]

FOLDER has the data sets cora, pubmed, polblogs, facebook_sybil; without it, what is
generated alone runs: N nodes (default 1 million) and ten times as many edges.  What
takes more than 600 s or 12 GiB is stopped, and said.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp

LIMIT_SECONDS, LIMIT_BYTES = 600, 12 << 30


# ---- data ---------------------------------------------------------------------

def read(folder):
    """A data set folder with its first split as arrays."""
    import gzip

    import kith

    g = kith.Graph(folder)
    split = "paper-0" if "paper-0" in g.splits else g.splits[0]
    train, val, test = g.split(split)
    labels = kith.NodeClassifier()._labels(g, None)
    rows, columns, _ = g.csr
    a = sp.csr_matrix((np.ones(len(columns), np.float32), columns, rows))
    x = None
    for ending, how in ((".mtx", open), (".mtx.gz", gzip.open)):
        path = os.path.join(folder, "features" + ending)
        if os.path.exists(path):
            import scipy.io

            with how(path, "rb") as f:
                x = sp.csr_matrix(scipy.io.mmread(f)).astype(np.float32)
    return a, labels.of, x, train, val, test


def generate(n):
    """Two planted classes, one edge in five between them; 1 % are known."""
    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.3).astype(np.int32)
    of = [np.flatnonzero(y == c).astype(np.int32) for c in (0, 1)]
    u = rng.integers(0, n, 10 * n, dtype=np.int32)
    other = (rng.random(10 * n) < 0.2).astype(np.int8) ^ y[u].astype(np.int8)
    v = np.empty_like(u)
    for c in (0, 1):
        at = np.flatnonzero(other == c)
        v[at] = of[c][rng.integers(0, len(of[c]), len(at))]
    keep = u != v
    a = sp.coo_matrix((np.ones(keep.sum(), np.float32), (u[keep], v[keep])), (n, n))
    a = a.tocsr()
    a = a + a.T
    a.data[:] = 1
    order = rng.permutation(n).astype(np.int32)
    return a, y, None, order[:n // 100], order[:0], order[n // 100:]


# ---- methods: (a, y with -1 for unknown, x, train, val) -> n x classes ----------

def kith_linbp(a, y, x, train, val):
    """On the graph alone and untuned, as the plain one below."""
    import kith

    clf = kith.NodeClassifier("linbp", no_tune=True, validation=0)
    return clf.fit(a, y).predict_proba()


def kith_auto(a, y, x, train, val):
    """All of it: methods compared, tuned, calibrated."""
    import kith

    return kith.NodeClassifier().fit(
        a, y, X=x, val=val if len(val) else None).predict_proba()


def label_spreading(a, y, x, train, val):
    """On features as its users do; without them, on the adjacency as its kernel."""
    from sklearn.semi_supervised import LabelSpreading

    if x is not None:
        return LabelSpreading().fit(x.toarray(), y).label_distributions_
    kernel = LabelSpreading(kernel=lambda p, q: a)
    return kernel.fit(np.arange(a.shape[0]).reshape(-1, 1), y).label_distributions_


def networkx(a, y, x, train, val):
    import networkx as nx
    from networkx.algorithms.node_classification import (
        local_and_global_consistency)

    g = nx.from_scipy_sparse_array(a)
    for u in np.flatnonzero(y >= 0).tolist():
        g.nodes[u]["label"] = int(y[u])
    found = np.array(local_and_global_consistency(g))
    return np.eye(y.max() + 1)[found]


def numpy_linbp(a, y, x, train, val):
    """The formulas of docs/methods, with SciPy's product."""
    n, k = a.shape[0], int(y.max()) + 1
    d = np.maximum(np.asarray(a.sum(axis=1)).ravel(), 1)
    scale = sp.diags((1 / np.sqrt(d)).astype(np.float32))
    w = scale @ a @ scale
    q = np.zeros((n, k), np.float32)
    known = np.flatnonzero(y >= 0)
    q[known] = -1 / k
    q[known, y[known]] += 1
    h = np.full((k, k), 0.1 / max(k - 1, 1), np.float32)
    np.fill_diagonal(h, 0.9)
    h -= 1 / k
    p = q
    for _ in range(100):
        new = q + (w @ p) @ h
        done = np.abs(new - p).max() < 1e-5
        p = new
        if done:
            break
    e = np.exp(p - p.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def torch_gcn(a, y, x, train, val):
    """Two layers of 64, Adam, dropout, the epoch that validates best."""
    import torch
    import torch.nn.functional as F

    torch.manual_seed(0)
    n, k = a.shape[0], int(y.max()) + 1
    loops = (a + sp.eye(n, dtype=np.float32)).tocoo()
    d = np.asarray(loops.sum(axis=1)).ravel() ** -0.5
    adj = torch.sparse_coo_tensor(
        torch.tensor(np.stack([loops.row, loops.col]).astype(np.int64)),
        torch.tensor((d[loops.row] * d[loops.col]).astype(np.float32)), (n, n))
    if x is None:  # no features: the degree, and the labels that are known
        x = np.concatenate([np.log1p(1 / d[:, None] ** 2),
                            np.eye(k + 1)[y][:, :k]], axis=1).astype(np.float32)
    else:
        x = x.toarray() / np.maximum(np.abs(x).sum(axis=1), 1e-9)
    x = torch.tensor(np.asarray(x, np.float32))
    first, second = torch.nn.Linear(x.shape[1], 64), torch.nn.Linear(64, k)
    adam = torch.optim.Adam([*first.parameters(), *second.parameters()], 0.01,
                            weight_decay=5e-4)
    known = torch.tensor(np.setdiff1d(np.flatnonzero(y >= 0), val).astype(np.int64))
    val, of, best = torch.tensor(val.astype(np.int64)), torch.tensor(y).long(), (-1, None)
    for _ in range(200):
        for train_now in (True, False):
            h = F.relu(torch.sparse.mm(adj, first(F.dropout(x, 0.5, train_now))))
            out = torch.sparse.mm(adj, second(F.dropout(h, 0.5, train_now)))
            if train_now:
                adam.zero_grad()
                F.cross_entropy(out[known], of[known]).backward()
                adam.step()
        right = (out[val].argmax(1) == of[val]).float().mean().item() if len(val) else 0
        if right >= best[0]:
            best = right, F.softmax(out, 1).detach().numpy()
    return best[1]


METHODS = {
    "kith linbp": kith_linbp,
    "kith auto": kith_auto,
    "NumPy and SciPy, LinBP": numpy_linbp,
    "scikit-learn LabelSpreading": label_spreading,
    "networkx local_and_global_consistency": networkx,
    "PyTorch GCN": torch_gcn,
}


# ---- one run, in its own process ------------------------------------------------

def auc(y, score):
    """Of two classes, the second; ties count half."""
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(y))
    ranks[order] = np.arange(1, len(y) + 1)
    _, inverse, count = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.bincount(inverse, ranks) / count)[inverse]
    n = (y == 1).sum()
    m = len(y) - n
    return (ranks[y == 1].sum() - n * (n + 1) / 2) / (n * m) if n and m else np.nan


def used():
    t = resource.getrusage(resource.RUSAGE_SELF)
    return t.ru_utime + t.ru_stime, t.ru_maxrss * 1024


def one(name, path):
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS,) * 2)
    with np.load(path, allow_pickle=True) as f:
        a, x = f["a"].item(), f["x"].item()
        y, train, val, test = f["y"], f["train"], f["val"], f["test"]
    known = np.full(len(y), -1, np.int32)
    known[train], known[val] = y[train], y[val]
    before, base = used()
    began = time.time()
    try:
        p = METHODS[name](a, known, x, train, val)
    except MemoryError:
        print(json.dumps({"why": "more than 12 GiB"}))
        return
    wall = time.time() - began
    after, peak = used()
    test = test[y[test] >= 0]
    print(json.dumps({
        "accuracy": float((p[test].argmax(axis=1) == y[test]).mean()),
        "auc": float(auc(y[test], p[test, 1])) if p.shape[1] == 2 else None,
        "cpu": after - before, "wall": wall, "bytes": peak - base}))


def run(name, path):
    out = subprocess.run([sys.executable, __file__, "--one", name, path],
                         capture_output=True, text=True)
    lines = out.stdout.strip().split("\n")
    if out.returncode == 0 and lines[-1].startswith("{"):
        return json.loads(lines[-1])
    if "MemoryError" in out.stderr or "can't allocate" in out.stderr or \
            "bad_alloc" in out.stderr:
        return {"why": "more than 12 GiB"}
    if out.returncode < 0:
        return {"why": f"more than {LIMIT_SECONDS} s"}
    return {"why": "failed: " + (out.stderr.strip().split("\n") or [""])[-1][:80]}


# ---- ids ------------------------------------------------------------------------

def build_from_ids(n, m):
    """A graph from a frame of string ids: kith and networkx, seconds of CPU."""
    import networkx as nx
    import pandas

    import kith

    rng = np.random.default_rng(2)
    ids = np.array([f"account-{i:07d}" for i in range(n)], object)
    f = pandas.DataFrame({"u": ids[rng.integers(0, n, m)],
                          "v": ids[rng.integers(0, n, m)]})
    t = used()[0]
    kith.Graph(f, "u", "v")
    kith_seconds = used()[0] - t
    t = used()[0]
    nx.from_pandas_edgelist(f, "u", "v")
    return kith_seconds, used()[0] - t


# ---- all of them ----------------------------------------------------------------

def row(data, name, r):
    if "why" in r:
        return f"| {data} | {name} | {r['why']} | | | | |"
    area = "" if r["auc"] is None or np.isnan(r["auc"]) else f"{r['auc']:.3f}"
    return (f"| {data} | {name} | {r['accuracy']:.3f} | {area} | {r['cpu']:.2f} | "
            f"{r['wall']:.2f} | {r['bytes'] / 1e6:.0f} |")


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--data")
    args.add_argument("--nodes", type=int, default=1_000_000)
    args.add_argument("--sets", default="cora,pubmed,polblogs,facebook_sybil")
    args.add_argument("--only", default="")
    args.add_argument("--skip", default="none")
    args.add_argument("--one", nargs=2)
    a = args.parse_args()
    if a.one:
        one(*a.one)
        return
    sets = [] if not a.data else [
        (n, lambda n=n: read(os.path.join(a.data, n)))
        for n in a.sets.split(",")]
    if a.nodes:
        sets.append((f"generated, {a.nodes:,} nodes", lambda: generate(a.nodes)))
    print("| data | method | accuracy | AUC | CPU s | wall s | MB |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for data, make in sets:
            path = os.path.join(folder, "d.npz")
            parts = dict(zip(("a", "y", "x", "train", "val", "test"), make()))
            np.savez(path, **{k: np.array(v, object) if k in "ax" else v
                              for k, v in parts.items()})
            del parts
            for name in METHODS:
                if a.only in name and not any(w in name for w in a.skip.split(",")):
                    print(row(data, name, run(name, path)), flush=True)
    if not a.only:
        mine, theirs = build_from_ids(200_000, 1_000_000)
        print(f"\nA graph from a frame with string ids, 1 million edges: kith "
              f"{mine:.2f} s of CPU, networkx {theirs:.2f} s, {theirs / mine:.0f}x")


if __name__ == "__main__":
    main()
