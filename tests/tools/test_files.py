from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.promises import keeps
from toolwright.errors import InvalidDefinitionError
from toolwright.tools import load_definition, load_definitions

GIT_LOG = """
name = "git_log"
description = "Show the log."
category = "git"
permissions = ["tool.git.read"]

[constraints]
side_effects = false

[[parameters]]
name = "path"
description = "Where"
required = true

[handler]
kind = "command"
command = ["git", "log", "--", "{path}"]
"""
WEATHER = """{
    "name": "weather",
    "description": "Tell the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "handler": {"kind": "http", "url": "https://api.example.com/{city}"}
}"""


def told(error: pytest.ExceptionInfo[InvalidDefinitionError]) -> list[str]:
    assert error.value.report is not None
    return [issue.path for issue in error.value.report.errors]


@keeps("tools.files")
def test_a_folder_of_toml_and_json_files_gives_its_tools_in_order(tmp_path: Path) -> None:
    (tmp_path / "z.toml").write_text(GIT_LOG)
    (tmp_path / "a.JSON").write_bytes(b"\xef\xbb\xbf" + WEATHER.encode())
    (tmp_path / "notes.md").write_text("# Notes")
    (tmp_path / ".hidden.json").write_text("{")
    (tmp_path / "inner.toml").mkdir()
    tools = load_definitions(tmp_path)
    assert [tool.definition.name for tool in tools] == ["weather", "git_log"]
    assert tools[1].definition.parameters.required == ("path",)
    assert load_definition(tmp_path / "z.toml") == tools[1]
    assert load_definitions(tmp_path / "inner.toml") == ()


@keeps("tools.files")
def test_every_fault_of_every_file_is_told_with_the_files_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GIT_LOG.replace("description =", "desciption =", 1).replace("{path}", "{pth}"))
    (tmp_path / "b.json").write_text(WEATHER.replace("https://api.example.com", "https://{city}"))
    (tmp_path / "c.json").write_text('{"name": "x", "name": "y"}')
    (tmp_path / "d.toml").write_text("name = ")
    (tmp_path / "e.json").write_bytes(b"\xff\xfe{")
    (tmp_path / "f.json").write_text("[1]")
    (tmp_path / "g.json").write_text("[" * 100_000)
    (tmp_path / "h.toml").write_text(GIT_LOG)
    (tmp_path / "i.toml").write_text(GIT_LOG)
    with (tmp_path / "j.json").open("wb") as file:
        file.truncate(5 * 1024 * 1024)
    with pytest.raises(InvalidDefinitionError) as caught:
        load_definitions(tmp_path)
    assert set(told(caught)) == {
        "a.toml: desciption", "a.toml: description", "b.json: handler.url", "c.json", "d.toml", "e.json", "f.json",
        "g.json", "i.toml: name", "j.json",
    }  # fmt: skip
    text = str(caught.value)
    assert "a.toml: desciption: is not defined here; did you mean 'description'?" in text
    assert "c.json: cannot be read: a key is given twice" in text
    assert "e.json: cannot be read: it is not UTF-8" in text
    assert "g.json: cannot be read: it is nested too deeply" in text
    assert "i.toml: name: is taken by the tool in h.toml" in text
    assert str(tmp_path) not in text


@keeps("tools.files")
def test_one_file_is_held_to_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / "tool.yaml").write_text("name: x")
    with pytest.raises(InvalidDefinitionError, match=r"tool\.yaml: must be a \.toml or \.json file"):
        load_definition(tmp_path / "tool.yaml")
    (tmp_path / "a.toml").write_text(GIT_LOG.replace("{path}", "{pth}"))
    with pytest.raises(InvalidDefinitionError) as caught:
        load_definition(tmp_path / "a.toml")
    assert told(caught) == ["a.toml: handler.command[3]"]
    with pytest.raises(FileNotFoundError):
        load_definition(tmp_path / "missing.toml")
    with pytest.raises(FileNotFoundError):
        load_definitions(tmp_path / "missing")


@keeps("tools.files")
def test_what_is_no_file_is_refused_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe.json", "endless.json", "folder.json"):
        with pytest.raises(InvalidDefinitionError, match=rf"{name}: is not a file"):
            load_definition(tmp_path / name)


@keeps("tools.files")
@pytest.mark.parametrize("key", ["a" + ".a" * 50_000, "'a' . " * 50_000 + '"b"', "a." * 199 + "a.b"])
def test_a_key_of_endless_parts_is_refused_before_it_takes_endless_memory(tmp_path: Path, key: str) -> None:
    for number, line in enumerate((f"{key} = 1", f"[{key}]")):
        path = tmp_path / f"{number}.toml"
        path.write_text(f'name = "x"\n{line}\n')
        with pytest.raises(InvalidDefinitionError, match="nested too deeply"):
            load_definition(path)


@keeps("tools.files")
def test_a_tier_is_held_to_when_files_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GIT_LOG + 'check = "mine:check"\n')
    assert load_definitions(tmp_path, tier="enterprise")
    with pytest.raises(InvalidDefinitionError) as caught:
        load_definitions(tmp_path, tier="teams")
    assert told(caught) == ["a.toml: handler.check"]


def test_nothing_is_executed_when_files_are_loaded(tmp_path: Path) -> None:
    source = f'open({str(tmp_path / "made")!r}, "w").close()\\ndef run(arguments, context): pass'
    handler = f'[handler]\nkind = "python"\nsource = """{source}"""\ncheck = "no_such:x"\n'
    (tmp_path / "a.toml").write_text(f'name = "a_tool"\ndescription = "A."\n{handler}')
    assert len(load_definitions(tmp_path)) == 1
    assert not (tmp_path / "made").exists()
