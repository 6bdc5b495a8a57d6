"""`manage.py demo`: a filled archive of a simulated upstream."""

import re
from pathlib import Path

import psutil
import pytest

from tests import processes
from tests.archive_site.commands import is_one_line, manage, signed_in, up

pytestmark = [pytest.mark.landing, pytest.mark.engine, pytest.mark.usefixtures("running_clock")]


def test_a_demonstration_is_filled_asks_nobody_else_and_ends_with_its_upstream(tmp_path: Path) -> None:
    with up(tmp_path, command="demo") as demo:
        found = re.search(r"^Password: (\S+)", "".join(demo.lines), re.MULTILINE)
        assert found
        session = signed_in(demo, "demo", found[1])
        assert session.get(f"{demo.url}/api/summary").json()["calls"] > 1000
        assert session.get(f"{demo.url}/api/packages").json()["items"]
        settings = session.get(f"{demo.url}/api/settings").json()
        hosts = {settings[name] for name in ("api_base", "token_base")}
        assert [host.startswith("http://127.0.0.1:") for host in hosts] == [True]
        family = [psutil.Process(demo.process.pid), *demo.children()]
        again = manage("demo", "--bind", "127.0.0.1:0", home=tmp_path)
        assert is_one_line(again, "Another demo already runs")
        assert session.get(f"{demo.url}/api/settings").json() == settings
        assert demo.stop() == 0
        assert found[1] not in demo.log()
        assert not any(processes.run(process) for process in family)
