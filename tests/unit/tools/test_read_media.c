/*
 * test_read_media.c: Read of pictures and PDF documents: what is shown once, and what becomes of a decoder that hangs,
 * is killed, lies, or cannot be confined: its part is played by a host whose `run` answers as the test says.
 */
#include "harness.h"

#include <signal.h>
#include <string.h>

extern const struct hv_tool tool_read;

#define PNG_BYTES                                                                                                      \
    "\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\011\000\000\000\006\001\003\000\000\000+\011&"            \
    "\206\000\000"                                                                                                     \
    "\000\003PLTE\377\000\000\031\342\0117\000\000\000\013IDAT\010\231c`@"                                             \
    "\007\000\000\022\000\001o\372c\267\000\000\000"                                                                   \
    "\000IEND\256B`\202"
#define PNG HV_STR(PNG_BYTES)
#define LIE(literal)                                                                                                   \
    {                                                                                                                  \
        ("" literal), sizeof(literal) - 1                                                                              \
    }

static const char document[] =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj "
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 6 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj "
    "4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 7 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj "
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier>>endobj 6 0 obj<</Length 45>>stream\n"
    "BT /F 9 Tf 20 100 Td (the first page) Tj ET\nendstream endobj 7 0 obj<</Length 46>>stream\n"
    "BT /F 9 Tf 20 100 Td (the second page) Tj ET\nendstream endobj trailer<</Root 1 0 R>>";

/* A host that runs nothing, and says how it ended. */
struct actor {
    struct hv_host host;
    struct hv_exit end;
    struct hv_str out, errors;
    unsigned runs;
};

static enum hv_code act(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                        struct hv_error *err)
{
    struct actor *actor = host->data;
    (void)err;
    actor->runs++;
    if (actor->out.len)
        (void)command->on_output(command->user, HV_STDOUT, actor->out);
    if (actor->errors.len)
        (void)command->on_output(command->user, HV_STDERR, actor->errors);
    *out = actor->end;
    return HV_OK;
}

static void take_stage(struct session *session, struct actor *actor)
{
    actor->host = *session->context.host;
    actor->host.data = actor;
    actor->host.run = act;
    session->context.host = &actor->host;
}

static void a_small_image_is_shown_as_it_is_and_once(void **state)
{
    struct session *session = *state;
    file_put_bytes(session, "a.png", PNG);
    call(session, &tool_read, "{'file_path':'a.png'}");
    expect_fine(session);
    expect_text(session, "9×6 PNG, 83 bytes\n");
    const struct hv_content *image = session->result.last;
    assert_int_equal(image->type, HV_CONTENT_IMAGE);
    assert_true(hv_str_is(image->media_type, "image/png"));
    assert_true(hv_str_eq(image->data, PNG));
    call(session, &tool_read, "{'file_path':'a.png'}");
    expect_has(session, "unchanged since it was last read");
    file_put_bytes(session, "a.png", HV_STR("now a text\n"));
    call(session, &tool_read, "{'file_path':'a.png'}");
    expect_has(session, "     1\tnow a text");
}

static void pages_are_shown_once_and_others_when_asked_for(void **state)
{
    struct session *session = *state;
    file_put(session, "d.pdf", document);
    call(session, &tool_read, "{'file_path':'d.pdf'}");
    expect_fine(session);
    expect_has(session, "--- Page 1 of 2 ---\n");
    expect_has(session, "the second page");
    call(session, &tool_read, "{'file_path':'d.pdf'}");
    expect_has(session, "unchanged since it was last read");
    call(session, &tool_read, "{'file_path':'d.pdf','pages':'2'}");
    expect_has(session, "the second page");
    expect_lacks(session, "the first page");
    call(session, &tool_read, "{'file_path':'d.pdf','pages':'2-2'}");
    expect_has(session, "unchanged since it was last read");
    call(session, &tool_read, "{'file_path':'d.pdf','pages':'1'}");
    expect_has(session, "the first page");
}

static void whatever_becomes_of_its_decoder_is_told_of_an_image(void **state)
{
    struct session *session = *state;
    static const struct {
        struct hv_exit end;
        const char *out, *told;
    } rows[] = {
        {{.code = -1, .signal = SIGKILL, .timed_out = true}, NULL, "takes too long to decode"},
        {{.code = -1, .signal = SIGXCPU}, NULL, "takes too long to decode"},
        {{.code = -1, .signal = SIGSYS}, NULL, "tried what it may not do, and was killed"},
        {{.code = -1, .signal = SIGSEGV}, NULL, "crashed (signal 11)"},
        {{.code = -1, .signal = SIGTERM, .cancelled = true}, NULL, "cancelled"},
        {{.code = 3}, NULL, "damaged"},
        {{.code = 4}, NULL, "needs more memory"},
        {{.code = 6}, NULL, "cannot be confined here"},
        {{.code = 127}, NULL, "does not run (exit code 127)"},
        {{.code = 0}, NULL, "damaged"}, /* says nothing */
        {{.code = 0}, "png 9 6\nrubbish", "damaged"},
        {{.code = 0}, "sound 0 6\n", "damaged"},
        {{.code = 0}, "sound 9\n", "damaged"},
        {{.code = 0}, "evil 9 6\n", "damaged"},
    };
    file_put_bytes(session, "a.png", PNG);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct hv_host *host = session->context.host;
        struct actor actor = {.end = rows[i].end, .out = hv_str_from(rows[i].out)};
        take_stage(session, &actor);
        call(session, &tool_read, "{'file_path':'a.png'}");
        expect_failure(session, rows[i].told);
        assert_int_equal(actor.runs, 1);
        session->context.host = host;
    }
}

/* A decoder that was taken over answers with something else than the picture that it says. */
static void an_answer_is_taken_only_when_it_is_what_it_says(void **state)
{
    struct session *session = *state;
    static const struct hv_str lies[] = {
        LIE("png 1568 882\n"),
        LIE("png 1568 882\nno image at all"),
        LIE("jpeg 10 10\nGIF89a"),
        LIE("png 99999 99999\nx"),
        LIE("png -1 5\nx"),
        LIE("png\n"),
        LIE("\n\n\n"),
        LIE("png 8 6\n" PNG_BYTES),
        LIE("jpeg 9 6\n" PNG_BYTES),
    };
    const struct hv_host *host = session->context.host;
    file_put_bytes(session, "a.bmp",
                   HV_STR("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                          "\0\0\0\0\0\0\0\0\0\0\0bgrbgr__"));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct actor actor = {.out = lies[i]};
        take_stage(session, &actor);
        call(session, &tool_read, "{'file_path':'a.bmp'}");
        expect_failure(session, "damaged");
        session->context.host = host;
    }
    call(session, &tool_read, "{'file_path':'a.bmp'}");
    expect_text(session, "2×1 BMP, 62 bytes, shown as PNG\n");
}

static void whatever_becomes_of_its_reader_is_told_of_a_document(void **state)
{
    struct session *session = *state;
    static const struct {
        struct hv_exit end;
        const char *out, *errors, *told;
    } rows[] = {
        {{.code = -1, .signal = SIGKILL, .timed_out = true}, NULL, NULL, "take too long to read: pdfinfo was ended"},
        {{.code = -1, .signal = SIGXCPU}, NULL, NULL, "take too long"},
        {{.code = -1, .signal = SIGABRT}, NULL, NULL, "crashed or ran out of memory"},
        {{.code = -1, .signal = SIGTERM, .cancelled = true}, NULL, NULL, "cancelled"},
        {{.code = 1}, NULL, "Command Line Error: Incorrect password\n", "needs a password"},
        {{.code = 3}, NULL, "Copying of text from this document is not allowed.\n", "forbids"},
        {{.code = 1}, NULL, "Syntax Error: something new.\nmore\n", "damaged or cut off: Syntax Error: something new"},
        {{.code = 0}, "Producer: x\n", NULL, "how many pages"},
        {{.code = 0}, "Pages: 0\n", NULL, "has no pages"},
        {{.code = 0}, "Pages: 4000000000\n", NULL, "1000000 pages: too many"},
    };
    const struct hv_host *host = session->context.host;
    file_put(session, "d.pdf", document);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct actor actor = {
            .end = rows[i].end, .out = hv_str_from(rows[i].out), .errors = hv_str_from(rows[i].errors)};
        take_stage(session, &actor);
        call(session, &tool_read, "{'file_path':'d.pdf'}");
        expect_failure(session, rows[i].told);
        assert_int_equal(actor.runs, 1);
        session->context.host = host;
    }
}

static void a_document_is_not_read_where_nothing_can_confine_its_reader(void **state)
{
    struct session *session = *state;
    struct actor actor = {.end = {.code = 126}, .errors = HV_STR("helve-sandbox: Landlock is not there\n")};
    file_put(session, "d.pdf", document);
    take_stage(session, &actor);
    call(session, &tool_read, "{'file_path':'d.pdf'}");
    expect_failure(session, "cannot be confined here");
    expect_has(session, "Install bubblewrap");
    assert_true(actor.runs >= 1); /* each way that is there was tried */
}

static int set_up(void **state)
{
    static struct session session;
    session_open(&session);
    *state = &session;
    return 0;
}

static int tear_down(void **state)
{
    session_close(*state);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_small_image_is_shown_as_it_is_and_once),
        CASE(pages_are_shown_once_and_others_when_asked_for),
        CASE(whatever_becomes_of_its_decoder_is_told_of_an_image),
        CASE(an_answer_is_taken_only_when_it_is_what_it_says),
        CASE(whatever_becomes_of_its_reader_is_told_of_a_document),
        CASE(a_document_is_not_read_where_nothing_can_confine_its_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
