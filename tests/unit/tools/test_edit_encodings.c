/*
 * test_edit_encodings.c: an edit changes the bytes it is asked to and no others, in every encoding, with every kind of
 * line end, at every place of the file. What must come out is put together here, piece by piece, by iconv: the bytes
 * before the place, the new text, the bytes behind it. The tools Read and Edit do the rest, from JSON to the disk.
 */
#include "base/cleanup.h"
#include "harness.h"

#include <helve/json.h>

#include <iconv.h>
#include <string.h>

extern const struct hv_tool tool_read, tool_edit;

static const struct kind {
    const char *name, *iconv; /* iconv: what makes the bytes */
    const char *mark;
    size_t mark_len;
    const char *text; /* goes into every line */
    const char *put;  /* and this comes in */
    bool is_decoded;  /* edited by way of UTF-8 */
} kinds[] = {
    {"UTF-8", "UTF-8", "", 0, "größer 漢字 😀 plain", "neu ß 語 🚀", false},
    {"UTF-8 with a mark", "UTF-8", "\xef\xbb\xbf", 3, "größer 漢字 plain", "neu ß 語", false},
    {"UTF-16LE", "UTF-16LE", "\xff\xfe", 2, "größer 漢字 😀 plain", "neu ß 語 🚀", true},
    {"UTF-16BE", "UTF-16BE", "\xfe\xff", 2, "größer 漢字 😀 plain", "neu ß 語 🚀", true},
    {"UTF-16LE without a mark", "UTF-16LE", "", 0, "plain text of some length", "new text", true},
    {"UTF-32LE", "UTF-32LE", "\xff\xfe\0\0", 4, "größer 漢字 😀 plain", "neu ß 語 🚀", true},
    {"UTF-32BE", "UTF-32BE", "\0\0\xfe\xff", 4, "größer 漢字 😀 plain", "neu ß 語 🚀", true},
    {"Latin-1", "ISO-8859-1", "", 0, "Schöne Grüße aus München! Übung macht den Meister.", "für äußerst schöne Öfen",
     false},
    {"Windows-1252", "WINDOWS-1252", "", 0,
     "Schöne Grüße \u2013 \u201ealles\u201c für 5 \u20ac, Übung macht den Meister.", "äußerst schöne Öfen zu 7 \u20ac",
     false},
    {"Shift-JIS", "CP932", "", 0, "これは普通の日本語の文章です。表示ソフト、能力の予定。", "新しい表をソートする",
     true},
    {"GB18030", "GB18030", "", 0, "文件无法打开，请检查路径。这是一个普通的中文文本。", "新的内容在这里", true},
    {"EUC-JP", "EUC-JP", "", 0, "これは普通の日本語の文章です。ファイルを開くことができませんでした。",
     "新しい表をソートする", true},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, LINES = 12, LARGE_LINES = 60000 };

enum line_ends { ENDS_LF, ENDS_CRLF, ENDS_CR, ENDS_MIXED, ENDS_COUNT };
enum place { PLACE_START, PLACE_MIDDLE, PLACE_END, PLACE_LINES, PLACE_GONE, PLACE_WHOLE, PLACE_COUNT };

static const char *end_of(enum line_ends ends, size_t line)
{
    static const char *const fixed[] = {"\n", "\r\n", "\r"};
    return ends == ENDS_MIXED ? fixed[line % 3 == 1] : fixed[ends];
}

/* A text in three parts, in UTF-8 with the line ends of the file: what stands before the place, there, and behind. */
struct parts {
    struct hv_buf before, old_text, after;
    struct hv_buf new_text;
    size_t line; /* of the place */
};

static void parts_release(struct parts *parts)
{
    hv_buf_release(&parts->before);
    hv_buf_release(&parts->old_text);
    hv_buf_release(&parts->after);
    hv_buf_release(&parts->new_text);
}

static void add_line(struct hv_buf *out, const struct kind *kind, size_t line, const char *end)
{
    hv_buf_addf(out, "%zu: %s (%zu)%s", line, kind->text, line, end);
}

/* A file of so many lines whose place is as asked for. */
static void make(struct parts *parts, const struct kind *kind, enum line_ends ends, enum place place, size_t lines,
                 bool final_end)
{
    size_t at = place == PLACE_START ? 1 : place == PLACE_END ? lines : lines / 2;
    size_t span = place == PLACE_LINES ? 2 : 1;
    parts->line = at;
    for (size_t i = 1; i <= lines; i++) {
        const char *end = i == lines && !final_end ? "" : end_of(ends, i);
        if (place == PLACE_WHOLE || (i >= at && i < at + span))
            add_line(&parts->old_text, kind, i, i == at + span - 1 && place != PLACE_WHOLE ? "" : end);
        else
            add_line(i < at ? &parts->before : &parts->after, kind, i, end);
        if (i == at + span - 1 && place != PLACE_WHOLE)
            hv_buf_add_cstr(&parts->after, end);
    }
    if (place == PLACE_GONE)
        return;
    /* Lines that come in end as those that go: as many, so that each has its counterpart. */
    size_t put = place == PLACE_LINES ? 2 : 1;
    for (size_t i = 0; i < put; i++)
        hv_buf_addf(&parts->new_text, "%s%s", kind->put, i + 1 < put ? end_of(ends, at + i) : "");
}

static void encode(const struct kind *kind, const struct hv_buf *text, struct hv_buf *out)
{
    iconv_t converter = iconv_open(kind->iconv, "UTF-8");
    assert_true(converter != (iconv_t)-1);
    char *from = text->data, *room = hv_buf_reserve(out, 4 * text->len + 16), *to = room;
    size_t left = text->len, free_bytes = 4 * text->len + 16;
    if (left)
        assert_int_equal(iconv(converter, &from, &left, &to, &free_bytes), 0);
    hv_buf_commit(out, (size_t)(to - room));
    iconv_close(converter);
}

static void put_file(const struct kind *kind, const struct parts *parts, const struct hv_buf *middle,
                     struct hv_buf *out)
{
    hv_buf_add(out, kind->mark, kind->mark_len);
    encode(kind, &parts->before, out);
    encode(kind, middle, out);
    encode(kind, &parts->after, out);
}

/* As a model writes it: lines end in "\n", as Read shows them. */
static void add_for_model(struct hv_json_writer *writer, const char *name, const struct hv_buf *text)
{
    CLEANUP_BUF struct hv_buf shown = {.max = 64 << 20};
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != '\r')
            hv_buf_add_byte(&shown, text->data[i]);
        else if (i + 1 == text->len || text->data[i + 1] != '\n')
            hv_buf_add_byte(&shown, '\n');
    hv_json_member_string(writer, name, hv_buf_str(&shown));
}

static void edit(struct session *session, const struct parts *parts)
{
    CLEANUP_BUF struct hv_buf input = {.max = 64 << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &input);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "file_path", "f");
    add_for_model(&writer, "old_string", &parts->old_text);
    add_for_model(&writer, "new_string", &parts->new_text);
    hv_json_end_object(&writer);
    call_raw(session, &tool_edit, hv_buf_str(&input));
}

static void check(struct session *session, const struct kind *kind, enum line_ends ends, enum place place, size_t lines,
                  bool final_end)
{
    struct parts parts = {{.max = 64 << 20}, {.max = 64 << 20}, {.max = 64 << 20}, {.max = 64 << 20}, 0};
    CLEANUP_BUF struct hv_buf bytes = {.max = 64 << 20}, expected = {.max = 64 << 20};
    make(&parts, kind, ends, place, lines, final_end);
    put_file(kind, &parts, &parts.old_text, &bytes);
    put_file(kind, &parts, &parts.new_text, &expected);
    file_put_bytes(session, "f", hv_buf_str(&bytes));
    bool part = lines > LINES;
    call(session, &tool_read,
         hv_arena_format(&session->own, part ? "{'file_path':'f','offset':%zu,'limit':3}" : "{'file_path':'f'}",
                         parts.line > 1 ? parts.line - 1 : 1)
             .ptr);
    expect_fine(session);
    edit(session, &parts);
    struct hv_str got = file_get(session, "f");
    if (session->failed || !hv_str_eq(got, hv_buf_str(&expected)))
        fail_msg("%s, line ends %d, place %d, %zu lines, final end %d: %.*s", kind->name, ends, place, lines, final_end,
                 HV_STR_ARG(session->text));
    parts_release(&parts);
}

static int open_session(void **state)
{
    static struct session session;
    session_open(&session);
    *state = &session;
    return 0;
}

static int close_session(void **state)
{
    session_close(*state);
    return 0;
}

static void only_the_bytes_asked_for_change(void **state)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        for (int ends = 0; ends < ENDS_COUNT; ends++)
            for (int place = 0; place < PLACE_COUNT; place++)
                for (int final_end = 0; final_end < 2; final_end++)
                    check(*state, &kinds[i], ends, place, LINES, final_end);
}

/* Which is written in pieces, summed up aside, and compared around the place only. */
static void only_the_bytes_asked_for_change_in_a_large_file(void **state)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        for (int place = 0; place <= PLACE_END; place++)
            if (!kinds[i].is_decoded)
                check(*state, &kinds[i], place % 2 ? ENDS_CRLF : ENDS_LF, place, LARGE_LINES, true);
}

static void an_empty_file_is_filled_behind_its_mark(void **state)
{
    struct session *session = *state;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct parts parts = {{.max = 4096}, {.max = 4096}, {.max = 4096}, {.max = 4096}, 0};
        CLEANUP_BUF struct hv_buf expected = {.max = 4096};
        hv_buf_addf(&parts.new_text, "%s\n", kinds[i].put);
        if (!kinds[i].mark_len) /* nothing tells how the text is to be encoded: it is UTF-8 */
            hv_buf_add_str(&expected, hv_buf_str(&parts.new_text));
        else
            put_file(&kinds[i], &parts, &parts.new_text, &expected);
        file_put_bytes(session, "f", hv_str_of(kinds[i].mark, kinds[i].mark_len));
        call(session, &tool_read, "{'file_path':'f'}");
        edit(session, &parts);
        if (session->failed || !hv_str_eq(file_get(session, "f"), hv_buf_str(&expected)))
            fail_msg("%s: %.*s", kinds[i].name, HV_STR_ARG(session->text));
        parts_release(&parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_bytes_asked_for_change, open_session, close_session),
        cmocka_unit_test_setup_teardown(only_the_bytes_asked_for_change_in_a_large_file, open_session, close_session),
        cmocka_unit_test_setup_teardown(an_empty_file_is_filled_behind_its_mark, open_session, close_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
