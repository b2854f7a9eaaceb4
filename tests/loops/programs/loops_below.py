"""Programs whose loops are in helpers and recursions below a function without loops."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def ints(n, rng):
    return (rng.integers(-1000, 1000, n),)


def merge_halves(a, tmp, lo, mid, hi):
    i, j, k = lo, mid, lo
    inv = 0
    while i < mid and j < hi:
        if a[i] <= a[j]:
            tmp[k] = a[i]
            i += 1
        else:
            tmp[k] = a[j]
            inv += mid - i
            j += 1
        k += 1
    while i < mid:
        tmp[k] = a[i]
        i += 1
        k += 1
    while j < hi:
        tmp[k] = a[j]
        j += 1
        k += 1
    for t in range(lo, hi):
        a[t] = tmp[t]
    return inv


def sort_and_count(a, tmp, lo, hi):
    if hi - lo < 2:
        return 0
    mid = (lo + hi) // 2
    return (
        sort_and_count(a, tmp, lo, mid) + sort_and_count(a, tmp, mid, hi) + merge_halves(a, tmp, lo, mid, hi)
    )


@loop(ints, sizes=(5,), realistic=5000)
def inversions_recursivemerge_halves(a):
    a = a.copy()
    tmp = np.empty_like(a)
    return sort_and_count(a, tmp, 0, len(a)), a


def safe(board, row, col):
    for r in range(row):
        c = board[r]
        if c == col or abs(c - col) == row - r:
            return False
    return True


def solve_queens(board, row, n):
    if row == n:
        return 1
    count = 0
    for col in range(n):
        if safe(board, row, col):
            board[row] = col
            count += solve_queens(board, row + 1, n)
    return count


@loop(lambda n, rng: (n,), sizes=(4,), realistic=7)
def queens_board_recursion(n):
    board = np.zeros(n, dtype=np.int64)
    return solve_queens(board, 0, n)
