/*
 * calls.c: the reader of calls on any bytes. The first byte of the input chooses how the rest is cut; whatever the cut,
 * the calls, messages and faults are those of the uncut input.
 */
#include "agent/calls.h"

#include "parts.h"

#include <string.h>

enum { TRANSCRIPT_MAX = 256 << 20 };

static void on_call(void *user, struct hv_str id, struct hv_str name, struct hv_str input, enum calls_shape shape)
{
    struct hv_buf *transcript = user;
    FUZZ_CHECK(id.ptr && name.ptr && input.ptr);
    hv_buf_addf(transcript, "call %d %zu %zu %zu ", (int)shape, id.len, name.len, input.len);
    hv_buf_add_str(transcript, id);
    hv_buf_add_str(transcript, name);
    hv_buf_add_str(transcript, input);
}

static void on_message(void *user)
{
    hv_buf_add_cstr(user, "message ");
}

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    FUZZ_CHECK(err->code != HV_OK && err->message[0]);
    hv_buf_addf(user, "fault %llu %d ", (unsigned long long)line, (int)err->code);
}

static void read_in_pieces(struct hv_buf *transcript, struct hv_str input, size_t size)
{
    struct calls_handlers handlers = {
        .on_call = on_call, .on_message = on_message, .on_fault = on_fault, .user = transcript};
    struct calls_reader *reader = calls_reader_new(CALLS_AUTO, &handlers);
    hv_buf_init(transcript, TRANSCRIPT_MAX);
    for (size_t at = 0; at < input.len; at += size)
        calls_reader_feed(reader, hv_str_slice(input, at, at + size));
    calls_reader_finish(reader);
    calls_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_buf whole, cut;
    if (size == 0)
        return 0;
    struct hv_str input = hv_str_of((const char *)data + 1, size - 1);
    read_in_pieces(&whole, input, size);
    read_in_pieces(&cut, input, (size_t)data[0] % 23 + 1);
    FUZZ_CHECK(hv_str_eq(hv_buf_str(&whole), hv_buf_str(&cut)));
    hv_buf_release(&whole);
    hv_buf_release(&cut);
    return 0;
}
