"""Calls of wget and HTTPie, as API clients write them."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import COOKIE, ELSEWHERE, MISSING, URL, credential, read

AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/130"
WGET = f"wget --header='Cookie: {COOKIE}' --header='User-Agent: {AGENT}' '{URL}'"
POSTMAN_WGET = f"""wget --no-check-certificate --quiet \\
  --method POST \\
  --timeout=0 \\
  --header 'Cookie: {COOKIE}' \\
  --header 'User-Agent: {AGENT}' \\
  --body-data '{{"pageNum":1}}' \\
   '{URL}'"""
INSOMNIA_WGET = f"""wget --quiet \\
  --method POST \\
  --header 'cookie: {COOKIE}' \\
  --header 'user-agent: {AGENT}' \\
  --output-document \\
  - {URL}"""
WGET_AGENT = f'wget -U "{AGENT}" --header "Cookie: {COOKIE}" {URL}'
POSTMAN_HTTPIE = f"""printf '{{
    "pageNum": 1
}}'| http  --follow --timeout 3600 POST '{URL}' \\
 Content-Type:'application/json' \\
 Cookie:'{COOKIE}' \\
 User-Agent:'{AGENT}'"""
INSOMNIA_HTTPIE = f"""echo '{{"pageNum":1}}' |  \\
  http POST {URL} \\
  content-type:application/json \\
  cookie:'{COOKIE}' \\
  user-agent:'{AGENT}'"""
HTTPIE = f"http POST {URL} 'Cookie:{COOKIE}' 'User-Agent:{AGENT}' pageNum:=1"
HTTPS = f"https www.codebuddy.cn/billing 'Cookie: {COOKIE}' 'User-Agent: {AGENT}'"


COMMANDS = {
    "wget": WGET,
    "wget of postman": POSTMAN_WGET,
    "wget of insomnia": INSOMNIA_WGET,
    "wget -U": WGET_AGENT,
    "httpie of postman": POSTMAN_HTTPIE,
    "httpie of insomnia": INSOMNIA_HTTPIE,
    "http": HTTPIE,
    "https": HTTPS,
}


@pytest.mark.parametrize("text", COMMANDS.values(), ids=COMMANDS)
def test_a_command_gives_cookie_and_user_agent(text: str) -> None:
    assert credential(text) == (COOKIE, AGENT)


@pytest.mark.parametrize("program", ["wget --header", "http"])
def test_of_several_commands_the_one_to_the_upstream_counts(program: str) -> None:
    other, own = (f"{program} 'Cookie:{cookie}' {url}" for cookie, url in (("other=1", ELSEWHERE), (COOKIE, URL)))
    assert read(f"{own} ; {other}").secret == COOKIE


@pytest.mark.parametrize(
    "text", [f"wget {URL}", f"wget --load-cookies cookies.txt {URL}", f"http GET {URL}", f"http {URL} a=b c==d"]
)
def test_a_command_without_a_cookie_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(text)


@pytest.mark.parametrize("text", ["wgets=1; a=b", "http=1; a=b", "https a=1; b=2.5"])
def test_a_cookie_that_only_looks_like_a_command_is_taken_as_it_is(text: str) -> None:
    assert read(text).secret == text
