from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises import keeps
from tests.registry.making import make_tool, names_of
from toolwright.errors import DuplicateToolError, ToolLoadError
from toolwright.registry import Registry

TOOL = '''
from toolwright.tools import tool

@tool
def {name}(text: str) -> str:
    """Does {name}."""
    return text
'''


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder that can be imported from, until the end of the test."""
    before = set(sys.modules)
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def write(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@keeps("registry.load_package")
def test_the_decorated_functions_of_a_package_are_taken_in_in_order(place: Path) -> None:
    write(
        place,
        {
            "shop_a/__init__.py": "from shop_a.beta import second\n" + TOOL.format(name="first"),
            "shop_a/zeta.py": TOOL.format(name="last_one") + TOOL.format(name="and_another"),
            "shop_a/beta.py": TOOL.format(name="second") + TOOL.format(name="hidden") + "_hidden = hidden; del hidden",
            "shop_a/inner/__init__.py": "",
            "shop_a/inner/deep.py": "from shop_a.beta import second\n" + TOOL.format(name="deep_one"),
            "shop_a/__main__.py": "raise SystemExit('a program was run')",
        },
    )
    registry = Registry()
    tools = registry.load_package("shop_a")
    assert names_of(tools) == names_of(registry) == ["first", "second", "deep_one", "last_one", "and_another"]


@keeps("registry.load_package")
def test_tools_from_elsewhere_and_classes_stay_out(place: Path) -> None:
    write(
        place,
        {
            "elsewhere.py": TOOL.format(name="borrowed"),
            "shop_b.py": "from elsewhere import borrowed\nfrom toolwright.tools import ToolBase\n"
            + TOOL.format(name="own_one")
            + "class Made(ToolBase):\n    definition = own_one.definition\n    def run(self, context): return 1\n",
        },
    )
    assert names_of(Registry().load_package("shop_b")) == ["own_one"]


@keeps("registry.load_package")
def test_an_object_that_may_not_be_looked_at_is_no_tool(place: Path) -> None:
    stand_in = (
        "class StandIn:\n    def __getattribute__(self, name): raise RuntimeError('outside of a request')\n"
        "request = StandIn()\n"
    )
    write(place, {"shop_e.py": stand_in + TOOL.format(name="own_tool")})
    assert names_of(Registry().load_package("shop_e")) == ["own_tool"]


@keeps("registry.load_package")
def test_all_modules_that_cannot_be_imported_are_named_and_nothing_is_taken_in(place: Path) -> None:
    write(
        place,
        {
            "shop_c/__init__.py": TOOL.format(name="fine"),
            "shop_c/broken.py": "import a_module_that_is_not_there",
            "shop_c/odd.py": "1 / 0",
            "shop_c/program.py": "raise SystemExit('a program was run')",
            "shop_c/sound.py": TOOL.format(name="sound"),
        },
    )
    registry = Registry()
    with pytest.raises(ToolLoadError, match=r"shop_c\.broken, shop_c\.odd, shop_c\.program") as caught:
        registry.load_package("shop_c")
    assert caught.value.modules == ("shop_c.broken", "shop_c.odd", "shop_c.program")
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    assert len(registry) == 0
    with pytest.raises(ToolLoadError, match="no_such_package"):
        registry.load_package("no_such_package")


def test_a_package_whose_tools_clash_is_not_taken_in(place: Path) -> None:
    write(place, {"shop_d.py": TOOL.format(name="fine") + TOOL.format(name="taken")})
    registry = Registry([make_tool("taken")])
    with pytest.raises(DuplicateToolError, match="taken"):
        registry.load_package("shop_d")
    assert names_of(registry) == ["taken"]


@keeps("registry.entry_points")
def test_entry_points_give_tools_and_a_broken_one_stops_no_other(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    points = {
        "a_single": "plugged:single",
        "b_several": "plugged:several",
        "c_module": "plugged_module",
        "d_missing": "no_such_module:thing",
        "e_no_tool": "plugged:number",
        "f_clash": "plugged:clash",
        "g_program": "plugged_program:thing",
    }
    write(
        place,
        {
            "plugged.py": TOOL.format(name="single")
            + TOOL.format(name="left_one")
            + TOOL.format(name="right_one")
            + "several = [left_one, right_one]\nnumber = 42\nclash = [single]\n",
            "plugged_module.py": TOOL.format(name="from_module"),
            "plugged_program.py": "raise SystemExit('a program was run')",
            "plugged-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n",
            "plugged-1.0.dist-info/entry_points.txt": "[toolwright.tools]\n"
            + "".join(f"{name} = {value}\n" for name, value in points.items()),
        },
    )
    registry = Registry()
    tools = registry.load_entry_points()
    assert names_of(tools) == names_of(registry) == ["single", "left_one", "right_one", "from_module"]
    failed = [r.__dict__["entry_point"] for r in caplog.records if r.__dict__["event"] == "entry_point.failed"]
    assert failed == ["d_missing", "e_no_tool", "f_clash", "g_program"]
    assert Registry().load_entry_points("another.group") == []


@keeps("registry.folders")
def test_a_folder_of_definition_files_is_taken_in(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "lookup.toml": 'name = "lookup"\ndescription = "Look something up."\n'
            '[handler]\nkind = "command"\ncommand = ["grep", "{word}", "words.txt"]\n'
            '[parameters]\ntype = "object"\n[parameters.properties.word]\ntype = "string"\n',
        },
    )
    registry = Registry()
    tools = registry.load_folder(tmp_path)
    assert names_of(tools) == names_of(registry) == ["lookup"]
