"""One function per kind of store and of opaque call, and what they change outside."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import logging
import os
import pickle
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
from sklearn.linear_model import LinearRegression

from tests.programs.classes import JOURNAL, Accumulator, Clock, Record, State, entered

LOGGER = logging.getLogger("npcompile.tests.objects")
TOTAL = 0.0
FILE = os.path.join(tempfile.gettempdir(), f"npcompile_effects_{os.getpid()}.pkl")
TABLE: dict[str, Any] = {}
STREAM = np.random.default_rng(0)


def reset() -> None:
    """Everything outside as at the beginning."""
    global TOTAL, STREAM, A
    JOURNAL.clear()
    S.__init__()  # type: ignore[misc]
    A = Accumulator()
    TABLE.clear()
    TOTAL = 0.0
    STREAM = np.random.default_rng(0)
    with contextlib.suppress(FileNotFoundError):
        os.remove(FILE)
    np.random.seed(1)
    random.seed(1)
    Clock.ticks = 0


S = State()
A = Accumulator()


def outside() -> dict[str, Any]:
    """All that the functions below can change, to be compared."""
    state = {**vars(S), "inner": {**vars(S.inner)}}
    return {
        "journal": list(JOURNAL),
        "state": {key: value for key, value in state.items() if key != "inner"} | state["inner"],
        "sum": A.sum,
        "total": TOTAL,
        "table": dict(TABLE),
        "stream": STREAM.bit_generator.state["state"],
        "legacy": [int(part) for part in np.random.get_state()[1][:3]] + [np.random.get_state()[2]],  # type: ignore[index]
        "random": hash(random.getstate()),
    }


def attribute(x):
    y = x * 2
    S.u = y + 1
    return S.u * y


def attribute_augmented(x):
    S.u += x * 0.5
    S.t += 0.25
    return S.u * S.t


def attribute_of_attribute(x):
    S.inner.v = S.inner.v + x
    return S.inner.v * 2


def attribute_read_again(x):
    S.u = x * 2
    y = S.u + 1
    S.u = y * 2
    return S.u + y


def property_set(x):
    y = x + S.level
    S.level = float(y.sum())
    return y * S.level


def set_by_setattr(x):
    S.n = S.n + 1
    return x * S.n


def item_of_dict(x):
    TABLE["u"] = TABLE.get("u", 0.0) + x * 2
    TABLE["n"] = TABLE.get("n", 0) + 1
    return TABLE["u"] * TABLE["n"]


def item_of_a_deep_dict(x):
    S.inner.deep["w"][0] = S.inner.deep["w"][0] + x
    S.kept["t"] += 0.5
    return S.inner.deep["w"][0] * S.kept["t"]


def item_of_list(x):
    S.hist.append(x * 2)
    S.hist[-1] = S.hist[-1] + 1
    return S.hist[-1] * len(S.hist)


def item_deleted(x):
    TABLE["gone"] = x * 2
    y = TABLE["gone"] + 1
    del TABLE["gone"]
    return y


def append(x):
    y = x * 2
    S.hist.append(float(y.sum()))
    S.hist.append(y)
    return y + len(S.hist)


def extend_and_pop(x):
    S.hist.extend([float(x.sum()), 2.0])
    return x * S.hist.pop()


def global_store(x):
    global TOTAL
    TOTAL += float(x.sum())
    return x * TOTAL


def outside_array_in_place(x):
    S.u[1:] += x[:-1]
    S.u *= 0.5
    return S.u + x


def alias_of_the_store(x):
    S.u = x
    x += 1
    S.u *= 2
    return x - 1


def prints(x):
    y = x * 2
    print("sum", y.sum(), y)
    print(f"{y.max():.2f}")
    return y + 1


def logs(x):
    y = x * 2
    LOGGER.warning("sum %s", y.sum())
    return y + 1


def writes_a_file(x):
    out = io.StringIO()
    np.savetxt(out, x * 2)
    out.write("end\n")
    JOURNAL.append(out.getvalue())
    return x + 1


def clock(x):
    start = Clock.now()
    y = x * 2
    return y + (Clock.now() - start)


def real_clock(x):
    start = time.perf_counter()
    y = x * 2
    return y + (time.perf_counter() < start)


def legacy_stream(x):
    return x + np.random.rand(*x.shape) * 2 + np.random.randint(5)


def legacy_stream_seeded(x):
    np.random.seed(3)
    y = x + np.random.normal(size=x.shape)
    np.random.shuffle(y)
    return y


def generator_stream(x):
    return x + STREAM.normal(size=x.shape) * STREAM.random()


def own_stream(x):
    rng = np.random.default_rng(5)
    return x + rng.normal(size=x.shape) * rng.integers(1, 4)


def pythons_stream(x):
    return x * random.random() + random.randrange(5)


def callback(x, f=S.note):
    y = x * 2
    f(y.sum())
    return y + S.n


def callback_that_writes(x):
    y = x * 2
    _double(y)
    return y + 1


def _double(y):
    JOURNAL.append(float(y[0]))
    y *= 2


def operators_of_an_object(x):
    global A
    A += x * 2
    A[1] = 3.0
    return A.sum * A(float(x[0]))


def a_method(x):
    S.step(x)
    S.step(x * 2)
    return S.u * S.t


def a_generator(x):
    found = 0.0
    for part in _parts(x):
        JOURNAL.append("taken")
        found = found + part
    return found


def _parts(x):
    for i in range(3):
        JOURNAL.append(("given", i))
        yield x * i
    JOURNAL.append("done")


def a_with_statement(x):
    with entered("block"):
        y = x * 2
        JOURNAL.append(float(y.sum()))
    return y + 1


def a_dataclass(x):
    record = Record(x * 2)
    for _ in range(3):
        record = dataclasses.replace(record, x=record.x + 1, n=record.n + 1)
        TABLE["record"] = record.n
    return record.x * record.n


def a_warning(x):
    y = x * 2
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.warn(f"small {y.size}", stacklevel=1)
    JOURNAL.append([str(warning.message) for warning in found])
    return y + 1


def scipy_call(x):
    y = x * 2
    JOURNAL.append("before")
    found = scipy.optimize.minimize_scalar(lambda v: _cost(y, v), bounds=(0.0, 4.0), method="bounded")
    return y + round(float(found.x), 3)


def _cost(y, v):
    JOURNAL.append("cost")
    return float(((y - v) ** 2).sum())


def scipy_solve(x):
    matrix = np.outer(x, x) + np.eye(len(x))
    JOURNAL.append(scipy.linalg.det(matrix).round(6))
    return scipy.linalg.solve(matrix, x) * 2


def sklearn_call(x):
    model = LinearRegression().fit(x[:, None] + np.arange(4.0)[:, None], x * 2)
    JOURNAL.append(model.coef_.round(6))
    return model.predict(x[:, None]).round(6) + 1


def order_of_all(x):
    JOURNAL.append("one")
    y = x * 2
    S.n += 1
    JOURNAL.append(S.n)
    y[0] = STREAM.random()
    JOURNAL.append(float(y[0]))
    S.u = y
    JOURNAL.append(float(S.u.sum()))
    return y + S.n


def effects_in_a_loop(x):
    for i in range(5):
        x = x * 0.5 + i
        JOURNAL.append((i, float(x.sum())))
        S.n += 1
        if x.sum() > 12:
            S.hist.append(i)
    return x


def effects_in_branches(x):
    if x.sum() > 6:
        JOURNAL.append("large")
        x = x * 2
    else:
        S.n += 1
        x = x + S.n
    if x.max() > 3:
        JOURNAL.append("high")
    return x


def file_that_nobody_holds(x):
    """It is closed once it is written: what was written is there to be read."""
    y = x * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        pickle.dump(y, open(FILE, "wb"))
        size = os.path.getsize(FILE)
        return y + 1, size


def _told(y, logger):
    logger.warning("a sum of %s", float(y.sum()))
    return _told_further(y + 1)


def _told_further(y):
    LOGGER.error("a greatest of %s", y.max())
    S.n += 1
    return [LOGGER.info("one of %s", one) or one * 2 for one in y[:2]]


def _log(text, *args):
    LOGGER.warning(text, *args, stacklevel=2)


def _caller():
    return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno


def _logged(y):
    _log("%s", float(y.max()))
    JOURNAL.append(_caller())
    return y * 2


def logging_for_the_caller(x):
    _log("begins")
    y = _logged(x + 1)
    for k in range(2):
        y = _logged(y) - k
    JOURNAL.append(_caller())
    return y


def logging_in_helpers(x):
    S.logger = LOGGER
    LOGGER.warning("begins")
    first, second = _told(x * 2, S.logger)
    return first + second + x


EFFECTS: list[Callable[..., Any]] = [
    file_that_nobody_holds,
    logging_in_helpers,
    logging_for_the_caller,
    attribute,
    attribute_augmented,
    attribute_of_attribute,
    attribute_read_again,
    property_set,
    set_by_setattr,
    item_of_dict,
    item_of_a_deep_dict,
    item_of_list,
    item_deleted,
    append,
    extend_and_pop,
    global_store,
    outside_array_in_place,
    alias_of_the_store,
    prints,
    logs,
    writes_a_file,
    clock,
    real_clock,
    legacy_stream,
    legacy_stream_seeded,
    generator_stream,
    own_stream,
    pythons_stream,
    callback,
    callback_that_writes,
    operators_of_an_object,
    a_method,
    a_generator,
    a_with_statement,
    a_dataclass,
    a_warning,
    scipy_call,
    scipy_solve,
    sklearn_call,
    order_of_all,
    effects_in_a_loop,
    effects_in_branches,
]
