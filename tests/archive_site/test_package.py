"""The installed package: a wheel that serves from any folder (docs/decisions/instance.md#an-installable-package)."""

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import requests

from tests import processes
from tests.archive_site.commands import ROOT, up
from tests.process_stores import environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without internet by the build backend of the tests' environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, ROOT], check=True)
    return next(folder.glob("usage_archive-*.whl"))


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed in an environment that has the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    installed = next(folder.glob("lib/*/site-packages"))
    (installed / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "usage-archive"


def run(program: Path, *arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments], cwd=folder, env=environment(folder / "home", **variables), capture_output=True, text=True
    )


@pytest.mark.thorough
def test_it_has_what_serves_and_nothing_for_developers(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    resources = "archive_site/resources"
    assert {
        "usage/migrations/0001_initial.py",
        "archive_site/locale/zh_Hans/LC_MESSAGES/django.mo",
        f"{resources}/templates/overview.html",
        f"{resources}/static/css/site.css",
        f"{resources}/static/words/zh-hans.js",
    } <= names
    assert not [name for name in names if name.endswith((".d.ts", ".po")) or "vendor/build" in name]
    apps = {"accounts", "archive_site", "audit", "backups", "collection", "usage"}
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == apps


@pytest.mark.thorough
def test_it_has_every_file_that_a_checkout_serves(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "static", "templates"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    served = {name for name in listed if not name.endswith(".d.ts") and "vendor/build" not in name}
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {f"archive_site/resources/{name}" for name in served} - packed == set()


@pytest.mark.thorough
def test_it_checks_itself_from_any_folder(program: Path, tmp_path: Path) -> None:
    done = run(program, "manage", "check", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
def test_the_data_folder_is_in_the_present_folder(program: Path, tmp_path: Path) -> None:
    run(program, "manage", "check", folder=tmp_path, ARCHIVE_HOME="")
    assert (tmp_path / "data" / "backups").is_dir()


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_it_serves_pages_and_their_files(program: Path, tmp_path: Path) -> None:
    with up(tmp_path / "home", program=[str(program), "manage"]) as running:
        page = requests.get(f"{running.url}/login", headers={"Accept-Language": "zh-CN"}, timeout=60)
        assert "登录" in page.text
        links = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", page.text)
        assert links
        assert {requests.get(f"{running.url}{link}", timeout=60).status_code for link in links} == {200}
        assert not [child for child in running.children() if str(ROOT / "manage.py") in processes.words(child)]


@pytest.mark.thorough
def test_its_messages_name_the_command(program: Path, tmp_path: Path) -> None:
    assert "usage-archive manage" in run(program, "manage", "help", folder=tmp_path).stdout


@pytest.mark.thorough
def test_the_client_runs_from_any_folder(program: Path, tmp_path: Path) -> None:
    done = run(program, "summary", folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "home").exists()
