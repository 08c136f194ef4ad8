"""What users test their own tools with: part of the product, and free of any testing framework but in ``plugin``.

=================  ====================================================================================
``mock_tool``      :class:`MockTool`: a tool that does as it is told, and remembers how it was called
``contexts``       :func:`tool_context`: what a tool gets, to run one directly
``fake_clock``     :class:`FakeClock`: a clock that stands still until it is moved
``fake_reviewer``  :class:`FakeReviewer`: answers from a script, and remembers what it was asked
``script``         a script of answers
``scripted``       :class:`ScriptedProvider`: a model that answers from one
``servers``        :class:`ScriptedServer`: every provider's interface, on loopback, that does so
``cassettes``      :func:`record` and :func:`replay`: what a real model once said, again and again
``tape``           what is on a cassette
``checks``         :func:`assert_valid_tool`: what every tool should pass
``plugin``         fixtures for pytest, which alone knows it
=================  ====================================================================================

Each is loaded when its name is first used: pytest loads this room at every start, wherever Toolwright is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.testing.cassettes import record, replay
    from toolwright.testing.checks import assert_valid_tool
    from toolwright.testing.contexts import tool_context
    from toolwright.testing.fake_clock import FakeClock
    from toolwright.testing.fake_reviewer import FakeReviewer
    from toolwright.testing.mock_tool import MockTool
    from toolwright.testing.scripted import ScriptedProvider, ScriptedRequest
    from toolwright.testing.servers import ScriptedServer, ServerRequest

__all__ = [
    "FakeClock",
    "FakeReviewer",
    "MockTool",
    "ScriptedProvider",
    "ScriptedRequest",
    "ScriptedServer",
    "ServerRequest",
    "assert_valid_tool",
    "record",
    "replay",
    "tool_context",
]

if not TYPE_CHECKING:
    _HOMES = {
        "FakeClock": "fake_clock",
        "FakeReviewer": "fake_reviewer",
        "MockTool": "mock_tool",
        "ScriptedProvider": "scripted",
        "ScriptedRequest": "scripted",
        "ScriptedServer": "servers",
        "ServerRequest": "servers",
        "assert_valid_tool": "checks",
        "record": "cassettes",
        "replay": "cassettes",
        "tool_context": "contexts",
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value
