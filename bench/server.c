/*
 * server.c: a scripted model on the loopback interface, quick enough never to be what is measured.
 *
 *   server [--log FILE] [--port-file FILE] [--text FILE] [--rate N] STEP…
 * Each request that offers tools takes the next STEP; when there is none left, the answer is a plain text. A STEP is
 *   [COUNT*]PART[|PART…][@MS]   PART: read:FILE, bash:COMMAND, call:NAME:INPUT, text
 * The calls of a step are complete at once; with @MS text goes on streaming for MS milliseconds behind them: N words a
 * second (40), those of FILE again and again. It speaks the Messages, Chat Completions and Responses APIs, by the path
 * of the request. For each answered request the log gets
 * a line of numbers: step, nanoseconds (CLOCK_MONOTONIC) when its first byte came, when all of it was there, when the
 * last byte of the answer was handed over, and the bytes of its body.
 */
#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_MAX = 64 << 10, BODY_MAX = 256 << 20, PARTS_MAX = 64, RATE = 40 };
enum wire { ANTHROPIC, CHAT, RESPONSES, OTHER };

struct part {
    const char *name; /* NULL: text */
    const char *input;
};

struct step {
    unsigned count, tail_ms;
    struct part parts[PARTS_MAX];
    size_t part_count;
};

static struct {
    struct step *steps;
    size_t step_count;
    FILE *log;
    pthread_mutex_t lock; /* of what follows, and the log */
    size_t at;            /* the step at hand */
    unsigned used;        /* how often it was given */
    unsigned answered, calls;
    char **words; /* of the text, escaped */
    size_t word_count, word_at;
    unsigned rate; /* words a second */
} script = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

struct text {
    char *data;
    size_t len, capacity;
};

static void make_room(struct text *text, size_t more)
{
    if (text->len + more < text->capacity)
        return;
    text->capacity = (text->len + more) * 2 + 256;
    text->data = realloc(text->data, text->capacity);
    if (!text->data)
        die("memory");
}

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int len = vsnprintf(NULL, 0, format, arguments);
    make_room(text, (size_t)len + 1);
    vsnprintf(text->data + text->len, (size_t)len + 1, format, again);
    text->len += (size_t)len;
    va_end(again);
    va_end(arguments);
}

/* The inside of a JSON string; memory that is never freed (a few per step). */
static char *escaped(const char *plain)
{
    struct text out = {0};
    make_room(&out, 1);
    out.data[0] = '\0';
    for (; *plain; plain++)
        put(&out, "%s%c", *plain == '"' || *plain == '\\' || *plain == '\n' ? "\\" : "", *plain == '\n' ? 'n' : *plain);
    return out.data;
}

/* ---- the script ---------------------------------------------------------------------------------------------- */

static char *format_input(const char *member, const char *value)
{
    struct text out = {0};
    put(&out, "{\"%s\":\"%s\"}", member, escaped(value));
    return out.data;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static struct part read_part(char *text)
{
    if (starts(text, "read:"))
        return (struct part){"Read", format_input("file_path", text + 5)};
    if (starts(text, "bash:"))
        return (struct part){"Bash", format_input("command", text + 5)};
    if (starts(text, "call:")) {
        char *colon = strchr(text + 5, ':');
        if (!colon) {
            fprintf(stderr, "call:NAME:INPUT wanted: %s\n", text);
            exit(2);
        }
        *colon = '\0';
        return (struct part){text + 5, colon + 1};
    }
    return (struct part){0};
}

static void read_step(char *text, struct step *step)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    bool counted = end > text && *end == '*';
    step->count = counted ? (unsigned)count : 1;
    text = counted ? end + 1 : text;
    char *at = strrchr(text, '@');
    if (at && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1)) {
        step->tail_ms = (unsigned)strtoul(at + 1, NULL, 10);
        *at = '\0';
    }
    for (char *part; step->part_count < PARTS_MAX && (part = strsep(&text, "|"));)
        step->parts[step->part_count++] = read_part(part);
}

/* The step that answers the next request; past the end a text. *number is that of the request, from 0. */
static const struct step *take_step(unsigned *number)
{
    static const struct step last = {.count = 1, .parts = {{0}}, .part_count = 1};
    pthread_mutex_lock(&script.lock);
    const struct step *step = script.at < script.step_count ? &script.steps[script.at] : &last;
    if (script.at < script.step_count && ++script.used >= step->count) {
        script.at++;
        script.used = 0;
    }
    *number = script.answered++;
    pthread_mutex_unlock(&script.lock);
    return step;
}

static const char *next_word(void)
{
    if (!script.word_count)
        return "word ";
    return script.words[__atomic_fetch_add(&script.word_at, 1, __ATOMIC_RELAXED) % script.word_count];
}

/* Each word with the white space behind it. */
static void read_words(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, BODY_MAX);
    if (!file || !text)
        die(path);
    text[fread(text, 1, BODY_MAX - 1, file)] = '\0';
    fclose(file);
    for (char *at = text; *at;) {
        size_t len = strcspn(at, " \n");
        len += strspn(at + len, " \n");
        char *word = strndup(at, len), **more = realloc(script.words, (script.word_count + 1) * sizeof *more);
        if (!word || !more)
            die("memory");
        script.words = more;
        script.words[script.word_count++] = escaped(word);
        free(word);
        at += len;
    }
    free(text);
}

static unsigned next_call(void)
{
    return __atomic_add_fetch(&script.calls, 1, __ATOMIC_RELAXED);
}

/* ---- answers ------------------------------------------------------------------------------------------------- */

static void put_event(struct text *out, const char *event, const char *data)
{
    if (event)
        put(out, "event: %s\n", event);
    put(out, "data: %s\n\n", data);
}

__attribute__((format(printf, 3, 4))) static void put_eventf(struct text *out, const char *event, const char *format,
                                                             ...)
{
    struct text data = {0};
    va_list arguments;
    char line[4096];
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (len >= (int)sizeof line)
        die("an event is too long");
    put(&data, "%s", line);
    put_event(out, event, data.data);
    free(data.data);
}

static void put_begin(struct text *out, enum wire wire)
{
    if (wire == ANTHROPIC)
        put_event(
            out, "message_start",
            "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_b\",\"type\":\"message\",\"role\":\"assistant\","
            "\"model\":\"bench\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
            "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}");
    else if (wire == RESPONSES)
        put_event(out, "response.created",
                  "{\"type\":\"response.created\",\"response\":{\"id\":\"resp_b\",\"object\":\"response\","
                  "\"status\":\"in_progress\",\"model\":\"bench\",\"output\":[]}}");
}

static void put_call(struct text *out, enum wire wire, unsigned index, const struct part *part)
{
    unsigned id = next_call();
    char *input = escaped(part->input);
    if (wire == ANTHROPIC) {
        put_eventf(out, "content_block_start",
                   "{\"type\":\"content_block_start\",\"index\":%u,\"content_block\":{\"type\":\"tool_use\","
                   "\"id\":\"toolu_bench%08u\",\"name\":\"%s\",\"input\":{}}}",
                   index, id, part->name);
        put_eventf(out, "content_block_delta",
                   "{\"type\":\"content_block_delta\",\"index\":%u,\"delta\":{\"type\":\"input_json_delta\","
                   "\"partial_json\":\"%s\"}}",
                   index, input);
        put_eventf(out, "content_block_stop", "{\"type\":\"content_block_stop\",\"index\":%u}", index);
    } else if (wire == CHAT) {
        put_eventf(out, NULL,
                   "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"bench\",\"choices\":[{\"index\":0,"
                   "\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":%u,\"id\":\"call_bench%08u\","
                   "\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"%s\"}}]},"
                   "\"finish_reason\":null}]}",
                   index, id, part->name, input);
    } else {
        put_eventf(out, "response.output_item.added",
                   "{\"type\":\"response.output_item.added\",\"output_index\":%u,\"item\":{\"type\":\"function_call\","
                   "\"id\":\"fc_%u\",\"call_id\":\"call_bench%08u\",\"name\":\"%s\",\"arguments\":\"\"}}",
                   index, id, id, part->name);
        put_eventf(out, "response.output_item.done",
                   "{\"type\":\"response.output_item.done\",\"output_index\":%u,\"item\":{\"type\":\"function_call\","
                   "\"id\":\"fc_%u\",\"call_id\":\"call_bench%08u\",\"name\":\"%s\",\"arguments\":\"%s\","
                   "\"status\":\"completed\"}}",
                   index, id, id, part->name, input);
    }
    free(input);
}

static void put_text_begin(struct text *out, enum wire wire, unsigned index)
{
    if (wire == ANTHROPIC)
        put_eventf(
            out, "content_block_start",
            "{\"type\":\"content_block_start\",\"index\":%u,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
            index);
    else if (wire == RESPONSES)
        put_eventf(out, "response.output_item.added",
                   "{\"type\":\"response.output_item.added\",\"output_index\":%u,\"item\":{\"type\":\"message\","
                   "\"id\":\"msg_b\",\"role\":\"assistant\",\"content\":[]}}",
                   index);
}

static void put_delta(struct text *out, enum wire wire, unsigned index)
{
    const char *word = next_word();
    if (wire == ANTHROPIC)
        put_eventf(
            out, "content_block_delta",
            "{\"type\":\"content_block_delta\",\"index\":%u,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}",
            index, word);
    else if (wire == CHAT)
        put_eventf(out, NULL,
                   "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"bench\",\"choices\":[{\"index\":0,"
                   "\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}",
                   word);
    else
        put_eventf(
            out, "response.output_text.delta",
            "{\"type\":\"response.output_text.delta\",\"output_index\":%u,\"content_index\":0,\"item_id\":\"msg_b\","
            "\"delta\":\"%s\"}",
            index, word);
}

static void put_text_end(struct text *out, enum wire wire, unsigned index)
{
    if (wire == ANTHROPIC)
        put_eventf(out, "content_block_stop", "{\"type\":\"content_block_stop\",\"index\":%u}", index);
    else if (wire == RESPONSES)
        put_eventf(out, "response.output_item.done",
                   "{\"type\":\"response.output_item.done\",\"output_index\":%u,\"item\":{\"type\":\"message\","
                   "\"id\":\"msg_b\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":"
                   "\"output_text\",\"text\":\"done\",\"annotations\":[]}]}}",
                   index);
}

static void put_end(struct text *out, enum wire wire, bool calls)
{
    if (wire == ANTHROPIC) {
        put_eventf(out, "message_delta",
                   "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},"
                   "\"usage\":{\"output_tokens\":20}}",
                   calls ? "tool_use" : "end_turn");
        put_event(out, "message_stop", "{\"type\":\"message_stop\"}");
    } else if (wire == CHAT) {
        put_eventf(out, NULL,
                   "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"bench\",\"choices\":[{\"index\":0,"
                   "\"delta\":{},\"finish_reason\":\"%s\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":20,"
                   "\"total_tokens\":30}}",
                   calls ? "tool_calls" : "stop");
        put_event(out, NULL, "[DONE]");
    } else {
        put_event(out, "response.completed",
                  "{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_b\",\"object\":\"response\","
                  "\"status\":\"completed\",\"model\":\"bench\",\"output\":[],\"usage\":{\"input_tokens\":10,"
                  "\"output_tokens\":20,\"total_tokens\":30}}}");
    }
}

/* ---- HTTP ---------------------------------------------------------------------------------------------------- */

static bool send_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, data, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        data += sent;
        len -= (size_t)sent;
    }
    return true;
}

/* Send what is in body as one chunk, and empty it. head goes before it (the status line), end closes the stream. */
static bool send_chunk(int fd, const char *head, struct text *body, bool end)
{
    struct text out = {0};
    put(&out, "%s%zx\r\n", head, body->len);
    make_room(&out, body->len + 16);
    memcpy(out.data + out.len, body->data, body->len);
    out.len += body->len;
    put(&out, end ? "\r\n0\r\n\r\n" : "\r\n");
    bool sent = send_all(fd, out.data, out.len);
    body->len = 0;
    free(out.data);
    return sent;
}

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n";

static bool answer(int fd, enum wire wire, const struct step *step)
{
    struct text body = {0};
    const char *head = stream_head;
    unsigned index = 0;
    bool calls = false, text = step->tail_ms > 0, sent = true;
    put_begin(&body, wire);
    for (size_t i = 0; i < step->part_count; i++) {
        if (!step->parts[i].name) {
            text = true;
            continue;
        }
        put_call(&body, wire, index++, &step->parts[i]);
        calls = true;
    }
    if (text) {
        put_text_begin(&body, wire, index);
        put_delta(&body, wire, index);
        uint64_t due = clock_monotonic_ns(), until = due + step->tail_ms * CLOCK_MILLISECOND;
        while (step->tail_ms && sent && due < until) {
            sent = send_chunk(fd, head, &body, false);
            head = "";
            due += CLOCK_SECOND / script.rate;
            struct timespec when = {(time_t)(due / CLOCK_SECOND), (long)(due % CLOCK_SECOND)};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
            put_delta(&body, wire, index);
        }
        put_text_end(&body, wire, index);
    }
    put_end(&body, wire, calls);
    sent = sent && send_chunk(fd, head, &body, true);
    free(body.data);
    return sent;
}

/* One request as it was received. */
struct request {
    char head[HEAD_MAX];
    size_t head_len; /* with the blank line */
    char *body;
    size_t body_len;
    uint64_t arrived, complete;
};

static size_t content_length(const char *head)
{
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "Content-Length:", 15) == 0)
            return strtoul(line + 17, NULL, 10);
    return 0;
}

static bool receive_head(int fd, struct request *request, size_t *got)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    *got = 0;
    if (poll(&wait, 1, -1) < 0)
        return false;
    request->arrived = clock_monotonic_ns();
    for (;;) {
        ssize_t len = recv(fd, request->head + *got, HEAD_MAX - 1 - *got, 0);
        if (len <= 0)
            return false;
        *got += (size_t)len;
        request->head[*got] = '\0';
        char *end = strstr(request->head, "\r\n\r\n");
        if (end) {
            request->head_len = (size_t)(end - request->head) + 4;
            return true;
        }
        if (*got == HEAD_MAX - 1)
            return false;
    }
}

static bool receive(int fd, struct request *request)
{
    size_t got;
    if (!receive_head(fd, request, &got))
        return false;
    size_t wanted = content_length(request->head), have = got - request->head_len;
    if (wanted > BODY_MAX || have > wanted)
        return false;
    if (strcasestr(request->head, "\r\nExpect: 100-continue") && !send_all(fd, "HTTP/1.1 100 Continue\r\n\r\n", 25))
        return false;
    request->body = malloc(wanted + 1);
    if (!request->body)
        die("memory");
    memcpy(request->body, request->head + request->head_len, have);
    while (have < wanted) {
        ssize_t len = recv(fd, request->body + have, wanted - have, 0);
        if (len <= 0)
            return false;
        have += (size_t)len;
    }
    request->body[wanted] = '\0';
    request->body_len = wanted;
    request->complete = clock_monotonic_ns();
    request->head[request->head_len - 2] = '\0';
    return true;
}

static enum wire wire_of(const char *head)
{
    char path[256] = "";
    if (sscanf(head, "POST %255s", path) != 1)
        return OTHER;
    path[strcspn(path, "?")] = '\0';
    size_t len = strlen(path);
    if (len >= 9 && strcmp(path + len - 9, "/messages") == 0)
        return ANTHROPIC;
    if (len >= 17 && strcmp(path + len - 17, "/chat/completions") == 0)
        return CHAT;
    return len >= 10 && strcmp(path + len - 10, "/responses") == 0 ? RESPONSES : OTHER;
}

static bool serve(int fd, const struct request *request)
{
    static const struct step plain = {.count = 1, .parts = {{0}}, .part_count = 1};
    static const char nothing[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                                  "29\r\n\r\n{\"data\":[],\"input_tokens\":10}\n";
    enum wire wire = wire_of(request->head);
    if (wire == OTHER)
        return send_all(fd, nothing, sizeof nothing - 1);
    /* Side requests (titles, warm-ups) offer no tools. */
    if (!strstr(request->body, "\"tools\":[{"))
        return answer(fd, wire, &plain);
    unsigned number;
    const struct step *step = take_step(&number);
    bool sent = answer(fd, wire, step);
    uint64_t ended = clock_monotonic_ns();
    pthread_mutex_lock(&script.lock);
    fprintf(script.log, "%u %llu %llu %llu %zu\n", number, (unsigned long long)request->arrived,
            (unsigned long long)request->complete, (unsigned long long)ended, request->body_len);
    fflush(script.log);
    pthread_mutex_unlock(&script.lock);
    return sent;
}

static void *connection(void *data)
{
    int fd = (int)(intptr_t)data;
    struct request *request = malloc(sizeof *request);
    if (!request)
        die("memory");
    for (bool more = true; more;) {
        request->body = NULL;
        more = receive(fd, request) && serve(fd, request);
        free(request->body);
    }
    free(request);
    close(fd);
    return NULL;
}

/* ---- start --------------------------------------------------------------------------------------------------- */

static int listen_on_loopback(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        die("listen");
    *port = ntohs(address.sin_port);
    return fd;
}

static void tell_port(const char *path, unsigned port)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file)
        die(path);
    fprintf(file, "%u\n", port);
    fflush(file);
    if (path)
        fclose(file);
}

int main(int argc, char **argv)
{
    const char *port_file = NULL;
    script.log = stdout;
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--log") == 0)
            script.log = fopen(argv[at + 1], "w");
        else if (strcmp(argv[at], "--port-file") == 0)
            port_file = argv[at + 1];
        else if (strcmp(argv[at], "--text") == 0)
            read_words(argv[at + 1]);
        else if (strcmp(argv[at], "--rate") == 0)
            script.rate = (unsigned)strtoul(argv[at + 1], NULL, 10);
    }
    script.rate = script.rate ? script.rate : RATE;
    if (!script.log)
        die("log");
    script.step_count = (size_t)(argc - at);
    script.steps = calloc(script.step_count + 1, sizeof *script.steps);
    if (!script.steps)
        die("memory");
    for (size_t i = 0; i < script.step_count; i++)
        read_step(argv[at + (int)i], &script.steps[i]);
    unsigned port;
    int listening = listen_on_loopback(&port);
    tell_port(port_file, port);
    for (;;) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        pthread_t thread;
        if (pthread_create(&thread, NULL, connection, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
        else
            close(fd);
    }
}
