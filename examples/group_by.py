"""Group-by on a table of sales without pandas: np.unique, ufunc.at, reduceat, lexsort.

python examples/group_by.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


@npcompile.jit
def by_key(keys, values):
    """For each key: the key, how often it comes, sum, mean, smallest, largest and deviation of its values."""
    groups, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    n = len(groups)
    total = np.zeros(n)
    np.add.at(total, inverse, values)
    least = np.full(n, np.inf)
    np.minimum.at(least, inverse, values)
    most = np.full(n, -np.inf)
    np.maximum.at(most, inverse, values)
    mean = total / counts
    squares = np.zeros(n)
    np.add.at(squares, inverse, (values - mean[inverse]) ** 2)
    return groups, counts, total, mean, least, most, np.sqrt(squares / counts)


@npcompile.jit
def pivot(rows, columns, values, shape):
    """The sum of the values at each pair of row and column: a table of that shape."""
    table = np.zeros(shape)
    np.add.at(table, (rows, columns), values)
    total = table.sum(axis=1, keepdims=True)
    share = np.divide(table, total, out=np.zeros(shape), where=total != 0)
    return table, share


@npcompile.jit
def running(keys, days, values):
    """In order of key and day: the sum so far within each key, and the rank of each value in its key."""
    order = np.lexsort((days, keys))
    k, v = keys[order], values[order]
    starts = np.flatnonzero(np.concatenate(([True], k[1:] != k[:-1])))
    lengths = np.diff(np.append(starts, len(k)))
    sums = np.cumsum(v)
    before = np.repeat(sums[starts] - v[starts], lengths)
    per_key = np.add.reduceat(v, starts)
    by_value = np.lexsort((v, k))
    rank = np.empty(len(k), dtype=int)
    rank[by_value] = np.arange(len(k)) - np.repeat(starts, lengths)
    out = np.empty(len(k))
    out[order] = sums - before
    ranks = np.empty(len(k), dtype=int)
    ranks[order] = rank
    return k[starts], per_key, out, ranks


@npcompile.jit
def monthly(days, values, month_ends):
    """Sales in each month, with the change from the month before in percent; None where there is none."""
    month = np.searchsorted(month_ends, days, side="left")
    total = np.bincount(month, weights=values, minlength=len(month_ends))
    change = np.full(len(total), np.nan)
    filled = total[:-1] != 0
    change[1:][filled] = 100 * (total[1:][filled] / total[:-1][filled] - 1)
    best = int(np.nanargmax(change)) if np.any(~np.isnan(change)) else None
    return {"total": total, "change": change, "best": best}


def sales(n, seed, shops=40):
    """Shop, product, day and amount of n sales."""
    rng = np.random.default_rng(seed)
    shop = rng.zipf(1.5, n) % shops
    return shop, rng.integers(0, 12, n), rng.integers(0, 365, n), np.round(rng.gamma(2, 20, n), 2)


def example(size=100_000, seed=0):
    shop, _, _, amount = sales(size, seed)
    return by_key, (shop, amount)


def table(size=100_000, seed=0):
    shop, product, _, amount = sales(size, seed)
    return pivot, (shop, product, amount, (40, 12))


def accumulated(size=100_000, seed=0):
    shop, _, day, amount = sales(size, seed)
    return running, (shop, day, amount)


MONTH_ENDS = np.cumsum([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) - 1


def months(size=100_000, seed=0):
    _, _, day, amount = sales(size, seed)
    return monthly, (day, amount, MONTH_ENDS)


def main():
    shop, _, day, amount = sales(20_000, 0)
    groups, counts, total, mean, least, most, deviation = by_key(shop, amount)
    for at in np.argsort(-total)[:3]:
        print(
            f"shop {groups[at]:2}: {counts[at]:5} sales, {total[at]:10.2f} in all, "
            f"{mean[at]:.2f} ± {deviation[at]:.2f} ({least[at]:.2f} to {most[at]:.2f})"
        )
    found = monthly(day, amount, MONTH_ENDS)
    print(f"best month: {found['best'] + 1}, up by {found['change'][found['best']]:.1f}%")
    for one in (example, table, accumulated, months):
        print(f"\n{one(size=10)[0].__name__}:", end="")
        compare(one)


if __name__ == "__main__":
    main()
