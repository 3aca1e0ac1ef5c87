/* pdf.c: see pdf.h. */
#include "media/pdf.h"

#include "base/cleanup.h"

#include <signal.h>

enum { WORDS_MAX = 24, ERRORS_MAX = 4096, CPU_SECONDS = 15 };
#define MEMORY_LIMIT (1024ull << 20)
#define TIME_LIMIT_NS 20000000000ull

struct output {
    struct hv_buf *out;
    struct hv_buf errors; /* the beginning of what came on stderr */
};

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct output *output = user;
    if (stream == HV_STDOUT)
        hv_buf_add_str(output->out, bytes);
    else
        hv_buf_add_str(&output->errors, hv_str_slice(bytes, 0, ERRORS_MAX - output->errors.len));
    return !output->out->failed;
}

/* ---- how it ended --------------------------------------------------------------------------------------- */

static enum hv_code fail_complaint(struct hv_str errors, struct hv_error *err)
{
    switch (pdf_complaint_of(errors)) {
    case PDF_COMPLAINT_PASSWORD:
        hv_fail(err, HV_EUNSUPPORTED, "the PDF document is encrypted, and needs a password");
        hv_error_hint(err, "Ask the person for a decrypted copy: `qpdf --password=… --decrypt FILE open.pdf`");
        return HV_EUNSUPPORTED;
    case PDF_COMPLAINT_ENCRYPTED:
        hv_fail(err, HV_EUNSUPPORTED, "the PDF document is encrypted in a way that no password opens");
        hv_error_hint(err,
                      "Ask the person for a decrypted copy, saved by a program that can open it (it may be meant for "
                      "the holder of a certificate)");
        return HV_EUNSUPPORTED;
    case PDF_COMPLAINT_FORBIDDEN:
        hv_fail(err, HV_EUNSUPPORTED, "the PDF document forbids that its text is taken out");
        hv_error_hint(err, "Ask the person for a copy without that restriction");
        return HV_EUNSUPPORTED;
    case PDF_COMPLAINT_DAMAGED:
    case PDF_COMPLAINT_NONE: break;
    }
    struct hv_str line = hv_str_trim(hv_str_slice(errors, 0, hv_str_find_byte(errors, '\n', 0)));
    if (hv_str_ends(line, HV_STR(".")))
        line.len--;
    hv_fail(err, HV_EINVAL, "the PDF document is damaged or cut off%s%.*s", line.len ? ": " : "",
            HV_STR_ARG(hv_str_slice(line, 0, 200)));
    hv_error_hint(err, "Get the file anew, or mend it in a shell with `qpdf FILE mended.pdf`");
    return HV_EINVAL;
}

static enum hv_code judge_end(const char *name, const struct hv_exit *end, const struct output *output,
                              struct hv_error *err)
{
    if (end->cancelled)
        return hv_fail(err, HV_ECANCELLED, "reading was cancelled");
    if (end->stopped || output->out->failed)
        return hv_fail(err, HV_ETOOBIG, "%s puts out more than can be shown of these pages", name);
    if (end->timed_out || end->signal == SIGXCPU || end->signal == SIGKILL) {
        hv_fail(err, HV_ETIMEOUT, "the pages take too long to read: %s was ended", name);
        hv_error_hint(err, "Ask for fewer pages; the document may also be made to do harm");
        return HV_ETIMEOUT;
    }
    if (end->signal) {
        hv_fail(err, HV_EINVAL, "%s crashed or ran out of memory on the document (signal %d)", name, end->signal);
        hv_error_hint(err, "Ask for fewer pages; the document may also be made to do harm");
        return HV_EINVAL;
    }
    return end->code ? fail_complaint(hv_buf_str(&output->errors), err) : HV_OK;
}

/* ---- running -------------------------------------------------------------------------------------------- */

static enum hv_code fail_missing(const char *name, struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, "PDF documents are read by %s, which is not installed", name);
    hv_error_hint(err, "Install poppler-utils (Debian, Ubuntu, Fedora; elsewhere: poppler)");
    return HV_EUNSUPPORTED;
}

static enum hv_code fail_unconfined(struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, "PDF documents cannot be read: the programs for it cannot be confined here");
    hv_error_hint(err, "Install bubblewrap, or use a kernel with Landlock; or, if the person trusts the file, run "
                       "`pdftotext FILE -` in a shell");
    return HV_EUNSUPPORTED;
}

/* argv by the way that was found to work last, or the next that does. *ran: the program itself was started. */
static enum hv_code run_in(struct pdf *pdf, enum decoder_way way, const char *const *argv, struct output *output,
                           struct hv_exit *end, struct hv_error *err)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/", "LC_ALL=C.UTF-8", NULL};
    struct decoder_place place = {pdf->roots, pdf->root_count, MEMORY_LIMIT, CPU_SECONDS};
    const char *const *words;
    enum hv_code code = sandbox_decoder_argv(pdf->media.arena, &place, way, argv, &words, err);
    if (code)
        return code;
    struct hv_command command = {
        .argv = words,
        .environment = environment,
        .directory = "/",
        .input = pdf->bytes,
        .timeout_ns = TIME_LIMIT_NS,
        .grace_ns = 1,
        .cancel = pdf->media.cancel,
        .on_output = keep_output,
        .user = output,
    };
    return pdf->media.host->run(pdf->media.host, &command, end, err);
}

static enum hv_code run_confined(struct pdf *pdf, const char *const *argv, struct output *output, struct hv_exit *end,
                                 struct hv_error *err)
{
    for (int way = atomic_load(pdf->way); way < DECODER_WAYS; way++) {
        size_t before = output->out->len;
        enum hv_code code = run_in(pdf, (enum decoder_way)way, argv, output, end, err);
        if (code == HV_EUNSUPPORTED)
            continue;
        if (code)
            return code;
        if (!sandbox_decoder_failed(end, hv_buf_str(&output->errors))) {
            atomic_store(pdf->way, way);
            return HV_OK;
        }
        output->out->len = before;
        hv_buf_clear(&output->errors);
    }
    return fail_unconfined(err);
}

/* Run one of poppler's programs with these arguments; "-" is the document, or what it puts out. */
static enum hv_code run(struct pdf *pdf, const char *name, const char *const *words, struct hv_buf *out,
                        struct hv_error *err)
{
    const char *argv[WORDS_MAX] = {sandbox_decoder_find(pdf->media.arena, name)};
    struct output output = {.out = out};
    struct hv_exit end;
    size_t count = 1;
    if (!argv[0])
        return fail_missing(name, err);
    for (; *words && count < WORDS_MAX - 1; words++)
        argv[count++] = *words;
    hv_buf_init(&output.errors, ERRORS_MAX);
    enum hv_code code = run_confined(pdf, argv, &output, &end, err);
    code = code ? code : judge_end(name, &end, &output, err);
    hv_buf_release(&output.errors);
    return code;
}

/* ---- the three questions -------------------------------------------------------------------------------- */

enum hv_code pdf_look(struct pdf *pdf, struct pdf_info *out, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, PDF_TEXT_MAX);
    struct pdf_info info;
    enum hv_code code = run(pdf, "pdfinfo", (const char *const[]){"-enc", "UTF-8", "-", NULL}, &text, err);
    if (code)
        return code;
    if (!pdf_info_parse(hv_buf_str(&text), &info))
        return hv_fail(err, HV_EINVAL, "the PDF document is damaged: nobody can say how many pages it has");
    info.title = hv_arena_str(pdf->media.arena, info.title);
    *out = info;
    return HV_OK;
}

static enum hv_code read_text(struct pdf *pdf, struct pdf_range range, struct hv_buf *text, struct hv_error *err)
{
    struct hv_arena *arena = pdf->media.arena;
    const char *first = hv_arena_format(arena, "%u", range.first).ptr;
    const char *last = hv_arena_format(arena, "%u", range.last).ptr;
    return run(pdf, "pdftotext",
               (const char *const[]){"-layout", "-enc", "UTF-8", "-f", first, "-l", last, "-", "-", NULL}, text, err);
}

/* A document whose text has form feeds of its own: one page after the other, the feeds becoming line ends. */
static enum hv_code read_each(struct pdf *pdf, struct pdf_range range, struct hv_str *pages, struct hv_error *err)
{
    for (unsigned page = range.first; page <= range.last; page++) {
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, PDF_TEXT_MAX);
        enum hv_code code = read_text(pdf, (struct pdf_range){page, page}, &text, err);
        if (code)
            return code;
        for (size_t i = 0; i < text.len; i++)
            if (text.data[i] == '\f')
                text.data[i] = i + 1 == text.len ? '\f' : '\n';
        struct hv_str *place = &pages[page - range.first];
        if (!pdf_text_split(hv_buf_str(&text), place, 1))
            *place = hv_buf_str(&text);
        *place = hv_arena_str(pdf->media.arena, *place);
    }
    return HV_OK;
}

enum hv_code pdf_read_text(struct pdf *pdf, struct pdf_range range, struct hv_str *pages, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, PDF_TEXT_MAX);
    enum hv_code code = read_text(pdf, range, &text, err);
    if (code)
        return code;
    size_t count = range.last - range.first + 1;
    if (!pdf_text_split(hv_buf_str(&text), pages, count))
        return read_each(pdf, range, pages, err);
    for (size_t i = 0; i < count; i++)
        pages[i] = hv_arena_str(pdf->media.arena, pages[i]);
    return HV_OK;
}

enum hv_code pdf_draw_page(struct pdf *pdf, unsigned page, unsigned side, struct hv_buf *png, struct hv_error *err)
{
    struct hv_arena *arena = pdf->media.arena;
    const char *number = hv_arena_format(arena, "%u", page).ptr;
    const char *scale = hv_arena_format(arena, "%u", side).ptr;
    enum hv_code code =
        run(pdf, "pdftoppm",
            (const char *const[]){"-png", "-singlefile", "-f", number, "-l", number, "-scale-to", scale, "-", NULL},
            png, err);
    if (!code && !png->len)
        return hv_fail(err, HV_EINVAL, "the document counts it, but it is not there");
    return code;
}
