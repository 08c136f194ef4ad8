from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.messages.strategies import json_values
from tests.promises import keeps
from toolwright.providers.codecs.faults import find_failure, read_failure

CASES: list[tuple[Any, int | None, str, bool]] = [
    ({"error": {"code": "invalid_api_key", "message": "Wrong key"}}, 401, "authentication_failed", False),
    ({"error": {"message": "No"}}, 403, "authentication_failed", False),
    ({"error": {"type": "rate_limit_error"}}, None, "rate_limited", True),
    ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, None, "rate_limited", True),
    ({"error": {"code": "insufficient_quota", "type": "insufficient_quota"}}, 429, "rate_limited", False),
    ({"error": {"code": "context_length_exceeded"}}, 400, "context_length_exceeded", False),
    ({"error": {"message": "prompt is too long: 210000 tokens"}}, 400, "context_length_exceeded", False),
    ({"error": "model 'qwen' not found"}, 404, "model_not_found", False),
    ({"error": {"code": "model_not_found"}}, 404, "model_not_found", False),
    ({"error": {"code": "content_filter"}}, 400, "content_filtered", False),
    ({"type": "error", "error": {"type": "overloaded_error"}}, None, "api_call_failed", True),
    ({"message": "?"}, 500, "api_call_failed", True),
    ({"message": "?"}, 418, "api_call_failed", False),
    ({"detail": "?"}, 409, "api_call_failed", True),
    ("Gateway timeout", 504, "timeout", True),
    (None, None, "api_call_failed", False),
]


@keeps("codecs.failure")
@pytest.mark.parametrize(("body", "status", "code", "retryable"), CASES)
def test_errors_of_all_providers_get_the_same_codes(body: Any, status: int | None, code: str, retryable: bool) -> None:
    failure = read_failure(body, status=status)
    assert (failure.code, failure.retryable) == (code, retryable)


def test_a_message_is_passed_on_without_keys_and_not_at_any_length() -> None:
    failure = read_failure({"error": {"message": "Incorrect key sk-proj-abcdefghij0123456789abcd " + "x" * 9_000}})
    assert "abcdefghij0123456789" not in failure.message
    assert failure.message.startswith("Incorrect key")
    assert len(failure.message) <= 2_000


@keeps("codecs.only_llm_error")
@given(json_values)
def test_any_value_whatever_can_be_read_as_an_error(value: Any) -> None:
    for body in (value, {"error": value}, {"error": {"code": value, "message": value}}, {"detail": [value]}):
        assert isinstance(read_failure(body).message, str)
        find_failure(body)
