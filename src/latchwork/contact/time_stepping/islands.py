"""Islands of a cone problem, as kernels: blocks that contacts couple, and an order of elimination with a small profile.

Blocks are ordered from one at the rim of an island to the other side, level by level, and backwards [Cuthill and McKee
1969; George 1971]: contacts join blocks of the same or of neighbouring levels, so that H has entries near its diagonal.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.program.kernel import i64, kernel


@kernel
def count_meetings(problem: ConeProblem) -> None:
    """The contacts of every block."""
    blocks, meets, degree = problem.blocks, problem.meets, problem.degree
    for b in range(blocks):
        degree[b], problem.visited[b] = 0, 0
    for k in range(problem.touch_at[problem.contacts]):
        degree[problem.touched[k]] += 1
    meets[0] = 0
    for b in range(blocks):
        meets[b + 1] = meets[b] + degree[b]
        degree[b] = 0
    for c in range(problem.contacts):
        for k in range(problem.touch_at[c], problem.touch_at[c + 1]):
            b = problem.touched[k]
            problem.met[meets[b] + degree[b]] = c
            degree[b] += 1


@kernel
def levels_from(problem: ConeProblem, start: i64, begin: i64, mark: i64) -> i64:
    """Blocks that contacts couple to one, level by level, in ``order`` from ``begin`` on; where they end."""
    order, end, at = problem.order, begin + 1, begin
    order[begin], problem.visited[start] = start, mark
    while at < end:
        block = order[at]
        for m in range(problem.meets[block], problem.meets[block + 1]):
            c = problem.met[m]
            for k in range(problem.touch_at[c], problem.touch_at[c + 1]):
                other = problem.touched[k]
                if problem.visited[other] != mark:
                    problem.visited[other] = mark
                    order[end] = other
                    end += 1
        at += 1
    return end


@kernel
def find_islands(problem: ConeProblem) -> None:
    """Islands, each in an order of elimination, and their contacts; blocks without contacts are in none."""
    count_meetings(problem)
    blocks, order, end, islands, contacts, mark = problem.blocks, problem.order, 0, 0, 0, 0
    problem.island_block[0], problem.island_contact[0] = 0, 0
    for b in range(blocks):
        if problem.degree[b] > 0 and problem.visited[b] == 0:
            begin, start = end, b
            for _ in range(2):  # the last one reached lies at the rim
                mark += 1
                end = levels_from(problem, start, begin, mark)
                start = order[end - 1]
            mark += 1
            end = levels_from(problem, start, begin, mark)
            for k in range((end - begin) // 2):
                order[begin + k], order[end - 1 - k] = order[end - 1 - k], order[begin + k]
            place = 0
            for k in range(begin, end):
                problem.place[order[k]] = place
                place += problem.block_start[order[k] + 1] - problem.block_start[order[k]]
            contacts = list_contacts(problem, begin, end, contacts)
            islands += 1
            problem.island_block[islands], problem.island_contact[islands] = end, contacts
    problem.islands = islands
    list_columns(problem)


@kernel
def list_columns(problem: ConeProblem) -> None:
    """The speeds of every contact, by their places in the order of elimination."""
    at = 0
    for c in range(problem.contacts):
        problem.column_at[c] = at
        for k in range(problem.touch_at[c], problem.touch_at[c + 1]):
            block = problem.touched[k]
            place = problem.place[block]
            for j in range(problem.block_start[block + 1] - problem.block_start[block]):
                problem.column[at] = place + j
                at += 1


@kernel
def list_contacts(problem: ConeProblem, begin: i64, end: i64, contacts: i64) -> i64:
    """The contacts of some blocks, each once, behind those that are listed; how many are listed then."""
    for k in range(begin, end):
        block = problem.order[k]
        for m in range(problem.meets[block], problem.meets[block + 1]):
            c = problem.met[m]
            if problem.touched[problem.touch_at[c]] == block:
                problem.listed[contacts] = c
                contacts += 1
    return contacts


@kernel
def find_profile(problem: ConeProblem, island: i64) -> i64:
    """The first column of each row of H; how many rows there are."""
    begin, end, n, at = problem.island_block[island], problem.island_block[island + 1], 0, 0
    for k in range(begin, end):
        block = problem.order[k]
        left = problem.place[block]
        for m in range(problem.meets[block], problem.meets[block + 1]):
            c = problem.met[m]
            for j in range(problem.touch_at[c], problem.touch_at[c + 1]):
                place = problem.place[problem.touched[j]]
                left = place if place < left else left
        for _ in range(problem.block_start[block + 1] - problem.block_start[block]):
            problem.left[n], problem.row_at[n] = left, at
            at += n - left + 1
            n += 1
    return n
