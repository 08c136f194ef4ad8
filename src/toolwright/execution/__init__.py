"""Execution: one call in, one answer out, and nothing runs that was not allowed.

===============  ===================================================================================================
``executor``     the list of the steps, each of them a module in ``steps``; ``stages`` are what they hand on
``options``      what a call may bring along of its own
``execution``    what comes out: an ``Execution``; and the ``Intent`` that is on record before a call runs
``policy``       what may run (pure); ``limits``, ``remembered`` decisions, ``rules`` in files, the ``verdict``
``reviewers``    who is asked: ``console``, ``inbox``
``running``      deadlines and cancellation; ``groups`` what asyncio forgets of it; ``threads``
``scheduling``   slots and order; ``many`` calls at once
``events``       what happens, told to whoever listens; ``sinks`` and ``audit`` keep it on record
``keeping``      results that were too long, to be read on
===============  ===================================================================================================

This room declares what it needs of others (``AuditSink``, ``Inbox``, a reviewer, a sandbox) and finds nothing by
itself: what is absent refuses. It may not know a provider, a model's loop or a database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.execution.audit import Head, JsonLinesSink, MemorySink, Verification, verify
    from toolwright.execution.clock import Clock, SystemClock
    from toolwright.execution.console import ConsoleReviewer
    from toolwright.execution.events import (
        ApprovalDecided,
        ApprovalRequested,
        DefinitionCreated,
        DefinitionDeleted,
        DefinitionUpdated,
        DefinitionValidated,
        Event,
        Events,
        ExecutionCompleted,
        ExecutionProgress,
        ExecutionStarted,
        Listening,
    )
    from toolwright.execution.execution import Execution, Intent, Status
    from toolwright.execution.executor import Executor
    from toolwright.execution.inbox import Inbox, InboxReviewer, MemoryInbox, Pending
    from toolwright.execution.limits import Limits
    from toolwright.execution.options import CallOptions, ScopeOptions
    from toolwright.execution.policy import Policy, Rule
    from toolwright.execution.remembered import Memory, Remember, Remembered
    from toolwright.execution.reviewers import Decision, Reviewer, ReviewRequest, approve_all, deny_all
    from toolwright.execution.rules import RuleFile, load_policy, parse_policy
    from toolwright.execution.scheduling import Concurrency
    from toolwright.execution.sinks import AuditSink
    from toolwright.execution.verdict import Explanation, Verdict

__all__ = [
    "ApprovalDecided",
    "ApprovalRequested",
    "AuditSink",
    "CallOptions",
    "Clock",
    "Concurrency",
    "ConsoleReviewer",
    "Decision",
    "DefinitionCreated",
    "DefinitionDeleted",
    "DefinitionUpdated",
    "DefinitionValidated",
    "Event",
    "Events",
    "Execution",
    "ExecutionCompleted",
    "ExecutionProgress",
    "ExecutionStarted",
    "Executor",
    "Explanation",
    "Head",
    "Inbox",
    "InboxReviewer",
    "Intent",
    "JsonLinesSink",
    "Limits",
    "Listening",
    "Memory",
    "MemoryInbox",
    "MemorySink",
    "Pending",
    "Policy",
    "Remember",
    "Remembered",
    "ReviewRequest",
    "Reviewer",
    "Rule",
    "RuleFile",
    "ScopeOptions",
    "Status",
    "SystemClock",
    "Verdict",
    "Verification",
    "approve_all",
    "deny_all",
    "load_policy",
    "parse_policy",
    "verify",
]

if not TYPE_CHECKING:
    # Lazily, so that whoever needs one part, such as a policy, does not pay for the others.
    _HOMES = {
        "ApprovalDecided": "events",
        "ApprovalRequested": "events",
        "AuditSink": "sinks",
        "CallOptions": "options",
        "Clock": "clock",
        "Concurrency": "scheduling",
        "ConsoleReviewer": "console",
        "Decision": "reviewers",
        "DefinitionCreated": "events",
        "DefinitionDeleted": "events",
        "DefinitionUpdated": "events",
        "DefinitionValidated": "events",
        "Event": "events",
        "Events": "events",
        "Execution": "execution",
        "ExecutionCompleted": "events",
        "ExecutionProgress": "events",
        "ExecutionStarted": "events",
        "Executor": "executor",
        "Explanation": "verdict",
        "Head": "audit",
        "Inbox": "inbox",
        "InboxReviewer": "inbox",
        "Intent": "execution",
        "JsonLinesSink": "audit",
        "Limits": "limits",
        "Listening": "events",
        "Memory": "remembered",
        "MemoryInbox": "inbox",
        "MemorySink": "audit",
        "Pending": "inbox",
        "Policy": "policy",
        "Remember": "remembered",
        "Remembered": "remembered",
        "ReviewRequest": "reviewers",
        "Reviewer": "reviewers",
        "Rule": "policy",
        "RuleFile": "rules",
        "ScopeOptions": "options",
        "Status": "execution",
        "SystemClock": "clock",
        "Verdict": "verdict",
        "Verification": "audit",
        "approve_all": "reviewers",
        "deny_all": "reviewers",
        "load_policy": "rules",
        "parse_policy": "rules",
        "verify": "audit",
    }

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
            return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
