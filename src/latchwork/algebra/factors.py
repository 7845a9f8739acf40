"""Dense factorizations as kernels: pivoted Householder QR, least norm by it, and the two Jacobi iterations.

Matrices are row-major and overwritten; orders of pivots are kept as floats, so that one array serves as workspace.
Small systems are meant: loops that can be read, no blocking.  [Golub and Van Loan, ch. 3, 5 and 8]
"""

from __future__ import annotations

from latchwork.algebra.elimination import swap
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import minimum

SWEEPS = 60  # of a Jacobi iteration; about ten are needed
ROUNDING = 1e-16  # entries as parts of the whole below this are zero
EPS = 2.0**-52  # times √m: columns of m entries whose cosine is below this are at right angles
SLACK = 1e-12  # of the square of the longest column: squares that are kept up to date are off by less
DUST = 1e-29  # squared columns below this part of the whole are rounding


@kernel
def squares_below(rows: i64, cols: i64, A: f64p, first: i64, total: f64p) -> None:
    """``Σ A_ij²`` of the columns j ≥ ``first``, from row ``first`` on."""
    for j in range(first, cols):
        total[j] = 0.0
    for i in range(first, rows):
        for j in range(first, cols):
            total[j] += A[i * cols + j] * A[i * cols + j]


@kernel
def reflect_behind(rows: i64, cols: i64, k: i64, A: f64p, tau: f64, w: f64p) -> None:
    """``A ← H_k A`` in the columns behind k, row by row; w is room for ``τ vᵀ A``."""
    for j in range(k + 1, cols):
        w[j] = A[k * cols + j]
    for i in range(k + 1, rows):
        factor = A[i * cols + k]
        for j in range(k + 1, cols):
            w[j] += factor * A[i * cols + j]
    for j in range(k + 1, cols):
        w[j] *= tau
        A[k * cols + j] -= w[j]
    for i in range(k + 1, rows):
        factor = A[i * cols + k]
        for j in range(k + 1, cols):
            A[i * cols + j] -= factor * w[j]


@kernel
def norm_below(rows: i64, cols: i64, A: f64p, first: i64, j: i64) -> f64:
    """``√Σ A_ij²`` of column j, from row ``first`` on."""
    total = 0.0
    for i in range(first, rows):
        total += A[i * cols + j] * A[i * cols + j]
    return sqrt(total)


@kernel
def longest_below(rows: i64, cols: i64, A: f64p, k: i64, square: f64p, slack: f64) -> tuple[i64, f64]:
    """The longest column from row and column k on, and its length; squares are known to within ``slack``."""
    most, best, size = 0.0, k, -1.0
    for j in range(k, cols):
        most = square[j] if square[j] > most else most
    for j in range(k, cols):
        if square[j] >= most - 2.0 * slack:
            length = norm_below(rows, cols, A, k, j)
            if length > size:
                best, size = j, length
    return best, size


@kernel
def qr(rows: i64, cols: i64, cut: f64, A: f64p, tau: f64p, p: f64p, room: f64p) -> i64:
    """``A Π = Q R`` with ``Q = H_0 H_1 ...``, ``H = I − τ v vᵀ`` and v below the diagonal of R; gives the rank.

    The longest column that is left comes next; it ends where that is shorter than ``cut`` times the first. Squares of
    columns, in the place of τ to come, lose A_kj² in each step; among those that are as long, lengths are taken anew.
    """
    first, slack = 0.0, 0.0
    for j in range(cols):
        p[j] = float(j)
    squares_below(rows, cols, A, 0, tau)
    for k in range(rows if rows < cols else cols):
        best, size = longest_below(rows, cols, A, k, tau, slack)
        if k == 0:
            first, slack = size, SLACK * size * size
        if not (size > cut * first and size > 0.0):
            return k
        if best != k:
            swap(p, k, best)
            swap(tau, k, best)
            for i in range(rows):
                swap(A, i * cols + k, i * cols + best)
        corner = -copysign(size, A[k * cols + k])
        tau[k] = divide(corner - A[k * cols + k], corner)
        head = A[k * cols + k] - corner
        for i in range(k + 1, rows):
            A[i * cols + k] = divide(A[i * cols + k], head)
        A[k * cols + k] = corner
        reflect_behind(rows, cols, k, A, tau[k], room)
        for j in range(k + 1, cols):
            tau[j] -= A[k * cols + j] * A[k * cols + j]
    return rows if rows < cols else cols


@kernel
def reflect(rows: i64, cols: i64, k: i64, A: f64p, tau: f64p, x: f64p) -> None:
    """``x ← H_k x``, given the factors of `qr`."""
    total = x[k]
    for i in range(k + 1, rows):
        total += A[i * cols + k] * x[i]
    total *= tau[k]
    x[k] -= total
    for i in range(k + 1, rows):
        x[i] -= total * A[i * cols + k]


@kernel
def least_squares(rows: i64, cols: i64, cut: f64, A: f64p, tau: f64p, p: f64p, b: f64p, x: f64p) -> i64:
    """x of least ``‖A x − b‖``, zero where columns depend on others; gives the rank. b is overwritten."""
    rank = qr(rows, cols, cut, A, tau, p, x)
    for k in range(rank):
        reflect(rows, cols, k, A, tau, b)
    for j in range(cols):
        x[j] = 0.0
    for i in range(rank - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, rank):
            total -= A[i * cols + j] * x[int(p[j])]
        x[int(p[i])] = divide(total, A[i * cols + i])
    return rank


@kernel
def fold(rank: i64, cols: i64, A: f64p, tau: f64p) -> None:
    """``R = [T 0] Z`` of the factors of `qr` whose rank is below their columns, ``Z = G_0 G_1 ...`` reflections.

    T is in place, v of each G in its row behind.  [Golub and Van Loan §5.4.7]
    """
    for step in range(rank):
        k = rank - 1 - step
        total = A[k * cols + k] * A[k * cols + k]
        for j in range(rank, cols):
            total += A[k * cols + j] * A[k * cols + j]
        corner = -copysign(sqrt(total), A[k * cols + k])
        tau[k] = divide(corner - A[k * cols + k], corner)
        head = A[k * cols + k] - corner
        for j in range(rank, cols):
            A[k * cols + j] = divide(A[k * cols + j], head)
        A[k * cols + k] = corner
        for i in range(k):
            total = A[i * cols + k]
            for j in range(rank, cols):
                total += A[k * cols + j] * A[i * cols + j]
            total *= tau[k]
            A[i * cols + k] -= total
            for j in range(rank, cols):
                A[i * cols + j] -= total * A[k * cols + j]


@kernel
def unfold(rank: i64, cols: i64, A: f64p, tau: f64p, p: f64p, z: f64p, x: f64p) -> None:
    """``x = Π Zᵀ z``, given the factors of `qr` and `fold`; z is overwritten."""
    for k in range(rank if rank < cols else 0):
        total = z[k]
        for j in range(rank, cols):
            total += A[k * cols + j] * z[j]
        total *= tau[k]
        z[k] -= total
        for j in range(rank, cols):
            z[j] -= total * A[k * cols + j]
    for j in range(cols):
        x[int(p[j])] = z[j]


@kernel
def least_norm(rows: i64, cols: i64, cut: f64, A: f64p, tau: f64p, turned: f64p, p: f64p, b: f64p, x: f64p) -> i64:
    """x of least norm with least ``‖A x − b‖``; gives the rank. A becomes its factors.

    By complete orthogonal decomposition, ``Qᵀ A Π Zᵀ = [T 0; 0 0]``.  b is overwritten, and has room for as many
    numbers as there are rows, and columns.  [Golub and Van Loan §5.5.2]
    """
    rank = qr(rows, cols, cut, A, tau, p, turned)
    for k in range(rank):
        reflect(rows, cols, k, A, tau, b)
    if rank < cols:
        fold(rank, cols, A, turned)
    for i in range(cols - 1, -1, -1):
        total = 0.0
        if i < rank:
            total = b[i]
            for j in range(i + 1, rank):
                total -= A[i * cols + j] * b[j]
            total = divide(total, A[i * cols + i])
        b[i] = total
    unfold(rank, cols, A, turned, p, b, x)
    return rank


@kernel
def null_vector(cols: i64, rank: i64, which: i64, A: f64p, turned: f64p, p: f64p, z: f64p, x: f64p) -> None:
    """A unit vector of the null space of a matrix, one of cols − rank at right angles to each other.

    Given are the factors of `least_norm`; z is room.
    """
    for j in range(cols):
        z[j] = 1.0 if j == rank + which else 0.0
    unfold(rank, cols, A, turned, p, z, x)


@kernel
def turn(slope: f64) -> tuple[f64, f64]:
    """Cosine and sine of the smaller angle with ``cot 2θ = slope``: the Jacobi rotation."""
    t = divide(copysign(1.0, slope), fabs(slope) + sqrt(1.0 + slope * slope))
    cosine = divide(1.0, sqrt(1.0 + t * t))
    return cosine, cosine * t


@kernel
def rotate(rows: i64, cols: i64, A: f64p, i: i64, j: i64, cosine: f64, sine: f64) -> None:
    """Columns i and j of A, turned."""
    for k in range(rows):
        a, b = A[k * cols + i], A[k * cols + j]
        A[k * cols + i] = cosine * a - sine * b
        A[k * cols + j] = sine * a + cosine * b


@kernel
def identity(n: i64, V: f64p) -> None:
    """``V ← I``."""
    for i in range(n):
        for j in range(n):
            V[i * n + j] = 1.0 if i == j else 0.0


@kernel
def svd(m: i64, n: i64, A: f64p, V: f64p, s: f64p) -> None:
    """``A ← A V`` with orthogonal columns, V orthogonal, ``s_j = σ_j²``: one-sided Jacobi, in no order."""
    identity(n, V)
    whole, right = 0.0, EPS * sqrt(float(m))
    for i in range(m * n):
        whole += A[i] * A[i]
    for _ in range(SWEEPS):
        quiet = True
        for i in range(n):
            for j in range(i + 1, n):
                alpha, beta, cross = 0.0, 0.0, 0.0
                for k in range(m):
                    alpha += A[k * n + i] * A[k * n + i]
                    beta += A[k * n + j] * A[k * n + j]
                    cross += A[k * n + i] * A[k * n + j]
                if minimum(alpha, beta) > DUST * whole and fabs(cross) > right * sqrt(alpha * beta):
                    quiet = False
                    cosine, sine = turn(divide(beta - alpha, 2.0 * cross))
                    rotate(m, n, A, i, j, cosine, sine)
                    rotate(n, n, V, i, j, cosine, sine)
        if quiet:
            break
    for j in range(n):
        s[j] = 0.0
        for k in range(m):
            s[j] += A[k * n + j] * A[k * n + j]


@kernel
def eigen(n: i64, S: f64p, V: f64p) -> None:
    """``VᵀSV`` diagonal for a symmetric S, in place, V orthogonal: cyclic Jacobi, in no order."""
    identity(n, V)
    whole = 0.0
    for i in range(n * n):
        whole += S[i] * S[i]
    least = ROUNDING * sqrt(whole)
    for _ in range(SWEEPS):
        quiet = True
        for i in range(n):
            for j in range(i + 1, n):
                if fabs(S[i * n + j]) > least:
                    quiet = False
                    cosine, sine = turn(divide(S[j * n + j] - S[i * n + i], 2.0 * S[i * n + j]))
                    rotate(n, n, S, i, j, cosine, sine)
                    for k in range(n):  # and the rows
                        a, b = S[i * n + k], S[j * n + k]
                        S[i * n + k] = cosine * a - sine * b
                        S[j * n + k] = sine * a + cosine * b
                    S[i * n + j], S[j * n + i] = 0.0, 0.0
                    rotate(n, n, V, i, j, cosine, sine)
        if quiet:
            break
