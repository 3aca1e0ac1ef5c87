/* address.c: see address.h. The tables follow the special-purpose registries of IANA. */
#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

struct range4 {
    uint32_t network;
    unsigned bits;
};

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
static const struct range4 not_public4[] = {
    {IP(0, 0, 0, 0), 8},        {IP(10, 0, 0, 0), 8},     {IP(100, 64, 0, 0), 10}, {IP(127, 0, 0, 0), 8},
    {IP(169, 254, 0, 0), 16},   {IP(172, 16, 0, 0), 12},  {IP(192, 0, 0, 0), 24},  {IP(192, 0, 2, 0), 24},
    {IP(192, 88, 99, 0), 24},   {IP(192, 168, 0, 0), 16}, {IP(198, 18, 0, 0), 15}, {IP(198, 51, 100, 0), 24},
    {IP(168, 63, 129, 16), 32}, /* Azure's own services, of each machine there */
    {IP(203, 0, 113, 0), 24},   {IP(224, 0, 0, 0), 4},    {IP(240, 0, 0, 0), 4},
};

static bool is_public4(uint32_t address)
{
    for (size_t i = 0; i < sizeof not_public4 / sizeof *not_public4; i++)
        if ((address ^ not_public4[i].network) >> (32 - not_public4[i].bits) == 0)
            return false;
    return true;
}

static uint32_t read4(const uint8_t *bytes)
{
    return IP(bytes[0], bytes[1], bytes[2], bytes[3]);
}

static bool starts(const uint8_t *bytes, const uint8_t *prefix, size_t len)
{
    return memcmp(bytes, prefix, len) == 0;
}

static bool is_public6(const uint8_t *bytes)
{
    static const uint8_t zeros[12] = {0}, mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b}, teredo[4] = {0x20, 0x01, 0, 0};
    static const uint8_t documentation[4] = {0x20, 0x01, 0x0d, 0xb8}, documentation_large[2] = {0x3f, 0xff};
    if (starts(bytes, mapped, 12) || starts(bytes, zeros, 12) || starts(bytes, nat64, 12))
        return is_public4(read4(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) /* 6to4 */
        return is_public4(read4(bytes + 2));
    if (starts(bytes, teredo, 4)) /* the client's address is written inverted */
        return is_public4(read4(bytes + 4)) && is_public4(~read4(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02) /* 2001::/23: protocols, not places */
        return false;
    if (starts(bytes, documentation, 4) || (starts(bytes, documentation_large, 2) && bytes[2] < 0x10))
        return false;
    return (bytes[0] & 0xe0) == 0x20; /* 2000::/3 is all that is given out */
}

bool address_is_public(const struct sockaddr *address)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    switch (address->sa_family) {
    case AF_INET: memcpy(&in, address, sizeof in); return is_public4(ntohl(in.sin_addr.s_addr));
    case AF_INET6: memcpy(&in6, address, sizeof in6); return is_public6(in6.sin6_addr.s6_addr);
    default: return false;
    }
}
