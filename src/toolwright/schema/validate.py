"""Validation: the fast answer for an ordinary value, the careful one for every other.

An ordinary value passes a compiled check and that is all. Any other is looked over first (is it JSON, how deep, how
large?), judged by the engine where that is safe and by the careful evaluator where it is not, and what is wrong is put
into words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from toolwright.errors import NotJsonError
from toolwright.schema import engine
from toolwright.schema.cost import safe_depth
from toolwright.schema.document import Document
from toolwright.schema.editions import Node
from toolwright.schema.evaluate import Evaluation
from toolwright.schema.faults import Fault, NotPlainError, Unanswerable
from toolwright.schema.notes import find_notes
from toolwright.schema.ordinary import narrow
from toolwright.schema.plain import Overview, look_over, make_plain
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.schema.wording import to_issues, to_path
from toolwright.values import MAX_DEPTH

__all__ = ["OK", "Validator"]

OK: Final = ValidationReport()
"""The report of nearly every value: one for all."""

_CONTENT: Final = frozenset(["contentEncoding", "contentMediaType"])


class Validator:
    """What a schema, or a part of one, says about values. Compiled when it is first asked, then kept."""

    def __init__(self, document: Document, node: Node) -> None:
        self._document: Final = document
        self._node: Final = node
        self._exact: Callable[[Any], bool] | None = None
        self._deepest: int | None = None

    def ordinary(self) -> Callable[[Any], bool]:
        """Return the compiled check that only ordinary values pass; it raises ``ValueError`` where it cannot tell."""
        whole = self._node is self._document.root and self._may_compile()
        narrowed = narrow(self._document) if whole and safe_depth(self._document) == MAX_DEPTH else None
        return _cannot_tell if narrowed is None else engine.compile_schema(self._document, narrowed)

    def explain(self, value: object) -> ValidationReport:
        """Return what is wrong with a value that the ordinary check has not let pass; it may yet turn out valid.

        Such a check exists only for schemas that cannot recurse: then nothing need be known of the value beforehand.
        """
        try:
            # Not where items are compared: of raw values neither the size of numbers nor the depth is known.
            if self._exact is not None and "uniqueItems" not in self._document.keywords and self._exact(value):
                return self.validate(value)
            faults = self.faults(value)
        except (NotPlainError, Unanswerable, RecursionError, ValueError):
            return self.validate(value)
        return ValidationReport(to_issues(faults)) if faults else self.validate(value)

    def validate(self, value: object) -> ValidationReport:
        """Return everything that is wrong with any value; if nothing is, what is worth knowing about it."""
        try:
            plain, overview = _in_view(value)
        except NotJsonError as error:
            return ValidationReport.invalid(ValidationIssue.invalid_value(error.path, error.problem, provided=value))
        try:
            return self._report(plain, overview)
        except Unanswerable as unanswered:
            path = to_path(unanswered.place)
            return ValidationReport.invalid(ValidationIssue.invalid_value(path, unanswered.problem, provided=value))
        except RecursionError:
            problem = "is nested too deeply to be checked against this schema"
            return ValidationReport.invalid(ValidationIssue.invalid_value("", problem, provided=value))

    def faults(self, value: Any) -> Sequence[Fault]:
        """Return everything that is wrong with a plain value.

        Raises:
            Unanswerable: It cannot be told within limits.
            RecursionError: The value is nested too deeply for the schema.
        """
        return Evaluation(self._document).faults(self._node, value, ())

    def _report(self, value: Any, overview: Overview) -> ValidationReport:
        verdict = self._judge(value, overview)
        issues = () if verdict is True else to_issues(self.faults(value))
        if issues:
            return ValidationReport(issues)
        if verdict is False:
            return ValidationReport.invalid(
                ValidationIssue.invalid_value("", "does not fit the schema", provided=value)
            )
        if overview.has_large or "deprecated" in self._document.keywords:
            notes = tuple(find_notes(self._document, self._node, value))
            return ValidationReport(warnings=notes) if notes else OK
        return OK

    def _judge(self, value: Any, overview: Overview) -> bool | None:
        """Ask the engine; ``None`` where it would take too long, or could not tell."""
        if self._deepest is None:
            self._deepest = self._compile()
        if self._exact is None or overview.depth > self._deepest:
            return None
        if overview.has_huge and "uniqueItems" in self._document.keywords:
            return None
        try:
            return self._exact(value)
        except UnicodeEncodeError:  # half a surrogate pair, which the evaluator can read
            return None

    def _compile(self) -> int:
        deepest = safe_depth(self._document) if self._may_compile() else -1
        if deepest >= 0 and not isinstance(self._node, bool):
            self._exact = engine.compile_schema(self._document, self._node)
        return deepest

    def _may_compile(self) -> bool:
        """Tell whether the engine can be asked at all, and would mean the same."""
        document = self._document
        if document.uses_meta_schemas or document.dynamic:
            return False
        if document.dialect.number == 7 and not _CONTENT.isdisjoint(document.keywords):
            return False  # the engine reads these texts; by the standard they are notes
        if any(engine.backtracks(pattern, document) for pattern in document.patterns):
            return False  # where it gives up it says no, and "not" would make that a yes
        return self._node is document.root or not (document.has_references or document.has_resources)


def _cannot_tell(value: object) -> bool:
    raise ValueError("there is no telling without a closer look")


def _in_view(value: object) -> tuple[Any, Overview]:
    """Return a value as plain JSON, and what one look at it tells.

    Raises:
        NotJsonError: It is not JSON, or nested too deeply.
    """
    overview = look_over(value)
    if overview is not None:
        return value, overview
    plain = make_plain(value)
    # What has just been made plain is; were it not, it would be refused like what is nested too deeply.
    return plain, look_over(plain) or Overview(MAX_DEPTH + 1, has_large=False, has_huge=False)
