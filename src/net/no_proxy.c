/* no_proxy.c: see no_proxy.h. libcurl reads names, addresses and networks, but no ports, patterns or semicolons. */
#include "net/no_proxy.h"

#include "base/wildcard.h"

#include <arpa/inet.h>
#include <helve/helve.h>
#include <string.h>

/* An address in network order; length 4 or 16 bytes, 0 when the text was none. */
struct address {
    uint8_t bytes[16];
    unsigned length;
};

static struct hv_str without_brackets(struct hv_str text)
{
    bool has = text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';
    return has ? hv_str_slice(text, 1, text.len - 1) : text;
}

static struct address read_address(struct hv_str text)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    struct address out = {0};
    char copy[INET6_ADDRSTRLEN];
    text = without_brackets(text);
    text = hv_str_slice(text, 0, hv_str_find_byte(text, '%', 0)); /* the interface of fe80::1%eth0 */
    if (text.len >= sizeof copy)
        return out;
    memcpy(copy, text.len ? text.ptr : "", text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, out.bytes) == 1)
        out.length = 4;
    else if (inet_pton(AF_INET6, copy, out.bytes) == 1)
        out.length = 16;
    if (out.length == 16 && memcmp(out.bytes, mapped, sizeof mapped) == 0) {
        memmove(out.bytes, out.bytes + 12, 4);
        out.length = 4;
    }
    return out;
}

static bool in_network(const struct address *address, const struct address *network, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    if (address->length != network->length || bits > 8 * network->length)
        return false;
    if (memcmp(address->bytes, network->bytes, whole) != 0)
        return false;
    return !rest || !((address->bytes[whole] ^ network->bytes[whole]) >> (8 - rest));
}

/* Digits, and nothing else, of a number up to limit; false else. */
static bool read_number(struct hv_str text, unsigned limit, unsigned *out)
{
    unsigned value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > limit)
            return false;
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0 && value <= limit;
}

/* The name itself or one below it. */
static bool matches_name(struct hv_str name, struct hv_str host)
{
    if (name.len && name.ptr[0] == '.')
        name = hv_str_slice(name, 1, SIZE_MAX);
    if (!name.len || host.len < name.len)
        return false;
    size_t start = host.len - name.len;
    return hv_str_eq_nocase(hv_str_slice(host, start, SIZE_MAX), name) && (!start || host.ptr[start - 1] == '.');
}

static struct hv_str without_last_dot(struct hv_str name)
{
    return name.len > 1 && name.ptr[name.len - 1] == '.' ? hv_str_slice(name, 0, name.len - 1) : name;
}

/* Take scheme and path off, and the port. An address of IPv6 without brackets has colons, but no port. */
static struct hv_str take_port(struct hv_str entry, unsigned *port, bool *has_port)
{
    size_t scheme = hv_str_find(entry, HV_STR("://"), 0);
    if (scheme != SIZE_MAX) {
        entry = hv_str_slice(entry, scheme + 3, SIZE_MAX);
        entry = hv_str_slice(entry, 0, hv_str_find_byte(entry, '/', 0));
    }
    size_t last = hv_str_rfind_byte(entry, ':'), bracket = hv_str_rfind_byte(entry, ']');
    bool plain =
        last != SIZE_MAX && (hv_str_find_byte(entry, ':', 0) == last || (bracket != SIZE_MAX && bracket < last));
    *has_port = plain && read_number(hv_str_slice(entry, last + 1, SIZE_MAX), 65535, port);
    return *has_port ? hv_str_slice(entry, 0, last) : entry;
}

static bool entry_matches(struct hv_str entry, struct hv_str host, const struct address *address, unsigned port)
{
    unsigned only = 0, bits = 0;
    bool has_port = false;
    entry = take_port(entry, &only, &has_port);
    if (!entry.len || (has_port && only != port))
        return false;
    size_t slash = hv_str_find_byte(entry, '/', 0);
    struct address wanted = read_address(hv_str_slice(entry, 0, slash));
    if (slash != SIZE_MAX)
        return wanted.length && read_number(hv_str_slice(entry, slash + 1, SIZE_MAX), 128, &bits) &&
               in_network(address, &wanted, bits);
    if (wanted.length)
        return in_network(address, &wanted, 8 * wanted.length);
    if (hv_str_find_byte(entry, '*', 0) != SIZE_MAX)
        return wildcard_matches(without_last_dot(entry), host, true);
    if (hv_str_eq_nocase(entry, HV_STR("<local>")))
        return !address->length && hv_str_find_byte(host, '.', 0) == SIZE_MAX;
    return !address->length && matches_name(without_last_dot(entry), host);
}

static bool separates(char byte)
{
    return byte == ',' || byte == ';' || byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool no_proxy_exempts(struct hv_str list, struct hv_str host, unsigned port)
{
    host = without_last_dot(without_brackets(host));
    if (!host.len)
        return false;
    struct address address = read_address(host);
    for (size_t start = 0, end; start < list.len; start = end + 1) {
        for (end = start; end < list.len && !separates(list.ptr[end]);)
            end++;
        if (entry_matches(hv_str_slice(list, start, end), host, &address, port))
            return true;
    }
    return false;
}
