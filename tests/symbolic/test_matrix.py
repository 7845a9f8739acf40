"""Laws of matrices of expressions."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
import sympy

from latchwork.errors import ExpressionError
from latchwork.symbolic import Graph, Matrix, cos, sin, to_sympy
from symbolic.plain import symbols


@pytest.fixture
def graph():
    return Graph("arm")


@pytest.fixture
def s(graph):
    return symbols(graph)


@pytest.fixture
def M(s):
    return Matrix([[s["m"] * cos(s["q1"]), 0], [s["q2"], s["L"]]])


@pytest.fixture
def v(s):
    return Matrix.column([s["q1"] * s["u1"], s["q2"]])


def test_entries_are_found_by_row_and_column(M, v, s):
    """M[i, j], v[i], and negative indices from the end."""
    assert M[1, 0] == s["q2"]
    assert M[-1, -1] == s["L"]
    assert v[1] == s["q2"]
    assert M.shape == (2, 2)
    assert v.shape == (2, 1)
    assert list(M) == [M[0, 0], M[0, 1], M[1, 0], M[1, 1]]
    assert M.tolist() == [[M[0, 0], 0], [s["q2"], s["L"]]]


def test_the_product_agrees_with_sympy(M, v, s):
    """(A B)_ij = Σ A_ik B_kj, with A + A, A - B, scalar multiples and transposes alike."""
    A, b = M.to_sympy(), v.to_sympy()
    assert (M @ v).to_sympy() == A * b
    assert (M.T @ M).to_sympy() == A.T * A
    assert (M + M.T - 2 * M).to_sympy() == A + A.T - 2 * A
    assert (s["q1"] * M / 3).to_sympy() == to_sympy(s["q1"]) * A / 3
    assert (-M).to_sympy() == -A


def test_identity_and_zeros_are_neutral(graph, M):
    """I M = M, M + 0 = M, M - M = 0."""
    assert Matrix.identity(graph, 2) @ M == M
    assert M + Matrix.zeros(graph, 2, 2) == M
    assert Matrix.zeros(graph, 2, 2) == M - M


def test_derivatives_go_entry_by_entry(M, v, s):
    """∂M/∂x and the Jacobian of a column."""
    assert M.diff(s["q1"]) == Matrix([[-s["m"] * sin(s["q1"]), 0], [0, 0]])
    assert v.jacobian([s["q1"], s["q2"], s["u1"]]) == Matrix([[s["u1"], 0, s["q1"]], [0, 1, 0]])
    assert v.jacobian([]).shape == (2, 0)


def test_constant_matrices_join_any_model(v, s):
    """Numbers alone belong to no model until they meet one."""
    turn = Matrix([[0, -1], [1, 0]])
    assert turn @ v == Matrix.column([-s["q2"], s["q1"] * s["u1"]])
    assert turn.diff(s["q1"]) == Matrix([[0, 0], [0, 0]])


def test_substitution_and_free_symbols(M, s):
    """All entries at once."""
    assert M.free_symbols == {s["m"], s["L"], s["q1"], s["q2"]}
    assert M.subs({s["q1"]: 0.0, s["m"]: 2.0}) == Matrix([[2, 0], [s["q2"], s["L"]]])


def test_zeros_are_structural(graph, M):
    """is_zero and is_diagonal look at the structure, not at numbers."""
    assert M.is_zero(0, 1)
    assert not M.is_zero(0, 0)
    assert not M.is_diagonal
    assert Matrix.identity(graph, 3).is_diagonal


def test_equal_matrices_have_equal_hashes(M, s):
    """Matrices are values."""
    again = Matrix([[cos(s["q1"]) * s["m"], 0], [s["q2"], s["L"]]])
    assert again == M
    assert hash(again) == hash(M)
    assert M.T != M


def test_matrices_cannot_be_changed(M):
    """Assigning to a matrix is refused."""
    with pytest.raises(ExpressionError, match=r"a matrix cannot be changed \('shape' was assigned\)"):
        M.shape = (4, 1)


def test_text_is_a_table(M):
    """Columns line up."""
    assert repr(M) == "[m*cos(q1)  0]\n[q2         L]"


def test_typeset_forms(M, v):
    """LaTeX, the notebook's hook, and MathML that is XML."""
    assert v.latex() == r"\begin{bmatrix} q_{1} u_{1} \\ q_{2} \end{bmatrix}"
    assert v._repr_latex_() == rf"$\displaystyle {v.latex()}$"
    tree = ElementTree.fromstring(M.mathml())
    assert len(tree.findall(".//mtd")) == 4


def test_sympy_gets_the_same_entries(v):
    """to_sympy gives a SymPy matrix."""
    assert v.to_sympy() == sympy.Matrix([to_sympy(v[0]), to_sympy(v[1])])


def test_empty_matrices_have_shapes(graph):
    """No rows or no columns are legal: a mode may have no degrees of freedom left."""
    assert Matrix.column([]).shape == (0, 1)
    assert (Matrix.zeros(graph, 2, 0) @ Matrix.zeros(graph, 0, 3)) == Matrix.zeros(graph, 2, 3)
    assert repr(Matrix.zeros(graph, 0, 3)) == "[0 × 3]"


def test_ragged_rows_are_refused(s):
    """All rows are equally long."""
    with pytest.raises(ExpressionError, match=r"must be equally long: lengths 1, 2"):
        Matrix([[s["q1"]], [s["q1"], s["q2"]]])


def test_shapes_must_fit(M, v):
    """Sums need equal shapes, products matching ones."""
    with pytest.raises(ExpressionError, match=r"a 2 × 2 matrix \+ a 2 × 1 matrix"):
        M + v
    with pytest.raises(ExpressionError, match=r"a 2 × 1 matrix @ a 2 × 2 matrix"):
        v @ M
    with pytest.raises(ExpressionError, match=r"Write A @ B"):
        M * v
    with pytest.raises(ExpressionError, match=r"a jacobian is taken of a column"):
        M.jacobian([])


def test_indices_must_exist(M):
    """An entry outside, or one index for two, is refused."""
    with pytest.raises(IndexError, match=r"no entry \[2, 0\] in a 2 × 2 matrix"):
        M[2, 0]
    with pytest.raises(ExpressionError, match=r"needs two indices, not 1"):
        M[1]


def test_two_models_do_not_mix(M):
    """A matrix holds expressions of one model."""
    other = symbols(Graph("gripper"))
    with pytest.raises(ExpressionError, match=r"belongs to the model 'gripper', not to 'arm'"):
        M @ Matrix.column([other["q1"], 0])
