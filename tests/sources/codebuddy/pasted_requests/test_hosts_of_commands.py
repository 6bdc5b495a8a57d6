"""Which word of a command line is the URL of the request: no option, and no value of one."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import COOKIE, ELSEWHERE, HOST, URL, read

OPTIONS_OF_CURL = [
    "--http1.1", "--tlsv1.2", "--cacert ca.pem", "-E cert.pem", "--connect-timeout 2.5", "--pass my.secret",
    "--oauth2-bearer a.b.c", "-c jar.txt", "-D head.txt", "-L --max-redirs 5", "-sSo out.json", "--proxy1.0=h.example",
    "--doh-url https://dns.example/query", "--preproxy http://proxy.example", "-sSm2.5", "--unlisted1.0",
]  # fmt: skip
OPTIONS_OF_WGET = [
    "--load-cookies cookies.txt", "-o log.txt", "-P a.b/c", "-T 2.5", "--password pa.ss.word", "-qO-", "-qO out.json",
    "--ca-certificate=ca.pem", "-nv", "-B https://a.example/",
]  # fmt: skip
OPTIONS_OF_HTTPIE = [
    "--timeout 3.5", "-o out.json", "-a eyJ.x.y", "-A bearer -a eyJ.x.y", "--auth a.b:c.d", "--cert client.pem",
    "--proxy http://proxy.example", "-vbo out.json", "--session a.b",
]  # fmt: skip
COMMANDS = [
    *(f"curl {option} {{url}} -b '{{cookie}}'" for option in OPTIONS_OF_CURL),
    *(f"curl {{url}} {option} -b '{{cookie}}'" for option in OPTIONS_OF_CURL),
    *(f"wget {option} --header='Cookie: {{cookie}}' {{url}}" for option in OPTIONS_OF_WGET),
    *(f"http {option} POST {{url}} 'Cookie:{{cookie}}'" for option in OPTIONS_OF_HTTPIE),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("url", [URL, URL.removeprefix("https://")], ids=["scheme", "no scheme"])
def test_an_option_and_its_value_are_no_host(command: str, url: str) -> None:
    pasted = read(command.format(url=url, cookie=COOKIE))
    assert (pasted.secret, pasted.host, pasted.warnings) == (COOKIE, HOST, ())


@pytest.mark.parametrize("option", ["--http1.1", "--cacert ca.pem", "--pass my.secret"])
def test_options_do_not_let_the_cookie_of_another_site_in(option: str) -> None:
    pasted = read(f"curl {option} '{URL}' -b '{COOKIE}' ; curl '{ELSEWHERE}' -b 'session=other'")
    assert (pasted.secret, pasted.warnings) == (COOKIE, ())


@pytest.mark.parametrize(
    "command", ["curl --unlisted my.secret {} -b a=b", "wget --unlisted my.secret {} --header Cookie:a=b"]
)
def test_a_word_with_a_scheme_goes_before_one_without(command: str) -> None:
    pasted = read(command.format(ELSEWHERE))
    assert pasted.host == "stats.example.com"
    assert "secret" not in " ".join(pasted.warnings)


@pytest.mark.parametrize("word", [f"--url {URL}", f"--url '{URL}'", f"--url={URL}"])
def test_the_option_of_curl_for_a_url_names_the_host(word: str) -> None:
    assert read(f"curl {word} -b '{COOKIE}'").host == HOST


@pytest.mark.parametrize(
    "options", [f"-sb '{COOKIE}'", f"-sSLH 'Cookie: {COOKIE}'", f"-sb'{COOKIE}'", f"-X POST -kLb '{COOKIE}'"]
)
def test_short_options_may_be_joined(options: str) -> None:
    assert read(f"curl {options} '{URL}'").secret == COOKIE


def test_the_command_ends_before_the_next_one() -> None:
    pasted = read(f"curl -b '{COOKIE}' www.codebuddy.cn/x | tee out.json ; open {ELSEWHERE}")
    assert (pasted.secret, pasted.host) == (COOKIE, HOST)
