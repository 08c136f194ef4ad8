"""What is public is deliberate, complete and cheap to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import toolwright as tw
from benchmarks.front_door import distributions
from tests.architecture.sources import FRONT_DOOR, dotted, imports, inside, modules, tree
from tests.promises import keeps

ROOMS = [path for path in modules() if path != FRONT_DOOR]
PUBLIC = [path for path in ROOMS if not path.stem.startswith("_") or path.stem == "__init__"]

NAMES: list[str] = vars(tw)["__all__"]  # type checkers see the re-exports instead

# Brought by extras, by users, or heavy: loaded when it is needed.
HEAVY = {"jsonschema_rs", "pydantic", "attrs", "httpx2", "click", "opentelemetry", "xllamacpp"}
PURE = ("errors", "levels", "messages", "schema", "conversation", "transcript", "tiers", "tools", "registry")

# What only its own program loads may import that program.
ASKED_FOR = {("testing/plugin.py", "pytest")}

# jsonschema-rs is 15 MB: one file knows it, and imports it when the first schema is made.
VALIDATOR_HOME = "schema/engine.py"


def bound(body: list[ast.stmt]) -> set[str]:
    """Return the public names that statements of a module define; type variables and imports are not among them."""
    names: set[str] = set()
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec"))):
                continue
            case ast.Assign():
                names.update(target.id for target in node.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.If():
                names |= bound(node.body) | bound(node.orelse)
            case ast.Try():
                names |= bound(node.body)
            case _:
                pass
    return {name for name in names if not name.startswith("_")}


def brought(body: list[ast.stmt]) -> set[str]:
    """Return the names that a module imports, for type checkers or for everybody."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.If):
            names |= brought(node.body)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("path", PUBLIC, ids=inside)
def test_every_module_lists_exactly_its_public_names(path: Path) -> None:
    module, body = import_module(dotted(path)), tree(path).body
    listed: list[str] = module.__all__
    assert len(listed) == len(set(listed))
    assert all(hasattr(module, name) for name in listed)
    if path.stem == "__init__":  # the door of a room shows what it takes from the files behind it
        assert bound(body) <= set(listed) <= bound(body) | brought(body)
    else:
        assert bound(body) == set(listed)


@keeps("house.names")
def test_every_name_of_the_front_door_leads_somewhere() -> None:
    assert sorted(set(NAMES)) == NAMES
    for name in NAMES:
        value = getattr(tw, name)
        assert vars(tw)[name] is value, "looked up once, then kept"


def test_type_checkers_and_the_interpreter_see_the_same_names() -> None:
    block = next(node for node in tree(FRONT_DOOR).body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    homes: dict[str, str] = vars(tw)["_HOMES"]
    assert seen == {name: f"toolwright.{home}".rstrip(".") for name, home in homes.items()}


def test_every_exception_is_at_the_front_door() -> None:
    assert set(import_module("toolwright.errors").__all__) <= set(NAMES)


def test_rooms_are_attributes_of_the_front_door() -> None:
    assert isinstance(vars(tw).get("errors") or tw.errors, ModuleType)
    assert set(NAMES) <= set(dir(tw))


def test_a_misspelt_name_is_told_the_nearest() -> None:
    with pytest.raises(AttributeError, match="'ChatMesage'; did you mean 'ChatMessage'") as caught:
        getattr(tw, "ChatMesage")  # noqa: B009  (type checkers would rightly refuse the attribute)
    assert caught.value.name == "ChatMesage"
    assert not hasattr(tw, "_hidden")


def test_a_fault_inside_a_room_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import a_module_that_is_not_there\n")
    tw.__path__.append(str(tmp_path))
    try:
        with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
            getattr(tw, "broken")  # noqa: B009  (type checkers would rightly refuse the attribute)
    finally:
        tw.__path__.remove(str(tmp_path))


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a statement loads into a fresh interpreter."""
    script = f"import sys; old = set(sys.modules); {statement}; print(*(set(sys.modules) - old))"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(child.stdout.split())


@keeps("house.light")
def test_importing_the_front_door_loads_no_room() -> None:
    loaded = loaded_by("import toolwright")
    assert {name for name in loaded if name.startswith("toolwright")} == {"toolwright"}
    assert {name.partition(".")[0] for name in loaded} - {"toolwright"} <= set(sys.stdlib_module_names)


@keeps("house.validator-on-first-use")
def test_using_every_name_loads_nothing_heavy() -> None:
    """But for the built-in tools: whoever asks for those wants their schemas."""
    loaded = loaded_by("import toolwright as tw; [getattr(tw, name) for name in tw.__all__ if name != 'builtin']")
    assert loaded & HEAVY == set()


@keeps("house.pure-core")
def test_the_pure_rooms_load_nothing_that_opens_a_file_or_a_socket() -> None:
    loaded = loaded_by(f"import toolwright as tw; [getattr(tw, n) for n, home in tw._HOMES.items() if home in {PURE}]")
    assert loaded & {*HEAVY, "asyncio", "socket", "ssl", "sqlite3", "subprocess"} == set()


@keeps("house.few-distributions")
def test_a_core_install_brings_few_distributions() -> None:
    assert distributions("toolwright") == {"toolwright", "msgspec", "jsonschema-rs"}


def test_no_room_goes_through_the_front_door() -> None:
    assert [inside(path) for path in ROOMS if any(name == "toolwright" for name, _ in imports(path))] == []


def test_only_msgspec_is_imported_along_with_a_room() -> None:
    ours = sys.stdlib_module_names | {"toolwright", "msgspec"}
    early = {(inside(path), name) for path in ROOMS for name, now in imports(path) if now} - ASKED_FOR
    early -= {(path, name) for path, name in early if path.startswith("cli/") and name.partition(".")[0] == "click"}
    assert {(path, name) for path, name in early if name.partition(".")[0] not in ours} == set()


def test_one_module_knows_the_schema_validator() -> None:
    knows = {inside(path) for path in ROOMS for name, _ in imports(path) if name.partition(".")[0] == "jsonschema_rs"}
    assert knows == {VALIDATOR_HOME}
