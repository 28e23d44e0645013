"""The peer of bench_methods: LCM, BP and LinBP in NumPy and SciPy.

    python3 methods_numpy.py OUTDIR

Reads what `bench_methods DATASET OUTDIR` left there, computes the same in
float64, and prints one JSON line per measurement: the median of ROUNDS runs
after one that is not counted, and the largest difference from our beliefs.
Exit status 1 if one is not below TOLERANCE.

LCM comes twice.  `lcm` has the formulas as they stand, over all edges.
`lcm_tuned` is what one gets by thinking about NumPy: what is constant in a fit
is made once, W is changed in place, and errors are taken at the edges of
training nodes alone.
"""
import json
import sys
import time

import numpy as np
import scipy.sparse as sp

ROUNDS, TOLERANCE = 5, 1e-3
ITERATIONS, OUTER, INNER = 10, 4, 4
SMALLEST = 1e-6  # of a potential or message in BP


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Task:
    """Graph, training nodes and potentials, and all that no fit changes."""

    def __init__(self, folder):
        def load(name, kind):
            return np.fromfile(f"{folder}/{name}", kind)

        with open(f"{folder}/sizes.json", encoding="ascii") as f:
            sizes = json.load(f)
        self.folder, self.n, self.c = folder, sizes["nodes"], sizes["classes"]
        self.indptr = load("rows.i64", "<i8").astype(np.int32)
        self.v = load("neighbours.i32", "<i4")
        self.u = np.repeat(np.arange(self.n, dtype=np.int32),
                           np.diff(self.indptr))
        self.train = load("train.i32", "<i4")
        self.y = np.eye(self.c)[load("truth.i32", "<i4")]
        self.phi = self.table("potentials")
        try:
            a = load("weights.f32", "<f4").astype(float)
        except FileNotFoundError:
            a = np.ones(len(self.v))
        d = np.bincount(self.u, a, self.n)
        scale = np.divide(1, np.sqrt(d), where=d > 0, out=np.zeros(self.n))
        self.w = a * scale[self.u] * scale[self.v]
        self.h = np.full((self.c, self.c), .1 / (self.c - 1))
        np.fill_diagonal(self.h, .9)
        self.h -= 1 / self.c
        # Where each edge stands in the other row: sorting by (v, u) lists the
        # reverse of entry 0, 1, ...
        self.reverse = np.lexsort((self.u, self.v))
        # Entries in rows of training nodes, and the row of `train` of each.
        rows = [np.arange(self.indptr[l], self.indptr[l + 1])
                for l in self.train]
        self.at = np.concatenate(rows)
        self.row_of_at = np.repeat(np.arange(len(rows)),
                                   [len(r) for r in rows])

    def table(self, name):
        return np.fromfile(f"{self.folder}/{name}.f64",
                           "<f8").reshape(self.n, self.c)

    def matrix(self, w):
        return sp.csr_matrix((w, self.v, self.indptr), (self.n, self.n))


def linbp(t):
    """P <- Q + W P H"""
    w, q = t.matrix(t.w), t.phi - 1 / t.c
    p = q
    for _ in range(ITERATIONS):
        p = q + w @ p @ t.h
    return p


def lcm(t, g1=.05, g2=.0005, lam=.05):
    """The formulas at the top of src/models/lcm/lcm.c, as written."""
    u, v, w, h, q = t.u, t.v, t.w, t.h, t.phi - 1 / t.c
    p = q
    for _ in range(OUTER):
        p = q + t.matrix(w) @ p @ h
        s = softmax(p)
        for _ in range(INNER):
            matrix = t.matrix(w)
            wp = matrix[t.train] @ p
            e = t.y - softmax(q[t.train] + wp @ h)
            eh = np.zeros((t.n, t.c))
            eh[t.train] = e @ h
            dw = -(eh[u] * p[v]).sum(1) - (eh[v] * p[u]).sum(1)
            dw -= lam * ((s @ h)[u] * s[v]).sum(1)
            dh = -wp.T @ e - e.T @ wp - lam / 2 * s.T @ (matrix @ s)
            w, h = w - g1 * dw, h - g2 * dh
    return q + t.matrix(w) @ p @ h


def lcm_tuned(t, g1=.05, g2=.0005, lam=.05):
    """The same."""
    w, h, q = t.w.copy(), t.h.copy(), t.phi - 1 / t.c
    matrix = t.matrix(w)
    w = matrix.data  # a view or a copy: this is what the products read
    q_train = q[t.train]
    u_at, v_at, back = t.row_of_at, t.v[t.at], t.reverse[t.at]
    p = q
    for _ in range(OUTER):
        p = q + matrix @ p @ h
        s = softmax(p)
        s_v, p_at = s[t.v], p[v_at]
        for _ in range(INNER):
            wp = (matrix @ p)[t.train]
            e = t.y - softmax(q_train + wp @ h)
            ws = matrix @ s
            dh = wp.T @ e
            dh = -(dh + dh.T) - lam * .5 * (s.T @ ws)
            push = g1 * np.einsum("ij,ij->i", (e @ h)[u_at], p_at)
            w += g1 * lam * np.einsum("ij,ij->i", (s @ h)[t.u], s_v)
            w[t.at] += push    # no index repeats in `at`,
            w[back] += push    # nor in `back`
            h = h - g2 * dh
    return q + matrix @ p @ h


def bp(t):
    """The messages of src/models/propagation/bp.c: entry i of row v, neighbour u, holds
    log m_uv; all are renewed at once."""
    entries = len(t.v)
    total = sp.csr_matrix((np.ones(entries), np.arange(entries), t.indptr),
                          (t.n, entries))  # sums the rows' messages
    log_phi = np.log(np.maximum(t.phi, SMALLEST))
    m = np.full((entries, t.c), -np.log(t.c))
    weight = t.w[:, None]
    for _ in range(ITERATIONS):
        cavity = softmax((log_phi + total @ m)[t.u] - m)
        sent = np.maximum(1 / t.c + weight * (cavity @ t.h), SMALLEST)
        sent = np.log(sent / sent.sum(1, keepdims=True))
        m = sent[t.reverse]  # its own inverse
    return log_phi + total @ m


def two_points(t, method):
    """The first two points of the paper's grid."""
    return [method(t, .02, .0002, .02), method(t, .02, .0002, .05)]


def measure(run):
    run()
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        out = run()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[ROUNDS // 2], out


def main():
    t = Task(sys.argv[1])
    good = True
    two = ["grid", "grid1"]
    for name, run, files in [
            ("lcm", lambda: [lcm(t)], ["lcm"]),
            ("lcm tuned", lambda: [lcm_tuned(t)], ["lcm"]),
            ("bp", lambda: [bp(t)], ["bp"]),
            ("linbp", lambda: [linbp(t)], ["linbp"]),
            ("grid", lambda: two_points(t, lcm), two),
            ("grid tuned", lambda: two_points(t, lcm_tuned), two)]:
        seconds, found = measure(run)
        off = max(np.abs(p - t.table(f)).max() for p, f in zip(found, files))
        good = good and off < TOLERANCE
        print(json.dumps({"name": name, "seconds": round(seconds, 6),
                          "difference": float(f"{off:.2g}")}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
