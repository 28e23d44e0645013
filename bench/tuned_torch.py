#!/usr/bin/env python3
"""A tuned two-layer GCN in PyTorch on the splits of a data set folder.

Usage: tuned_torch.py DATA THREADS SPLIT...
64 hidden, Adam at 0.01, at most 200 epochs, stopped when the validation loss
has not fallen for 30; dropout and weight decay by validation accuracy from a
grid of four: what GCN's authors took for the citation graphs and for NELL, and
more of either.  Prints one JSON line: {"seconds": ..., "accuracy": ...}, the
seconds of all training, the mean test accuracy.
"""
import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import gnn_torch

GRID = [(0.5, 5e-4), (0.1, 1e-5), (0.8, 5e-4), (0.5, 5e-3)]


def nodes(folder, split, part):
    with open(f"{folder}/splits/{split}/{part}.txt") as f:
        return torch.tensor(np.array(f.read().split(), dtype=np.int64))


class GCN(torch.nn.Module):
    """As gnn_torch.GCN, with sparse features, so that NELL fits."""

    def __init__(self, x, u, v, classes, dropout):
        super().__init__()
        n = x.shape[0]
        d = torch.bincount(u, minlength=n).float().pow(-0.5)
        self.a = torch.sparse_coo_tensor(torch.stack([u, v]), d[u] * d[v],
                                         (n, n)).coalesce()
        self.first = torch.nn.Linear(x.shape[1], 64)
        self.second = torch.nn.Linear(64, classes)
        self.dropout = dropout

    def forward(self, x):
        values = F.dropout(x.values(), self.dropout, self.training)
        x = torch.sparse_coo_tensor(x.indices(), values, x.shape)
        h = torch.sparse.mm(x, self.first.weight.t())
        h = F.relu(torch.sparse.mm(self.a, h) + self.first.bias)
        h = F.dropout(h, self.dropout, self.training)
        return torch.sparse.mm(self.a, h @ self.second.weight.t()) + self.second.bias


def fit(net, x, y, train, val, decay):
    """The best validation accuracy on the way, and the logits there."""
    adam = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=decay)
    best, logits, least, waited = -1.0, None, float("inf"), 0
    for _ in range(200):
        net.train()
        adam.zero_grad()
        F.cross_entropy(net(x)[train], y[train]).backward()
        adam.step()
        net.eval()
        with torch.no_grad():
            z = net(x)
        loss = F.cross_entropy(z[val], y[val]).item()
        right = (z[val].argmax(1) == y[val]).float().mean().item()
        if right > best:
            best, logits = right, z
        waited = 0 if loss < least else waited + 1
        least = min(least, loss)
        if waited == 30:
            break
    return best, logits


def main():
    folder, threads, splits = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    x, u, v, y, classes = gnn_torch.load_sparse(folder)
    seconds, accuracy = 0.0, []
    for split in splits:
        train, val, test = (nodes(folder, split, p) for p in ("train", "val", "test"))
        began = time.perf_counter()
        best, logits = max((fit(GCN(x, u, v, classes, p), x, y, train, val, w)
                            for p, w in GRID), key=lambda found: found[0])
        seconds += time.perf_counter() - began
        accuracy.append((logits[test].argmax(1) == y[test]).float().mean().item())
    print(json.dumps({"seconds": seconds, "accuracy": float(np.mean(accuracy))}))


if __name__ == "__main__":
    main()
