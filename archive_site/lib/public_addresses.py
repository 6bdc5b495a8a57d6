"""Which numeric addresses the whole internet can reach. Pure functions."""

import ipaddress

# Networks that carry the address of an IPv4 network in their last 32 bits.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether the whole internet can reach a numeric address, also one that carries an IPv4 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        carried = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            carried = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if carried:
            return is_public(str(carried))
        if found.is_site_local:
            return False
    return found.is_global and not (found.is_multicast or found.is_reserved)
