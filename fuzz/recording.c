/*
 * Recordings: files that people and other programs write. Whatever is in one, reading it ends, each message of it
 * becomes a stream that a decoder takes to its end (or to a limit of size, and says so), and at the end of the file
 * there is an error that says so.
 */
#include "model/provider.h"

#include "../tests/unit/model/event_log.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16, LOG_MAX = 64 << 20 };

static void replay(struct hv_str events)
{
    struct hv_buf log;
    hv_buf_init(&log, LOG_MAX);
    struct model_decoder *decoder = model_decoder_new(MODEL_WIRE_ANTHROPIC, 1 << 20, event_log, &log);
    model_decoder_feed(decoder, events);
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
    struct hv_str told = hv_buf_str(&log);
    /* What a decoder refuses of any server for its size, it refuses of a recording. */
    if (hv_str_find(told, HV_STR("\nstop "), 0) == SIZE_MAX &&
        hv_str_find(told, HV_STR("\nerror too_big: "), 0) == SIZE_MAX)
        fprintf(stderr, "%.*s\nbecame\n%s\n", HV_STR_ARG(events), log.data), abort();
    hv_buf_release(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct recording *recording;
    struct replay_message message;
    struct hv_error err;
    if (size > INPUT_MAX)
        return 0;
    int fd = memfd_create("recording", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
        recording_open(hv_str_from(path), &recording, &err) != HV_OK)
        abort();
    while (recording_next(recording, &message, &err) == HV_OK) {
        replay(hv_buf_str(&message.events));
        hv_buf_release(&message.events);
    }
    if (!err.message[0] || !err.hint[0])
        abort();
    recording_free(recording);
    close(fd);
    return 0;
}
