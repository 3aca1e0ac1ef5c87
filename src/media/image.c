/* image.c: see image.h. */
#include "media/image.h"

#include "base/cleanup.h"
#include "media/image_helper.h"
#include "media/image_run.h"
#include "module/module.h"

#include <signal.h>
#include <string.h>

enum { ANSWER_LINE_MAX = 64, PIXELS_MAX = 100000000, PICTURE_MEMORY = 450000000 };
#define TIME_LIMIT_NS 30000000000ull

/* One picture on its way. */
struct work {
    const struct media *media;
    struct image_head head;
    struct hv_str bytes;
    uint32_t width, height; /* to shrink to */
    size_t bytes_max;
    bool check_only;
    struct hv_buf answer;
};

static bool keep_answer(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hv_buf *answer = user;
    if (stream == HV_STDOUT)
        hv_buf_add_str(answer, bytes);
    return !answer->failed;
}

static enum hv_code fail_limit(const struct image_head *head, struct hv_error *err)
{
    hv_fail(err, HV_ETOOBIG, "the %s image of %u×%u pixels needs more memory than its decoder is given (%d MB)",
            image_format_name(head->format), head->width, head->height, IMAGE_HELPER_MEMORY_LIMIT >> 20);
    hv_error_hint(err, "Shrink it in a shell first, for example with `convert FILE -resize 1568x1568 small.png`");
    return HV_ETOOBIG;
}

static enum hv_code fail_broken(const struct image_head *head, struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "the %s image is damaged, or of a kind that its decoder does not know",
            image_format_name(head->format));
    hv_error_hint(err, "Get the file anew, or convert it in a shell to an ordinary PNG");
    return HV_EINVAL;
}

static enum hv_code fail_killed(const struct image_head *head, const struct hv_exit *end, struct hv_error *err)
{
    const char *name = image_format_name(head->format);
    if (end->cancelled)
        return hv_fail(err, HV_ECANCELLED, "reading was cancelled");
    if (end->timed_out || end->signal == SIGXCPU || end->signal == SIGKILL) {
        hv_fail(err, HV_ETIMEOUT, "the %s image takes too long to decode: its decoder was ended", name);
        hv_error_hint(err, "It may be made to do harm; do not open it with other programs unasked");
        return HV_ETIMEOUT;
    }
    if (end->signal == SIGSYS)
        hv_fail(err, HV_EINVAL, "the decoder of the %s image tried what it may not do, and was killed", name);
    else
        hv_fail(err, HV_EINVAL, "the decoder of the %s image crashed (signal %d)", name, end->signal);
    hv_error_hint(err, "The file may be made to do harm; do not open it with other programs unasked");
    return HV_EINVAL;
}

static enum hv_code judge_end(const struct image_head *head, const struct hv_exit *end, struct hv_error *err)
{
    if (end->code < 0 || end->timed_out || end->cancelled)
        return fail_killed(head, end, err);
    switch (end->code) {
    case IMAGE_HELPER_DONE: return HV_OK;
    case IMAGE_HELPER_MEMORY: return fail_limit(head, err);
    case IMAGE_HELPER_BROKEN: return fail_broken(head, err);
    case IMAGE_HELPER_TOO_LARGE: return hv_fail(err, HV_ETOOBIG, "the image cannot be made small enough to be shown");
    case IMAGE_HELPER_UNCONFINED:
        hv_fail(err, HV_EUNSUPPORTED, "the decoder of images cannot be confined here: the system refuses its filter");
        hv_error_hint(err, "Convert or describe the image with other programs in a shell");
        return HV_EUNSUPPORTED;
    case IMAGE_HELPER_UNDRAWN:
        hv_fail(err, HV_EUNSUPPORTED, "pictures are not drawn here: libchafa is missing");
        hv_error_hint(err, "Install the package libchafa0.");
        return HV_EUNSUPPORTED;
    default:
        hv_fail(err, HV_EUNSUPPORTED, "the decoder of images does not run (exit code %d)", end->code);
        hv_error_hint(err, "helve-image needs libgd (libgd3); `helve doctor` says more");
        return HV_EUNSUPPORTED;
    }
}

/* "png 1568 882\n", then the file. */
static enum hv_code take_answer(const struct work *work, struct image *out, struct hv_error *err)
{
    struct hv_str rest = hv_buf_str(&work->answer), line, kind, width, height;
    int64_t numbers[2];
    bool good = hv_str_split(&rest, '\n', &line) && line.len < ANSWER_LINE_MAX && hv_str_split(&line, ' ', &kind) &&
                hv_str_split(&line, ' ', &width) && hv_str_split(&line, ' ', &height) &&
                hv_str_to_int64(width, &numbers[0]) && hv_str_to_int64(height, &numbers[1]);
    /* It has read foreign bytes: nothing that it says is taken on trust. */
    for (int i = 0; good && i < 2; i++)
        good = numbers[i] >= 1 && numbers[i] <= (work->check_only ? UINT32_MAX : IMAGE_SIDE_MAX);
    if (!good)
        return fail_broken(&work->head, err);
    out->plain = work->check_only && hv_str_is(kind, "plain");
    if (work->check_only)
        return out->plain || hv_str_is(kind, "sound") ? HV_OK : fail_broken(&work->head, err);
    struct image_head head;
    if (image_head_read(rest, &head, NULL) != HV_OK || !hv_str_is(kind, head.format == IMAGE_PNG ? "png" : "jpeg") ||
        head.width != numbers[0] || head.height != numbers[1])
        return fail_broken(&work->head, err);
    out->bytes = hv_arena_str(work->media->arena, rest);
    out->format = head.format;
    out->width = head.width;
    out->height = head.height;
    out->changed = true;
    return HV_OK;
}

enum hv_code image_run(const struct media *media, const struct image_head *head, const char *const *words, size_t count,
                       struct hv_str bytes, struct hv_buf *answer, struct hv_error *err)
{
    struct hv_arena *arena = media->arena;
    struct hv_exit end;
    char *helper;
    enum hv_code code = module_find(arena, "helve-image", "src/media/helve-image", &helper, err);
    if (code)
        return code;
    const char **argv = hv_arena_array(arena, const char *, count + 2);
    argv[0] = helper;
    memcpy(argv + 1, words, count * sizeof *words);
    struct hv_command command = {
        .argv = argv,
        .environment = (const char *const[]){NULL},
        .directory = "/",
        .input = bytes,
        .timeout_ns = TIME_LIMIT_NS,
        .grace_ns = 1,
        .cancel = media->cancel,
        .on_output = keep_answer,
        .user = answer,
    };
    code = media->host->run(media->host, &command, &end, err);
    return code ? code : judge_end(head, &end, err);
}

static enum hv_code decode(struct work *work, struct image *out, struct hv_error *err)
{
    struct hv_arena *arena = work->media->arena;
    const char *words[] = {
        hv_arena_format(arena, "%d", (int)work->head.format).ptr,
        hv_arena_format(arena, "%u", work->width).ptr,
        hv_arena_format(arena, "%u", work->height).ptr,
        hv_arena_format(arena, "%u", work->head.orientation).ptr,
        hv_arena_format(arena, "%zu", work->check_only ? 0 : work->bytes_max).ptr,
    };
    enum hv_code code =
        image_run(work->media, &work->head, words, sizeof words / sizeof *words, work->bytes, &work->answer, err);
    return code ? code : take_answer(work, out, err);
}

/* What libgd takes for a pixel: 4 bytes, and for some formats a whole picture in other words beside it. */
static uint64_t pixels_max(enum image_format format)
{
    static const uint64_t bytes[IMAGE_FORMATS] = {
        [IMAGE_PNG] = 8, [IMAGE_JPEG] = 4, [IMAGE_GIF] = 5, [IMAGE_WEBP] = 8, [IMAGE_BMP] = 4};
    uint64_t pixels = bytes[format] ? PICTURE_MEMORY / bytes[format] : 0;
    return pixels < PIXELS_MAX ? pixels : PIXELS_MAX;
}

enum hv_code image_check_size(const struct image_head *head, size_t bytes, struct hv_error *err)
{
    uint64_t pixels = (uint64_t)head->width * head->height;
    if (pixels > pixels_max(head->format)) {
        hv_fail(err, HV_ETOOBIG, "the %s image is too large: %u×%u pixels (at most %llu megapixels are decoded)",
                image_format_name(head->format), head->width, head->height,
                (unsigned long long)pixels_max(head->format) / 1000000);
        hv_error_hint(err, "Cut a part out of it in a shell, for example with `convert FILE[1000x1000+0+0] part.png`");
        return HV_ETOOBIG;
    }
    if (bytes <= IMAGE_FILE_MAX)
        return HV_OK;
    hv_fail(err, HV_ETOOBIG, "the %s image is too large: %zu MB (at most %d MB are decoded)",
            image_format_name(head->format), bytes / 1000000, IMAGE_FILE_MAX / 1000000);
    hv_error_hint(err, "Shrink it in a shell first, for example with `convert FILE -resize 1568x1568 small.png`");
    return HV_ETOOBIG;
}

static bool can_stay(const struct work *work)
{
    return work->head.format != IMAGE_BMP && work->bytes.len <= work->bytes_max && work->width == work->head.width &&
           work->height == work->head.height;
}

enum hv_code image_prepare(const struct media *media, struct hv_str bytes, size_t bytes_max, struct image *out,
                           struct hv_error *err)
{
    struct work work = {.media = media, .bytes = bytes, .bytes_max = bytes_max};
    enum hv_code code = image_head_read(bytes, &work.head, err);
    code = code ? code : image_check_size(&work.head, bytes.len, err);
    if (code)
        return code;
    image_fit(work.head.width, work.head.height, IMAGE_SIDE_MAX, &work.width, &work.height);
    work.check_only = can_stay(&work);
    struct image image = {.head = work.head,
                          .bytes = bytes,
                          .format = work.head.format,
                          .width = work.head.width,
                          .height = work.head.height};
    hv_buf_init(&work.answer, IMAGE_BYTES_MAX + ANSWER_LINE_MAX);
    code = decode(&work, &image, err);
    hv_buf_release(&work.answer);
    if (!code)
        *out = image;
    return code;
}
