"""What is told of definitions that were checked."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.tools import ToolDefinition, check_definition
from toolwright.tools.custom import check_custom

DRAFT: dict[str, Any] = {
    "name": "list_pages",
    "description": "List the pages.",
    "category": "knowledge",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}, "most": {"type": "integer"}}},
}


def told(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    standard = vars(logging.makeLogRecord({})).keys() | {"message", "asctime", "duration"}
    return [
        {name: value for name, value in vars(record).items() if name not in standard} | {"level": record.levelname}
        for record in caplog.records
    ]


@pytest.fixture(autouse=True)
def _listening(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolwright.definitions")


@keeps("telemetry.definitions")
@pytest.mark.parametrize("draft", [DRAFT, ToolDefinition(**DRAFT)], ids=["draft", "definition"])
def test_a_definition_that_is_valid_is_told_with_its_category_and_how_many_parameters(
    caplog: pytest.LogCaptureFixture, draft: object
) -> None:
    assert check_definition(draft).valid
    (record,) = told(caplog)
    assert record == {
        "event": "definition.validated",
        "tool": "list_pages",
        "category": "knowledge",
        "parameters": 2,
        "level": "INFO",
    }
    assert vars(caplog.records[0])["duration"] >= 0


@keeps("telemetry.definitions")
def test_of_one_that_is_not_the_codes_and_places_are_told_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    draft = DRAFT | {"name": "List\nPages", "description": " ", "version": "hunter2"}
    assert not check_definition(draft).valid
    (record,) = told(caplog)
    assert (record["event"], record["level"]) == ("definition.validation_failed", "WARNING")
    assert record["tool"] == "list_pages"
    assert dict(zip(record["paths"], record["codes"], strict=True)) == {
        "name": "pattern_mismatch",
        "description": "invalid_value",
        "version": "invalid_value",
    }
    assert "hunter2" not in str(record)
    assert caplog.messages == ["validation of definition list_pages failed"]


@keeps("telemetry.definitions")
def test_a_limit_that_is_out_of_range_is_told_with_its_value_and_what_holds(caplog: pytest.LogCaptureFixture) -> None:
    limits = {"max_execution_time": 601, "max_output_size": 1, "isolation": "iron"}
    check_definition(DRAFT | {"constraints": limits})
    _, *violated = told(caplog)
    assert [(each["event"], each["constraint"], each["value"], each["limit"]) for each in violated] == [
        ("definition.constraint_violated", "max_execution_time", 601, "between 1 and 600"),
        ("definition.constraint_violated", "max_output_size", 1, "between 1024 and 104857600"),
    ]


def test_a_custom_tool_is_told_once_with_what_is_wrong_about_its_handler(caplog: pytest.LogCaptureFixture) -> None:
    assert not check_custom(DRAFT).valid
    assert check_custom(DRAFT | {"handler": {"kind": "command", "command": ["ls"]}}).valid
    assert [(each["event"], each.get("paths")) for each in told(caplog)] == [
        ("definition.validation_failed", ["handler"]),
        ("definition.validated", None),
    ]


@pytest.mark.parametrize("draft", [None, [], {}, {"name": 5}, {1: 2}])
def test_what_has_no_name_is_told_without_one(caplog: pytest.LogCaptureFixture, draft: object) -> None:
    assert not check_definition(draft).valid
    assert told(caplog)[0]["tool"] == ""


def test_nothing_is_said_where_nobody_reads_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "toolwright.definitions")
    check_definition(DRAFT)
    check_definition({})
    assert caplog.records == []
