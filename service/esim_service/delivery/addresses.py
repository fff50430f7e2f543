"""The IP addresses to which a webhook may be sent."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# `ipaddress.is_global` lets translation prefixes, relays, multicast, retired ranges and the
# addresses of cloud hosts pass, and varies between Python versions: so the list is our own.
_NOT_PUBLIC = """
0.0.0.0/8           this network
10.0.0.0/8          private
100.64.0.0/10       shared by carriers; metadata of some clouds
127.0.0.0/8         loopback
168.63.129.16/32    host of Azure machines
169.254.0.0/16      link-local; metadata of most clouds
172.16.0.0/12       private
192.0.0.0/24        protocol assignments; metadata of some clouds
192.0.2.0/24        documentation
192.31.196.0/24     AS112 anycast
192.52.193.0/24     multicast relays
192.88.99.0/24      6to4 relays
192.168.0.0/16      private
192.175.48.0/24     AS112 anycast
198.18.0.0/15       benchmarks
198.51.100.0/24     documentation
203.0.113.0/24      documentation
224.0.0.0/4         multicast
240.0.0.0/4         reserved; broadcast
0000::/3            loopback, IPv4-mapped and -compatible, NAT64, discard-only
2001::/23           protocol assignments: Teredo, ORCHID, benchmarks
2001:db8::/32       documentation
2002::/16           6to4
2620:4f:8000::/48   AS112 anycast
3ffe::/16           6bone, given back
3fff::/20           documentation
4000::/2            not assigned; segment routing
8000::/1            not assigned; unique local, link-local, site-local, multicast
"""
NOT_PUBLIC: tuple[Network, ...] = tuple(
    ip_network(line.split()[0]) for line in _NOT_PUBLIC.strip().splitlines()
)

# An interface id of this form embeds an IPv4 address (ISATAP, RFC 5214), which may be private.
_ISATAP, _ISATAP_MASK = 0x0000_5EFE, 0xFCFF_FFFF  # apart from the two bits of RFC 4291


def is_public(address: Address) -> bool:
    """Return whether the address is of a host on the public internet, in no special range."""
    if any(address in network for network in NOT_PUBLIC):
        return False
    return not (address.version == 6 and (int(address) >> 32) & _ISATAP_MASK == _ISATAP)


@dataclass(frozen=True, slots=True)
class AddressRule:
    """The addresses that may be dialled: public ones, and those that the operator allows.

    Attributes:
        allow: networks for development and tests; empty in production.
    """

    allow: tuple[Network, ...] = ()

    def permits(self, address: Address) -> bool:
        """Return whether this address may be dialled."""
        return any(address in network for network in self.allow) or is_public(address)
