"""Which addresses the guard holds for public."""

import pytest

from archive_site.lib.public_addresses import is_public


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
)
def test_an_address_that_all_reach_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.0.1", "10.0.0.1", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "0.1.2.3", "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "255.255.255.255", "240.0.0.1",
        "::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1",
        "2002:7f00:1::1", "2002:a00:1::1", "2001:0:7f00:1::1", "name", "", "/run/socket",
    ],
)  # fmt: skip
def test_what_not_all_reach_is_not_public(address: str) -> None:
    assert not is_public(address)
