"""Issues and reports."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest

from tests.promises import keeps
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.schema.report import ErrorCode, WarningCode
from toolwright.values import encode

SECRET = "hunter2"

MADE: list[tuple[ValidationIssue, str, str]] = [
    (ValidationIssue.required("a"), "required", "is missing"),
    (ValidationIssue.required("a", because_of="b"), "required", "is missing; it must be given with 'b'"),
    (ValidationIssue.type_mismatch("a", "integer", "string"), "type_mismatch", "must be an integer, not a string"),
    (
        ValidationIssue.type_mismatch("a", "string or null", "array"),
        "type_mismatch",
        "must be a string or null, not an array",
    ),
    (ValidationIssue.invalid_enum("a", ["x", "y"]), "invalid_enum", "must be one of 'x', 'y'"),
    (ValidationIssue.invalid_enum("a", [True]), "invalid_enum", "must be true"),
    (ValidationIssue.out_of_range("depth", 12, maximum=10), "out_of_range", "must be at most 10"),
    (ValidationIssue.out_of_range("depth", 0, minimum=1), "out_of_range", "must be at least 1"),
    (ValidationIssue.out_of_range("depth", 0, minimum=1, maximum=9), "out_of_range", "must be between 1 and 9"),
    (ValidationIssue.out_of_range("depth", 0, above=0, below=1), "out_of_range", "must be more than 0 and less than 1"),
    (
        ValidationIssue.out_of_range("a", "", minimum=3, counted="characters"),
        "out_of_range",
        "must have at least 3 characters",
    ),
    (ValidationIssue.out_of_range("a", [], minimum=1, counted="items"), "out_of_range", "must have at least 1 item"),
    (ValidationIssue.out_of_range("a", 7, multiple_of=5), "out_of_range", "must be a multiple of 5"),
    (ValidationIssue.pattern_mismatch("a", "^x$"), "pattern_mismatch", "must match the pattern ^x$"),
    (ValidationIssue.pattern_mismatch("a", format="date"), "pattern_mismatch", "must be a valid date"),
    (ValidationIssue.additional_property("a"), "additional_property", "is not defined here; leave it out"),
    (
        ValidationIssue.additional_property("paht", "path"),
        "additional_property",
        "is not defined here; did you mean 'path'?",
    ),
    (ValidationIssue.path_not_found("file"), "path_not_found", "names a file or folder that does not exist"),
    (
        ValidationIssue.path_outside_workspace("file"),
        "path_outside_workspace",
        "names a file or folder outside the workspace; use a path inside it",
    ),
    (ValidationIssue.invalid_value("a", "must be prime"), "invalid_value", "must be prime"),
    (ValidationIssue.deprecated("mode", use="style"), "deprecated", "is deprecated; use 'style' instead"),
    (ValidationIssue.deprecated("mode"), "deprecated", "is deprecated"),
    (ValidationIssue.large_value("a", "5 GB"), "large_value", "is unusually large: 5 GB"),
    (
        ValidationIssue.slow_operation("a", "it reads everything"),
        "slow_operation",
        "may make this slow: it reads everything",
    ),
    (ValidationIssue.coerced("a", "read the text as an integer"), "coerced", "read the text as an integer"),
]

KEEPERS: list[Callable[[Any], ValidationIssue]] = [
    lambda value: ValidationIssue.type_mismatch("a", "integer", "string", provided=value),
    lambda value: ValidationIssue.invalid_enum("a", ["x"], provided=value),
    lambda value: ValidationIssue.out_of_range("a", value, maximum=10),
    lambda value: ValidationIssue.pattern_mismatch("a", "^x$", provided=value),
    lambda value: ValidationIssue.additional_property("a", provided=value),
    lambda value: ValidationIssue.path_not_found("a", provided=value),
    lambda value: ValidationIssue.path_outside_workspace("a", provided=value),
    lambda value: ValidationIssue.invalid_value("a", "is wrong", provided=value),
]


@keeps("schema.factories")
@pytest.mark.parametrize(("issue", "code", "message"), MADE)
def test_a_factory_words_the_message(issue: ValidationIssue, code: str, message: str) -> None:
    assert (issue.code, issue.message) == (code, message)


@keeps("schema.factories")
def test_there_is_a_factory_for_every_code() -> None:
    codes = {*get_args(ErrorCode), *get_args(WarningCode)}
    assert {issue.code for issue, _, _ in MADE} == codes
    assert all(callable(getattr(ValidationIssue, code)) for code in codes)


@keeps("schema.issue")
@pytest.mark.parametrize(
    ("path", "parameter"), [("options.depth", "options"), ("tags[2]", "tags"), ("a", "a"), ("", ""), ("[0].a", "")]
)
def test_the_parameter_is_the_first_part_of_the_path(path: str, parameter: str) -> None:
    assert ValidationIssue.required(path).parameter == parameter


@keeps("schema.issue", "schema.provided_hidden")
@pytest.mark.parametrize("make", KEEPERS)
def test_what_was_provided_is_kept_for_programs_and_shown_nowhere(make: Callable[[Any], ValidationIssue]) -> None:
    issue = make({"password": SECRET})
    assert issue.provided == {"password": SECRET}
    report = ValidationReport.invalid(issue)
    shown = [repr(issue), str(issue), repr(report), report.message, encode(report).decode(), f"{issue.__reduce__()}"]
    assert not any(SECRET in text for text in [*shown, pickle.dumps(report).decode("latin-1")])
    assert issue == make("something else")
    assert hash(issue) == hash(make(None))


def test_an_issue_that_was_not_told_what_was_provided_has_nothing() -> None:
    assert ValidationIssue.required("a").provided is None


def test_of_many_allowed_values_the_first_are_listed() -> None:
    issue = ValidationIssue.invalid_enum("a", range(100_000))
    assert issue.message.endswith("18, 19 and 99,980 more")
    assert len(ValidationIssue.invalid_enum("a", ["x" * 1000]).message) < 100


@keeps("schema.report")
def test_a_report_is_valid_when_it_has_no_errors() -> None:
    warning, error = ValidationIssue.deprecated("a"), ValidationIssue.required("b")
    assert ValidationReport.ok().valid
    assert ValidationReport.ok(warning).valid
    assert ValidationReport.ok(warning).warnings == (warning,)
    assert not ValidationReport.invalid(error).valid
    assert ValidationReport.invalid(error).errors == (error,)


def test_an_invalid_report_needs_an_error() -> None:
    with pytest.raises(ValueError, match="at least one error"):
        ValidationReport.invalid()


@pytest.mark.parametrize("make", [ValidationReport.ok, ValidationReport.invalid])
def test_what_is_no_issue_is_refused_where_it_is_put_into_a_report(make: Any) -> None:
    with pytest.raises(TypeError, match=r"a ValidationIssue belongs here, such as invalid_value\(.*, not a str"):
        make(ValidationIssue.invalid_value("a", "is wrong"), "is wrong, too")


@keeps("schema.message")
def test_the_message_is_a_list_of_paths_and_what_is_wrong_there() -> None:
    report = ValidationReport.invalid(
        ValidationIssue.required("options.depth"),
        ValidationIssue.out_of_range("tags[2]", 12, maximum=10),
        ValidationIssue.type_mismatch("", "object", "array"),
    )
    assert report.message == (
        "- options.depth: is missing\n- tags[2]: must be at most 10\n- must be an object, not an array"
    )
    assert ValidationReport.ok(ValidationIssue.deprecated("a")).message == ""


@keeps("schema.combine")
def test_reports_are_combined_in_order_and_without_repeating() -> None:
    first, second, note = (
        ValidationIssue.required("a"),
        ValidationIssue.required("b"),
        ValidationIssue.slow_operation("c", "x"),
    )
    combined = ValidationReport.combine(
        ValidationReport.invalid(first), ValidationReport.ok(note), ValidationReport.invalid(second, first)
    )
    assert combined == ValidationReport((first, second), (note,))
    assert ValidationReport.combine() == ValidationReport.ok()


def test_reports_are_values_and_survive_json_and_pickling() -> None:
    report = ValidationReport.invalid(ValidationIssue.required("a"))
    assert report == ValidationReport.invalid(ValidationIssue.required("a"))
    assert hash(report) == hash(copy.deepcopy(report))
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301  our own bytes
    assert msgspec.json.decode(encode(report), type=ValidationReport) == report
    with pytest.raises(AttributeError):
        report.errors = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        report.errors[0].path = "b"  # type: ignore[misc]
