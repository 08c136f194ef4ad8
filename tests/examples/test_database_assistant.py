from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import toolwright as tw
from examples.database_assistant import database_assistant
from toolwright.testing import FakeReviewer, ScriptedProvider

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, open INTEGER)")
        connection.executemany(
            "INSERT INTO orders (customer, open) VALUES (?, ?)", [("Ann", 1), ("Bob", 0), ("Cid", 1)]
        )
    return path


def orders(shop: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(shop)) as connection:
        return connection.execute("SELECT customer, open FROM orders ORDER BY id").fetchall()


def there_is(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def query(sql: str) -> tw.ToolCall:
    return tw.ToolCall.new("query_database", sql=sql)


def change(sql: str) -> tw.ToolCall:
    return tw.ToolCall.new("change_database", sql=sql)


async def test_it_looks_things_up_without_asking(shop: Path) -> None:
    llm = ScriptedProvider(
        [
            query("SELECT sql FROM sqlite_master"),
            query("SELECT customer FROM orders WHERE open"),
            "Ann and Cid have open orders.",
        ]
    )
    run = await database_assistant(llm, shop, FakeReviewer()).run("Who has open orders?")
    assert run.text == "Ann and Cid have open orders."
    assert [execution.outcome.data for execution in run.executions][1] == [{"customer": "Ann"}, {"customer": "Cid"}]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "UPDATE orders SET open = 0 RETURNING id",
        "WITH gone AS (SELECT 1) DELETE FROM orders",
        "DROP TABLE orders",
        "PRAGMA writable_schema = 1",
        "ATTACH DATABASE 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "SELECT 1; DELETE FROM orders",
    ],
)
async def test_what_only_reads_changes_nothing(
    shop: Path, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = there_is(tmp_path)
    run = await database_assistant(ScriptedProvider([query(sql), "No."]), shop, FakeReviewer()).run("Try.")
    assert [execution.status for execution in run.executions] == ["failed"]
    assert there_is(tmp_path) == before


async def test_a_change_is_shown_first_and_then_made(shop: Path) -> None:
    llm = ScriptedProvider([change("UPDATE orders SET open = 0 WHERE customer = 'Ann'"), "Done."])
    reviewer = FakeReviewer(tw.Decision.approve())
    run = await database_assistant(llm, shop, reviewer).run("Close Ann's order.")
    assert reviewer.requests[0].summary == "Run UPDATE orders SET open = 0 WHERE customer = 'Ann'"
    assert run.executions[0].outcome.data == "1 rows changed"
    assert orders(shop) == [("Ann", 0), ("Bob", 0), ("Cid", 1)]


async def test_a_change_that_is_denied_is_not_made(shop: Path) -> None:
    llm = ScriptedProvider([change("DELETE FROM orders"), "Nothing was deleted."])
    run = await database_assistant(llm, shop, FakeReviewer(tw.Decision.deny())).run("Delete everything.")
    assert run.executions[0].status == "denied"
    assert len(orders(shop)) == 3


async def test_a_change_of_more_than_rows_fails_even_where_it_was_approved(shop: Path) -> None:
    llm = ScriptedProvider([change("DROP TABLE orders"), "That did not work."])
    run = await database_assistant(llm, shop, FakeReviewer(tw.Decision.approve())).run("Drop it.")
    assert run.executions[0].status == "failed"
    assert len(orders(shop)) == 3


async def test_a_query_without_end_is_ended(shop: Path) -> None:
    executor = database_assistant(ScriptedProvider(), shop, FakeReviewer()).executor
    execution = await executor.execute(query(ENDLESS), timeout=0.2)
    assert execution.status == "timed_out"
