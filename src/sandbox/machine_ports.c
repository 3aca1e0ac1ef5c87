/* machine_ports.c: services on the loopback interface of the machine that rules name by port. A program that uses no
 * proxy finds them at the same port of the session's own loopback; nothing of that is done where the machine has no
 * server at that port, since a command may want to have its own there. */
#include "sandbox/helper_protocol.h"
#include "sandbox/proxy_inner.h"
#include "sandbox/sandbox_inner.h"

#include <stdio.h>

enum { TABLE_MAX = 1 << 20, TCP_LISTEN = 0x0a };

/* A table of the kernel: "  0: 0100007F:1538 00000000:0000 0A …" per socket. */
static bool table_has(const char *path, unsigned port)
{
    unsigned found, state;
    char line[256];
    FILE *file = fopen(path, "re");
    bool has = false;
    for (size_t count = 0; file && !has && count < TABLE_MAX && fgets(line, sizeof line, file); count++)
        has = sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &found, &state) == 2 && found == port &&
              state == TCP_LISTEN;
    if (file)
        fclose(file);
    return has;
}

static bool machine_listens(unsigned port)
{
    return table_has("/proc/net/tcp", port) || table_has("/proc/net/tcp6", port);
}

/* The port of "localhost:PORT" or "127.0.0.1:PORT"; 0: it is another rule. */
static unsigned port_of(struct hv_str rule)
{
    unsigned long long port = 0;
    size_t colon = hv_str_rfind_byte(rule, ':');
    if (colon == SIZE_MAX)
        return 0;
    struct hv_str host = hv_str_slice(rule, 0, colon);
    bool local = hv_str_eq_nocase(host, HV_STR("localhost")) || hv_str_is(host, "127.0.0.1");
    for (size_t i = colon + 1; local && i < rule.len && port <= UINT16_MAX; i++)
        port = rule.ptr[i] >= '0' && rule.ptr[i] <= '9' ? 10 * port + (unsigned)(rule.ptr[i] - '0') : UINT16_MAX + 1;
    return local && port <= UINT16_MAX ? (unsigned)port : 0;
}

unsigned machine_port_allowed(const struct sandbox_options *options, unsigned port)
{
    const struct hv_str hosts[] = {HV_STR("localhost"), HV_STR("127.0.0.1")};
    bool named = false;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct sandbox_domain domain = sandbox_domain_of(options, hosts[i], port);
        if (domain.denied_by.len)
            return 0;
        named |= domain.named;
    }
    return named && port <= UINT16_MAX ? port : 0;
}

void machine_ports_put(const struct sandbox_options *options, struct hv_arena *arena, struct hv_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < options->domains.count && count < HELPER_PORTS_MAX; i++) {
        unsigned port = machine_port_allowed(options, port_of(options->domains.items[i]));
        if (!port || !machine_listens(port))
            continue;
        sandbox_put_item(out, HELPER_LISTEN, hv_arena_format(arena, "%u:%u", HELPER_LISTEN_MACHINE + port, port));
        count++;
    }
}
