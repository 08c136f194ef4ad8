"""The compiled validator: the only place that knows jsonschema-rs.

It answers yes or no, fast. It has 15 MB and takes a while to load, so it is loaded when the first schema is made, never
by an import. Whether a schema or a value is safe to give to it is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place, dialect_of, fault
from toolwright.values import scrub

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "BACKTRACK_LIMIT",
    "LONGEST_BACKTRACKED",
    "Matcher",
    "SchemaFault",
    "backtracks",
    "check_schema",
    "compile_schema",
    "expression_room",
    "find_matcher",
    "fits_keyword",
    "is_meta_schema",
]

BACKTRACK_LIMIT: Final = 100_000
LONGEST_BACKTRACKED: Final = 10_000
# Look-around and back-references need backtracking. Its steps are counted, but a step can itself read the whole text:
# with both limits the worst expressions that we tried take 0.15 s.

_NAMES: Final = {4: "4", 6: "6", 7: "7", 19: "201909", 20: "202012"}

_LARGEST_EXPRESSION: Final = 10_000_000
_LEAST_SHARE: Final = 100_000
_ALL_EXPRESSIONS: Final = 64_000_000
# Bytes of a compiled expression. One may take 10 MB, as the engine's default is; many share what a schema may take.


@cache
def _engine() -> ModuleType:
    import jsonschema_rs

    return jsonschema_rs


def _refuse(uri: str) -> object:
    raise LookupError(f"{uri} is never fetched")


class SchemaFault(NamedTuple):
    """What is wrong with a schema: the keyword of the meta-schema that says so, its argument, and the place."""

    keyword: str
    argument: Any
    place: Place


def check_schema(root: Node) -> SchemaFault | None:
    """Hold a schema against the meta-schema of its dialect; return the first fault."""
    meta = _engine().meta
    if meta.is_valid(root):
        return None
    try:
        meta.validate(root)
    except _engine().ValidationError as error:
        arguments = list(error.kind.as_dict().values())
        return SchemaFault(error.kind.name, arguments[0] if arguments else None, tuple(error.instance_path))
    return None


def compile_schema(document: Document, root: Node) -> Callable[[Any], bool]:
    """Return the function that tells whether a value is valid.

    Raises:
        InvalidSchemaError: The engine cannot use the schema.
    """
    engine = _engine()
    make = _validator_of(document.dialect.number)
    options = engine.RegexOptions(size_limit=expression_room(document))
    try:
        validator = make(root, validate_formats=not document.names_dialect, retriever=_refuse, pattern_options=options)
    except (engine.ValidationError, engine.ReferencingError, ValueError) as error:
        # The engine's text may quote the schema: only the place is passed on.
        raise fault(
            "cannot be used as a schema", tuple(getattr(error, "instance_path", ())), "invalid_schema"
        ) from None
    is_valid: Callable[[Any], bool] = validator.is_valid
    return is_valid


def expression_room(document: Document) -> int:
    """Return how large each regular expression of a schema may become, so that all of them stay in bounds."""
    return max(_LEAST_SHARE, min(_LARGEST_EXPRESSION, _ALL_EXPRESSIONS // max(1, len(document.patterns))))


class Matcher(NamedTuple):
    """A regular expression as JSON Schema reads it; ``backtracks`` where it cannot be matched in linear time."""

    validator: Any
    backtracks: bool

    def matches(self, text: str) -> bool | None:
        """Tell whether the expression occurs in the text; ``None`` where that takes more than is allowed."""
        if self.backtracks and len(text) > LONGEST_BACKTRACKED:
            return None
        try:
            fits: bool = self.validator.is_valid(text)
        except UnicodeEncodeError:
            return self.matches(scrub(text))
        if self.backtracks and not fits and any(map(_gave_up, self.validator.iter_errors(text))):
            return None
        return fits


def _gave_up(error: Any) -> bool:
    kinds = _engine().ValidationErrorKind
    return isinstance(error.kind, (kinds.BacktrackLimitExceeded, kinds.RegexEngineFailure))


@lru_cache(maxsize=512)
def find_matcher(pattern: str, room: int) -> Matcher | None:
    """Return the compiled expression, or ``None`` if it is not one, or is larger than ``room``."""
    engine = _engine()
    schema = {"pattern": pattern}
    tries = (
        engine.RegexOptions(size_limit=room),
        engine.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT, size_limit=room),
    )
    for backtracks, options in enumerate(tries):
        try:
            return Matcher(engine.Draft202012Validator(schema, pattern_options=options), bool(backtracks))
        except (engine.ValidationError, ValueError):
            continue
    return None


def backtracks(pattern: str, document: Document) -> bool:
    """Tell whether an expression of a schema cannot be matched in linear time."""
    matcher = find_matcher(pattern, expression_room(document))
    return matcher is None or matcher.backtracks


@lru_cache(maxsize=512)
def _keyword(keyword: str, argument: str | float, dialect: int) -> Any:
    return _validator_of(dialect)({keyword: argument}, validate_formats=True, retriever=_refuse)


def _validator_of(dialect: int) -> Any:
    return getattr(_engine(), f"Draft{_NAMES[dialect]}Validator")


def fits_keyword(keyword: str, argument: str | float, value: Any, dialect: int = 20) -> bool:
    """Tell whether a value satisfies one keyword by itself: ``format``, ``multipleOf``."""
    validator = _keyword(keyword, argument, dialect)
    try:
        fits: bool = validator.is_valid(value)
    except UnicodeEncodeError:
        return fits_keyword(keyword, argument, scrub(value), dialect)
    return fits


def is_meta_schema(uri: str, value: Any) -> bool:
    """Tell whether a value is valid by one of the standard meta-schemas."""
    return fits_keyword("$ref", uri, value, dialect_of(uri).number)
