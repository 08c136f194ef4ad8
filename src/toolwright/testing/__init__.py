"""What users test their own tools with: part of the product, and free of any testing framework.

=================  ====================================================================================
``mock_tool``      :class:`MockTool`: a tool that does as it is told, and remembers how it was called
``contexts``       :func:`tool_context`: what a tool gets, to run one directly
``fake_clock``     :class:`FakeClock`: a clock that stands still until it is moved
``fake_reviewer``  :class:`FakeReviewer`: answers from a script, and remembers what it was asked
``script``         a script of answers
``scripted``       :class:`ScriptedProvider`: a model that answers from one
``servers``        :class:`ScriptedServer`: every provider's interface, on loopback, that does so
``cassettes``      :func:`record` and :func:`replay`: what a real model once said, again and again
``checks``         :func:`assert_valid_tool`: what every tool should pass
``plugin``         fixtures for pytest, which alone knows it
=================  ====================================================================================
"""

from __future__ import annotations

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
    "tool_context",
]
