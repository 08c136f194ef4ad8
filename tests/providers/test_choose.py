from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.promises import keeps
from toolwright.errors import ConfigError, LLMError
from toolwright.messages import user
from toolwright.providers import Candidate, candidates, provider
from toolwright.providers.http_provider import HttpProvider
from toolwright.providers.local import LocalProvider
from toolwright.providers.services import SERVICES, ModelName
from toolwright.testing import ScriptedServer

NOBODY = "http://127.0.0.1:9"
FOREIGN = ("CO_", "COHERE_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_", "OLLAMA_", "VLLM_", "TOOLWRIGHT_", "XDG_")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine on which there is nothing: no key, no server, no weights, no configuration."""
    for variable in list(os.environ):
        if variable.startswith(FOREIGN):
            monkeypatch.delenv(variable)
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    monkeypatch.setenv("VLLM_BASE_URL", f"{NOBODY}/v1")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project


def chosen() -> Candidate | None:
    return next((each for each in candidates() if each.chosen), None)


def reach(name: str, **connection: str) -> HttpProvider:
    made = provider(name, **connection)  # type: ignore[arg-type]
    assert isinstance(made, HttpProvider)
    return made


@keeps("choose.names")
@pytest.mark.parametrize(
    ("name", "codec", "model", "url"),
    [
        ("openai:gpt-5-mini", "openai-responses", "gpt-5-mini", "https://api.openai.com/v1"),
        ("openai-chat:gpt-5-mini", "openai-chat", "gpt-5-mini", "https://api.openai.com/v1"),
        ("anthropic:some-model", "anthropic", "some-model", "https://api.anthropic.com/v1"),
        ("gemini:models/x", "gemini", "models/x", "https://generativelanguage.googleapis.com/v1beta"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b", "http://127.0.0.1:9"),
        ("vllm:Qwen/Qwen3-8B", "openai-chat", "Qwen/Qwen3-8B", "http://127.0.0.1:9/v1"),
        ("vllm:model@http://127.0.0.1:8000/v1", "openai-chat", "model", "http://127.0.0.1:8000/v1"),
        ("vllm:org/model@main@https://gpu.example", "openai-chat", "org/model@main", "https://gpu.example/v1"),
        (" ollama:a@http://[::1]:1 ", "ollama", "a", "http://[::1]:1"),
    ],
)
def test_a_name_says_which_service_which_model_and_where(
    name: str, codec: str, model: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for service in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{service}_API_KEY", "k")
    made = reach(name)
    assert (made.codec, made.model_name, made.base_url) == (codec, model, url)


@keeps("choose.names")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("opnai:x", "did you mean 'openai'"),
        ("gpt-5", f"there are {', '.join(SERVICES)} and local"),
        ("", "there is no service ''"),
        ("ollama:", "write ollama:MODEL"),
        ("vllm:@http://host", "write vllm:MODEL"),
        ("ollama:a@http://u:p@host", "user name or password"),
        ("local:big", "there is no embedded model 'big'"),
        ("local@http://host", "there is no service"),
        ("local:x@http://host", "it takes no address"),
    ],
)
def test_a_name_that_means_nothing_says_how_one_is_written(name: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        provider(name)


def test_a_connection_that_contradicts_the_name_is_refused() -> None:
    with pytest.raises(ValueError, match="the address is given twice"):
        provider("ollama:a@http://host", base_url="http://other")
    with pytest.raises(ValueError, match="name the model"):
        provider(base_url="http://other")
    with pytest.raises(ValueError, match="it takes no address, key or connection"):
        provider("local", timeout=3.0)
    assert ModelName.read("openai") == ModelName(service="openai")


@keeps("choose.keys")
@pytest.mark.parametrize("service", ["openai", "openai-chat", "anthropic", "gemini", "cohere"])
def test_a_service_that_answers_nobody_without_a_key_says_which_variable_is_missing(service: str) -> None:
    with pytest.raises(LLMError, match=f"set {SERVICES[service].key_variables[0]}, or pass api_key") as caught:
        provider(f"{service}:m")
    assert caught.value.code == "authentication_failed"
    assert reach(f"{service}:m", api_key="k").model_name == "m"


@keeps("choose.keys")
async def test_a_key_of_the_environment_is_read_when_it_is_needed_and_goes_to_its_own_service_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ScriptedServer(["one", "two", "three", "four"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "old")
        llm = reach("openai:m")
        monkeypatch.setenv("OPENAI_API_KEY", "new")
        assert await llm.chat([user("Hi")]) == "one"
        monkeypatch.delenv("OPENAI_BASE_URL")
        stranger = reach(f"openai-chat:m@{server.url}")
        assert await stranger.chat([user("Hi")]) == "two"
        monkeypatch.setenv("VLLM_API_KEY", "mine")
        own = reach(f"vllm:m@{server.url}")
        assert await own.chat([user("Hi")]) == "three"
        given = reach(f"openai-chat:m@{server.url}", api_key="given")
        assert await given.chat([user("Hi")]) == "four"
        keys = [request.headers.get("authorization") for request in server.requests]
        assert keys == ["Bearer new", None, "Bearer mine", "Bearer given"]
        for each in (llm, stranger, own, given):
            assert "mine" not in repr(each)
            await each.aclose()


@keeps("choose.order")
def test_without_a_name_the_first_in_a_fixed_order_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")
    with ScriptedServer(models=["qwen"]) as ollama, ScriptedServer(models=["llama"]) as vllm:
        monkeypatch.setenv("TOOLWRIGHT_LOCAL_MODEL", str(weights))
        assert isinstance(provider(), LocalProvider)
        monkeypatch.setenv("VLLM_BASE_URL", f"{vllm.url}/v1")
        assert (made := provider()).model_name == "llama"
        assert isinstance(made, HttpProvider)
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        assert provider().model_name == "qwen"
        for service in ("gemini", "anthropic", "openai"):
            monkeypatch.setenv(f"{service.upper()}_API_KEY", "k")
            assert repr(provider()).startswith(f"HttpProvider('{SERVICES[service].codec}', ''")
        file = tmp_path / "xdg_config_home" / "toolwright" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text('model = "ollama:configured"\n')
        assert provider().model_name == "configured"
        monkeypatch.setenv("TOOLWRIGHT_MODEL", "ollama:said")
        assert provider().model_name == "said"
        assert provider(timeout=5.0).model_name == "said"


@keeps("choose.order")
def test_a_model_that_an_untrusted_project_names_does_not_count(bare: Path) -> None:
    (bare / "toolwright.toml").write_text('model = "vllm:theirs@https://theirs.example"\n')
    with pytest.raises(LLMError) as caught:
        provider()
    assert caught.value.code == "model_not_found"


@keeps("choose.order")
def test_where_nothing_is_found_the_error_says_what_to_do() -> None:
    with pytest.raises(LLMError, match=r"set TOOLWRIGHT_MODEL .* OPENAI_API_KEY, start Ollama, .*model pull") as caught:
        provider()
    assert caught.value.code == "model_not_found"


@keeps("choose.order")
def test_what_somebody_chose_is_never_passed_over(monkeypatch: pytest.MonkeyPatch, bare: Path, tmp_path: Path) -> None:
    with ScriptedServer(models=["qwen"]) as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        monkeypatch.setenv("TOOLWRIGHT_MODEL", "openai:gpt-5-mini")
        with pytest.raises(LLMError, match="set OPENAI_API_KEY"):
            provider()
        assert chosen() is None
        monkeypatch.setenv("TOOLWRIGHT_MODEL", "opnai:gpt-5-mini")
        with pytest.raises(ValueError, match="did you mean 'openai'"):
            provider()
        first = candidates()[0]
        assert (first.found, first.reason) == (
            False,
            "there is no service 'opnai' to have models from; did you mean 'openai'?",
        )
        monkeypatch.delenv("TOOLWRIGHT_MODEL")
        file = tmp_path / "xdg_config_home" / "toolwright" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text("modle = 1\n")
        with pytest.raises(ConfigError, match="modle"):
            provider()


@keeps("choose.shown")
def test_every_place_is_shown_with_what_was_seen_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key")
    with ScriptedServer(models=["qwen"]) as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        seen = candidates(configured="ollama:configured")
    assert [(each.name, each.found, each.chosen) for each in seen] == [
        ("TOOLWRIGHT_MODEL", False, False),
        ("ollama:configured", True, True),
        ("openai", False, False),
        ("anthropic", True, False),
        ("gemini", False, False),
        ("ollama:qwen", True, False),
        ("vllm", False, False),
        ("local", False, False),
    ]
    reasons = {each.name: f"{each.source}: {each.reason}" for each in seen}
    assert reasons["anthropic"] == "ANTHROPIC_API_KEY: is set"
    assert reasons["gemini"] == "GEMINI_API_KEY: is not set"
    assert reasons["vllm"].startswith("http://127.0.0.1:9/v1: there is no connection to http://127.0.0.1:9")
    assert "toolwright model pull fetches it once" in reasons["local"]
    assert "secret-key" not in repr(seen)


@keeps("choose.shown")
def test_what_the_settings_have_from_the_variable_is_shown_once() -> None:
    seen = candidates(
        configured="ollama:a",
        environment={"TOOLWRIGHT_MODEL": "ollama:a", "OLLAMA_HOST": NOBODY, "VLLM_BASE_URL": NOBODY},
    )
    assert [(each.name, each.chosen) for each in seen][:2] == [("ollama:a", True), ("configuration", False)]


@keeps("choose.shown")
async def test_a_server_that_has_no_model_or_is_none_is_told_from_one_that_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(models=["nomic-embed-text"]) as empty, ScriptedServer(models=["m"], key="needed") as closed:
        monkeypatch.setenv("OLLAMA_HOST", empty.url)
        monkeypatch.setenv("VLLM_BASE_URL", f"{closed.url}/v1")
        reasons = {each.name: each.reason for each in candidates()}
        assert reasons["ollama"] == "runs, and has no model that chats"
        assert reasons["vllm"] == "The API key is not valid."
        monkeypatch.setenv("VLLM_API_KEY", "needed")
        monkeypatch.setenv("OLLAMA_HOST", "https://ollama.example")
        told = {each.name: each for each in candidates()}
        assert told[f"vllm:m@{closed.url}/v1"].chosen
        assert told["ollama"].reason == "is not this machine: it is asked where ollama:MODEL says so"
        monkeypatch.setenv("OLLAMA_HOST", "http://u:p@host")
        assert "user name or password" in {each.name: each for each in candidates()}["ollama"].reason


@pytest.mark.parametrize(
    ("said", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104  where it listens
        (":8080", "http://127.0.0.1:8080"),
        ("gpu-box:1234", "http://gpu-box:1234"),
        ("http://gpu-box/", "http://gpu-box"),
        ("https://ollama.example", "https://ollama.example"),
        ("[::1]:5", "http://[::1]:5"),
        ("https://host:8443/prefix/", "https://host:8443/prefix"),
        ("host/prefix", "http://host:11434/prefix"),
        ("[::]", "http://[::1]:11434"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(said: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", said)
    assert reach("ollama:m").base_url == url


@keeps("choose.shown")
def test_without_extras_what_is_there_says_what_it_needs(tmp_path: Path) -> None:
    script = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("httpx2", "xllamacpp", "platformdirs"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("httpx2", "xllamacpp") else real(name, package)
sys.meta_path.insert(0, Missing())
from toolwright.providers import candidates, provider
for each in candidates(configured="ollama:m"):
    print(each.name, "|", each.found, "|", each.reason)
try:
    provider()
except Exception as error:
    print(type(error).__name__)
"""
    environment = {"HOME": str(tmp_path), "OPENAI_API_KEY": "k", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        cwd=tmp_path,
    )
    lines = dict(line.split(" | ", 1) for line in done.stdout.splitlines() if " | " in line)
    assert (
        lines["ollama:m"]
        == lines["openai"]
        == "False | models behind HTTP need an extra: pip install 'toolwright[http]'"
    )
    assert "toolwright[http]" in lines["ollama"]
    assert "toolwright[local]" in lines["local"]
    assert done.stdout.splitlines()[-1] == "LLMError"
