/*
 * json.c: how fast JSON is read and written, in MB/s of JSON text, next to jansson where it is installed; and how fast
 * event streams are read. The time of the processor counts, in the best of several rounds: the machine may be busy.
 *   ninja -C build bench/bench_json && build/bench/bench_json
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "net/sse.h"

#include <helve/json.h>
#include <stdio.h>
#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

enum { ROUNDS = 25, TARGET = 2 << 20 };

/* ---- documents ----------------------------------------------------------------------------------------- */

static const char source_line[] =
    "    if (!strcmp(name, \"value\") && count > 0)\n\treturn read_all(file, &buf, \"r\");\n";
static const char wide_line[] = "Änderungen: größer als 10 €, 日本語のテキスト und Ελληνικά\n";

/* A file as the Read tool numbers its lines. */
static void add_listing(struct hv_buf *text, const char *line, int lines)
{
    for (int i = 1; i <= lines; i++) {
        hv_buf_addf(text, "%6d\t", i);
        hv_buf_add_cstr(text, line);
    }
}

static void add_message(struct hv_json_writer *writer, struct hv_str text, int number)
{
    char id[32];
    snprintf(id, sizeof id, "toolu_%016d", number);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "role", "user");
    hv_json_name(writer, "content");
    hv_json_begin_array(writer);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "tool_result");
    hv_json_member_cstr(writer, "tool_use_id", id);
    hv_json_member_string(writer, "content", text);
    hv_json_member_bool(writer, "is_error", false);
    hv_json_end_object(writer);
    hv_json_end_array(writer);
    hv_json_end_object(writer);
}

/* A request with many tool results that hold text. */
static void make_request(struct hv_buf *out, const char *line)
{
    CLEANUP_BUF struct hv_buf text = {.max = TARGET};
    add_listing(&text, line, 60);
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "model", "some-model");
    hv_json_member_int(&writer, "max_tokens", 32000);
    hv_json_name(&writer, "messages");
    hv_json_begin_array(&writer);
    for (int i = 0; out->len < TARGET; i++)
        add_message(&writer, hv_buf_str(&text), i);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
}

static void make_source(struct hv_buf *out)
{
    make_request(out, source_line);
}
static void make_wide(struct hv_buf *out)
{
    make_request(out, wide_line);
}

/* The events of a stream, each a small object whose string holds a piece of escaped JSON. */
static void make_deltas(struct hv_buf *out)
{
    hv_buf_add_byte(out, '[');
    for (int i = 0; out->len < TARGET; i++)
        hv_buf_addf(out,
                    "%s{\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"input_json_delta\","
                    "\"partial_json\":\"\\\"file_path\\\": \\\"/src/main%d.c\\\"\"}}",
                    i ? "," : "", i % 7, i);
    hv_buf_add_byte(out, ']');
}

static void make_small(struct hv_buf *out)
{
    hv_buf_add_byte(out, '[');
    for (int i = 0; out->len < TARGET; i++)
        hv_buf_addf(out, "%s{\"id\":%d,\"x\":%d.25,\"ok\":true,\"name\":\"n%d\",\"tags\":[1,2,3],\"none\":null}",
                    i ? "," : "", i, i % 1000, i);
    hv_buf_add_byte(out, ']');
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

/* Best speed of several rounds of function(data) over size bytes. */
static double best(void (*function)(void *data), void *data, size_t size)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t start = processor_ns();
        function(data);
        uint64_t took = processor_ns() - start;
        least = took < least ? took : least;
    }
    return (double)size * 1e3 / (double)least;
}

struct task {
    struct hv_str text;
    struct hv_arena *arena;
    const struct hv_json *value;
    struct hv_buf *out;
    void *foreign;
};

static void parse(void *data)
{
    struct task *task = data;
    struct hv_error err;
    hv_arena_release(task->arena);
    if (hv_json_parse(task->arena, task->text, 0, &task->value, &err) != HV_OK)
        fprintf(stderr, "%s\n", err.message);
}

static void put(void *data)
{
    struct task *task = data;
    struct hv_json_writer writer;
    hv_buf_clear(task->out);
    hv_json_writer_init(&writer, task->out);
    hv_json_put_value(&writer, task->value);
}

#ifdef HAVE_JANSSON
static void parse_foreign(void *data)
{
    struct task *task = data;
    json_decref(task->foreign);
    task->foreign = json_loadb(task->text.ptr, task->text.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
}

static void put_foreign(void *data)
{
    struct task *task = data;
    free(json_dumps(task->foreign, JSON_COMPACT));
}
#endif

static void measure(const char *name, void (*make)(struct hv_buf *out))
{
    CLEANUP_BUF struct hv_buf text = {.max = TARGET * 2}, out = {.max = TARGET * 2};
    CLEANUP_ARENA struct hv_arena arena = {0};
    make(&text);
    struct task task = {.text = hv_buf_str(&text), .arena = &arena, .out = &out};
    double read_speed = best(parse, &task, text.len), write_speed = best(put, &task, text.len);
    printf("%-28s %6.0f %6.0f", name, read_speed, write_speed);
#ifdef HAVE_JANSSON
    double foreign_read = best(parse_foreign, &task, text.len), foreign_write = best(put_foreign, &task, text.len);
    printf("   %6.0f %6.0f", foreign_read, foreign_write);
    json_decref(task.foreign);
#endif
    printf("\n");
}

/* ---- event streams ------------------------------------------------------------------------------------- */

struct stream {
    struct hv_str text;
    size_t chunk, events;
};

static enum hv_code count_event(void *user, const struct sse_event *event, struct hv_error *err)
{
    (void)event;
    (void)err;
    ((struct stream *)user)->events++;
    return HV_OK;
}

static void read_stream(void *data)
{
    struct stream *stream = data;
    struct sse sse;
    sse_init(&sse, TARGET);
    for (size_t at = 0; at < stream->text.len; at += stream->chunk)
        if (sse_feed(&sse, hv_str_slice(stream->text, at, at + stream->chunk), count_event, stream, NULL) != HV_OK)
            fprintf(stderr, "stream refused\n");
    sse_release(&sse);
}

static void measure_stream(const char *name, size_t data_len)
{
    CLEANUP_BUF struct hv_buf text = {.max = TARGET * 4}, data = {.max = TARGET};
    while (data.len < data_len)
        hv_buf_add_cstr(&data, "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"text\":\"some words\"}}");
    while (text.len < TARGET)
        hv_buf_addf(&text, "event: content_block_delta\ndata: %s\n\n", data.data);
    struct stream stream = {.text = hv_buf_str(&text), .chunk = 16384};
    printf("%-28s %6.0f\n", name, best(read_stream, &stream, text.len));
}

int main(void)
{
    printf("%-28s %6s %6s   %s\n", "MB/s", "read", "write", "jansson read, write");
    measure("tool results, source code", make_source);
    measure("tool results, wide text", make_wide);
    measure("stream deltas", make_deltas);
    measure("many small values", make_small);
    measure_stream("event stream, short data", 100);
    measure_stream("event stream, long data", 10000);
    return 0;
}
