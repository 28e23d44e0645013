#!/usr/bin/env python3
"""Seconds of a training epoch of GCN and GAT in PyTorch, on a data set folder.

Usage: gnn_torch.py DATA SPLIT THREADS EPOCHS
Prints one JSON line per model: {"name": "gcn", "seconds": ...}.  The models are
those of src/models/baselines/gcn.c and gat.c: same sizes, dropout, Adam, all nodes in
every step, the usual sparse tensors and scatter operations.
"""
import glob
import gzip
import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F


def text(stem):
    path = sorted(glob.glob(stem + "*"))[0]
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def load_sparse(folder):
    """Features with rows that sum to 1, edges both ways and loops, classes."""
    with text(folder + "/features.mtx") as f:
        lines = [x for x in f if not x.startswith("%")]
    n, columns, _ = map(int, lines[0].split()[:3])
    cells = np.array([x.split() for x in lines[1:]], dtype=np.float64)
    if cells.shape[1] == 2:
        cells = np.column_stack([cells, np.ones(len(cells))])
    with text(folder + "/edges.tsv") as f:
        edges = np.array([x.split()[:2] for x in f if x[0] not in "#%"],
                         dtype=np.int64)
    edges = np.concatenate([edges, edges[:, ::-1]])
    with text(folder + "/labels.tsv") as f:
        rows = [x.split()[:2] for x in f if x[0] not in "#%"]
    names = {c: i for i, c in enumerate(sorted({c for _, c in rows}))}
    y = np.zeros(n, dtype=np.int64)
    for node, c in rows:
        y[int(node)] = names[c]
    at = cells[:, :2].astype(np.int64) - 1
    sums = np.bincount(at[:, 0], np.abs(cells[:, 2]), n)
    x = torch.sparse_coo_tensor(torch.tensor(at.T), torch.tensor(
        cells[:, 2] / np.maximum(sums[at[:, 0]], 1e-12),
        dtype=torch.float32), (n, columns)).coalesce()
    own = np.arange(n)
    u = torch.tensor(np.concatenate([edges[:, 0], own]))
    v = torch.tensor(np.concatenate([edges[:, 1], own]))
    return x, u, v, torch.tensor(y), len(names)


def load(folder, split):
    x, u, v, y, classes = load_sparse(folder)
    with open(folder + "/splits/" + split + "/train.txt") as f:
        train = torch.tensor(np.array(f.read().split(), dtype=np.int64))
    return x.to_dense(), u, v, y, train, classes


class GCN(torch.nn.Module):
    def __init__(self, x, u, v, classes):
        super().__init__()
        n = x.shape[0]
        d = torch.bincount(u, minlength=n).float().pow(-0.5)
        self.a = torch.sparse_coo_tensor(torch.stack([u, v]), d[u] * d[v],
                                         (n, n)).coalesce().to_sparse_csr()
        self.first = torch.nn.Linear(x.shape[1], 64)
        self.second = torch.nn.Linear(64, classes)

    def forward(self, x):
        x = F.dropout(x, 0.5, self.training)
        h = F.relu(self.a @ (x @ self.first.weight.t()) + self.first.bias)
        h = F.dropout(h, 0.5, self.training)
        return self.a @ (h @ self.second.weight.t()) + self.second.bias


class Attention(torch.nn.Module):
    def __init__(self, columns, heads, size):
        super().__init__()
        self.heads, self.size = heads, size
        self.w = torch.nn.Linear(columns, heads * size, bias=False)
        self.s = torch.nn.Parameter(torch.randn(heads, size) * 0.1)
        self.t = torch.nn.Parameter(torch.randn(heads, size) * 0.1)
        self.b = torch.nn.Parameter(torch.zeros(heads * size))

    def forward(self, x, u, v):
        n = x.shape[0]
        h = self.w(x).view(n, self.heads, self.size)
        e = F.leaky_relu((h * self.s).sum(-1)[u] + (h * self.t).sum(-1)[v], 0.2)
        e = (e - e.max()).exp()
        total = torch.zeros(n, self.heads).index_add(0, u, e)
        a = F.dropout(e / total[u], 0.6, self.training)
        out = torch.zeros(n, self.heads, self.size)
        out = out.index_add(0, u, a.unsqueeze(-1) * h[v])
        return out.view(n, -1) + self.b


class GAT(torch.nn.Module):
    def __init__(self, x, u, v, classes):
        super().__init__()
        self.u, self.v = u, v
        self.first = Attention(x.shape[1], 8, 8)
        self.second = Attention(64, 1, classes)

    def forward(self, x):
        x = F.dropout(x, 0.6, self.training)
        h = F.elu(self.first(x, self.u, self.v))
        h = F.dropout(h, 0.6, self.training)
        return self.second(h, self.u, self.v)


def main():
    folder, split, threads, epochs = sys.argv[1:5]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    x, u, v, y, train, classes = load(folder, split)
    for name, model in (("gcn", GCN), ("gat", GAT)):
        net = model(x, u, v, classes)
        net.train()
        adam = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
        seconds = []
        for _ in range(int(epochs) + 2):
            began = time.perf_counter()
            adam.zero_grad()
            F.cross_entropy(net(x)[train], y[train]).backward()
            adam.step()
            seconds.append(time.perf_counter() - began)
        print(json.dumps({"name": name, "seconds": float(np.median(seconds[2:]))}))


if __name__ == "__main__":
    main()
