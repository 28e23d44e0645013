"""W X in SciPy and in PyTorch, for bench/peers.sh.

    peers_python.py scipy|torch GRAPH.kg NAME CLASSES REPEATS THREADS

Reads a version 1 file (docs/formats/kg.md), W = D^-1/2 A D^-1/2 in float32 with
int32 indices, and prints a JSON line: the least of REPEATS times.
"""

import json
import sys
import time

import numpy as np


def sections(path):
    """The arrays rows and nbrs of a built file."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    assert int(raw[8:12].view(np.uint32)[0]) == 1, "expected a version 1 file"
    found = {}
    for i in range(int(raw[12:16].view(np.uint32)[0])):
        entry = raw[64 + 40 * i : 104 + 40 * i]
        tag = bytes(entry[:8]).rstrip(b"\0").decode()
        at, size = (int(x) for x in entry[8:24].view(np.uint64))
        if tag in ("rows", "nbrs"):
            kind = np.int64 if tag == "rows" else np.int32
            found[tag] = np.array(raw[at : at + size]).view(kind)
    return found["rows"], found["nbrs"]


def least(step, repeats, threads):
    """The least time of a call, after one that is not counted; as `kith bench`,
    of one thread the processor's time."""
    clock = time.process_time if threads == "1" else time.perf_counter
    step()
    times = []
    for _ in range(repeats):
        begun = clock()
        step()
        times.append(clock() - begun)
    return min(times)


def main():
    """Time the peer that was asked for."""
    which, path, name, classes, repeats, threads = sys.argv[1:]
    rows, nbrs = sections(path)
    n = len(rows) - 1
    degree = np.diff(rows).astype(np.float64)
    scale = np.where(degree > 0, degree, 1) ** -0.5
    weights = np.repeat(scale, np.diff(rows)) * scale[nbrs]
    weights = weights.astype(np.float32)
    x = np.random.default_rng(1).random((n, int(classes)), dtype=np.float32)
    if which == "scipy":
        import scipy.sparse

        matrix = scipy.sparse.csr_matrix((n, n), dtype=np.float32)
        matrix.indptr, matrix.indices = rows.astype(np.int32), nbrs
        matrix.data = weights
        peer = "SciPy"
        seconds = least(lambda: matrix @ x, int(repeats), threads)
    else:
        import torch

        torch.set_num_threads(int(threads))
        matrix = torch.sparse_csr_tensor(
            torch.from_numpy(rows.astype(np.int32)),
            torch.from_numpy(nbrs),
            torch.from_numpy(weights),
            size=(n, n),
        )
        dense = torch.from_numpy(x)
        peer = "PyTorch"
        seconds = least(lambda: matrix @ dense, int(repeats), threads)
    print(json.dumps({"graph": name, "peer": peer, "seconds": seconds}))


main()
