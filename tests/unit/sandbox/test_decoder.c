/*
 * test_decoder.c: what a program for foreign formats that was taken over could still do, for each way of confining it
 * that this machine has: python3 stands in for it.
 */
#include "sandbox/decoder.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const char *const way_names[DECODER_WAYS] = {"bubblewrap", "bubblewrap with a user namespace", "Landlock"};

struct said {
    struct hv_buf out, errors;
};

static bool keep(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct said *said = user;
    hv_buf_add_str(stream == HV_STDOUT ? &said->out : &said->errors, bytes);
    return true;
}

/* Run a script confined in this way; false: the way is not there. */
static bool run(enum decoder_way way, const char *script, const char *argument, struct said *said, struct hv_exit *end)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct decoder_place place = {.memory = 512 << 20, .cpu_seconds = 1};
    struct hv_error err;
    const char *const *words;
    const char *python = sandbox_decoder_find(&arena, "python3");
    assert_non_null(python);
    const char *argv[] = {python, "-I", "-c", script, argument, NULL};
    enum hv_code code = sandbox_decoder_argv(&arena, &place, way, argv, &words, &err);
    if (code == HV_EUNSUPPORTED)
        return false;
    assert_int_equal(code, HV_OK);
    hv_buf_init(&said->out, 1 << 20);
    hv_buf_init(&said->errors, 1 << 20);
    struct hv_command command = {.argv = words,
                                 .environment = (const char *const[]){"PATH=/usr/bin:/bin", NULL},
                                 .directory = "/",
                                 .input = HV_STR("the document"),
                                 .timeout_ns = 60000000000ull,
                                 .on_output = keep,
                                 .user = said};
    assert_int_equal(hv_host_local()->run(hv_host_local(), &command, end, &err), HV_OK);
    return !sandbox_decoder_failed(end, hv_buf_str(&said->errors));
}

static void release(struct said *said)
{
    hv_buf_release(&said->out);
    hv_buf_release(&said->errors);
}

/* In each way that works: what the script prints is `wanted`. */
static void expect_output(const char *script, const char *argument, const char *wanted)
{
    for (int way = 0; way < DECODER_WAYS; way++) {
        struct said said = {0};
        struct hv_exit end;
        if (run((enum decoder_way)way, script, argument, &said, &end) &&
            !hv_str_is(hv_str_trim(hv_buf_str(&said.out)), wanted))
            fail_msg("%s: %.*s%.*s", way_names[way], HV_STR_ARG(hv_buf_str(&said.out)),
                     HV_STR_ARG(hv_buf_str(&said.errors)));
        release(&said);
    }
}

static void expect_refused(const char *statement, const char *argument)
{
    char script[1024];
    snprintf(script, sizeof script,
             "import sys,os,socket\ntry:\n %s\n print('did it')\nexcept OSError:\n print('refused')", statement);
    expect_output(script, argument, "refused");
}

static void one_way_at_least_is_there_where_a_sandbox_is(void **state)
{
    (void)state;
    unsigned ways = 0;
    for (int way = 0; way < DECODER_WAYS; way++) {
        struct said said = {0};
        struct hv_exit end;
        bool there = run((enum decoder_way)way, "print(1)", NULL, &said, &end);
        print_message("# %s: %s\n", way_names[way], there ? "yes" : "no");
        ways += there;
        release(&said);
    }
    assert_true(ways > 0);
}

static void the_document_comes_and_the_answer_goes(void **state)
{
    (void)state;
    expect_output("import sys; print(sys.stdin.read().upper())", NULL, "THE DOCUMENT");
}

static void no_file_of_a_person_is_read_or_written(void **state)
{
    (void)state;
    char path[] = "/tmp/helve-decoder-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "secret", 6), 6);
    expect_refused("open(sys.argv[1]).read()", path);
    expect_refused("open(sys.argv[1], 'a').write('x')", path);
    expect_refused("open(sys.argv[1] + '.new', 'w').write('x')", path);
    expect_refused("open('/etc/passwd').read()", NULL);
    expect_refused("open('/usr/helve-was-here', 'w')", NULL);
    expect_refused("os.unlink(sys.argv[1])", path);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 6);
    close(file);
    unlink(path);
}

static void nothing_is_connected_to(void **state)
{
    (void)state;
    char port[16];
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    expect_refused("socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)", port);
    expect_refused("socket.socket(socket.AF_UNIX)", NULL);
    close(listener);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    expect_output("try:\n x = bytearray(600 << 20)\n print('got it')\nexcept MemoryError:\n print('refused')", NULL,
                  "refused");
}

static void what_never_ends_is_ended(void **state)
{
    (void)state;
    for (int way = 0; way < DECODER_WAYS; way++) {
        struct said said = {0};
        struct hv_exit end;
        if (run((enum decoder_way)way, "while True: pass", NULL, &said, &end)) {
            assert_false(end.timed_out);
            assert_true(end.signal == SIGXCPU || end.signal == SIGKILL);
        }
        release(&said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_at_least_is_there_where_a_sandbox_is),
        cmocka_unit_test(the_document_comes_and_the_answer_goes),
        cmocka_unit_test(no_file_of_a_person_is_read_or_written),
        cmocka_unit_test(nothing_is_connected_to),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(what_never_ends_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
