"""What a tool is, as data: the one description of it that everything else reads.

What the model sees and what people decide by stands here; what runs does not. This module may not know who may run a
tool, or where it comes from. The formats of others are read and written in ``conversion``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from msgspec.structs import force_setattr

from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory
from toolwright.schema import Schema
from toolwright.tools import conversion
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.fields import FIELDS, REQUIRED_FIELDS, settle
from toolwright.tools.names import title_of
from toolwright.tools.parameters import ToolParameter, rows_of
from toolwright.tools.rules import Issues, Rule, is_mapping, refuse
from toolwright.tools.strictness import without_true
from toolwright.tools.written import Written
from toolwright.values import JsonObject

__all__ = ["ToolDefinition"]

_UNSAID: Final[Any] = None  # stands for what follows from other fields, until the constructor has run
_DEFAULTS: Final = ToolConstraints()


class ToolDefinition(Written, frozen=True, dict=True, gc=True):
    """The description of a tool: immutable, equal by value, JSON and back without loss.

    Words stand for levels (``risk="high"``) and mappings for schemas and constraints. ``title`` is made from the name
    and ``risk`` from the category where they are not given; a changed copy (``msgspec.structs.replace``) keeps what
    they were. A ``strict`` definition closes every object of its parameters that says nothing about further properties.

    Raises:
        InvalidDefinitionError: Rules are broken; ``report`` says which, all at once.
    """

    noun: ClassVar[str] = "The definition"
    rules: ClassVar[Mapping[str, Rule]] = FIELDS
    required_fields: ClassVar[tuple[str, ...]] = REQUIRED_FIELDS
    always_written: ClassVar[frozenset[str]] = frozenset(["parameters"])

    name: str
    description: str
    parameters: Schema = _UNSAID
    title: str = _UNSAID
    category: ToolCategory = ToolCategory.CUSTOM
    risk: RiskLevel = _UNSAID
    tags: tuple[str, ...] = ()
    strict: bool = True
    output_schema: Schema | None = None
    constraints: ToolConstraints | None = None
    permissions: tuple[str, ...] = ()
    requires_confirmation: bool = False
    version: str | None = None
    metadata: JsonObject | None = None
    examples: tuple[JsonObject, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            description: str,
            parameters: Schema | Mapping[str, Any] | Iterable[ToolParameter] | None = ...,
            title: str | None = ...,
            category: ToolCategory | str = ...,
            risk: RiskLevel | str | None = ...,
            tags: Iterable[str] = ...,
            strict: bool = ...,
            output_schema: Schema | Mapping[str, Any] | None = ...,
            constraints: ToolConstraints | Mapping[str, Any] | None = ...,
            permissions: Iterable[str] = ...,
            requires_confirmation: bool = ...,
            version: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            examples: Iterable[Mapping[str, Any]] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        issues: Issues = []
        fields = {name: rule(getattr(self, name), name, issues) for name, rule in FIELDS.items()}
        settle(fields, issues)
        if issues:
            raise refuse(self.noun, issues)
        for name, value in fields.items():
            if value is not getattr(self, name):
                force_setattr(self, name, value)

    # How it is made of other things

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; unknown fields are ignored and missing optional ones are fine.

        Raises:
            InvalidDefinitionError: A rule is broken; ``report`` says all that is wrong.
        """
        constraints = fields.get("constraints") if is_mapping(fields) else None
        if is_mapping(constraints):
            known = {name: value for name, value in constraints.items() if name in ToolConstraints.rules}
            fields = {**fields, "constraints": known}
        return super().from_dict(fields)

    @classmethod
    def from_parameters(cls, name: str, description: str, parameters: Iterable[ToolParameter], **fields: Any) -> Self:
        """Make a definition whose parameters are written one by one; ``fields`` are the others.

        Raises:
            InvalidDefinitionError: Rules are broken, those between the fields of a parameter included.
        """
        return cls(name, description, list(parameters), **fields)

    @classmethod
    def from_type(cls, type: Any, *, name: str, description: str, **fields: Any) -> Self:
        """Make a definition whose parameters are the fields of a type: a dataclass, Struct, TypedDict, model, ...

        Raises:
            UnsupportedTypeError: No schema describes the type.
            InvalidDefinitionError: Rules are broken; or the type is not one with fields.
        """
        return cls(name, description, without_true(Schema.of(type)), **fields)

    @classmethod
    def from_openai(cls, tool: Any, *, taken: Iterable[str] = (), **fields: Any) -> Self:
        """Read a function as OpenAI has it: of chat completions or of responses, with its wrapping or without.

        A name that is not legal here becomes so, other than those ``taken``, and stays in ``metadata``. ``fields`` are
        those that the format does not have, and take precedence.

        Raises:
            DefinitionDecodeError: It is not a function of that format.
            InvalidDefinitionError: Rules are broken.
        """
        return cls._imported(conversion.read_openai(tool, frozenset(taken)), fields)

    @classmethod
    def from_anthropic(cls, tool: Any, *, taken: Iterable[str] = (), **fields: Any) -> Self:
        """Read a tool as Anthropic has it; see :meth:`from_openai`.

        Raises:
            DefinitionDecodeError: It is not a tool with a schema of its own.
            InvalidDefinitionError: Rules are broken.
        """
        return cls._imported(conversion.read_anthropic(tool, frozenset(taken)), fields)

    @classmethod
    def from_mcp(cls, tool: Any, *, taken: Iterable[str] = (), **fields: Any) -> Self:
        """Read a tool as an MCP server lists it; see :meth:`from_openai`.

        Its annotations are hints of somebody else's: they may raise the risk, and never lower it.

        Raises:
            DefinitionDecodeError: It is not a tool of that format.
            InvalidDefinitionError: Rules are broken.
        """
        return cls._imported(conversion.read_mcp(tool, frozenset(taken)), fields)

    @classmethod
    def _imported(cls, read: Mapping[str, Any], fields: Mapping[str, Any]) -> Self:
        given: dict[str, Any] = {**read, **fields}
        given["metadata"] = {**read.get("metadata", {}), **(fields.get("metadata") or {})} or None
        return cls(**given)

    # What it becomes

    def to_openai(self, *, responses: bool = False) -> dict[str, Any]:
        """Return the function as OpenAI's chat completions have it, or its responses; the schema is left as it is."""
        return conversion.write_openai(self, responses=responses)

    def to_anthropic(self) -> dict[str, Any]:
        """Return the tool as Anthropic has it; the schema is left as it is."""
        return conversion.write_anthropic(self)

    def to_mcp(self) -> dict[str, Any]:
        """Return the tool as an MCP server lists it, with hints for whoever mounts it."""
        return conversion.write_mcp(self)

    # What it says

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of its JSON with sorted keys, in hexadecimal: the same for equal definitions.

        What is at its default is not in the JSON, so a field that a later version brings leaves every digest alone.
        For the same reason the defaults themselves are part of the format.
        """
        return sha256(self.canonical()).hexdigest()

    @property
    def parameter_list(self) -> tuple[ToolParameter, ...]:
        """The parameters one by one."""
        return rows_of(self.parameters)

    @property
    def time_limit(self) -> float:
        """The seconds that a call may take."""
        return (self.constraints or _DEFAULTS).max_execution_time

    @property
    def output_limit(self) -> int:
        """The bytes that a result may have."""
        return (self.constraints or _DEFAULTS).max_output_size

    @property
    def side_effects(self) -> bool:
        """Whether a call may change anything."""
        return (self.constraints or _DEFAULTS).side_effects

    @property
    def idempotency_key(self) -> bool:
        """Whether a call with the same key may be made again."""
        return (self.constraints or _DEFAULTS).idempotency_key

    @property
    def isolation(self) -> SandboxIsolationLevel:
        """The least isolation that a call needs; none where nothing is said, as for the application's own code."""
        return self.least_isolation()

    def least_isolation(self, *, kept_as_data: bool = False) -> SandboxIsolationLevel:
        """Return the least isolation that a call needs; where nothing is said, data needs more than code."""
        said = self.constraints.isolation if self.constraints else None
        unsaid = SandboxIsolationLevel.STANDARD if kept_as_data else SandboxIsolationLevel.NONE
        return unsaid if said is None else said

    def _is_left_out(self, name: str, value: object) -> bool:
        if name == "title":
            return value == title_of(self.name)
        if name == "risk":
            return value is self.category.default_risk
        return super()._is_left_out(name, value)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, ToolDefinition):
            return NotImplemented
        return self.name == other.name and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return (
            f"ToolDefinition(name={self.name!r}, description=<{len(self.description)} chars>, "
            f"category={self.category}, risk={self.risk}, parameters=<{len(self.parameters.properties)}>)"
        )
