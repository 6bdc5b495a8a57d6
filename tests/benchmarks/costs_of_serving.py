"""What requests cost a running instance: `account_costs` measures it on each engine.

Processor of the web server and of PostgreSQL for each of the usual reads, memory of all processes, and connections.
"""

import sys
import time
from dataclasses import dataclass, field
from statistics import median
from threading import Thread

import psutil

from tests.benchmarks.dataset import NAME, PASSWORD
from tests.benchmarks.processor_time import of_family, of_server
from tests.benchmarks.serving import Client, ended, started, when_ready

WARM, ASKED = 5, 50
# As many as the web server has threads.
AT_ONCE = 8
READS = (
    "/healthz", "/api/status", "/api/summary", "/api/daily", "/api/dims", "/api/coverage", "/api/records",
    "/api/records?page=7", "/api/records?q=function", "/",
)  # fmt: skip
UNCHANGED = "/api/dims, unchanged"
IDLE_SECONDS = 60.0


@dataclass
class Serving:
    """Milliseconds of a request (web server, PostgreSQL, clock), bytes of memory by process, open connections."""

    requests: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    connections: int = 0


def measured(environment: dict[str, str], server: int) -> Serving:
    """A whole `manage.py up` on a store with the account of the data set."""
    found = Serving()
    process, port = started(environment)
    try:
        client = Client(port)
        when_ready(client, "/healthz", process)
        client.sign_in(NAME, PASSWORD)
        web = _child(process.pid, "web server")
        for path in READS:
            found.requests[path] = _cost(client, path, web, server)
        tag = str(client.get("/api/dims").headers["ETag"])
        found.requests[UNCHANGED] = _cost(client, "/api/dims", web, server, {"If-None-Match": tag})
        _busy(port)
        time.sleep(IDLE_SECONDS)
        found.memory = _memory(process.pid, server)
        found.connections = len(_connections(server))
    finally:
        ended(process)
    return found


def _cost(
    client: Client, path: str, web: int, server: int, headers: dict[str, str] | None = None
) -> tuple[float, float, float]:
    for _ in range(WARM):
        client.get(path, **(headers or {}))
    before, of_postgres, taken = of_family(web), of_server(server), []
    for _ in range(ASKED):
        answer = client.get(path, **(headers or {}))
        if answer.status != (304 if headers else 200):
            sys.exit(f"{path} was answered {answer.status}")
        taken.append(answer.seconds)
    spent = [of_family(web) - before, of_server(server) - of_postgres]
    return spent[0] * 1000 / ASKED, spent[1] * 1000 / ASKED, median(taken) * 1000


def _busy(port: int) -> None:
    """Requests on all threads at once, so that each of them has its connection."""

    def ask() -> None:
        client = Client(port)
        client.sign_in(NAME, PASSWORD)
        for _ in range(ASKED):
            client.get("/api/records")

    threads = [Thread(target=ask) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _child(pid: int, name: str) -> int:
    return next(child.pid for child in psutil.Process(pid).children() if child.name() == name)


def _memory(pid: int, server: int) -> dict[str, float]:
    """Of the kinds of processes; of a connection to PostgreSQL what is its own."""
    leader = psutil.Process(pid)
    workers = psutil.Process(_child(pid, "workers"))
    found = {
        "supervisor": _pss(leader),
        "web server, after requests on all threads": _pss(psutil.Process(_child(pid, "web server"))),
        "workers, all": sum(map(_pss, [workers, *workers.children(recursive=True)])),
    }
    found["all"] = sum(found.values())
    own = [float(connection.memory_full_info().uss) for connection in _connections(server)]
    found["a connection of PostgreSQL, its own"] = median(own or [0.0])
    return found


def _pss(process: psutil.Process) -> float:
    return float(process.memory_full_info().pss)


def _connections(server: int) -> list[psutil.Process]:
    """The processes of PostgreSQL that serve a connection of ours."""
    children = psutil.Process(server).children() if server else []
    return [child for child in children if " archive " in " ".join(child.cmdline())]
