/* test_spool.c: output of any size: what stays in memory, what goes to the file, what is said of losses. */
#include "base/cleanup.h"
#include "proc/run.h"
#include "proc/spool.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char directory[64];
    struct hv_arena arena;
    struct spool_options options;
};

static int set_up(void **state)
{
    struct fixture *fixture = hv_calloc(1, sizeof *fixture);
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/helve-spool-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    fixture->options = (struct spool_options){.directory = hv_str_from(fixture->directory),
                                              .name = HV_STR("a/b c"),
                                              .inline_max = 100,
                                              .head_max = 20,
                                              .tail_max = 10};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    hv_arena_release(&fixture->arena);
    rmdir(fixture->directory); /* fails when a test left its file behind, and then the next line says so */
    assert_int_not_equal(access(fixture->directory, F_OK), 0);
    free(fixture);
    return 0;
}

static struct hv_str file_text(struct hv_arena *arena, struct hv_str path)
{
    CLEANUP_FD int fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    char *text = hv_arena_alloc(arena, (size_t)info.st_size + 1);
    assert_int_equal(read(fd, text, (size_t)info.st_size), info.st_size);
    return hv_str_of(text, (size_t)info.st_size);
}

static void assert_text(struct hv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

static void nothing_gives_an_empty_result(void **state)
{
    struct fixture *fixture = *state;
    struct spool *spool = spool_new(&fixture->options);
    struct hv_result result = {0};
    assert_true(spool_add(spool, HV_STDOUT, HV_STR("")));
    spool_finish(spool, &fixture->arena, &result);
    assert_null(result.first);
    assert_int_equal(spool_stream(spool, HV_STDERR, &fixture->arena).len, 0);
    assert_int_equal(spool_last_line(spool).len, 0);
    spool_free(spool);
}

static void little_stays_in_memory(void **state)
{
    struct fixture *fixture = *state;
    struct spool *spool = spool_new(&fixture->options);
    struct hv_result result = {0};
    assert_true(spool_add(spool, HV_STDOUT, HV_STR("one\n")));
    assert_true(spool_add(spool, HV_STDERR, HV_STR("oops\n")));
    assert_true(spool_add(spool, HV_STDOUT, HV_STR("two")));
    assert_int_equal(spool_size(spool), 12);
    assert_int_equal(spool_lines(spool), 2);
    assert_text(spool_last_line(spool), "two");
    assert_text(spool_stream(spool, HV_STDERR, &fixture->arena), "oops\n");
    assert_text(spool_stream(spool, HV_STDOUT, &fixture->arena), "one\ntwo");
    spool_finish(spool, &fixture->arena, &result);
    assert_int_equal(result.first->type, HV_CONTENT_TEXT);
    assert_text(result.first->text, "one\noops\ntwo");
    assert_null(result.first->next);
    assert_null(spool_note(spool, &fixture->arena).ptr);
    spool_free(spool);
}

/* Whatever the pieces are, file, head, tail and counts are those of the whole. */
static void much_goes_to_a_private_file_whole(void **state)
{
    struct fixture *fixture = *state;
    char whole[500];
    for (size_t i = 0; i < sizeof whole; i++)
        whole[i] = i % 7 == 6 ? '\n' : (char)('a' + i % 26);
    for (size_t piece = 1; piece <= sizeof whole; piece = piece * 3 + 1) {
        struct spool *spool = spool_new(&fixture->options);
        struct hv_result result = {0};
        for (size_t at = 0; at < sizeof whole; at += piece)
            assert_true(spool_add(spool, HV_STDOUT, hv_str_slice(hv_str_of(whole, sizeof whole), at, at + piece)));
        spool_finish(spool, &fixture->arena, &result);
        struct hv_content *content = result.first;
        struct stat info;
        assert_int_equal(content->type, HV_CONTENT_SPOOL);
        assert_true(hv_str_eq(content->head, hv_str_of(whole, 20)));
        assert_true(hv_str_eq(content->tail, hv_str_of(whole + sizeof whole - 10, 10)));
        assert_int_equal(content->size, sizeof whole);
        assert_int_equal(content->lines, 71);
        assert_true(hv_str_eq(file_text(&fixture->arena, content->file), hv_str_of(whole, sizeof whole)));
        assert_int_equal(stat(content->file.ptr, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        assert_true(
            hv_str_starts(hv_str_slice(content->file, strlen(fixture->directory), SIZE_MAX), HV_STR("/a_b_c-")));
        unlink(content->file.ptr);
        spool_free(spool);
    }
}

static void over_the_cap_it_says_stop_and_keeps_exactly_the_cap(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.file_max = 150;
    struct spool *spool = spool_new(&fixture->options);
    struct hv_result result = {0};
    struct hv_str piece = HV_STR("0123456789012345678901234567890123456789012345678901234567890123456789");
    assert_true(spool_add(spool, HV_STDOUT, piece));
    assert_true(spool_add(spool, HV_STDOUT, piece));
    assert_false(spool_add(spool, HV_STDOUT, piece));
    assert_false(spool_add(spool, HV_STDOUT, piece));
    assert_int_equal(spool_size(spool), 280);
    spool_finish(spool, &fixture->arena, &result);
    assert_int_equal(result.first->size, 150);
    assert_int_equal(file_text(&fixture->arena, result.first->file).len, 150);
    assert_text(result.first->tail, "0123456789");
    assert_non_null(strstr(spool_note(spool, &fixture->arena).ptr, "passed"));
    unlink(result.first->file.ptr);
    spool_free(spool);
}

static void without_a_place_for_the_file_head_and_tail_are_kept(void **state)
{
    struct fixture *fixture = *state;
    static const char *const places[] = {"/no/such/directory", ""};
    char whole[300];
    memset(whole, 'x', sizeof whole);
    whole[299] = 'z';
    for (size_t i = 0; i < 2; i++) {
        fixture->options.directory = hv_str_from(places[i]);
        struct spool *spool = spool_new(&fixture->options);
        struct hv_result result = {0};
        assert_true(spool_add(spool, HV_STDOUT, hv_str_of(whole, sizeof whole)));
        spool_finish(spool, &fixture->arena, &result);
        assert_int_equal(result.first->type, HV_CONTENT_SPOOL);
        assert_false(result.first->file.len > 0);
        assert_int_equal(result.first->size, 300);
        assert_text(result.first->tail, "xxxxxxxxxz");
        assert_int_equal(spool_note(spool, &fixture->arena).ptr != NULL, i == 0);
        spool_free(spool);
    }
}

/* RLIMIT_FSIZE stands for a full disk: the write fails in the middle. */
static void a_write_that_fails_loses_the_file_and_says_so(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit before, tight;
    struct hv_result result = {0};
    char whole[200];
    memset(whole, 'x', sizeof whole);
    getrlimit(RLIMIT_FSIZE, &before);
    tight = (struct rlimit){250, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    struct spool *spool = spool_new(&fixture->options);
    setrlimit(RLIMIT_FSIZE, &tight);
    for (int i = 0; i < 5; i++)
        assert_true(spool_add(spool, HV_STDOUT, hv_str_of(whole, sizeof whole)));
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    spool_finish(spool, &fixture->arena, &result);
    assert_false(result.first->file.len > 0);
    assert_int_equal(result.first->size, 1000);
    assert_non_null(strstr(spool_note(spool, &fixture->arena).ptr, "could not be stored"));
    spool_free(spool);
}

static void streams_kept_apart_are_bounded(void **state)
{
    struct fixture *fixture = *state;
    struct spool *spool = spool_new(&(struct spool_options){0});
    for (int i = 0; i < 10000; i++) {
        char line[32];
        int len = snprintf(line, sizeof line, "line %d\n", i);
        assert_true(spool_add(spool, HV_STDERR, hv_str_of(line, (size_t)len)));
    }
    struct hv_str text = spool_stream(spool, HV_STDERR, &fixture->arena);
    assert_in_range(text.len, 16 * 1024, 16 * 1024 + 16);
    assert_true(hv_str_starts(text, HV_STR("line 0\nline 1\n")));
    assert_true(hv_str_ends(text, HV_STR("line 9999\n")));
    assert_true(hv_str_find(text, HV_STR("\n…\n"), 0) != SIZE_MAX);
    assert_int_equal(spool_stream(spool, HV_STDOUT, &fixture->arena).len, 0);
    spool_free(spool);
}

static void the_last_line_is_the_last_that_says_something(void **state)
{
    static const struct {
        const char *pieces[4], *expected;
    } rows[] = {
        {{"a\nb\n"}, "b"},
        {{"a\n", "\n", "  \n"}, "a"},
        {{"comp", "iling", "\n"}, "compiling"},
        {{"a\nb", "c"}, "bc"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spool *spool = spool_new(&(struct spool_options){0});
        for (size_t j = 0; rows[i].pieces[j]; j++)
            assert_true(spool_add(spool, HV_STDOUT, hv_str_from(rows[i].pieces[j])));
        assert_text(spool_last_line(spool), rows[i].expected);
        spool_free(spool);
    }
}

static bool into_spool(void *user, enum hv_stream stream, struct hv_str bytes)
{
    return spool_add(user, stream, bytes);
}

static void a_hundred_megabytes_of_a_command_cost_no_memory(void **state)
{
    struct fixture *fixture = *state;
    static const char *const argv[] = {"bash", "-c", "yes 'all work and no play' | head -c 104857600", NULL};
    fixture->options = (struct spool_options){.directory = hv_str_from(fixture->directory), .name = HV_STR("yes")};
    struct spool *spool = spool_new(&fixture->options);
    struct hv_command command = {.argv = argv, .on_output = into_spool, .user = spool};
    struct hv_result result = {0};
    struct hv_exit ended;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(proc_host_run(NULL, &command, &ended, NULL), HV_OK);
    spool_finish(spool, &fixture->arena, &result);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(ended.code, 0);
    assert_int_equal(result.first->size, 104857600);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 8 * 1024);
    unlink(result.first->file.ptr);
    spool_free(spool);
}

/* ---- reading on ------------------------------------------------------------------------------------------ */

static void assert_read(const struct spool *spool, uint64_t from, size_t limit, uint64_t first, const char *expected)
{
    CLEANUP_BUF struct hv_buf out = {.max = 1000};
    assert_int_equal(spool_read(spool, from, limit, &out), first);
    assert_string_equal(out.data ? out.data : "", expected);
}

static void output_is_read_by_position_in_memory_and_in_the_file(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.merged = fixture->options.plain_name = true;
    struct spool *spool = spool_new(&fixture->options);
    spool_add(spool, HV_STDOUT, HV_STR("0123456789"));
    assert_read(spool, 3, 4, 3, "3456");
    assert_read(spool, 10, 4, 10, "");
    struct hv_str path = spool_to_file(spool);
    assert_true(hv_str_ends(path, HV_STR("/a_b_c.txt")));
    assert_text(file_text(&fixture->arena, path), "0123456789");
    spool_add(spool, HV_STDERR, HV_STR("abcdefghijklmnopqrstuvwxyz"));
    assert_read(spool, 8, 100, 8, "89abcdefghijklmnopqrstuvwxyz");
    spool_settle(spool);
    assert_read(spool, 30, 3, 30, "uvw");
    assert_int_equal(spool_kept(spool), 36);
    unlink(path.ptr);
    assert_read(spool, 2, 3, 2, "234");            /* the head is still known, … */
    assert_read(spool, 22, 100, 26, "qrstuvwxyz"); /* … and the tail */
    spool_free(spool);
}

static void what_has_ended_is_read_as_before(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.merged = true;
    for (size_t len = 1; len <= 40; len++) { /* nothing but a head, a part of a tail, a tail that went round */
        struct spool *spool = spool_new(&fixture->options);
        char text[41] = "";
        for (size_t i = 0; i < len; i++) {
            text[i] = (char)('A' + i);
            spool_add(spool, HV_STDOUT, hv_str_of(text + i, 1));
        }
        struct hv_str path = spool_to_file(spool);
        unlink(path.ptr);
        size_t head = len < 20 ? len : 20, tail = len - head < 10 ? len - head : 10;
        for (int settled = 0; settled < 3; settled++) {
            assert_read(spool, 0, head, 0, hv_arena_cstr(&fixture->arena, hv_str_of(text, head)));
            if (tail)
                assert_read(spool, len - tail, 100, len - tail, text + len - tail);
            spool_settle(spool);
        }
        spool_free(spool);
    }
}

static void what_is_over_the_cap_cannot_be_read(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.file_max = 12;
    struct spool *spool = spool_new(&fixture->options);
    assert_false(spool_add(spool, HV_STDOUT, HV_STR("0123456789abcdef")));
    assert_int_equal(spool_kept(spool), 12);
    assert_read(spool, 8, 100, 8, "89ab");
    assert_read(spool, 14, 100, 14, "");
    spool_free(spool);
}

/* Cut anywhere, output has the same lines: as many as it has ends, the last that is not blank, or what is there of it.
 */
static void lines_are_the_same_however_they_come(void **state)
{
    struct fixture *fixture = *state;
    static const char letters[] = "ab \n\n\t\r";
    unsigned random = 1;
    for (int round = 0; round < 2000; round++) {
        char text[64];
        size_t len = 0, lines = 0, at = 0;
        struct hv_str expected = {0};
        for (len = 0; len < (unsigned)round % sizeof text; len++) {
            random = random * 1103515245 + 12345;
            text[len] = letters[(random >> 16) % (sizeof letters - 1)];
        }
        for (struct hv_str rest = hv_str_of(text, len), line; rest.len;) {
            size_t end = hv_str_find_byte(rest, '\n', 0);
            line = hv_str_slice(rest, 0, end);
            expected = hv_str_trim(line).len ? line : expected;
            lines += end != SIZE_MAX;
            rest = hv_str_slice(rest, end == SIZE_MAX ? rest.len : end + 1, rest.len);
        }
        struct spool *spool = spool_new(&fixture->options);
        while (at < len) {
            random = random * 1103515245 + 12345;
            size_t piece = 1 + (random >> 16) % 20;
            assert_true(spool_add(spool, HV_STDOUT, hv_str_slice(hv_str_of(text, len), at, at + piece)));
            at += piece;
        }
        assert_int_equal(spool_lines(spool), lines);
        assert_true(hv_str_eq(spool_last_line(spool), expected));
        spool_free(spool);
    }
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(output_is_read_by_position_in_memory_and_in_the_file),
        CASE(what_has_ended_is_read_as_before),
        CASE(what_is_over_the_cap_cannot_be_read),
        CASE(nothing_gives_an_empty_result),
        CASE(little_stays_in_memory),
        CASE(much_goes_to_a_private_file_whole),
        CASE(over_the_cap_it_says_stop_and_keeps_exactly_the_cap),
        CASE(without_a_place_for_the_file_head_and_tail_are_kept),
        CASE(a_write_that_fails_loses_the_file_and_says_so),
        CASE(streams_kept_apart_are_bounded),
        CASE(the_last_line_is_the_last_that_says_something),
        CASE(lines_are_the_same_however_they_come),
        CASE(a_hundred_megabytes_of_a_command_cost_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
