"""Numbers that a function stores in containers from outside, and reads back in the same call.

CPython has one object for all small ints that are equal, so the container does not tell where its number came
from. Calls with other numbers give Python's answers, whichever way the container is read.
"""

from __future__ import annotations

import copy
import textwrap
import warnings
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile

CALLS = 9


class Model:
    def __init__(self) -> None:
        self.h, self.g, self.l = [0.5], [1.5, 2.5], [1, 2, 3]
        self.d: dict[str, Any] = {"t": 0.5}
        self.e: dict[str, Any] = {"u": 1}
        self.q = deque([1, 2], maxlen=50)
        self.ordered: OrderedDict[str, int] = OrderedDict(a=1)
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.n = 0


# Ways to store NUMBER and to read it back as `value`: a list to extend.
WAYS = [
    "m.h.append(NUMBER)\nvalue=m.h[-1]",
    "m.h.append(NUMBER)\nm.h.append(NUMBER+1)\nvalue=m.h[-2]",
    "m.q.appendleft(NUMBER)\nvalue=m.q[0]",
    "m.d['k']=NUMBER\nvalue=m.d['k']",
    "m.d['k']=NUMBER\nvalue=m.d.get('k')",
    "m.d.update(k=NUMBER)\nvalue=m.d['k']",
    "m.counts['j']+=1\nvalue=m.counts['j']+NUMBER",
    "m.n=NUMBER\nvalue=m.n",
    "m.l[1]=NUMBER\nvalue=m.l[1]",
    "m.h.extend([NUMBER])\nvalue=m.h[-1]",
    "m.h+=[NUMBER]\nvalue=m.h[-1]",
    "m.l.insert(0,NUMBER)\nvalue=m.l[0]",
    "m.h.append(NUMBER)\nvalue=m.h.pop()",
    "m.d['k']=(NUMBER,2)\nvalue=m.d['k'][0]",
    "m.d['k']=(NUMBER,2)\nvalue=list(m.d.values())[-1][0]",
    "m.d['k']=[NUMBER,2]\nvalue=m.d['k'][0]",
    "m.d['k']=NUMBER\nvalue=m.d.pop('k')",
    "m.h.append(NUMBER)\nvalue=max(m.h)",
    "m.h.append(NUMBER)\n*_,value=m.h",
    "m.d['k']=NUMBER\nvalue=dict(**m.d)['k']",
    "m.d.pop('z',0)\nvalue=m.d.setdefault('z',NUMBER)",
    "m.d['k']=NUMBER\nvalue=list(m.d.values())[-1]",
    "m.d['k']=NUMBER\nvalue=dict(m.d.items())['k']",
    "m.d['k']=NUMBER\nfor value in m.d.values(): pass",
    "m.d['k']=NUMBER\nfor _,value in m.d.items(): pass",
    "m.d['k']=NUMBER\nvalue=[v for v in m.d.values()][-1]",
    "m.d['k']=NUMBER\n*_,value=m.d.values()",
    "m.d['k']=NUMBER\nvalue=max(m.d.values())",
    "m.d['k']=NUMBER\nvalue=sum(m.d.values())",
    "m.d['k']=NUMBER\nvalue=tuple(m.d.values())[-1]",
    "m.d['k']=NUMBER\nvalue=dict(m.d)['k']",
    "m.d['k']=NUMBER\nvalue={**m.d}['k']",
    "m.d['k']=NUMBER\nvalue=m.d.copy()['k']",
    "m.d['k']=NUMBER\nvalue=(m.d|{})['k']",
    "m.l[1]=NUMBER\nvalue=m.l.copy()[1]",
    "m.l[1]=NUMBER\nvalue=m.l[:][1]",
    "m.l[1]=NUMBER\nvalue=(m.l+[1])[1]",
    "m.l[1]=NUMBER\nvalue=(m.l*2)[1]",
    "m.l[1]=NUMBER\nvalue=list(reversed(m.l))[1]",
    "m.l[1]=NUMBER\nvalue=dict(enumerate(m.l))[1]",
    "m.l[1]=NUMBER\nvalue=list(zip(m.l,m.l))[1][0]",
    "m.l[1]=NUMBER\nvalue=tuple(m.l)[1]",
    "m.l[1]=NUMBER\n_,value,_=m.l",
    "m.l[1]=NUMBER\nvalue=max(m.l)",
    "m.l[1]=NUMBER\nvalue=sorted(m.l)[1]",
    "m.l[1]=NUMBER\nvalue=m.l.pop(1)\nm.l.insert(1,value)",
    "m.d['k']=NUMBER\nvalue=list(iter(m.d.values()))[-1]",
    "m.d['k']=NUMBER\n_,value=m.d.popitem()",
    "m.n=NUMBER\nvalue=vars(m)['n']",
    "m.n=NUMBER\nvalue=m.__dict__['n']",
    "m.new=NUMBER\nvalue=list(vars(m).values())[-1]",
    "m.counts['k']=NUMBER\nvalue=list(m.counts.values())[-1]",
    "m.ordered['k']=NUMBER\nvalue=list(m.ordered.values())[-1]",
    "m.ordered['k']=NUMBER\nm.ordered.move_to_end('k')\nvalue=list(m.ordered.values())[-1]",
    "m.q.append(NUMBER)\nvalue=list(m.q)[-1]",
    "m.q.append(NUMBER)\nvalue=m.q.pop()",
    "m.q.append(NUMBER)\nvalue=max(m.q)",
    "m.d['k']=NUMBER\nvalue=str(m.d)",
    "m.l[1]=NUMBER\nvalue=int(np.array(m.l)[1])",
    "m.l[1]=NUMBER\nvalue=np.sum(m.l)",
    "m.d['k']=NUMBER\nvalue=(lambda k,**o:k)(**m.d)",
    "m.l[1]=NUMBER\nvalue=(lambda a,b,c:b)(*m.l)",
    "m.l[1]=NUMBER\nvalue=3 in m.l",
    "m.l[1]=NUMBER\nvalue=m.l.count(3)",
    "m.l[1]=NUMBER\nvalue=m.l==[1,3,3]",
]
NUMBERS = ["len(m.g)", "int(x[0])", "bool(x[0] > 4)", "k", "int(x.sum()) % 7", "x.shape[0]", "k > 3"]
USES = [
    'm.e["u"] = value\nreturn x + 1',
    "return x + 1, value",
    "return x * value",
    "m.h.append(value)\nreturn x + 1",
    "m.z = value\nreturn x + 1",
]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def made(source: str, path: Path) -> Callable[..., Any]:
    space: dict[str, Any] = {"np": np}
    exec(compile(source, path, "exec"), space)
    function: Callable[..., Any] = space["program"]
    return function


def outcome(function: Callable[..., Any], model: Model, x: np.ndarray, k: int) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(function(model, x.copy(), k))
        except Exception as error:
            return repr(error)


@pytest.mark.parametrize(("turn", "way"), list(enumerate(WAYS)))
def test_a_number_is_read_back(turn: int, way: str, tmp_path: Path) -> None:
    for place, number in enumerate(NUMBERS):
        use = USES[(turn + place) % len(USES)]
        body = way.replace("NUMBER", f"({number})") + "\n" + use
        source = "def program(m, x, k):\n" + textwrap.indent(body, "    ") + "\n"
        path = tmp_path / f"program_{place}.py"
        path.write_text(source)
        jitted, plain = npcompile.jit(made(source, path), wait=True), made(source, path)
        ours = Model()
        theirs = copy.deepcopy(ours)
        for k in range(CALLS):
            x = np.arange(3.0 if k < 5 else 4.0) + k
            ours.g.append(k)
            theirs.g.append(k)
            assert outcome(jitted, ours, x, k) == outcome(plain, theirs, x, k), f"call {k} of\n{source}"
            assert repr(vars(ours)) == repr(vars(theirs)), f"after call {k} of\n{source}"
