/* test_writer.c: what is in the file after everything that can go wrong while it is written. */
#include "journal_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static struct hv_event notice(const char *text)
{
    return (struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("info"), .text = hv_str_from(text)};
}

/* The texts of the file's notices, each followed by '|'; fails on a damaged file. */
static struct hv_str texts_of(struct hv_arena *arena, struct hv_str path)
{
    struct journal_reader *reader;
    struct hv_event event;
    struct hv_buf texts;
    hv_buf_init(&texts, 1 << 20);
    assert_int_equal(journal_reader_open(path, &reader, NULL), HV_OK);
    while (journal_reader_next(reader, &event)) {
        hv_buf_add_str(&texts, event.text);
        hv_buf_add_byte(&texts, '|');
    }
    assert_int_equal(journal_reader_faults(reader)->bad_lines, 0);
    assert_false(journal_reader_faults(reader)->torn);
    journal_reader_close(reader);
    struct hv_str kept = hv_arena_str(arena, hv_buf_str(&texts));
    hv_buf_release(&texts);
    return kept;
}

static void write_notice(struct journal_writer *writer, const char *text)
{
    struct hv_event event = notice(text);
    journal_write(writer, &event);
}

static void events_are_in_the_file_at_once_and_later_runs_append(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "deep/er/a.jsonl");
    struct journal_writer *writer = open_writer(path);
    write_notice(writer, "one");
    assert_string_equal(texts_of(&arena, path).ptr, "one|");
    journal_writer_close(writer);
    writer = open_writer(path);
    struct hv_sink sink = journal_writer_sink(writer);
    struct hv_event second = notice("two"), unrecorded = {.type = HV_EVENT_TEXT, .text = HV_STR("streamed")};
    sink.event(sink.user, &second);
    sink.event(sink.user, &unrecorded);
    journal_writer_close(writer);
    assert_string_equal(texts_of(&arena, path).ptr, "one|two|");
}

static void only_the_owner_may_read_it(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct stat st;
    struct journal_writer *writer = open_writer(scratch_path(&arena, "private/a.jsonl"));
    write_notice(writer, "one"); /* of one without a line no file is left */
    journal_writer_close(writer);
    assert_int_equal(stat(scratch_path(&arena, "private/a.jsonl").ptr, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(scratch_path(&arena, "private").ptr, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void a_torn_tail_of_any_length_is_cut_off(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 7, 4096, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str path = scratch_path(&arena, "torn.jsonl");
        unlink(path.ptr);
        struct journal_writer *writer = open_writer(path);
        assert_false(journal_writer_cut(writer));
        write_notice(writer, "whole");
        journal_writer_close(writer);
        char *tail = hv_arena_alloc(&arena, lengths[i]);
        memset(tail, '{', lengths[i]);
        write_whole(path, hv_arena_join(&arena, read_whole(&arena, path), hv_str_of(tail, lengths[i])));
        writer = open_writer(path);
        assert_true(journal_writer_cut(writer));
        write_notice(writer, "next");
        journal_writer_close(writer);
        assert_string_equal(texts_of(&arena, path).ptr, "whole|next|");
    }
}

static void a_file_that_is_nothing_but_a_torn_line_is_emptied(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "stub.jsonl");
    write_whole(path, HV_STR("{\"type\":\"notice\",\"te"));
    struct journal_writer *writer = open_writer(path);
    write_notice(writer, "first");
    journal_writer_close(writer);
    assert_string_equal(texts_of(&arena, path).ptr, "first|");
}

static void a_second_writer_is_turned_away_until_the_first_is_gone(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    struct journal_writer *second;
    struct journal_writer_options options = {.path = scratch_path(&arena, "locked.jsonl")};
    struct journal_writer *first = open_writer(options.path);
    assert_int_equal(journal_writer_open(&options, &second, &err), HV_ECONFLICT);
    assert_non_null(strstr(err.hint, "--fork-session"));
    journal_writer_close(first);
    assert_int_equal(journal_writer_open(&options, &second, &err), HV_OK);
    journal_writer_close(second);
}

static void places_where_no_file_can_be_are_told(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    struct journal_writer *writer;
    write_whole(scratch_path(&arena, "file"), HV_STR("x"));
    struct journal_writer_options below_a_file = {.path = scratch_path(&arena, "file/a.jsonl")};
    assert_int_not_equal(journal_writer_open(&below_a_file, &writer, &err), HV_OK);
    assert_true(err.message[0] != '\0');
    assert_int_equal(symlink("/etc/passwd", scratch_path(&arena, "link.jsonl").ptr), 0);
    struct journal_writer_options link = {.path = scratch_path(&arena, "link.jsonl")};
    assert_int_not_equal(journal_writer_open(&link, &writer, &err), HV_OK);
}

/* What is written for an event whose text and JSON hold `text`, and raw JSON `json`. */
static struct hv_str line_with_secrets(struct hv_arena *arena, const struct hv_str *secrets, size_t count,
                                       const struct hv_event *event)
{
    struct journal_writer *writer;
    struct journal_writer_options options = {
        .path = scratch_path(arena, "secret.jsonl"), .secrets = secrets, .secret_count = count};
    unlink(options.path.ptr);
    assert_int_equal(journal_writer_open(&options, &writer, NULL), HV_OK);
    journal_write(writer, event);
    journal_writer_close(writer);
    return read_whole(arena, options.path);
}

static void assert_valid_line(struct hv_str line)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_event event;
    struct hv_error err;
    if (hv_event_read(&arena, hv_str_slice(line, 0, line.len - 1), &event, &err) != HV_OK)
        fail_msg("%.*s: %s", HV_STR_ARG(line), err.message);
}

static void secrets_never_reach_the_file_in_whatever_form_json_gives_them(void **state)
{
    (void)state;
    static const struct {
        const char *secret, *in_text, *json, *must_not_hold;
    } cases[] = {
        {"sk-ant-0123456789", "key is sk-ant-0123456789.", "{\"k\":\"sk-ant-0123456789\"}", "0123456789"},
        {"sk-ant-0123456789", "sk-ant-0123456789sk-ant-0123456789", "[\"sk-ant-0123456789\"]", "0123456789"},
        {"pass\"word\\1234", "a pass\"word\\1234 b", "{\"k\":\"pass\\\"word\\\\1234\"}", "1234"},
        {"pass\"word\\1234", "quoted: {\"k\":\"pass\\\"word\\\\1234\"}", NULL, "1234"},
        {"abc/def+ghi/jkl", "x abc/def+ghi/jkl", "{\"k\":\"abc\\/def+ghi\\/jkl\"}", "ghi"},
        {"a/b\"cdefgh/i", "quoted: {\"k\":\"a/b\\\"cdefgh/i\"}", NULL, "cdefgh"},
        {"line\nfeed\tkey", "line\nfeed\tkey", "{\"k\":\"line\\nfeed\\tkey\"}", "feed"},
        {"gehei\xc3\xa4mnis", "gehei\xc3\xa4mnis", NULL, "gehei"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str secret = hv_str_from(cases[i].secret);
        struct hv_event event = {
            .type = HV_EVENT_CALL,
            .text = hv_str_from(cases[i].in_text),
            .json = hv_str_from(cases[i].json),
            .data = hv_str_from(cases[i].json),
        };
        struct hv_str line = line_with_secrets(&arena, &secret, 1, &event);
        if (hv_str_find(line, hv_str_from(cases[i].must_not_hold), 0) != SIZE_MAX)
            fail_msg("case %zu: %.*s", i, HV_STR_ARG(line));
        assert_true(hv_str_find_byte(line, '*', 0) != SIZE_MAX);
        assert_valid_line(line);
    }
}

static void hiding_secrets_never_breaks_a_line(void **state)
{
    (void)state;
    static const struct hv_str secrets[] = {
        HV_STR("nnnnnnnn"),  HV_STR("\\\\\\\\\\\\\\\\"), HV_STR("\"\"\"\"\"\"\"\""), HV_STR("abcdefg\\"),
        HV_STR("\\nabcdef"), HV_STR("\nabcdefg"),        HV_STR("u0000u0000"),       HV_STR("short"),
    };
    static const char alphabet[] = "n\\\"\nabcdefgu0";
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        char text[200];
        size_t len = 0;
        while (len < sizeof text - 32) {
            struct hv_str piece = secrets[below(&seed, COUNT_OF(secrets))];
            if (below(&seed, 3) == 0) {
                memcpy(text + len, piece.ptr, piece.len);
                len += piece.len;
            } else {
                text[len++] = alphabet[below(&seed, sizeof alphabet - 1)];
            }
        }
        struct hv_event event = {.type = HV_EVENT_NOTICE, .text = hv_str_of(text, len)};
        assert_valid_line(line_with_secrets(&arena, secrets, COUNT_OF(secrets), &event));
    }
}

static void short_values_are_not_taken_for_secrets(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str secret = HV_STR("true");
    struct hv_event event = notice("it is true");
    struct hv_str line = line_with_secrets(&arena, &secret, 1, &event);
    assert_true(hv_str_find(line, HV_STR("it is true"), 0) != SIZE_MAX);
}

/* ---- several threads ----------------------------------------------------------------------------------------- */

enum { THREADS = 4, EVENTS_EACH = 300 };

static void *write_many(void *writer)
{
    static const char text[2000] = "long enough that mixed lines would show";
    for (int i = 0; i < EVENTS_EACH; i++)
        journal_write(writer,
                      &(struct hv_event){.type = HV_EVENT_NOTICE, .text = hv_str_of(text, (size_t)(i * 7 % 2000))});
    return NULL;
}

static void lines_of_several_threads_never_mix(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "threads.jsonl");
    struct journal_writer *writer = open_writer(path);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, writer), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    journal_writer_close(writer);
    struct journal_reader *reader;
    struct hv_event event;
    size_t count = 0;
    assert_int_equal(journal_reader_open(path, &reader, NULL), HV_OK);
    while (journal_reader_next(reader, &event))
        count++;
    assert_int_equal(journal_reader_faults(reader)->bad_lines, 0);
    assert_int_equal(count, THREADS * EVENTS_EACH);
    journal_reader_close(reader);
}

/* ---- a full disk --------------------------------------------------------------------------------------------- */

struct fault_log {
    unsigned count;
    struct hv_error first;
};

static void on_fault(void *user, const struct hv_error *err)
{
    struct fault_log *log = user;
    if (log->count++ == 0)
        log->first = *err;
}

static void set_file_limit(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Wherever within a line the disk becomes full: whole lines only, one message, and it goes on when there is room. */
static void a_full_disk_loses_only_what_did_not_fit(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 150; room < 260; room += 3) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct fault_log log = {0};
        struct journal_writer *writer;
        struct journal_writer_options options = {
            .path = scratch_path(&arena, "full.jsonl"), .on_fault = on_fault, .user = &log};
        unlink(options.path.ptr);
        assert_int_equal(journal_writer_open(&options, &writer, NULL), HV_OK);
        write_notice(writer, "before");
        set_file_limit(room);
        for (int i = 0; i < 5; i++)
            write_notice(writer, "while it is full");
        set_file_limit(RLIM_INFINITY);
        assert_int_equal(log.count, 1);
        assert_int_not_equal(log.first.code, HV_OK);
        assert_true(log.first.hint[0] != '\0');
        struct hv_str texts = texts_of(&arena, options.path);
        assert_true(hv_str_starts(texts, HV_STR("before|")));
        write_notice(writer, "after");
        journal_writer_close(writer);
        texts = texts_of(&arena, options.path);
        assert_true(hv_str_ends(texts, HV_STR("|after|")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_in_the_file_at_once_and_later_runs_append),
        cmocka_unit_test(only_the_owner_may_read_it),
        cmocka_unit_test(a_torn_tail_of_any_length_is_cut_off),
        cmocka_unit_test(a_file_that_is_nothing_but_a_torn_line_is_emptied),
        cmocka_unit_test(a_second_writer_is_turned_away_until_the_first_is_gone),
        cmocka_unit_test(places_where_no_file_can_be_are_told),
        cmocka_unit_test(secrets_never_reach_the_file_in_whatever_form_json_gives_them),
        cmocka_unit_test(hiding_secrets_never_breaks_a_line),
        cmocka_unit_test(short_values_are_not_taken_for_secrets),
        cmocka_unit_test(lines_of_several_threads_never_mix),
        cmocka_unit_test(a_full_disk_loses_only_what_did_not_fit),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
