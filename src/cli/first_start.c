/* first_start.c: a person has started helve and nothing names a model: what there is on this machine, a key, the demo.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "policy/visible.h"

enum { CONNECT_MS = 300, LIST_MS = 2000, NAMES_MAX = 20, KEY_MAX = 1000 };

struct offer {
    struct hv_str model; /* for setup_model; absent: a key is asked for */
    struct hv_str url;   /* of its server, or absent */
    const char *key;     /* the variable of the key */
    struct hv_str text;
};

struct offers {
    struct hv_arena *arena;
    VEC(struct offer) items;
};

static const struct {
    unsigned short port;
    const char *name;
} servers[] = {{11434, "Ollama"}, {1234, "LM Studio"}, {8080, "llama.cpp"}, {8000, "vLLM"}};

static bool listens(unsigned short port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CLEANUP_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int fault = 0;
    socklen_t size = sizeof fault;
    if (fd < 0)
        return false;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    return errno == EINPROGRESS && poll(&poll_fd, 1, CONNECT_MS) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0;
}

static void offer_server(struct setup *setup, struct offers *offers, unsigned short port, const char *name)
{
    struct hv_arena *arena = offers->arena;
    struct hv_error err;
    struct hv_str *names;
    struct model *model;
    size_t count;
    struct model_options options = {.provider = HV_STR("openai-chat"),
                                    .name = HV_STR("any"),
                                    .base_url = hv_arena_format(arena, "http://127.0.0.1:%u/v1", port)};
    if (!listens(port) || setup_loop(setup, &err) != HV_OK || model_new(&options, setup->loop, &model, &err) != HV_OK)
        return;
    if (model_list(model, LIST_MS, arena, &names, &count, &err) != HV_OK)
        count = 0;
    model_free(model);
    for (size_t i = 0; i < count && i < NAMES_MAX; i++) {
        CLEANUP_BUF struct hv_buf shown = {.max = 4096};
        visible_add(&shown, names[i]);
        *vec_push(&offers->items) =
            (struct offer){.model = hv_arena_format(arena, "openai-chat:%.*s", HV_STR_ARG(names[i])),
                           .url = options.base_url,
                           .text = hv_arena_format(arena, "%.*s, of the server at 127.0.0.1:%u (%s?)",
                                                   HV_STR_ARG(hv_buf_str(&shown)), port, name)};
    }
}

static void collect(struct setup *setup, struct offers *offers)
{
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        offer_server(setup, offers, servers[i].port, servers[i].name);
    *vec_push(&offers->items) =
        (struct offer){.key = "ANTHROPIC_API_KEY", .text = HV_STR("Claude, with a key of Anthropic")};
    *vec_push(&offers->items) = (struct offer){.key = "OPENAI_API_KEY", .text = HV_STR("GPT, with a key of OpenAI")};
    *vec_push(&offers->items) =
        (struct offer){.model = HV_STR("replay:demo"),
                       .text = HV_STR("the demo: a recorded model, with real tools on a copy of a small project")};
}

/* Without showing it. */
static bool read_key(struct hv_buf *key)
{
    struct termios before, quiet;
    bool known = tcgetattr(STDIN_FILENO, &before) == 0;
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    if (known)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    bool got = cli_read_line(NULL, key);
    if (known)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    return got && hv_str_trim(hv_buf_str(key)).len > 0;
}

static bool take_key(struct hv_arena *arena, const char *variable)
{
    CLEANUP_BUF struct hv_buf key = {.max = KEY_MAX};
    cli_write(STDOUT_FILENO, hv_arena_format(arena, "%s (it is not shown): ", variable));
    if (!read_key(&key))
        return false;
    setenv(variable, hv_arena_cstr(arena, hv_str_trim(hv_buf_str(&key))), 1);
    cli_write(STDOUT_FILENO,
              hv_arena_format(arena, "\nIt holds for this run; to keep it: export %s=… in your shell's start file.\n",
                              variable));
    return true;
}

static bool take(struct hv_arena *arena, const struct offer *offer, struct hv_str *name)
{
    if (offer->key)
        return take_key(arena, offer->key);
    if (offer->url.len) {
        setenv("OPENAI_BASE_URL", hv_arena_cstr(arena, offer->url), 1);
        cli_write(STDOUT_FILENO, hv_arena_format(arena, "To keep it: export OPENAI_BASE_URL=%.*s HELVE_MODEL=%.*s\n",
                                                 HV_STR_ARG(offer->url), HV_STR_ARG(offer->model)));
    }
    if (hv_str_is(offer->model, "replay:demo")) /* it brings a folder of its own, which is chosen before all else */
        execl("/proc/self/exe", "helve", "--model", "replay:demo", (char *)NULL);
    *name = offer->model;
    return true;
}

bool cli_first_start(struct setup *setup, struct hv_arena *arena, struct hv_str *name)
{
    struct offers offers = {.arena = arena};
    int64_t number = 0;
    collect(setup, &offers);
    cli_write(STDOUT_FILENO, HV_STR("helve needs a model, and none is named yet. There are:\n\n"));
    for (size_t i = 0; i < offers.items.count; i++)
        cli_write(STDOUT_FILENO,
                  hv_arena_format(arena, "  %2zu  %.*s\n", i + 1, HV_STR_ARG(offers.items.items[i].text)));
    bool chosen = false;
    while (!chosen) {
        CLEANUP_BUF struct hv_buf line = {.max = 100};
        cli_write(STDOUT_FILENO, HV_STR("\nWhich one? (its number; q leaves) "));
        if (!cli_read_line(NULL, &line) || hv_str_is(hv_str_trim(hv_buf_str(&line)), "q"))
            break;
        bool is_number = hv_str_to_int64(hv_str_trim(hv_buf_str(&line)), &number);
        if (is_number && number >= 1 && (size_t)number <= offers.items.count)
            chosen = take(arena, &offers.items.items[number - 1], name);
    }
    vec_release(&offers.items);
    return chosen;
}
