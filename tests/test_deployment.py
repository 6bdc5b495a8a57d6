"""The files for containers, systemd and proxies fit the service (docs/deploy.md)."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from archive_site.serving import supervisor
from tests.archive_site.test_environment import read

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "docs" / "deploy"
CONTAINERFILE = (ROOT / "Containerfile").read_text()
COMPOSE = ["compose.yaml", "compose.grown.yaml"]
UNITS = ["usage-archive.service", "usage-archive-worker.service"]
# A variable of the service; ARCHIVE_HOST is one of the compose file only.
VARIABLE = re.compile(r"\b(?:ARCHIVE_[A-Z_]+|(?:DATABASE|REDIS)_URL\w*|TZ)\b")


def wheel() -> dict[str, object]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"])


def sources() -> set[str]:
    """What the wheel is built from."""
    included = wheel()["only-include"]
    assert isinstance(included, list)
    return {*included, "pyproject.toml", "README.md"}


def test_the_image_is_built_from_what_the_wheel_is() -> None:
    lines = [line.split()[1:-1] for line in re.findall(r"(?m)^COPY (?!--from).*$", CONTAINERFILE)]
    assert {name for names in lines for name in names} == sources() | {"requirements/run.txt"}


def test_nothing_else_is_sent_to_the_builder() -> None:
    lines = (ROOT / ".containerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == sources() | {"requirements/run.txt"}


def test_the_image_does_not_run_as_root() -> None:
    assert re.findall(r"(?m)^USER (.*)$", CONTAINERFILE) == ["10001:10001"]


def test_its_health_check_is_a_program_that_runs() -> None:
    found = re.search(r'"-ISc", "(.*)"\]', CONTAINERFILE)
    assert found is not None
    compile(found[1], "HEALTHCHECK", "exec")


@pytest.mark.parametrize("path", ["Containerfile", *COMPOSE, *[f"docs/deploy/{name}" for name in UNITS]])
def test_every_variable_is_documented(path: str) -> None:
    documented = (ROOT / "docs/running.md").read_text()
    used = set(VARIABLE.findall((ROOT / path).read_text())) - {"ARCHIVE_HOST"}
    assert {name for name in used if f"`{name}`" not in documented} == set()


def test_a_stop_of_up_is_waited_for() -> None:
    unit = (DEPLOY / UNITS[0]).read_text()
    waits = [re.findall(r"TimeoutStopSec=(\d+)s", unit)]
    waits += [re.findall(r"up[^\n]*\n\s+stop_grace_period: (\d+)s", (ROOT / COMPOSE[1]).read_text())]
    waits += [re.findall(r"stop_grace_period: (\d+)s", (ROOT / COMPOSE[0]).read_text())]
    # Two seconds beside the patience with its processes.
    assert [int(found[0]) >= supervisor.PATIENCE + 2 for found in waits] == [True] * 3


@pytest.mark.parametrize("name", COMPOSE)
def test_every_container_has_a_limit_of_memory_and_of_its_log(name: str) -> None:
    services = yaml.safe_load((ROOT / name).read_text())["services"]
    assert services
    for service in services.values():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}


def test_both_units_are_protected_alike() -> None:
    one, other = ((DEPLOY / name).read_text().partition("NoNewPrivileges")[2] for name in UNITS)
    assert one == other
    assert "ProtectSystem=strict" in one


@pytest.mark.parametrize("name", UNITS)
def test_systemd_accepts_the_unit(name: str, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / name
    unit.write_text((DEPLOY / name).read_text().replace("/opt/usage-archive/bin/usage-archive", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if name in line]) == (0, [])


def test_nginx_passes_the_port_on() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    assert re.findall(r"proxy_set_header Host (\S+);", text) == ["$http_host"]


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile", "Caddyfile.grown"])
def test_no_proxy_publishes_the_metrics(name: str) -> None:
    text = (DEPLOY / name).read_text()
    assert re.search(r"location = /metrics \{\s+return 404;\s+\}|^\trespond /metrics 404$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile", "Caddyfile.grown"])
def test_a_proxy_takes_the_largest_import(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"(?:client_max_body_size|max_size) (\d+)m", (DEPLOY / name).read_text(), re.IGNORECASE)
    assert found is not None
    monkeypatch.delenv("ARCHIVE_IMPORT_MEGABYTES", raising=False)
    assert int(found[1]) > read(monkeypatch).import_megabytes
