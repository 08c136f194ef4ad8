from __future__ import annotations

import base64
import uuid
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.redact import MASK, is_secret_key, redact, redact_text

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/IBAAKCAQEA\nq83a==\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "openai": "sk-abcdefghijklmnopqrstuvwxyz012345",
    "openai_project": "sk-proj-Ab1_cdefghijklmnop-qrstuvwxyz",
    "anthropic": "sk-ant-api03-" + "aB3_" * 20,
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1",
    "github": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "github_fine": "github_pat_" + "11ABCDEFG0" * 4,
    "gitlab": "glpat-" + "x1Y2z3X4y5Z6w7V8u9T0",
    "slack": "xoxb-" + "123456789012-abcdefABCDEF",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "google": "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "hugging_face": "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEF",
    "npm": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "sendgrid": "SG." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
    "telegram": "110201543:AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    "slack_webhook": "hooks.slack.com" + "/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "discord_webhook": "discord.com" + "/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyzABCDEF0123456789",
    "vault": "hvs." + "CAESIJ1234567890abcdefghijklmno",
    "jwt": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
}


@keeps("redact.shapes")
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_of_a_known_shape_is_hidden_wherever_it_stands(secret: str) -> None:
    for text in (secret, f"The key is {secret}.", f'{{"value":"{secret}"}}', f"KEY={secret}\nnext", f"a,{secret},b"):
        hidden = redact_text(text)
        assert secret not in hidden
        assert secret[8:] not in hidden
        assert MASK in hidden
    assert redact_text(f"before {secret} after") == f"before {MASK} after"


@keeps("redact.shapes")
@pytest.mark.parametrize("before", ["\\n", "\\t", "%3D", "%22", "\x1b[31m", "\x1b[0;1m", "https://x:pass1word@"])
def test_a_secret_right_behind_an_escape_is_no_part_of_a_word(before: str) -> None:
    hidden = redact_text(f"a{before}{SECRETS['github']}")
    assert hidden.endswith(MASK)
    assert hidden.startswith(f"a{before[:3]}")


@keeps("redact.shapes")
@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer abcdef0123456789", f"Authorization: Bearer {MASK}"),
        ("authorization: basic dXNlcjpodW50ZXIy", f"authorization: basic {MASK}"),
        ("postgresql://app:hunter2@db:5432/x", f"postgresql://app:{MASK}@db:5432/x"),
        ("redis://:p%40ss@cache/0", f"redis://:{MASK}@cache/0"),
        ("postgres://app:p@ss@w@db/x", f"postgres://app:{MASK}@db/x"),
        (
            "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
            f"https://api.telegram.org/bot{MASK}/getMe",
        ),
        ("Cookie: sid=abcdef0123456789; theme=dark\nHost: x", f"Cookie: {MASK}\nHost: x"),
        ('{"Set-Cookie": "sid=abcdef0123456789; Path=/"}', f'{{"Set-Cookie": "{MASK}"}}'),
        ("DB_PASS=hunter2", f"DB_PASS={MASK}"),
        ("PGPASSWORD=hunter2 psql", f"PGPASSWORD={MASK} psql"),
        ("--password=hunter2 --verbose", f"--password={MASK} --verbose"),
        ('{"api_key": "a1b2c3d4e5f6"}', f'{{"api_key": "{MASK}"}}'),
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            f"AWS_SECRET_ACCESS_KEY={MASK}",
        ),
        (f"key:\n{PEM}\nend", f"key:\n{MASK}\nend"),
        (PEM.replace("\n", "\\n"), MASK),
        (PEM[:60], MASK),
        (f"{PEM[40:]}\nrest", f"{MASK}\nrest"),
    ],
)
def test_secrets_in_headers_urls_assignments_and_pem_are_hidden(text: str, hidden: str) -> None:
    assert redact_text(text) == hidden


@keeps("redact.innocent")
@pytest.mark.parametrize(
    "text",
    [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        sha256(b"x").hexdigest(),
        str(uuid.UUID(int=2**127 + 12345)),
        "commit 9c1185a5c5e9fc54612808977ee8f548b2258d31 (HEAD -> main)",
        base64.b64encode(b"just some text that was encoded").decode(),
        "task-force-12345678901234567890 and risk-2024-12-31-assessment",
        "class sk-folding-cube",
        "Bearer authentication is required",
        "max_tokens=16000, token_count: 12345678",
        "token = get_token_2(request)",
        "password = request.form['password1']",
        "def login(user, password=None): ...",
        "https://example.com:8080/path?page=2#top",
        "git@github.com:owner/repo.git",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "a file `-----BEGIN PRIVATE KEY-----`",
        "Cookie: what a server sets; cookie: None",
        "def f(cookie: Cookie=SimpleCookie(), n=1): return f(cookie: session=request.cookies.get('a1b2c3d4'))",
        "https://example.com:8080/a@2x.png and C:\\temp\\new\\risk-list-of-2024-12-31",
        "bypass: abc123def, max_pass = 3",
        "f'https://{user}:{self.password}@{host}', postgres://app:${DB_PASSWORD}@db/x, 'ftp://%s:%s@%s' % login",
        "https://discord.com/api/webhooks and https://hooks.slack.com/",
        "next_page_token=abc123def456",
        "",
    ],
)
def test_what_is_no_secret_comes_back_as_it_was(text: str) -> None:
    assert redact_text(text) == text


@keeps("redact.keys")
@pytest.mark.parametrize(
    "key",
    (
        "password Password dbPassword db_password2 passwd passphrase secret client_secret clientSecret api_key apiKey "
        "X-Api-Key APIKEY DB_PASS smtpPass access_token accessToken token GITHUB_TOKEN authorization Authorization "
        "Set-Cookie cookie cookies private_key AWS_SECRET_ACCESS_KEY credentials jwt password_hash connectionString"
    ).split(),
)
def test_a_key_that_names_a_secret_hides_its_value_however_it_is_spelt(key: str) -> None:
    assert is_secret_key(key)
    assert redact({key: "plain words", "other": 1}) == {key: MASK, "other": 1}
    assert redact({key: ["a", {"b": 2}]}) == {key: [MASK, {"b": MASK}]}


@keeps("redact.innocent")
@pytest.mark.parametrize(
    "key",
    [
        "max_tokens", "tokens", "token_count", "input_tokens", "next_page_token", "nextPageToken", "stop_token", "key",
        "public_key", "primary_key", "pass", "first_pass", "bypass",
        "monkey", "keyboard", "author", "authority", "secretary", "cookie_policy",
        "password_length", "sessionId", "path", "",
    ],
)  # fmt: skip
def test_a_key_that_names_no_secret_hides_nothing(key: str) -> None:
    assert not is_secret_key(key)
    assert redact({key: "plain words"}) == {key: "plain words"}


@keeps("redact.innocent")
def test_null_true_false_and_empty_text_stay_under_any_key() -> None:
    value = {"password": None, "token": "", "secret": True, "cookie": False}
    assert redact(value) == value


def test_redacting_a_value_leaves_the_value_itself_alone() -> None:
    value = {"list": [{"text": SECRETS["github"]}], "number": 1.5}
    assert redact(value) == {"list": [{"text": MASK}], "number": 1.5}
    assert value["list"] == [{"text": SECRETS["github"]}]


@keeps("redact.shapes")
def test_a_secret_in_a_key_is_hidden_and_nothing_is_lost() -> None:
    first, second = SECRETS["github"], SECRETS["slack"]
    value = {first: 1, f"{MASK} (2)": 2, second: 3, "plain": {first: 4}}
    assert redact(value) == {MASK: 1, f"{MASK} (2)": 2, f"{MASK} (3)": 3, "plain": {MASK: 4}}
    many = {f"ghp_{number:036}": number for number in range(20_000)}  # not by looking through all for each
    assert list(redact(many).values()) == list(range(20_000))


def test_what_is_nested_deeper_than_json_may_be_is_hidden_as_a_whole() -> None:
    value: object = "deep"
    for _ in range(5_000):
        value = [value]
    assert MASK in str(redact(value))


PIECES = st.sampled_from(
    [
        *SECRETS.values(),
        PEM,
        "password=",
        "token: ",
        "Bearer ",
        "://u:",
        "@",
        "cookie: a=",
        "\\n",
        "%3D",
        "db_pass=",
        "-----BEGIN ",
        '"',
        " ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join)


@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once
    assert len(once) <= 3 * len(text)


@given(
    st.recursive(
        TEXTS | st.none() | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    )
)
def test_redacting_a_value_twice_is_redacting_it_once(value: object) -> None:
    once = redact(value)
    assert redact(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "sk-aaaa-", "password", "://a:", "eyJaaaaaaaa.", "SG.aaaaaaaaaaaaaaaaaaaa", "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----", "AA AA-----END PRIVATE KEY-----", "bearer a", "token :", "0123456789:AA", "a",
        "authorization: basic ", "password=a", "cookie: a=", "cookie: a=bbbbbbbb", "://a:" + "b" * 600,
        "hooks.slack.com/", "%3D", "\x1b[31m", "://a:@",
    ],
)  # fmt: skip
def test_no_text_makes_the_search_endless(piece: str) -> None:
    # A search that is not linear would not come back from this in a minute.
    text = piece * (2_000_000 // len(piece))
    once = redact_text(text)
    assert len(once) <= 3 * len(text)
    assert redact_text(once[:1000]) == once[:1000]
