"""Requests copied as PowerShell."""

import pytest

from tests.sources.codebuddy.pasted_requests.pastes import AGENT, COOKIE, ELSEWHERE, MISSING, URL, credential, read

CHROME = f"""$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130"
$session.Cookies.Add((New-Object System.Net.Cookie("session", "5f2|1790000000|ab%7Ccd", "/", "www.codebuddy.cn")))
$session.Cookies.Add((New-Object System.Net.Cookie("session_2", "x!y", "/", "www.codebuddy.cn")))
Invoke-WebRequest -UseBasicParsing -Uri "{URL}" `
-Method "POST" `
-WebSession $session `
-Headers @{{
"authority"="www.codebuddy.cn"
  "origin"="https://www.codebuddy.cn"
}} `
-ContentType "application/json" `
-Body "{{`"pageNum`":1}}\""""
OTHER = f"""$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "other"
$session.Cookies.Add((New-Object System.Net.Cookie("session", "other", "/", "stats.example.com")))
Invoke-WebRequest -UseBasicParsing -Uri "{ELSEWHERE}" -WebSession $session"""
HEADERS = f"""Invoke-WebRequest -Uri "{URL}" -Headers @{{
"Cookie"="{COOKIE}"
  "User-Agent"="Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130"
}}"""
POSTMAN = f"""$headers = New-Object "System.Collections.Generic.Dictionary[[String],[String]]"
$headers.Add("Cookie", "{COOKIE}")
$headers.Add("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130")

$response = Invoke-RestMethod '{URL}' -Method 'POST' -Headers $headers
$response | ConvertTo-Json"""

HTTPSNIPPET = f"""$headers=@{{}}
$headers.Add("cookie", "{COOKIE}")
$headers.Add("user-agent", "Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130")
$response = Invoke-WebRequest -Uri '{URL}' -Method POST -Headers $headers"""
_AGENT_LINE = '$session.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) `"quoted`" Chrome/130"'
ASSIGNED = f"""$cookie = New-Object System.Net.Cookie
$cookie.Name = "session"
$cookie.Value = "5f2|1790000000|ab%7Ccd"
$cookie.Domain = "www.codebuddy.cn"
$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
{_AGENT_LINE}
$session.Cookies.Add($cookie)
$second = New-Object System.Net.Cookie; $second.Value = 'x!y'; $second.Name = 'session_2'
$session.Cookies.Add($second)
Invoke-WebRequest -Uri "{URL}" -WebSession $session"""
ASSIGNED_ANEW = f"""$cookie.Name = "session"; $cookie.Value = "5f2|1790000000|ab%7Ccd"; $jar.Add($cookie)
$cookie.Name = "session_2"; $cookie.Value = "x!y"; $jar.Add($cookie)
{_AGENT_LINE}"""
CONSTRUCTED = f"""$session = [Microsoft.PowerShell.Commands.WebRequestSession]::new()
{_AGENT_LINE}
$session.Cookies.Add([System.Net.Cookie]::new('session', '5f2|1790000000|ab%7Ccd', '/', 'www.codebuddy.cn'))
$session.Cookies.Add((New-Object System.Net.Cookie -ArgumentList "session_2", "x!y", "/"))"""
TABLES = f"""$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
{_AGENT_LINE}
$session.Cookies.Add([System.Net.Cookie]@{{ Name = 'session'; Value = '5f2|1790000000|ab%7Ccd'; Domain = 'a' }})
$session.Cookies.Add((New-Object System.Net.Cookie -Property @{{Value="x!y";Name="session_2"}}))"""
WITH_AGENT = f"""Invoke-WebRequest -Uri '{URL}' -UserAgent '{AGENT}' -Headers @{{Cookie='{COOKIE}'}}"""
AT_A_PROMPT = f"PS C:\\Users\\O'Brien> {WITH_AGENT}"
FORMS = {
    "chrome": CHROME,
    "headers": HEADERS,
    "postman": POSTMAN,
    "httpsnippet": HTTPSNIPPET,
    "agent of its own": WITH_AGENT,
    "prompt": AT_A_PROMPT,
    "assigned": ASSIGNED,
    "assigned anew": ASSIGNED_ANEW,
    "constructed": CONSTRUCTED,
    "tables": TABLES,
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_copied_request_gives_cookie_and_user_agent(text: str) -> None:
    assert credential(text) == (COOKIE, AGENT)


@pytest.mark.parametrize("text", [CHROME, HEADERS], ids=["session", "headers"])
def test_line_breaks_may_be_gone_or_of_windows(text: str) -> None:
    assert read(text.replace("\n", "\r\n")) == read(text.replace("\n", "")) == read(text)


@pytest.mark.parametrize("text", [f"{OTHER};\r\n{CHROME}", f"{CHROME};\r\n{OTHER}"], ids=["last", "first"])
def test_of_all_requests_of_a_page_the_one_to_the_upstream_counts(text: str) -> None:
    assert credential(text) == (COOKIE, AGENT)


def test_escaped_characters_are_those_of_the_cookie() -> None:
    text = 'Invoke-WebRequest -Uri "https://x.example" -Headers @{"cookie"="session=a`$b``c$([char]233)"}'
    assert read(text).secret == "session=a$b`cé"


@pytest.mark.parametrize(
    "body", ["""'{"cookie"="session=evil"}'""", '"{`"cookie`"=`"session=evil`"}"', "'; cookie = \"session=evil\"'"]
)
def test_a_body_is_no_header(body: str) -> None:
    assert read(f"Invoke-WebRequest -Body {body} -Uri '{URL}' -Headers @{{'Cookie'='{COOKIE}'}}").secret == COOKIE
    assert read(f"Invoke-WebRequest -Uri '{URL}' -Headers @{{'Cookie'='{COOKIE}'}} -Body {body}").secret == COOKIE


def test_a_hash_table_without_a_cookie_is_refused_with_that_reason() -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(f"$headers=@{{}}\nInvoke-WebRequest -Uri '{URL}' -Headers $headers")


def test_a_command_without_a_cookie_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match=MISSING):
        read(f'Invoke-WebRequest -UseBasicParsing -Uri "{URL}"')
