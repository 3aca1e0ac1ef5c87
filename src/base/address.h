/* address.h: what a network address is, for everything that must not be led into the machine or its network. Pure. */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/*
 * True when the address is one of the public internet: not of this machine, a private network, a link (the metadata
 * services of clouds are there), a carrier's network, documentation, benchmarks, multicast, nor reserved. IPv4
 * addresses inside IPv6 ones (mapped, compatible, NAT64, 6to4, Teredo) count as what they lead to. Other families are
 * not public.
 */
bool address_is_public(const struct sockaddr *address);

#endif
