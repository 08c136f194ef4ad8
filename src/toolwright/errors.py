"""Every exception that Toolwright raises, in one tree.

Ask who should act. What a *model* got wrong is never an exception: it is a value that the model can read. What is
below is for the *programmer* (wrong use; each is also the builtin it resembles) and for the *operator*.

::

    ToolwrightError
    ├── NotJsonError               (ValueError)   a value that JSON cannot express
    ├── InvalidMessageError        (ValueError)   a message or call that breaks a rule
    │   └── ConversationOrderError                a message where it may not stand
    ├── MessageDecodeError         (ValueError)   malformed JSON, or JSON of another shape
    ├── InvalidSchemaError         (ValueError)   a JSON Schema that is not valid, or not safe to use
    │   └── UnsupportedTypeError   (TypeError)    a Python type that no schema describes
    ├── UnknownWordError           (ValueError)   a word that names no category, risk, isolation or tier
    ├── InvalidDefinitionError     (ValueError)   a tool definition that breaks a rule
    ├── DefinitionDecodeError      (ValueError)   a tool definition whose JSON is malformed
    ├── PolicyError                (ValueError)   a rule, a limit or a policy's file that cannot be relied on
    ├── ConfigError                (ValueError)   a setting that is unknown, wrong or unreadable, and where
    ├── DuplicateToolError         (ValueError)   a tool's name is taken
    │   └── ProtectedToolError                    it is taken by a built-in tool, which stays
    ├── ToolNotFoundError          (LookupError)  no tool has this name; tells the nearest
    ├── ToolLoadError              (ImportError)  modules with tools that cannot be imported
    ├── AuditError                                an audit file that cannot be relied on, or written to
    ├── LicenseError                              more than the tier has; names the tier that has it
    ├── LLMError                                  a model was asked and there is no answer; ``code`` says why
    ├── ModelFileError                            the local model's weights are not there, or not what they should be
    ├── RunError                                  a stored run that is not there, not ours, or not readable
    ├── PathOutsideWorkspaceError  (ValueError)   a path that leads out of the workspace, or names no file in it
    └── MissingExtraError          (ImportError)  an optional dependency that is not installed

No exception repeats content, argument values or secrets: not in its text, its ``args`` or its traceback.

This module knows no other; what it imports is for type checkers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.schema import ValidationReport

__all__ = [
    "AuditError",
    "ConfigError",
    "ConversationOrderError",
    "DefinitionDecodeError",
    "DuplicateToolError",
    "InvalidDefinitionError",
    "InvalidMessageError",
    "InvalidSchemaError",
    "LLMError",
    "LicenseError",
    "MessageDecodeError",
    "MissingExtraError",
    "ModelFileError",
    "NotJsonError",
    "PathOutsideWorkspaceError",
    "PolicyError",
    "ProtectedToolError",
    "RunError",
    "ToolLoadError",
    "ToolNotFoundError",
    "ToolwrightError",
    "UnknownWordError",
    "UnsupportedTypeError",
]


class ToolwrightError(Exception):
    """The root: catch it to catch whatever Toolwright raises."""


class _LocatedError(ToolwrightError, ValueError):
    """A fault with a word for programs and a place in the value.

    ``code`` is one of the words documented for the kind of error, ``path`` says where (``tool_calls[1].name``; empty
    for the whole value) and ``problem`` is the text without the place.
    """

    def __init__(self, problem: str = "", *, code: str = "", path: str = "") -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem = problem
        self.code = code
        self.path = path


class NotJsonError(_LocatedError):
    """A value that JSON cannot express, or that is nested too deeply to be handled safely."""


class InvalidMessageError(_LocatedError):
    """A message, call or result breaks a rule; ``code`` names the rule and ``path`` the field."""


class ConversationOrderError(InvalidMessageError):
    """A message may not stand where it was put; the text names the rule and the conversation is as it was."""


class MessageDecodeError(_LocatedError):
    """The JSON is malformed (``malformed_json``) or its types are not those of the value (``wrong_shape``)."""


class InvalidSchemaError(_LocatedError):
    """A JSON Schema is not itself valid, needs something from outside, or is not safe to evaluate."""


class UnsupportedTypeError(InvalidSchemaError, TypeError):
    """A Python type has no JSON Schema; the text says what to use instead."""


class UnknownWordError(_LocatedError):
    """A word, or a number, is not in the closed list that it was looked up in; the text gives the list."""


class InvalidDefinitionError(ToolwrightError, ValueError):
    """A tool definition, or a part of one, breaks rules; ``report`` is a ``ValidationReport`` with all of them."""

    def __init__(self, problem: str = "", *, report: ValidationReport | None = None) -> None:
        super().__init__(problem)
        self.report = report


class DefinitionDecodeError(_LocatedError):
    """The JSON of a tool definition is malformed (``malformed_json``), or it is not a tool's (``wrong_shape``)."""


class PolicyError(_LocatedError):
    """A rule, a limit or the file of a policy cannot be relied on, so none of it holds.

    ``code`` is ``unknown_key``, ``invalid_rule``, ``wrong_example``, ``unreadable`` or ``not_written``; ``path`` says
    where: ``policy.rules[2].when.command``.
    """


class ConfigError(_LocatedError):
    """A setting cannot be relied on: ``path`` names its file or variable, and its key there.

    ``code`` is ``unknown_key``, ``wrong_value`` or ``unreadable``.
    """


class DuplicateToolError(ToolwrightError, ValueError):
    """Another tool has the name that a tool asks for; ``name`` is that name."""

    def __init__(self, problem: str = "", *, name: str = "") -> None:
        super().__init__(problem)
        self.name = name


class ProtectedToolError(DuplicateToolError):
    """A built-in tool has the name, in this or another spelling, and is not replaced, removed or hidden."""


class ToolNotFoundError(ToolwrightError, LookupError):
    """No tool is called ``name``; ``suggestions`` are the nearest names, best first."""

    def __init__(self, problem: str = "", *, name: str = "", suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.name = name
        self.suggestions = suggestions


class ToolLoadError(ToolwrightError, ImportError):
    """Modules that should hold tools cannot be imported: ``modules`` names them, the cause is the first one's fault."""

    def __init__(self, problem: str = "", *, modules: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.modules = modules


class AuditError(ToolwrightError):
    """An audit file is not as it was written, or somebody else is writing to it; the text says what to do."""

    code = "audit_unusable"
    retryable = False


class LicenseError(ToolwrightError):
    """The tier does not have this; ``limit`` is the word for what it lacks and ``tier`` the lowest one that has it."""

    code = "license_limit"
    retryable = False

    def __init__(self, problem: str = "", *, limit: str = "", tier: str | None = None) -> None:
        super().__init__(problem)
        self.limit = limit
        self.tier = tier


class LLMError(ToolwrightError):
    """A model was asked and there is no answer; the text is the provider's message, without keys and prompts.

    ``code`` is one of ``api_call_failed``, ``authentication_failed``, ``rate_limited``, ``context_length_exceeded``,
    ``model_not_found``, ``content_filtered``, ``timeout``, ``connection_failed``, ``bad_response`` and ``cancelled``;
    ``status`` is that of the HTTP answer, if there was one, and ``retryable`` says whether asking again may help.
    """

    def __init__(
        self,
        code: str = "api_call_failed",
        message: str = "",
        *,
        status: int | None = None,
        request_id: str | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retryable = retryable

    def __str__(self) -> str:
        return f"{self.message} ({self.code})" if self.message else self.code


class ModelFileError(ToolwrightError):
    """The weights of the local model cannot be had or used; the text says why, and what to do.

    ``code`` is ``not_pulled``, ``not_fetched``, ``no_space``, ``busy`` or ``unusable``.
    """

    def __init__(self, problem: str = "", *, code: str = "not_fetched") -> None:
        super().__init__(problem)
        self.code = code


class RunError(ToolwrightError):
    """A run cannot be kept, found, taken up or ended as it was wanted; the text says why.

    ``code`` is ``run_not_found``, ``run_exists``, ``run_busy`` (another program has it), ``run_lost`` (somebody has
    taken it over), ``run_unreadable``, or ``answer_invalid`` for a structured answer that the model could not give.
    """

    def __init__(self, problem: str = "", *, code: str = "run_not_found") -> None:
        super().__init__(problem)
        self.code = code


class PathOutsideWorkspaceError(ToolwrightError, ValueError):
    """A path leads out of the workspace, or there is no workspace, or it names nothing that may be opened there."""


class MissingExtraError(ToolwrightError, ImportError):
    """Something that was asked for needs an optional dependency; ``extra`` names what to install."""

    def __init__(self, what: str = "", *, extra: str = "") -> None:
        super().__init__(what)
        self.extra = extra

    def __str__(self) -> str:
        # Worded here and not in args: copying and pickling build an exception from its args once more.
        return f"{self.args[0]} needs an extra that is not installed: pip install 'toolwright[{self.extra}]'"
