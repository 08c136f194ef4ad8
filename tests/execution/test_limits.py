from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.limits import NOTHING_COUNTED, Accounts, Counts, Limits, Reservation


@keeps("policy.limits")
@pytest.mark.parametrize(
    ("limits", "counts", "word"),
    [
        (Limits(), Counts(10**9, 10**9, 10**9), None),
        (Limits(calls=2), Counts(1, 9, 9), None),
        (Limits(calls=2), Counts(2, 0, 0), "2 calls"),
        (Limits(calls_per_tool=1), Counts(5, 1, 5), "1 call of this tool"),
        (Limits(calls_per_minute=3), Counts(9, 9, 2), None),
        (Limits(calls_per_minute=3), Counts(9, 9, 3), "a minute"),
        (Limits(calls=0), NOTHING_COUNTED, "0 calls"),
    ],
)
def test_a_limit_refuses_when_it_is_reached(limits: Limits, counts: Counts, word: str | None) -> None:
    refusal = limits.refusal(counts)
    assert (word or "") in (refusal or "")
    assert (refusal is None) == (word is None)


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "10"])
def test_a_limit_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(PolicyError, match="calls_per_tool: must be a whole number"):
        Limits(calls_per_tool=wrong)


def test_the_stricter_of_two_limits_holds() -> None:
    both = Limits(calls=5, calls_per_minute=3).strictest(Limits(calls=2, calls_per_tool=7))
    assert both == Limits(calls=2, calls_per_tool=7, calls_per_minute=3)


@keeps("policy.limits.taken")
def test_of_twenty_calls_at_once_ten_get_a_place() -> None:
    accounts = Accounts(Limits(calls=10))
    start = threading.Barrier(20)
    taken: list[Reservation | str] = []

    def take() -> None:
        start.wait(10)
        taken.append(accounts.take("session", "tool", 0.0))

    threads = [threading.Thread(target=take) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sum(isinstance(each, Reservation) for each in taken) == 10
    assert len(taken) == 20


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["one", "two", None]),
        st.sampled_from(["read", "write"]),
        st.floats(0, 40),
        st.sampled_from(["run", "run", "give back"]),
    ),
    max_size=40,
)


@keeps("policy.limits")
@given(STEPS)
def test_no_limit_is_ever_exceeded_and_no_place_is_refused_in_vain(steps: list[tuple[Any, str, float, str]]) -> None:
    limits = Limits(calls=8, calls_per_tool=5, calls_per_minute=3)
    accounts = Accounts(limits)
    ran: list[tuple[Any, str, float]] = []
    now = 0.0
    for session, tool, pause, ending in steps:
        now += pause
        mine = [each for each in ran if each[0] == session]
        of_tool = sum(each[1] == tool for each in mine)
        recent = sum(each[2] > now - 60 for each in mine)
        room = len(mine) < 8 and of_tool < 5 and recent < 3
        assert accounts.counts(session, tool, now) == Counts(len(mine), of_tool, recent)
        place = accounts.take(session, tool, now)
        assert isinstance(place, Reservation) == room
        if isinstance(place, Reservation):
            if ending == "run":
                ran.append((session, tool, now))
            else:
                place.give_back()
                place.give_back()


def test_without_limits_nothing_is_counted_or_kept() -> None:
    accounts = Accounts(Limits())
    places = {accounts.take(f"session {number}", "tool", 0.0) for number in range(100)}
    assert len(places) == 1
    assert accounts.counts("session 1", "tool", 0.0) == NOTHING_COUNTED


def test_a_session_that_is_closed_starts_from_nothing() -> None:
    accounts = Accounts(Limits(calls=1))
    assert isinstance(accounts.take("s", "tool", 0.0), Reservation)
    assert isinstance(accounts.take("s", "tool", 0.0), str)
    accounts.close("s")
    assert isinstance(accounts.take("s", "tool", 0.0), Reservation)
