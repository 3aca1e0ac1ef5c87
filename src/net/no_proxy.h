/* no_proxy.h: what the variable NO_PROXY says of a host, in all the forms in which people write it. Pure. */
#ifndef NET_NO_PROXY_H
#define NET_NO_PROXY_H

#include <helve/str.h>

/*
 * True when `list` (a value of NO_PROXY) keeps requests to host and port from the proxy. Entries stand between commas,
 * semicolons and blanks, and are: "*" (everything); a name, which its subdomains go with, also written with a leading
 * dot; a pattern with "*" for any characters; an address, of IPv6 also in brackets; a network (10.0.0.0/8);
 * "<local>" (names without a dot). ":port" behind one of them keeps it to that port, "http://" in front and a path
 * behind are passed over. Letters of either case are alike. What is none of these matches nothing.
 */
bool no_proxy_exempts(struct hv_str list, struct hv_str host, unsigned port);

#endif
