from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import toolwright as tw
from tests.builtin.calls import Having, call, data_of
from tests.promises import keeps
from toolwright.builtin.snippets import PRELOADED
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import InProcess, Sandbox
from toolwright.testing import assert_valid_tool

PYTHON = tw.builtin.run_python


@keeps("builtin.run_python")
@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("1 + 1", {"value": "2"}),
        ("x = 20\nx * 2.1", {"value": "42.0"}),
        ("print('hello')\nprint('you', end='')", {"stdout": "hello\nyou"}),
        ("print('a')\n[n**2 for n in range(3)]", {"value": "[0, 1, 4]", "stdout": "a\n"}),
        ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(20)", {"value": "2432902008176640000"}),
        ("import math\nmath.pi", {"value": "3.141592653589793"}),
        ("class A:\n    def __repr__(self): return 'an A'\nA()", {"value": "an A"}),
        ("__name__", {"value": "'__main__'"}),
        ("x = 1", {}),
        ("None", {}),
        ("# only a remark", {}),
    ],
)
async def test_it_gives_what_is_printed_and_the_last_value(code: str, data: dict[str, str]) -> None:
    assert data_of(await call(PYTHON, code=code)) == data


@pytest.mark.parametrize(
    ("code", "code_of_error", "words"),
    [
        ("1 +", "syntax_error", "SyntaxError: invalid syntax (line 1)"),
        ("x = 1\n  y", "syntax_error", "IndentationError: unexpected indent (line 2)"),
        ("(" * 1_000, "syntax_error", "too many nested parentheses"),
        ("-" * 100_000 + "1", "syntax_error", ""),
        ("x = 1\n1 / 0", "snippet_failed", "ZeroDivisionError: division by zero (line 2)"),
        ("def f():\n    raise KeyError('k')\n\nf()", "snippet_failed", "KeyError: 'k' (line 2)"),
        ("raise SystemExit(3)", "snippet_failed", "SystemExit: 3 (line 1)"),
        ("def f(): f()\nf()", "snippet_failed", "RecursionError"),
        (
            "class A:\n    def __repr__(self): 1 / 0\nA()",
            "snippet_failed",
            "ZeroDivisionError: division by zero (line 2)",
        ),
    ],
)
async def test_what_goes_wrong_is_said_with_its_line(code: str, code_of_error: str, words: str) -> None:
    outcome = await call(PYTHON, code=code)
    assert (outcome.success, outcome.error_code) == (False, code_of_error)
    assert words in (outcome.error or "")


async def test_only_text_is_printed() -> None:
    outcome = await call(PYTHON, code="import sys\nprint('before')\nsys.stdout.write(b'x')")
    assert (outcome.error_code, outcome.data) == ("snippet_failed", {"stdout": "before\n"})
    assert "not bytes (line 3)" in (outcome.error or "")


async def test_what_was_printed_before_a_failure_is_given_as_well() -> None:
    outcome = await call(PYTHON, code="print('so far')\n1 / 0")
    assert outcome.data == {"stdout": "so far\n"}


async def test_what_is_too_much_is_cut_and_counted() -> None:
    data = data_of(await call(PYTHON, code="print('x' * 150_000)\n'y' * 200_000"))
    assert (len(data["stdout"]), data["left_out"]) == (100_000, 50_001)
    assert data["value"].endswith("… (100,002 more characters)")


def test_it_says_what_can_be_imported() -> None:
    assert {"math", "json", "re", "datetime", "statistics", "collections"} <= set(PRELOADED)
    assert all(name in PYTHON.definition.description for name in PRELOADED)
    assert PYTHON.summarize({"code": "\nimport math\nmath.pi\n"}) == "Run 2 lines of Python: 'import math'"
    assert PYTHON.summarize({"code": " "}) == "Run 0 lines of Python: ''"


@keeps("builtin.run_python_isolation")
async def test_without_restricted_isolation_it_is_not_available(tmp_path: Path) -> None:
    plain = Sandbox(runners=[InProcess()])
    registry = tw.builtin.registry(sandbox=plain)
    assert (registry["run_python"].definition.isolation, registry["run_python"].available) == ("restricted", False)
    executor = tw.Executor(registry, sandbox=plain, reviewer=tw.approve_all)
    code = f"open({str(tmp_path / 'ran')!r}, 'w')"
    execution = await executor.execute(tw.ToolCall.new("run_python", code=code))
    assert execution.outcome.error_code == "tool_not_found"
    assert not (tmp_path / "ran").exists()
    able = Sandbox(runners=[Having(SandboxIsolationLevel.RESTRICTED)])
    assert tw.builtin.registry(sandbox=able)["run_python"].available


CLOSED = """
import asyncio, sys
import toolwright as tw
from toolwright.builtin.snippets import PRELOADED
from toolwright.testing import tool_context

tool = tw.builtin.run_python
snippets = [
    *(f"import {name}" for name in PRELOADED),
    "from datetime import datetime; datetime.strptime('2026-01-31', '%Y-%m-%d').isoformat()",
    "from datetime import date; f'{date(2026, 1, 31):%A}'",
    "import statistics; statistics.quantiles([1, 2, 3, 4])",
    "import random; random.seed(1); random.gauss(0, 1)",
    "import csv, io; list(csv.DictReader(io.StringIO('a,b')))",
    "import hashlib; [hashlib.new(name, b'x').hexdigest() for name in ('md5', 'sha256', 'sha3_256', 'blake2b')]",
    "import json; json.dumps(json.loads('[1, {}]'), indent=1)",
    "import re; re.sub('(?i)A', 'b', 'aA')",
    "from decimal import Decimal, getcontext; getcontext().prec = 50; Decimal(2).sqrt()",
    "import calendar; calendar.month(2026, 1)",
    "[('é' * 3).encode(name).decode(name) for name in ('utf-8', 'utf-16', 'latin-1', 'cp1252', 'utf-8-sig')]",
    "'é'.encode('ascii', 'xmlcharrefreplace')",
    "import base64; base64.b64decode(base64.b85encode(b'x') + b'==')",
    "import collections, typing; typing.NamedTuple('P', [('x', int)])(1)",
]


async def run():
    await tool.execute(tool_context({"code": "1"}))
    opened = []
    sys.addaudithook(lambda event, given: opened.append(given[0]) if event in ("open", "os.listdir") else None)
    for code in snippets:
        outcome = await tool.execute(tool_context({"code": code}))
        print(*([code, outcome.error, opened] if opened or not outcome.success else []), end="")
        opened.clear()


asyncio.run(run())
"""


def test_nothing_is_loaded_once_the_doors_are_closed() -> None:
    child = subprocess.run([sys.executable, "-c", CLOSED], capture_output=True, text=True, check=True, timeout=60)
    assert child.stdout == ""


def test_it_passes_what_every_tool_should() -> None:
    assert_valid_tool(PYTHON, [{"code": "1"}])
