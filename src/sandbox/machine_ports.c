/* machine_ports.c: services on the loopback interface of the machine. A program that uses no proxy finds them at the
 * same port of the session's own loopback: those that rules name by port, those that the command or the environment
 * names, and those that a command of the session has missed. Whether a connection there is let through the proxy
 * decides, by rules or by asking. Nothing of that is done where the machine has no server at that port, since a command
 * may want to have its own there. */
#include "sandbox/helper_protocol.h"
#include "sandbox/proxy_inner.h"
#include "sandbox/sandbox_inner.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

enum { TABLE_MAX = 1 << 20, TCP_LISTEN = 0x0a, NUMBERS_MAX = 64, TEXT_MAX = 64 * 1024, LINES_MAX = 400 };

static const struct hv_str loopback[] = {HV_STR("localhost"), HV_STR("127.0.0.1")};

/* ---- which the machine has ------------------------------------------------------------------------------- */

struct ports {
    unsigned items[NUMBERS_MAX];
    bool listens[NUMBERS_MAX];
    size_t count;
};

static void add_port(struct ports *ports, unsigned port)
{
    for (size_t i = 0; i < ports->count; i++)
        if (ports->items[i] == port)
            return;
    if (port && ports->count < NUMBERS_MAX)
        ports->items[ports->count++] = port;
}

/* A table of the kernel: "  0: 0100007F:1538 00000000:0000 0A …" per socket. */
static void look_in_table(struct ports *ports, const char *path)
{
    unsigned found, state;
    char line[256];
    FILE *file = fopen(path, "re");
    for (size_t count = 0; file && count < TABLE_MAX && fgets(line, sizeof line, file); count++) {
        if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &found, &state) != 2 || state != TCP_LISTEN)
            continue;
        for (size_t i = 0; i < ports->count; i++)
            ports->listens[i] |= ports->items[i] == found;
    }
    if (file)
        fclose(file);
}

/* Leave only those at which the machine has a server. */
static void keep_listening(struct ports *ports)
{
    size_t kept = 0;
    if (ports->count) {
        look_in_table(ports, "/proc/net/tcp");
        look_in_table(ports, "/proc/net/tcp6");
    }
    for (size_t i = 0; i < ports->count; i++)
        if (ports->listens[i])
            ports->items[kept++] = ports->items[i];
    ports->count = kept;
}

/* ---- which texts speak of -------------------------------------------------------------------------------- */

static unsigned number_of(struct hv_str digits)
{
    unsigned long long number = 0;
    for (size_t i = 0; i < digits.len && number <= UINT16_MAX; i++)
        number = digits.ptr[i] >= '0' && digits.ptr[i] <= '9' ? 10 * number + (unsigned)(digits.ptr[i] - '0')
                                                              : UINT16_MAX + 1;
    return number <= UINT16_MAX ? (unsigned)number : 0;
}

/* Whole numbers; no parts of addresses, versions and names. */
static void add_numbers(struct ports *ports, struct hv_str text)
{
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        for (end = at; end < text.len && (isalnum((unsigned char)text.ptr[end]) || strchr("._", text.ptr[end])); end++)
            ;
        size_t len = end - at;
        while (len && text.ptr[at + len - 1] == '.') /* of a sentence */
            len--;
        add_port(ports, len ? number_of(hv_str_slice(text, at, at + len)) : 0);
    }
}

static bool names_loopback(struct hv_str text)
{
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++)
        if (hv_str_find(text, loopback[i], 0) != SIZE_MAX)
            return true;
    return false;
}

/* A part of it goes on in the background: most likely that is the server, and the port its own. */
static bool has_background(struct hv_str text)
{
    for (size_t at = 1; at < text.len; at++)
        if (text.ptr[at] == '&' && !strchr("&<>|", text.ptr[at - 1]) &&
            (at + 1 == text.len || strchr(" \t\n;)", text.ptr[at + 1])))
            return true;
    return false;
}

void machine_ports_note(struct hv_str command, struct sandbox_run *run)
{
    struct ports ports = {0};
    command = hv_str_slice(command, 0, TEXT_MAX);
    if (!names_loopback(command) || has_background(command))
        return;
    add_numbers(&ports, command);
    keep_listening(&ports);
    for (size_t i = 0; i < ports.count && run->port_count < SANDBOX_NAMED_MAX; i++)
        run->ports[run->port_count++] = ports.items[i];
}

/* ---- rules ----------------------------------------------------------------------------------------------- */

enum machine_port_leave machine_port_leave(const struct sandbox_options *options, unsigned port)
{
    struct sandbox_domain domain = sandbox_domain_of(options, loopback[0], port);
    if (domain.denied_by.len)
        return MACHINE_PORT_DENIED;
    return domain.named ? MACHINE_PORT_ALLOWED : MACHINE_PORT_UNNAMED;
}

void machine_ports_put(const struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_arena *arena,
                       struct hv_buf *out)
{
    const struct sandbox_options *options = sandbox->setup.options;
    struct ports ports = {0};
    size_t count = 0;
    for (size_t i = 0; i < options->domains.count; i++)
        add_port(&ports, sandbox_domain_loopback_port(options->domains.items[i]));
    for (size_t i = 0; i < run->port_count; i++)
        add_port(&ports, run->ports[i]);
    for (size_t i = 0; i < sandbox->missed_count; i++)
        add_port(&ports, sandbox->missed[i]);
    for (char **entry = environ; *entry; entry++)
        if (names_loopback(hv_str_from(*entry)))
            add_numbers(&ports, hv_str_from(*entry));
    keep_listening(&ports);
    for (size_t i = 0; i < ports.count && count < HELPER_PORTS_MAX; i++) {
        enum machine_port_leave leave = machine_port_leave(options, ports.items[i]);
        if (leave == MACHINE_PORT_DENIED || (leave == MACHINE_PORT_UNNAMED && !sandbox->setup.ask))
            continue; /* a refused connection says it sooner */
        sandbox_put_item(out, HELPER_LISTEN,
                         hv_arena_format(arena, "%u:%u", HELPER_LISTEN_MACHINE + ports.items[i], ports.items[i]));
        count++;
    }
}

/* ---- which were missed ----------------------------------------------------------------------------------- */

/* Those of lines that speak of a refused connection; without any of them *refused is false. */
static void add_refused(struct ports *ports, struct hv_str output, bool *refused)
{
    struct hv_str line;
    if (output.len > TEXT_MAX)
        output = hv_str_slice(output, output.len - TEXT_MAX, output.len);
    *refused = false;
    for (size_t lines = 0; lines < LINES_MAX && output.len && hv_str_split(&output, '\n', &line); lines++) {
        if (hv_str_find(line, HV_STR("refused"), 0) == SIZE_MAX && hv_str_find(line, HV_STR("REFUSED"), 0) == SIZE_MAX)
            continue;
        add_numbers(ports, line);
        *refused = true;
    }
}

unsigned machine_ports_missed(struct hv_sandbox *sandbox, const struct sandbox_run *run, struct hv_str output,
                              bool failed)
{
    struct ports ports = {0};
    bool refused;
    add_refused(&ports, output, &refused);
    keep_listening(&ports);
    if (!ports.count && (refused || failed)) {
        if (refused)
            add_numbers(&ports, hv_str_slice(run->command, 0, TEXT_MAX));
        for (size_t i = 0; i < run->port_count; i++)
            add_port(&ports, run->ports[i]);
        keep_listening(&ports);
    }
    for (size_t i = 0; i < ports.count; i++) {
        if (machine_port_leave(sandbox->setup.options, ports.items[i]) != MACHINE_PORT_UNNAMED)
            continue;
        for (size_t j = 0; j < sandbox->missed_count; j++)
            if (sandbox->missed[j] == ports.items[i])
                return ports.items[i];
        if (sandbox->missed_count < SANDBOX_NAMED_MAX)
            sandbox->missed[sandbox->missed_count++] = ports.items[i];
        return ports.items[i];
    }
    return 0;
}
