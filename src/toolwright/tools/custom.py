"""Tools kept as data: in a file, in a store, in a web form. A definition, and a handler that says what is to be done.

A custom tool has the shape of every tool and does nothing by itself. What it asks for runs in isolation only, and
whoever has a sandbox hands the handler to it; here a call is answered ``isolation_unavailable``, never run weaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from time import perf_counter
from typing import Any, Final, Self

import msgspec

from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError
from toolwright.levels import RiskLevel, SandboxIsolationLevel
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.tiers import Tier
from toolwright.tools.base import combined_check, default_summary
from toolwright.tools.checking import examine
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.handlers import Handler, read_handler
from toolwright.tools.noting import note_check
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.rules import Issues, is_mapping, refuse
from toolwright.values import decode, encode

__all__ = ["CustomTool", "check_custom"]

_NOUN: Final = "The custom tool"


class CustomTool:
    """A tool that is data: what the model sees, and a handler, also given as a mapping with its ``kind``.

    Where the definition asks for no isolation it gets ``standard``, the least that data may have.

    Raises:
        InvalidDefinitionError: Definition and handler do not go together, or the definition asks for less isolation
            than data must have; ``report`` says all that is wrong.
    """

    def __init__(self, definition: ToolDefinition, handler: Handler | Mapping[str, Any]) -> None:
        issues: Issues = []
        held = read_handler(handler, "handler", issues)
        if held is not None:
            held.note_faults(definition.parameters, "handler", issues)
        if definition.least_isolation(kept_as_data=True) < SandboxIsolationLevel.STANDARD:
            problem = "must be at least standard: what is kept as data never runs in the program itself"
            issues.append(ValidationIssue.invalid_value("constraints.isolation", problem))
        if issues or held is None:
            raise refuse(_NOUN, issues)
        self.handler = held
        self.definition = _isolated(definition)
        self.available = True

    @classmethod
    def from_dict(cls, draft: Mapping[str, Any], *, tier: Tier | str | None = None) -> Self:
        """Read a tool from one mapping: the fields of the definition, and ``handler``.

        Raises:
            InvalidDefinitionError: Something is wrong, unknown keys included; ``report`` says all of it.
        """
        report = check_custom(draft, tier=tier)
        if not report.valid:
            raise refuse(_NOUN, list(report.errors))
        fields = dict(draft)
        handler = fields.pop("handler")
        return cls(ToolDefinition(**fields), handler)

    @classmethod
    def from_json(cls, text: bytes | str, *, tier: Tier | str | None = None) -> Self:
        """Read a tool from JSON; see :meth:`from_dict`.

        Raises:
            DefinitionDecodeError: The JSON is malformed.
            InvalidDefinitionError: Something is wrong, unknown keys included; ``report`` says all of it.
        """
        try:
            draft: Any = decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            fault = DefinitionDecodeError("the text is not valid JSON", code="malformed_json")
        else:
            return cls.from_dict(draft, tier=tier)
        raise fault  # outside the handler, so that no context leads to what it quotes

    def to_dict(self) -> dict[str, Any]:
        """Return the tool as one mapping, which :meth:`from_dict` reads back."""
        return {**self.definition.to_dict(), "handler": self.handler.to_dict()}

    def to_json(self) -> bytes:
        """Return the tool as JSON, which :meth:`from_json` reads back."""
        return encode(self.to_dict())

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of definition and handler: what was approved of one is not approved of another."""
        return sha256(encode(self.to_dict(), canonical=True)).hexdigest()

    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        """Say what is wrong with arguments: by the schema, and by the handler's ``check`` where it names one."""
        address: str | None = getattr(self.handler, "check", None)
        if address is None:
            return self.definition.parameters.validate(arguments)
        return combined_check(self.definition, partial(_call, address), arguments)

    def summarize(self, arguments: Mapping[str, Any]) -> str:
        """Say in one line what a call would do."""
        return default_summary(self.definition, arguments)

    def effective_risk(self, arguments: Mapping[str, Any]) -> RiskLevel:
        """Return the risk of a call: that of the definition."""
        del arguments
        return self.definition.risk

    async def execute(self, context: ToolContext) -> ToolOutcome:
        """Refuse: a handler runs in a sandbox, which whoever runs the tool has or has not."""
        del context
        name, level = self.definition.name, self.definition.isolation
        return ToolOutcome.failed(
            f"The tool {name!r} needs isolation {level.value!r}, and there is no sandbox here to run it in.",
            code="isolation_unavailable",
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CustomTool):
            return NotImplemented
        return self.definition == other.definition and self.handler == other.handler

    def __hash__(self) -> int:
        return hash(self.definition)

    def __repr__(self) -> str:
        return f"<CustomTool {self.definition.name} ({self.handler.kind})>"


def check_custom(draft: object, *, tier: Tier | str | None = None) -> ValidationReport:
    """Return everything that is wrong with a mapping that is to become a custom tool; never raises for it.

    Nothing is executed or imported to find out.

    Raises:
        UnknownWordError: There is no such tier.
    """
    started = perf_counter()
    fields, report = examine(draft, tier=tier, stored=True)
    if is_mapping(draft):
        report = ValidationReport.combine(report, ValidationReport(errors=tuple(_faults_of_handler(draft, report))))
    note_check(fields, report, perf_counter() - started)
    return report


def _faults_of_handler(draft: Mapping[Any, Any], report: ValidationReport) -> Issues:
    """Return what is wrong with the handler of a draft, and with both together where the definition is fine."""
    issues: Issues = []
    handler = None
    if "handler" in draft:
        handler = read_handler(draft["handler"], "handler", issues)
    else:
        issues.append(ValidationIssue.required("handler"))
    if report.valid and handler is not None:
        definition = ToolDefinition(**{name: value for name, value in draft.items() if name != "handler"})
        issues += _faults_together(definition, handler)
    return issues


def _faults_together(definition: ToolDefinition, handler: Handler) -> Issues:
    try:
        CustomTool(definition, handler)
    except InvalidDefinitionError as error:
        return list(error.report.errors) if error.report else []
    return []


def _isolated(definition: ToolDefinition) -> ToolDefinition:
    """Return a definition that says how it is isolated, so that nobody takes silence for leave to run it anywhere."""
    level = definition.least_isolation(kept_as_data=True)
    constraints = definition.constraints or ToolConstraints()
    if constraints.isolation is level:
        return definition
    return msgspec.structs.replace(definition, constraints=msgspec.structs.replace(constraints, isolation=level))


def _call(address: str, arguments: Mapping[str, Any]) -> object:
    module, _, path = address.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found(arguments)
