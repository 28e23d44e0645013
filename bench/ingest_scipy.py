"""The peer of `kith graph build`: numpy.loadtxt and a symmetric SciPy CSR."""
import sys

import numpy as np
import scipy.sparse as sp

ends = np.loadtxt(sys.argv[1], dtype=np.int64)
n = int(ends.max()) + 1
ones = np.ones(len(ends), np.float32)
a = sp.coo_matrix((ones, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
a = (a + a.T).tocsr()
a.sort_indices()
print(n, a.nnz // 2)
