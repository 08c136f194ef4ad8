"""An assistant for an SQLite database: it looks things up by itself; before it changes any, you see the statement.

python examples/database_assistant.py shop.db "Which customers have open orders?"
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import toolwright as tw

Database = Annotated[Path, tw.Service]  # lent by the application: no model sees it, and none can name another
Statement = Annotated[str, tw.Meta(description="One SQL statement for SQLite", min_length=1)]

# What SQLite is asked to do counts, not how a statement looks: no ATTACH, no VACUUM INTO, no PRAGMA, no DROP.
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
CHANGING = READING | {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_TRANSACTION}


def connect(database: Path, allowed: set[int], context: tw.ToolContext) -> closing[sqlite3.Connection]:
    """Open the database for these actions; a statement ends when nobody waits for it any more."""
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True)
    connection.set_authorizer(lambda act, *_: sqlite3.SQLITE_OK if act in allowed else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: context.cancelled, 10_000)
    connection.row_factory = sqlite3.Row
    return closing(connection)


@tw.tool(category="database", risk="safe", side_effects=False, max_execution_time=10)
def query_database(sql: Statement, database: Database, context: tw.ToolContext) -> list[Any]:
    """Read from the database, 100 rows at most. `SELECT sql FROM sqlite_master` shows its tables."""
    with connect(database, READING, context) as connection:
        return [dict(row) for row in connection.execute(sql).fetchmany(100)]


@tw.tool(category="database", risk="high", requires_confirmation=True, summarize=lambda given: f"Run {given['sql']}")
def change_database(sql: Statement, database: Database, context: tw.ToolContext) -> str:
    """Change the database by one INSERT, UPDATE or DELETE."""
    with connect(database, CHANGING, context) as connection, connection:
        return f"{connection.execute(sql).rowcount} rows changed"


def database_assistant(llm: tw.ChatProvider, database: Path, reviewer: tw.Reviewer | None = None) -> tw.Agent:
    """Return an assistant for one database; without a reviewer, the terminal is asked before anything is changed."""
    tools = tw.Registry([query_database, change_database])
    executor = tw.Executor(tools, reviewer=reviewer or tw.ConsoleReviewer(), services={Path: database})
    return tw.Agent(llm, tools, system="Look at the tables first, then answer from them alone.", executor=executor)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    run = database_assistant(tw.provider(), Path(sys.argv[1])).run_sync(sys.argv[2])
    print(run.text or f"{run.status}: {run.error}")
