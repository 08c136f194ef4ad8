"""Which value holds, and where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.making import House
from tests.promises import keeps
from toolwright.config import KEYS, Places, Settings, TrustedFolders, find_project_file
from toolwright.errors import ConfigError
from toolwright.levels import RiskLevel, SandboxIsolationLevel


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_without_any_file_the_defaults_hold(house: House) -> None:
    found = house.load()
    assert found.settings == Settings()
    assert {origin.source for origin in found.origins.values()} == {"default"}
    assert (found.project_file, found.policies, found.ignored) == (None, (), ())


@keeps("config.order")
def test_each_later_source_goes_before_the_earlier_ones(house: House) -> None:
    key, variable = "agent.max_turns", "TOOLWRIGHT_AGENT_MAX_TURNS"
    seen = [(house.load().settings.agent.max_turns, house.load().origins[key].source)]
    house.writes("[agent]\nmax_turns = 5")
    seen.append((house.load().settings.agent.max_turns, house.load().origins[key].source))
    house.user_writes("[agent]\nmax_turns = 6")
    seen.append((house.load().settings.agent.max_turns, house.load().origins[key].source))
    found = house.load({variable: "7"})
    seen.append((found.settings.agent.max_turns, found.origins[key].source))
    found = house.load({variable: "7"}, {key: 8})
    seen.append((found.settings.agent.max_turns, found.origins[key].source))
    assert seen == [(20, "default"), (5, "project"), (6, "user"), (7, "environment"), (8, "option")]


@keeps("config.upwards")
def test_the_project_file_is_found_upwards_and_the_nearest_one_counts(house: House) -> None:
    file = house.writes("[agent]\nmax_turns = 5")
    (house.project.parent / "toolwright.toml").write_text("[agent]\nmax_turns = 3")
    found = house.load()
    assert found.project_file == file.resolve()
    assert found.settings.agent.max_turns == 5
    assert find_project_file(house.project.parent) == (house.project.parent / "toolwright.toml").resolve()


@keeps("config.origins")
def test_each_value_knows_the_file_or_the_variable_it_came_from(house: House) -> None:
    project = house.writes("[execution]\nconcurrency = 2")
    user = house.user_writes('model = "ollama:qwen3"')
    found = house.load({"TOOLWRIGHT_TOOLS_MAX_RISK": "low"}, {"system": "Be brief."})
    where = {path: origin.where for path, origin in found.origins.items() if origin.source != "default"}
    assert where == {
        "execution.concurrency": str(project.resolve()),
        "model": str(user),
        "tools.max_risk": "TOOLWRIGHT_TOOLS_MAX_RISK",
        "system": "--system",
    }


def test_every_key_reads_what_a_file_may_say(house: House) -> None:
    house.user_writes(
        """
model = "ollama:qwen3"
system = "Be brief."
[agent]
max_turns = 4
max_tool_calls = 9
timeout = 30
[execution]
concurrency = 1
timeout = 2.5
review_timeout = 60
[tools]
folders = ["mine", "/srv/tools"]
disabled = ["fetch_url"]
max_risk = "Medium"
[features]
tool_definitions = false
[builtin]
command_isolation = "restricted"
[runs]
folder = "kept/../runs"
"""
    )
    settings = house.load().settings
    config = house.places.config
    assert {path: settings.get(path) for path in KEYS} == {
        "model": "ollama:qwen3",
        "system": "Be brief.",
        "agent.max_turns": 4,
        "agent.max_tool_calls": 9,
        "agent.timeout": 30.0,
        "execution.concurrency": 1,
        "execution.timeout": 2.5,
        "execution.review_timeout": 60.0,
        "tools.folders": (config / "mine", Path("/srv/tools")),
        "tools.disabled": ("fetch_url",),
        "tools.max_risk": RiskLevel.MEDIUM,
        "features.tool_definitions": False,
        "builtin.command_isolation": SandboxIsolationLevel.RESTRICTED,
        "runs.folder": config / "runs",
    }


def test_every_key_reads_the_same_from_its_variable(house: House) -> None:
    texts = {
        "model": "ollama:qwen3",
        "system": "Be brief.",
        "agent.max_turns": "4",
        "agent.max_tool_calls": "9",
        "agent.timeout": "30",
        "execution.concurrency": "1",
        "execution.timeout": "2.5",
        "execution.review_timeout": "60",
        "tools.folders": "/a:/b",
        "tools.disabled": "fetch_url, run_python",
        "tools.max_risk": "low",
        "features.tool_definitions": "no",
        "builtin.command_isolation": "strict",
        "runs.folder": "runs",
    }
    assert set(texts) == set(KEYS)
    found = house.load({KEYS[path].variable: text for path, text in texts.items()}).settings
    assert found.tools.folders == (Path("/a"), Path("/b"))
    assert found.tools.disabled == ("fetch_url", "run_python")
    assert found.features.tool_definitions is False
    assert found.agent.timeout == 30.0
    assert found.runs.folder == house.inside / "runs"


def test_an_empty_variable_says_nothing(house: House) -> None:
    house.user_writes('model = "ollama:qwen3"')
    assert house.load({"TOOLWRIGHT_MODEL": " "}).settings.model == "ollama:qwen3"


def test_a_variable_of_another_room_is_left_alone(house: House) -> None:
    assert house.load({"TOOLWRIGHT_LOCAL_MODEL": "/models/own.gguf", "HOME": "/"}).settings == Settings()


@keeps("config.tighten")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[agent]\nmax_turns = 21", "agent.max_turns"),
        ("[agent]\nmax_tool_calls = 1000", "agent.max_tool_calls"),
        ("[execution]\ntimeout = 601.0", "execution.timeout"),
        ("[execution]\nconcurrency = 4", "execution.concurrency"),
        ('[builtin]\ncommand_isolation = "none"', "builtin.command_isolation"),
        ('model = "vllm:m@http://elsewhere.example/v1"', "model"),
        ('system = "Obey the file."', "system"),
        ('[tools]\nfolders = ["."]', "tools.folders"),
        ('[runs]\nfolder = "/tmp"', "runs.folder"),
    ],
)
def test_what_a_project_loosens_counts_only_where_the_folder_is_trusted(house: House, text: str, path: str) -> None:
    file = house.writes(text)
    found = house.load()
    assert found.settings == Settings()
    assert found.origins[path].source == "default"
    assert [(each.path, each.where) for each in found.ignored] == [(path, str(file.resolve()))]
    assert "not trusted" in str(found.ignored[0])
    TrustedFolders(house.places.trust_file).add(house.project)
    trusted = house.load()
    assert trusted.trusted
    assert trusted.ignored == ()
    assert trusted.origins[path].source == "project"
    assert trusted.settings.get(path) != KEYS[path].default


@keeps("config.tighten")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[agent]\nmax_turns = 2", "agent.max_turns"),
        ("[agent]\ntimeout = 1_000_000", "agent.timeout"),
        ("[execution]\nreview_timeout = 1", "execution.review_timeout"),
        ('[tools]\ndisabled = ["run_command"]', "tools.disabled"),
        ('[tools]\nmax_risk = "critical"', "tools.max_risk"),
        ("[features]\ntool_definitions = false", "features.tool_definitions"),
        ('[builtin]\ncommand_isolation = "restricted"', "builtin.command_isolation"),
    ],
)
def test_a_project_may_be_stricter_than_the_default_without_trust(house: House, text: str, path: str) -> None:
    house.writes(text)
    found = house.load()
    assert found.ignored == ()
    assert found.origins[path].source == "project"


def test_policy_tables_are_handed_on_with_whose_they_are(house: House) -> None:
    file = house.writes('[[policy.rules]]\neffect = "deny"\ntool = "run_command"')
    house.user_writes("[policy]\nrepair = false")
    found = house.load().policies
    assert [(each.source, each.trusted, each.file) for each in found] == [
        ("project", False, file.resolve()),
        ("user", True, house.places.user_file),
    ]
    assert found[0].table == {"rules": [{"effect": "deny", "tool": "run_command"}]}
    TrustedFolders(house.places.trust_file).add(house.project)
    assert [each.trusted for each in house.load().policies] == [True, True]


def test_a_fault_in_any_source_stops_the_whole_configuration(house: House) -> None:
    house.user_writes("[agent]\nmax_turns = 6")
    file = house.writes("[agent]\nmax_turns = 'six'")
    with pytest.raises(ConfigError, match="agent.max_turns: must be a whole number, 1 or more") as caught:
        house.load()
    assert caught.value.code == "wrong_value"
    assert caught.value.path == f"{file.resolve()}, agent.max_turns"


def test_a_folder_in_the_place_of_a_file_is_a_fault_not_an_absence(house: House) -> None:
    (house.project / "toolwright.toml").mkdir()
    with pytest.raises(ConfigError, match="is not a file"):
        house.load()
    (house.project / "toolwright.toml").rmdir()
    house.places.user_file.symlink_to("nowhere")
    with pytest.raises(ConfigError, match="cannot be read"):
        house.load()


def test_the_users_places_are_those_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    places = Places.of_user()
    assert places.to_dict()["user_file"].endswith("config.toml")
    assert places.definitions == places.config / "tools"
    assert places.runs == places.data / "runs"
    assert places.decisions(tmp_path) == places.decisions(tmp_path) != places.decisions(tmp_path / "other")
