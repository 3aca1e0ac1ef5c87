/* url.c: see url.h. Reads as the URL standard of WHATWG does where that is not dangerous, and refuses elsewhere. */
#include "text/url.h"

#include "base/cleanup.h"
#include "base/utf8.h"

#include <arpa/inet.h>
#include <string.h>

enum { HOST_MAX = 253, LABEL_MAX = 63, PORT_HTTP = 80, PORT_HTTPS = 443 };

/* ---- characters -------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_value(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Blanks and controls around the text, which pages and people leave there. */
static struct hv_str strip(struct hv_str text)
{
    while (text.len && (unsigned char)text.ptr[0] <= 0x20)
        text.ptr++, text.len--;
    while (text.len && (unsigned char)text.ptr[text.len - 1] <= 0x20)
        text.len--;
    return text;
}

static void add_escaped(struct hv_buf *out, char c)
{
    hv_buf_addf(out, "%%%02X", (unsigned char)c);
}

/* A byte of a path or query; what may not stand there, and what would end a link of Markdown, is escaped. */
static void add_path_byte(struct hv_buf *out, char c)
{
    if ((unsigned char)c <= 0x20 || (unsigned char)c >= 0x7f || strchr("\"<>`{}|^\\()", c))
        add_escaped(out, c);
    else
        hv_buf_add_byte(out, c);
}

/* ---- hosts: numbers ---------------------------------------------------------------------------------------------- */

/* One number of an IPv4 address: decimal, 0x…, 0…. False when it is none; more than 2^32 comes out as 2^32. */
static bool read_number(struct hv_str part, uint64_t *value)
{
    unsigned base = 10;
    size_t at = 0;
    if (part.len >= 2 && part.ptr[0] == '0' && (part.ptr[1] | 0x20) == 'x')
        base = 16, at = 2;
    else if (part.len >= 2 && part.ptr[0] == '0')
        base = 8, at = 1;
    if (!part.len)
        return false;
    *value = 0;
    for (; at < part.len; at++) {
        int digit = hex_value(part.ptr[at]);
        if (digit < 0 || (unsigned)digit >= base)
            return false;
        if (*value < (uint64_t)1 << 32)
            *value = *value * base + (unsigned)digit;
    }
    return true;
}

/* The host ends in a number: then it is an IPv4 address or nothing, as getaddrinfo would take it. */
static bool ends_in_number(struct hv_str host)
{
    uint64_t value;
    struct hv_str last = hv_str_slice(host, hv_str_rfind_byte(host, '.') + 1, SIZE_MAX);
    bool digits = last.len > 0;
    for (size_t i = 0; i < last.len; i++)
        digits &= is_digit(last.ptr[i]);
    return digits || read_number(last, &value);
}

static bool read_ipv4(struct hv_str host, uint8_t address[4])
{
    uint64_t numbers[4] = {0}, whole = 0;
    size_t count = 0;
    struct hv_str part;
    while (hv_str_split(&host, '.', &part)) {
        if (count == 4 || !read_number(part, &numbers[count]))
            return false;
        count++;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        if (numbers[i] > 255)
            return false;
        whole |= numbers[i] << (24 - 8 * i);
    }
    if (!count || numbers[count - 1] >= (uint64_t)1 << (8 * (5 - count)))
        return false;
    whole |= numbers[count - 1];
    for (size_t i = 0; i < 4; i++)
        address[i] = (uint8_t)(whole >> (24 - 8 * i));
    return true;
}

/* ---- hosts: names beyond ASCII ----------------------------------------------------------------------------------- */

/* Simple lower case of the alphabets that have it; enough for names of hosts. */
static uint32_t fold(uint32_t c)
{
    if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) ||
        (c >= 0x410 && c <= 0x42f))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40f)
        return c + 0x50;
    if ((c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
        return c + (c & 1);
    return c;
}

/* Characters that a resolver would first turn into others (wide and circled forms, invisible ones): not in a host. */
static bool is_disguise(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0x80, 0xb6},       {0xb8, 0xbf},     {0x2000, 0x2bff},   {0x3000, 0x3004},
                                         {0x3200, 0x33ff},   {0xd800, 0xf8ff}, {0xfb00, 0xfb06},   {0xfe00, 0xfe6f},
                                         {0xfeff, 0xfeff},   {0xff00, 0xffff}, {0x1d400, 0x1d7ff}, {0x1f100, 0x1f2ff},
                                         {0xe0000, 0x10ffff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
    uint32_t k = 0;
    delta = first ? delta / 700 : delta / 2;
    delta += delta / points;
    for (; delta > 455; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

static void add_digits(struct hv_buf *out, uint32_t delta, uint32_t bias)
{
    for (uint32_t k = 36;; k += 36) {
        uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        uint32_t digit = delta < t ? delta : t + (delta - t) % (36 - t);
        hv_buf_add_byte(out, (char)(digit < 26 ? 'a' + digit : '0' + digit - 26));
        if (delta < t)
            return;
        delta = (delta - t) / (36 - t);
    }
}

/* RFC 3492. */
static void add_punycode(struct hv_buf *out, const uint32_t *points, size_t count)
{
    uint32_t n = 128, delta = 0, bias = 72, basic = 0;
    hv_buf_add_cstr(out, "xn--");
    for (size_t i = 0; i < count; i++)
        if (points[i] < 128)
            hv_buf_add_byte(out, (char)points[i]), basic++;
    if (basic)
        hv_buf_add_byte(out, '-');
    for (uint32_t done = basic; done < count; delta++, n++) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < count; i++)
            if (points[i] >= n && points[i] < next)
                next = points[i];
        delta += (next - n) * (done + 1); /* a label has at most 63 points: no overflow */
        n = next;
        for (size_t i = 0; i < count; i++) {
            delta += points[i] < n;
            if (points[i] != n)
                continue;
            add_digits(out, delta, bias);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
}

/* One label, in lower case, to out. */
static bool add_label(struct hv_buf *out, struct hv_str label)
{
    uint32_t points[LABEL_MAX];
    size_t count = 0;
    bool plain = true;
    for (size_t at = 0; at < label.len; count++) {
        uint32_t point;
        size_t length = utf8_decode(label, at, &point);
        if (count == LABEL_MAX || point == UTF8_INVALID)
            return false;
        points[count] = fold(point);
        plain &= point < 128;
        if (point < 128 ? !is_letter((char)point) && !is_digit((char)point) && point != '-' && point != '_'
                        : is_disguise(point))
            return false;
        at += length;
    }
    size_t start = out->len;
    if (plain)
        for (size_t i = 0; i < count; i++)
            hv_buf_add_byte(out, (char)points[i]);
    else
        add_punycode(out, points, count);
    return out->len > start && out->len - start <= LABEL_MAX;
}

/* ---- hosts ------------------------------------------------------------------------------------------------------- */

static bool read_ipv6(struct hv_arena *arena, struct hv_str host, struct url *out)
{
    char text[INET6_ADDRSTRLEN];
    struct hv_str inner = hv_str_slice(host, 1, host.len - 1);
    if (host.ptr[host.len - 1] != ']' || inet_pton(AF_INET6, hv_arena_cstr(arena, inner), out->address) != 1)
        return false;
    out->kind = URL_HOST_IPV6;
    out->host = hv_arena_format(arena, "[%s]", inet_ntop(AF_INET6, out->address, text, sizeof text));
    return true;
}

static struct hv_str percent_decode(struct hv_arena *arena, struct hv_str text)
{
    char *copy = hv_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.ptr[i] == '%' && i + 2 < text.len && hex_value(text.ptr[i + 1]) >= 0 &&
                      hex_value(text.ptr[i + 2]) >= 0;
        copy[len++] = escape ? (char)(hex_value(text.ptr[i + 1]) << 4 | hex_value(text.ptr[i + 2])) : text.ptr[i];
        i += escape ? 2 : 0;
    }
    return hv_str_of(copy, len);
}

static bool read_host(struct hv_arena *arena, struct hv_str text, struct url *out)
{
    CLEANUP_BUF struct hv_buf name = {.max = 4 * HOST_MAX};
    struct hv_str label;
    if (!text.len)
        return false;
    if (text.ptr[0] == '[')
        return read_ipv6(arena, text, out);
    struct hv_str host = percent_decode(arena, text);
    if (host.len && host.ptr[host.len - 1] == '.')
        host.len--;
    if (!host.len || host.ptr[host.len - 1] == '.')
        return false;
    while (hv_str_split(&host, '.', &label)) {
        if (name.len)
            hv_buf_add_byte(&name, '.');
        if (!add_label(&name, label))
            return false;
    }
    out->host = hv_arena_str(arena, hv_buf_str(&name));
    if (!ends_in_number(out->host))
        return out->host.len <= HOST_MAX;
    if (!read_ipv4(out->host, out->address))
        return false;
    out->kind = URL_HOST_IPV4;
    out->host =
        hv_arena_format(arena, "%u.%u.%u.%u", out->address[0], out->address[1], out->address[2], out->address[3]);
    return true;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* "." or ".." in one of its spellings: how many dots; 0: another segment. */
static unsigned dots(struct hv_str segment)
{
    unsigned count = 0;
    for (size_t i = 0; i < segment.len; count++) {
        if (segment.ptr[i] == '.')
            i++;
        else if (segment.len - i >= 3 && segment.ptr[i] == '%' && segment.ptr[i + 1] == '2' &&
                 (segment.ptr[i + 2] | 0x20) == 'e')
            i += 3;
        else
            return 0;
    }
    return count <= 2 ? count : 0;
}

/* Append an absolute path (up to '?') without dot segments; root is where out's path began. */
static void add_path(struct hv_buf *out, struct hv_str path, size_t root)
{
    for (size_t at = 0; at < path.len;) {
        size_t end = at;
        while (end < path.len && path.ptr[end] != '/')
            end++;
        struct hv_str segment = hv_str_slice(path, at, end);
        unsigned up = dots(segment);
        bool last = end == path.len;
        if (up == 2 && out->len > root + 1) {
            out->len--; /* the slash */
            while (out->len > root + 1 && out->data[out->len - 1] != '/')
                out->len--;
        } else if (!up) {
            for (size_t i = 0; i < segment.len; i++)
                add_path_byte(out, segment.ptr[i]);
            if (!last)
                hv_buf_add_byte(out, '/');
        }
        at = end + 1;
    }
}

static void add_path_and_query(struct hv_buf *out, struct hv_str text, size_t root)
{
    size_t query = hv_str_find_byte(text, '?', 0);
    add_path(out, hv_str_slice(text, 0, query), root);
    for (size_t i = query; i < text.len; i++)
        add_path_byte(out, text.ptr[i]);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum hv_code fail(struct hv_error *err, enum hv_code code, const char *why)
{
    hv_fail(err, code, "the address cannot be used: %s", why);
    hv_error_hint(err, "An address looks like https://example.org/path.");
    return code;
}

static enum hv_code read_scheme(struct hv_str *text, bool *https, struct hv_error *err)
{
    size_t colon = hv_str_find_byte(*text, ':', 0);
    struct hv_str scheme = hv_str_slice(*text, 0, colon);
    bool is_scheme = colon != SIZE_MAX && scheme.len && is_letter(scheme.ptr[0]);
    for (size_t i = 0; i < scheme.len && is_scheme; i++)
        is_scheme = is_letter(scheme.ptr[i]) || is_digit(scheme.ptr[i]) || strchr("+-.", scheme.ptr[i]);
    if (!is_scheme)
        return fail(err, HV_EINVAL, "it does not begin with https:// or http://");
    *https = hv_str_eq_nocase(scheme, HV_STR("https"));
    if (!*https && !hv_str_eq_nocase(scheme, HV_STR("http")))
        return fail(err, HV_EUNSUPPORTED, "only http and https can be reached");
    *text = hv_str_slice(*text, colon + 1, SIZE_MAX);
    size_t slashes = 0;
    while (slashes < text->len && (text->ptr[slashes] == '/' || text->ptr[slashes] == '\\'))
        slashes++;
    if (slashes != 2 || text->ptr[0] != '/' || text->ptr[1] != '/')
        return fail(err, HV_EINVAL, "after the scheme come two slashes and the host");
    *text = hv_str_slice(*text, 2, SIZE_MAX);
    return HV_OK;
}

static bool read_port(struct hv_str text, unsigned *port)
{
    int64_t value;
    if (!text.len) /* "host:" */
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]))
            return false;
    if (text.len > 5 || !hv_str_to_int64(text, &value) || value < 1 || value > 65535)
        return false;
    *port = (unsigned)value;
    return true;
}

static enum hv_code read_authority(struct hv_arena *arena, struct hv_str authority, struct url *out,
                                   struct hv_error *err)
{
    if (hv_str_find_byte(authority, '@', 0) != SIZE_MAX) {
        hv_fail(err, HV_EDENIED, "the address cannot be used: it holds a user or a password");
        hv_error_hint(err, "Leave out what stands before the @.");
        return HV_EDENIED;
    }
    size_t after = authority.len && authority.ptr[0] == '[' ? hv_str_find_byte(authority, ']', 0) : 0;
    if (after == SIZE_MAX)
        return fail(err, HV_EINVAL, "its host is not one");
    size_t colon = hv_str_find_byte(authority, ':', after);
    out->port = out->https ? PORT_HTTPS : PORT_HTTP;
    if (colon != SIZE_MAX && !read_port(hv_str_slice(authority, colon + 1, SIZE_MAX), &out->port))
        return fail(err, HV_EINVAL, "its port is not a number from 1 to 65535");
    if (!read_host(arena, hv_str_slice(authority, 0, colon), out))
        return fail(err, HV_EINVAL, "its host is not one");
    return HV_OK;
}

enum hv_code url_parse(struct hv_arena *arena, struct hv_str text, struct url *out, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf path = {.max = 4 * URL_LENGTH_MAX};
    *out = (struct url){0};
    text = strip(text);
    if (text.len > URL_LENGTH_MAX)
        return fail(err, HV_ETOOBIG, "it is too long");
    for (size_t i = 0; i < text.len; i++)
        if (is_control(text.ptr[i]))
            return fail(err, HV_EINVAL, "it holds control characters");
    enum hv_code code = read_scheme(&text, &out->https, err);
    if (code)
        return code;
    size_t end = 0;
    while (end < text.len && !strchr("/?#\\", text.ptr[end]))
        end++;
    code = read_authority(arena, hv_str_slice(text, 0, end), out, err);
    if (code)
        return code;
    size_t hash = hv_str_find_byte(text, '#', end);
    struct hv_str rest = hv_str_slice(text, end, hash);
    if (hash != SIZE_MAX)
        out->fragment = hv_arena_str(arena, hv_str_slice(text, hash + 1, SIZE_MAX));
    hv_buf_add_byte(&path, '/');
    if (rest.len && rest.ptr[0] == '\\')
        return fail(err, HV_EINVAL, "it holds a backslash behind the host");
    add_path_and_query(&path, rest.len && rest.ptr[0] == '/' ? hv_str_slice(rest, 1, SIZE_MAX) : rest, 0);
    out->path = hv_arena_str(arena, hv_buf_str(&path));
    bool usual = out->port == (out->https ? PORT_HTTPS : PORT_HTTP);
    const char *scheme = out->https ? "https" : "http";
    out->origin = usual ? hv_arena_format(arena, "%s://%.*s", scheme, HV_STR_ARG(out->host))
                        : hv_arena_format(arena, "%s://%.*s:%u", scheme, HV_STR_ARG(out->host), out->port);
    out->text = hv_arena_join(arena, out->origin, out->path);
    return HV_OK;
}

bool url_same_origin(const struct url *a, const struct url *b)
{
    return hv_str_eq(a->origin, b->origin);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

void url_base_init(struct url_base *base, struct hv_str text)
{
    *base = (struct url_base){0};
    text = strip(text);
    text = hv_str_slice(text, 0, hv_str_find_byte(text, '#', 0));
    size_t scheme = hv_str_find(text, HV_STR("://"), 0);
    if (scheme == SIZE_MAX || text.len > URL_LENGTH_MAX)
        return;
    base->text = text;
    base->scheme = scheme + 1;
    base->authority = scheme + 3;
    while (base->authority < text.len && text.ptr[base->authority] != '/' && text.ptr[base->authority] != '?')
        base->authority++;
    base->path = hv_str_find_byte(text, '?', base->authority);
    base->path = base->path == SIZE_MAX ? text.len : base->path;
    base->directory = base->path;
    while (base->directory > base->authority && text.ptr[base->directory - 1] != '/')
        base->directory--;
}

static size_t scheme_length(struct hv_str reference)
{
    size_t at = 0;
    while (at < reference.len &&
           (is_letter(reference.ptr[at]) || (at && (is_digit(reference.ptr[at]) || strchr("+-.", reference.ptr[at])))))
        at++;
    return at && at < reference.len && reference.ptr[at] == ':' ? at : 0;
}

static void add_bytes(struct hv_buf *out, struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\n' && text.ptr[i] != '\r' && text.ptr[i] != '\t')
            add_path_byte(out, text.ptr[i]);
}

void url_resolve(const struct url_base *base, struct hv_str reference, struct hv_buf *out)
{
    struct hv_str text = base->text;
    reference = strip(reference);
    if (!text.ptr || scheme_length(reference)) {
        add_bytes(out, reference);
        return;
    }
    size_t root = out->len + base->authority;
    char first = reference.len ? reference.ptr[0] : '#';
    if (first == '/' && reference.len > 1 && reference.ptr[1] == '/') {
        hv_buf_add_str(out, hv_str_slice(text, 0, base->scheme));
        add_bytes(out, reference);
    } else if (first == '#' || first == '?') {
        add_bytes(out, hv_str_slice(text, 0, first == '#' ? text.len : base->path));
        add_bytes(out, reference);
    } else {
        size_t end = 0;
        while (end < reference.len && reference.ptr[end] != '?' && reference.ptr[end] != '#')
            end++;
        hv_buf_add_str(out, hv_str_slice(text, 0, base->authority));
        hv_buf_add_byte(out, '/');
        if (first != '/' && base->directory > base->authority)
            add_path(out, hv_str_slice(text, base->authority + 1, base->directory), root);
        add_path(out, hv_str_slice(reference, first == '/' ? 1 : 0, end), root);
        add_bytes(out, hv_str_slice(reference, end, SIZE_MAX));
    }
}
