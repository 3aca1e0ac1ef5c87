/* test_reader.c: every file gives all events that can be read. */
#include "journal_test.h"

static const char small_journal[] =
    "{\"type\":\"session_start\",\"time\":1,\"wall\":2,\"data\":{\"id\":\"s\"}}\n"
    "{\"type\":\"message\",\"time\":2,\"wall\":2,\"name\":\"user\",\"json\":[{\"type\":\"text\",\"text\":\"\xc3\xa4\"}]"
    "}\n"
    "{\"type\":\"notice\",\"time\":3,\"wall\":2,\"text\":\"a \\\"quoted\\\" \\\\ text\"}\n"
    "{\"type\":\"turn_end\",\"time\":4,\"wall\":2}\n";

struct outcome {
    size_t events;
    struct journal_faults faults;
};

static struct outcome read_all(struct hv_str bytes)
{
    struct outcome outcome = {0};
    struct hv_event event;
    struct journal_reader *reader = journal_reader_from_memory(bytes);
    while (journal_reader_next(reader, &event))
        outcome.events++;
    assert_false(journal_reader_next(reader, &event));
    outcome.faults = *journal_reader_faults(reader);
    journal_reader_close(reader);
    return outcome;
}

static void a_journal_cut_anywhere_gives_all_its_whole_events(void **state)
{
    (void)state;
    size_t whole = 0;
    for (size_t len = 0; len < sizeof small_journal; len++) {
        bool at_start = len == 0 || small_journal[len - 1] == '\n';
        bool lacks_only_newline = len > 0 && small_journal[len] == '\n';
        struct outcome outcome = read_all(hv_str_of(small_journal, len));
        whole += len > 0 && at_start;
        assert_int_equal(outcome.events, whole + lacks_only_newline);
        assert_int_equal(outcome.faults.torn, !at_start && !lacks_only_newline);
        assert_int_equal(outcome.faults.bad_lines, 0);
    }
    assert_int_equal(whole, 4);
}

static void lines_that_are_no_events_are_counted_and_passed_over(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bytes;
        size_t events, bad, first_bad;
        bool torn;
    } cases[] = {
        {"empty", "", 0, 0, 0, false},
        {"blank lines", "\n \n\r\n\t\n", 0, 0, 0, false},
        {"garbage in the middle", "{\"type\":\"notice\"}\nrubbish\n{\"type\":\"notice\"}\n", 2, 1, 2, false},
        {"two at once", "\x01\xff\n{}\n{\"type\":\"notice\"}\n", 1, 2, 1, false},
        {"unknown type", "{\"type\":\"tomorrow\"}\n{\"type\":\"notice\"}\n", 1, 0, 0, false},
        {"carriage returns", "{\"type\":\"notice\"}\r\n{\"type\":\"notice\"}\r\n", 2, 0, 0, false},
        {"two events on a line", "{\"type\":\"notice\"}{\"type\":\"notice\"}\n", 0, 1, 1, false},
        {"no last newline", "{\"type\":\"notice\"}\n{\"type\":\"notice\"}", 2, 0, 0, false},
        {"torn after garbage", "x\n{\"type\":\"notice\"}\n{\"ty", 1, 1, 1, true},
        {"not a journal at all", "#!/bin/sh\necho hi\n", 0, 2, 1, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct outcome outcome = read_all(hv_str_from(cases[i].bytes));
        if (outcome.events != cases[i].events || outcome.faults.bad_lines != cases[i].bad ||
            outcome.faults.first_bad_line != cases[i].first_bad || outcome.faults.torn != cases[i].torn)
            fail_msg("%s: %zu events, %llu bad, first %llu, torn %d", cases[i].name, outcome.events,
                     (unsigned long long)outcome.faults.bad_lines, (unsigned long long)outcome.faults.first_bad_line,
                     outcome.faults.torn);
        if (cases[i].bad > 0)
            assert_true(outcome.faults.first.message[0] != '\0');
    }
}

/* Lines around the size of the blocks that are read, so that each boundary falls somewhere within a line. */
static void lines_of_all_sizes_survive_the_block_boundaries(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf journal = {.max = 64 << 20};
    static char text[600000];
    memset(text, 'x', sizeof text);
    static const size_t sizes[] = {0, 1, 262000, 262144, 262100, 3, 600000, 524288, 17};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        hv_event_write(&journal, &(struct hv_event){.type = HV_EVENT_NOTICE, .text = hv_str_of(text, sizes[i])});
    struct journal_reader *reader = journal_reader_from_memory(hv_buf_str(&journal));
    struct hv_event event;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        uint64_t number;
        assert_true(journal_reader_next(reader, &event));
        assert_int_equal(event.text.len, sizes[i]);
        assert_true(journal_reader_line(reader, &number).len > sizes[i]);
        assert_int_equal(number, i + 1);
    }
    assert_false(journal_reader_next(reader, &event));
    journal_reader_close(reader);
}

static void a_giant_line_is_passed_over_in_bounded_memory(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf journal = {.max = 512 << 20};
    hv_buf_add_cstr(&journal, "{\"type\":\"notice\"}\n");
    size_t giant = (size_t)JOURNAL_LINE_MAX + 5000000;
    char *room = hv_buf_reserve(&journal, giant);
    assert_non_null(room);
    memset(room, 'x', giant);
    hv_buf_commit(&journal, giant);
    hv_buf_add_cstr(&journal, "\n{\"type\":\"notice\"}\n");
    struct outcome outcome = read_all(hv_buf_str(&journal));
    assert_int_equal(outcome.events, 2);
    assert_int_equal(outcome.faults.bad_lines, 1);
    assert_int_equal(outcome.faults.first_bad_line, 2);
    assert_int_equal(outcome.faults.first.code, HV_ETOOBIG);
}

/* Two bytes of text may become a hundred of memory: a line of nothing but values is refused, a long text is not. */
static void a_line_of_very_many_values_is_passed_over_a_long_text_is_not(void **state)
{
    (void)state;
    enum { COUNT = 1100000 };
    CLEANUP_BUF struct hv_buf journal = {.max = 64 << 20}, text = {.max = 64 << 20};
    hv_buf_add_cstr(&journal, "{\"type\":\"message\",\"json\":[0");
    for (int i = 0; i < COUNT; i++) {
        hv_buf_add_cstr(&journal, ",0");
        hv_buf_add_cstr(&text, i % 100 ? ",[{" : "\"\\,");
    }
    hv_buf_add_cstr(&journal, "]}\n");
    hv_event_write(&journal, &(struct hv_event){.type = HV_EVENT_NOTICE, .text = hv_buf_str(&text)});
    struct outcome outcome = read_all(hv_buf_str(&journal));
    assert_int_equal(outcome.events, 1);
    assert_int_equal(outcome.faults.bad_lines, 1);
    assert_int_equal(outcome.faults.first.code, HV_ETOOBIG);
}

static void files_are_read_as_memory_is(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = scratch_path(&arena, "a.jsonl");
    write_whole(path, HV_STR("{\"type\":\"notice\",\"text\":\"one\"}\n{\"type\":\"notice\",\"te"));
    struct journal_reader *reader;
    struct hv_event event;
    assert_int_equal(journal_reader_open(path, &reader, NULL), HV_OK);
    assert_true(journal_reader_next(reader, &event));
    assert_true(hv_str_is(event.text, "one"));
    assert_false(journal_reader_next(reader, &event));
    assert_true(journal_reader_faults(reader)->torn);
    journal_reader_close(reader);
}

static void what_is_no_file_is_refused_without_waiting(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct journal_reader *reader;
    struct hv_error err;
    assert_int_equal(journal_reader_open(scratch_path(&arena, "missing"), &reader, &err), HV_ENOTFOUND);
    assert_int_equal(journal_reader_open(hv_str_from(scratch_folder), &reader, &err), HV_EINVAL);
    assert_int_equal(mkfifo(scratch_path(&arena, "pipe").ptr, 0600), 0);
    assert_int_equal(journal_reader_open(scratch_path(&arena, "pipe"), &reader, &err), HV_EINVAL);
    assert_non_null(strstr(err.message, "not a regular file"));
    journal_reader_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_cut_anywhere_gives_all_its_whole_events),
        cmocka_unit_test(lines_that_are_no_events_are_counted_and_passed_over),
        cmocka_unit_test(lines_of_all_sizes_survive_the_block_boundaries),
        cmocka_unit_test(a_giant_line_is_passed_over_in_bounded_memory),
        cmocka_unit_test(a_line_of_very_many_values_is_passed_over_a_long_text_is_not),
        cmocka_unit_test(files_are_read_as_memory_is),
        cmocka_unit_test(what_is_no_file_is_refused_without_waiting),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
