from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError
from toolwright.levels import RiskLevel, SandboxIsolationLevel
from toolwright.schema import SchemaBuilder, ValidationIssue, ValidationReport
from toolwright.testing import assert_valid_tool, tool_context
from toolwright.tools import CustomTool, Tool, ToolDefinition
from toolwright.tools.arguments import UnfitArguments
from toolwright.tools.custom import check_custom
from toolwright.tools.handlers import CommandHandler, EntrypointHandler, PythonHandler
from toolwright.tools.http_handler import HttpHandler

PARAMETERS = (
    SchemaBuilder()
    .string("path", "Where", required=True)
    .string_array("words", "Which")
    .integer("depth", "How deep")
    .boolean("all", "All of it")
    .build()
)
SOURCE = "import os\n\ndef run(arguments, context):\n    return os.getpid()\n"
HANDLERS: dict[str, dict[str, Any]] = {
    "python": {"kind": "python", "source": SOURCE},
    "command": {"kind": "command", "command": ["git", "log", "-n{depth}", "--", "{path}", "{words}"]},
    "http": {
        "kind": "http",
        "method": "POST",
        "url": "https://api.example.com/v1/{path}?depth={depth}",
        "headers": {"X-Depth": "{depth}"},
        "body": {"words": "{words}", "note": "at {path}", "deep": [{"all": "{all}"}]},
        "hosts": ["api.example.com", "*.example.org"],
    },
    "entrypoint": {"kind": "entrypoint", "entrypoint": "my_package.tools:Searcher.search"},
}


def draft(handler: object, **fields: Any) -> dict[str, Any]:
    return {"name": "my_tool", "description": "Mine.", "parameters": PARAMETERS.to_dict(), "handler": handler, **fields}


def faults(handler: object, **fields: Any) -> dict[str, str]:
    given = draft(handler, **fields)
    report = check_custom(given)
    if report.valid:
        CustomTool.from_dict(given)
    else:
        with pytest.raises(InvalidDefinitionError):
            CustomTool.from_dict(given)
    return {issue.path: issue.message for issue in report.errors}


@keeps("tools.custom_kinds")
@pytest.mark.parametrize("kind", HANDLERS)
async def test_each_kind_is_a_tool_that_comes_back_from_json(kind: str) -> None:
    made = CustomTool.from_dict(draft(HANDLERS[kind]))
    assert isinstance(made, Tool)
    assert made.handler.kind == kind
    assert CustomTool.from_json(made.to_json()) == made
    assert CustomTool.from_json(made.to_json()).digest == made.digest
    assert hash(made) == hash(CustomTool.from_dict(draft(HANDLERS[kind])))
    assert made.to_dict()["handler"] == HANDLERS[kind]
    assert made.summarize({}) == "Execute My Tool"
    assert made.effective_risk({}) is RiskLevel.LOW
    assert made.check({"path": "a"}).valid
    assert not made.check({}).valid
    assert repr(made) == f"<CustomTool my_tool ({kind})>"
    assert_valid_tool(made)


def test_a_changed_handler_is_another_tool_with_another_digest() -> None:
    one, two = (CustomTool.from_dict(draft({"kind": "command", "command": [name]})) for name in ("ls", "rm"))
    assert one.definition == two.definition
    assert one != two
    assert one.digest != two.digest


@keeps("tools.custom_isolation")
async def test_what_is_data_is_isolated_and_runs_nowhere_else() -> None:
    for kind, handler in HANDLERS.items():
        made = CustomTool.from_dict(draft(handler))
        assert made.definition.isolation is SandboxIsolationLevel.STANDARD
        outcome = await made.execute(tool_context({"path": "a"}))
        assert outcome.error_code == "isolation_unavailable"
        assert "'standard'" in (outcome.error or "")
        strict = CustomTool.from_dict(draft(handler, constraints={"isolation": "strict", "side_effects": False}))
        assert strict.definition.isolation is SandboxIsolationLevel.STRICT
        assert not strict.definition.side_effects
        found = faults(handler, constraints={"isolation": "none"})
        assert "must be at least standard" in found["constraints.isolation"], kind


def test_definition_and_handler_may_be_made_apart() -> None:
    definition = ToolDefinition("my_tool", "Mine.", PARAMETERS)
    assert CustomTool(definition, CommandHandler(("ls", "{path}"))).handler == CommandHandler(["ls", "{path}"])  # type: ignore[arg-type]
    assert CustomTool(definition, {"kind": "python", "source": SOURCE}).handler == PythonHandler(SOURCE)
    with pytest.raises(InvalidDefinitionError) as caught:
        CustomTool(definition, CommandHandler(("ls", "{pth}")))
    assert caught.value.report is not None
    assert [issue.path for issue in caught.value.report.errors] == ["handler.command[1]"]


def test_everything_that_is_wrong_is_told_at_once_and_unknown_keys_name_the_nearest() -> None:
    found = check_custom({"nmae": "x", "description": "", "handler": {"kind": "comand", "x": 1}})
    told = {issue.path: issue.message for issue in found.errors}
    assert set(told) == {"nmae", "name", "description", "handler.kind"}
    assert "did you mean 'name'" in told["nmae"]
    assert "'python', 'command', 'http', 'entrypoint'" in told["handler.kind"]
    assert set(faults({"kind": "command", "comand": ["ls"]})) == {"handler.comand", "handler.command"}
    assert "did you mean 'command'" in faults({"kind": "command", "comand": ["ls"]})["handler.comand"]
    assert set(faults({})) == {"handler.kind"}
    assert set(faults(None)) == {"handler"}
    assert set(faults(HANDLERS["python"], description="x" * 2000)) == {"description"}
    assert not check_custom([1]).valid
    without = draft(HANDLERS["python"])
    del without["handler"]
    assert [issue.path for issue in check_custom(without).errors] == ["handler"]
    with pytest.raises(DefinitionDecodeError):
        CustomTool.from_json("{")


@keeps("tools.custom_python")
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def run(arguments, context): return 1", ""),
        ("async def run(arguments, context, /, *more, x=1, **rest): return 1", ""),
        ("def run(*everything): return 1", ""),
        ("def run(arguments): return 1", "cannot be called as run(arguments, context)"),
        ("def run(arguments, context, more): return 1", "cannot be called as run(arguments, context)"),
        ("def run(arguments, context, *, more): return 1", "cannot be called as run(arguments, context)"),
        ("def other(arguments, context): return 1", "must define a function run"),
        ("if True:\n    def run(arguments, context): return 1", "must define a function run"),
        ("run = lambda arguments, context: 1", "must define a function run"),
        ("def run(arguments, context):\nreturn", "is not Python"),
        ("x = (1", "is not Python: '(' was never closed (line 1)"),
        ("\0", "is not Python"),
        ("(" * 5000 + ")" * 5000, "is not Python"),
        ("  ", "must not be empty"),
        (3, "must be a string"),
    ],
)
def test_python_source_must_define_a_function_run(source: object, says: str) -> None:
    found = faults({"kind": "python", "source": source})
    assert (says in found["handler.source"]) if says else not found


def test_no_source_is_executed_to_find_out() -> None:
    CustomTool.from_dict(draft({"kind": "python", "source": f"raise SystemExit\n{SOURCE}"}))


@keeps("tools.custom_command")
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("git log {path}", "there is no shell"),
        ([], "must name a program"),
        (["{path}"], "must be the program itself"),
        ([""], "must be the program itself"),
        (["sh", "-c", "ls {path}"], "hands a text to a shell"),
        (["/bin/bash", "-ec", "ls"], "hands a text to a shell"),
        (["env", "A=1", "bash", "-c", "ls {path}"], "hands a text to a shell"),
        (["/usr/bin/timeout", "5", "sh", "-c", "ls"], "hands a text to a shell"),
        (["CMD.EXE", "/c", "dir"], "hands a text to a shell"),
        (["powershell", "-Command", "dir"], "hands a text to a shell"),
        (["ls", "{pth}"], "a placeholder for pth, which is no parameter"),
        (["ls", "{"], "a brace that is not part"),
        (["ls", "{path.x}"], "a brace that is not part"),
        (["ls", "a\0b"], "holds a NUL"),
        (["ls", 3], "must be a string"),
        (["ls", "{{literal}}", "{path}"], ""),
        (["bash", "script.sh", "{path}"], ""),
        (["grep", "sh", "-c", "{path}"], ""),
        (["env", "-C", "{path}", "git", "log"], ""),
    ],
)
def test_a_command_is_a_vector_and_never_a_text_for_a_shell(command: object, says: str) -> None:
    found = faults({"kind": "command", "command": command})
    assert (says in " ".join(found.values())) if says else not found


@keeps("tools.custom_command")
def test_a_command_is_filled_from_the_arguments_of_a_call() -> None:
    handler = CommandHandler(("git", "log", "-n{depth}", "{{x}}", "{all}", "--", "{path}", "{words}"))
    assert handler.argument_vector({"path": "a; rm -rf /", "depth": 3, "all": True, "words": ["$(x)", "-b"]}) == (
        "git", "log", "-n3", "{x}", "true", "--", "a; rm -rf /", "$(x)", "-b",
    )  # fmt: skip
    assert handler.argument_vector({"path": "-rf"}) == ("git", "log", "{x}", "--", "-rf")
    bare = CommandHandler(("ls", "{path}", "--as={path}"))
    assert bare.argument_vector({"path": "a"}) == ("ls", "a", "--as=a")
    for value in ("-rf", "--output=/etc/passwd", "a\0b", "a\udfffb"):
        with pytest.raises(UnfitArguments) as caught:
            bare.argument_vector({"path": value})
        assert caught.value.report.errors[0].path == "path"
        assert value not in caught.value.report.message


@keeps("tools.custom_http")
@pytest.mark.parametrize(
    ("change", "path", "says"),
    [
        ({"url": "https://{path}/x"}, "url", "never in the host"),
        ({"url": "https://api.{path}.com/x"}, "url", "never in the host"),
        ({"url": "{path}://x"}, "url", "begins with https:// or http://"),
        ({"url": "ftp://x/y"}, "url", "begins with https:// or http://"),
        ({"url": "/v1/x"}, "url", "begins with https:// or http://"),
        ({"url": "file:///etc/passwd"}, "url", "begins with https:// or http://"),
        ({"url": "https://user:pw@api.example.com/"}, "url", "user name or password"),
        ({"url": "https://api.example.com:99999/"}, "url", "is not a URL"),
        ({"url": "https://api.example.com/a b"}, "url", "characters that no URL has"),
        ({"url": "https://api.example.com\\@evil.com/"}, "url", ""),
        ({"url": "https://api.example.com/#x"}, "url", "fragment"),
        ({"url": "https://api.example.com/{pth}"}, "url", "pth, which is no parameter"),
        ({"url": "https://evil.com/"}, "hosts", "must allow the host of the URL"),
        ({"method": "TRACE"}, "method", "must be one of"),
        ({"method": "GET"}, "body", "is not sent with GET"),
        ({"headers": {"Bad Name": "x"}}, "headers.Bad Name", "is not the name of a header"),
        ({"headers": {"Host": "evil.com"}}, "headers.Host", "is set by whoever sends"),
        ({"headers": {"X": "a\r\nHost: b"}}, "headers.X", "line break"),
        ({"headers": {"X": "{pth}"}}, "headers.X", "pth, which is no parameter"),
        ({"headers": ["X"]}, "headers", "must be an object"),
        ({"body": {"a": ["{pth}"]}}, "body", "pth, which is no parameter"),
        ({"body": object()}, "body", "not JSON"),
        ({"hosts": ["https://x"]}, "hosts[0]", "must be a host"),
        ({"hosts": "api.example.com"}, "hosts", "must be an array"),
        ({"verb": "GET"}, "verb", "is not defined"),
    ],
)
def test_a_request_is_checked_when_it_is_defined(change: dict[str, Any], path: str, says: str) -> None:
    found = faults(HANDLERS["http"] | change)
    assert says in found[f"handler.{path}"]


@keeps("tools.custom_http")
def test_a_request_is_filled_from_the_arguments_each_escaped_for_its_place() -> None:
    handler = HttpHandler(**{name: value for name, value in HANDLERS["http"].items() if name != "kind"})
    request = handler.request({"path": "a/../é?x=1#y", "depth": 3, "words": ["w", '"'], "all": False})
    assert request.method == "POST"
    assert request.url == "https://api.example.com/v1/a%2F..%2F%C3%A9%3Fx%3D1%23y?depth=3"
    assert request.headers == {"X-Depth": "3", "Content-Type": "application/json"}
    assert request.body == '{"words":["w","\\""],"note":"at a/../é?x=1#y","deep":[{"all":false}]}'.encode()
    assert handler.request({"path": "a"}).url.endswith("/v1/a?depth=")
    assert handler.request({"path": "a"}).body == b'{"words":null,"note":"at a","deep":[{"all":null}]}'
    assert handler.request({"path": "a", "depth": ".."}).url.endswith("/v1/a?depth=..")
    for arguments in ({"path": ".."}, {"path": "."}, {"path": ""}, {}, {"path": "a", "depth": "1\r\nX: y"}):
        with pytest.raises(UnfitArguments):
            handler.request(arguments)
    plain = HttpHandler("http://localhost:8080/{path}", "put", {}, "text {path}")
    assert plain.request({"path": "a"})[0] == "PUT"
    assert plain.request({"path": "a"}).body == b"text a"
    half = plain.request({"path": "\ud800"})
    assert (half.url, half.body) == ("http://localhost:8080/%EF%BF%BD", "text \ufffd".encode())
    assert plain.allowed_hosts == ("localhost:8080",)
    assert HttpHandler("https://x.example.org/").request({}).body is None
    assert faults(HANDLERS["http"] | {"url": "https://a.example.org/"}) == {}


@keeps("tools.custom_entrypoint")
@pytest.mark.parametrize(
    ("entrypoint", "fine"),
    [
        ("package.module:function", True),
        ("module:Class.method", True),
        ("package.module.function", False),
        ("package:function()", False),
        ("../x:y", False),
        ("package.module:", False),
        ("", False),
        (3, False),
    ],
)
def test_an_entrypoint_names_a_function_and_is_not_imported(entrypoint: object, fine: bool) -> None:
    found = faults({"kind": "entrypoint", "entrypoint": entrypoint})
    assert bool(found) is not fine
    if fine:
        assert EntrypointHandler(str(entrypoint)).entrypoint == entrypoint


@keeps("tools.custom_validator", "tools.check_adds")
def test_a_custom_validator_is_asked_after_the_schema_and_fails_closed() -> None:
    def no_up(arguments: Mapping[str, Any]) -> ValidationReport | None:
        if ".." in arguments["path"]:
            return ValidationReport.invalid(ValidationIssue.invalid_value("path", "goes up"))
        return None

    module = ModuleType("validators_for_a_test")
    module.no_up = no_up  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    try:
        made = CustomTool.from_dict(draft(HANDLERS["python"] | {"check": "validators_for_a_test:no_up"}))
        assert made.check({"path": "a"}).valid
        assert made.check({"path": "../a"}).message == "- path: goes up"
        assert [issue.code for issue in made.check({}).errors] == ["required"]
        for missing in ("validators_for_a_test:nothing", "there_is_no_such_module:x"):
            unknown = CustomTool.from_dict(draft(HANDLERS["command"] | {"check": missing}))
            assert "could not be checked" in unknown.check({"path": "a"}).message
    finally:
        del sys.modules[module.__name__]
    for wrong in ("os:system", "os.path:join", "no_function"):
        assert "handler.check" in faults(HANDLERS["http"] | {"check": wrong})
    found = check_custom(draft(HANDLERS["python"] | {"check": "a:b"}), tier="teams")
    assert [issue.path for issue in found.errors] == ["handler.check"]


def test_no_repr_of_a_handler_holds_what_it_does() -> None:
    shown = repr([PythonHandler(SOURCE), CommandHandler(("curl", "secret")), HttpHandler("https://x/?key=secret")])
    assert "secret" not in shown
    assert "getpid" not in shown
