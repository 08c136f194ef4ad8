from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.messages import InvalidToolCall, ToolCall, assistant, tool_result, user
from toolwright.providers.quoting import without_quotes

LONG = "a line that is long enough to be known again when somebody quotes it"


@keeps("providers.secrets")
def test_what_is_quoted_of_any_message_is_taken_out() -> None:
    history = [user(f"short\n  {LONG}"), assistant("An answer, and quite a long one."), tool_result("c", "x" * 30)]
    assert without_quotes(f"bad: {LONG}!", history) == "bad: [...]!"
    assert without_quotes(f"bad: {LONG[:40]}... is wrong", history) == "bad: [...]... is wrong"
    assert without_quotes("An answer, and quite a long one. No.", history) == "[...] No."
    assert without_quotes(f"{'x' * 30} {LONG}", history) == "[...] [...]"
    assert without_quotes(f"{LONG}, {LONG}, {LONG[:30]}", history) == "[...], [...], [...]"
    called = assistant(
        None, [ToolCall("c", "f", {"a": [{"b": LONG}]})], [InvalidToolCall("d", "f", "{" + "y" * 30, "cut")]
    )
    assert without_quotes(f"in {LONG} and {{{'y' * 30}", [called]) == "in [...] and [...]"
    assert without_quotes("short words stay", history) == "short words stay"


@keeps("providers.secrets")
@given(
    line=st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=24, max_size=80),
    cut=st.integers(24, 80),
)
def test_no_line_that_is_long_enough_survives_in_an_error(line: str, cut: int) -> None:
    assert line[:24] not in without_quotes(f"error at {line[:cut]}", [user(line)])
