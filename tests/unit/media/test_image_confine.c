/* test_image_confine.c: what a decoder of images that was taken over could still do: the program confined tries it. */
#include "base/cleanup.h"
#include "base/path.h"
#include "confined.h"

#include <helve/host.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

/* How the program ended that confines itself and tries. It is built beside the folder's tests. */
static struct hv_exit attempt(const char *what)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char self[PATH_MAX];
    struct hv_exit end = {0};
    assert_non_null(realpath("/proc/self/exe", self));
    struct hv_str folder = path_parent(hv_str_from(self));
    const char *argv[] = {hv_arena_format(&arena, "%.*s/media/confined", HV_STR_ARG(folder)).ptr, what, NULL};
    struct hv_command command = {.argv = argv, .timeout_ns = 60000000000ull};
    struct hv_error err = {0};
    if (hv_host_local()->run(hv_host_local(), &command, &end, &err) != HV_OK)
        fail_msg("%s", err.message);
    return end;
}

static void whatever_is_not_decoding_kills_the_decoder(void **state)
{
    (void)state;
    static const char *const tries[] = {
        "open a file",
        "make a file",
        "connect",
        "connect locally",
        "start a process",
        "start a program",
        "send a signal",
        "trace",
        "get new code",
        "make data code",
        "map a file",
        "write to another descriptor",
        "read from another descriptor",
        "duplicate a descriptor",
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct hv_exit end = attempt(tries[i]);
        if (end.signal != SIGSYS)
            fail_msg("%s: signal %d, exit %d", tries[i], end.signal, end.code);
    }
}

static void decoding_goes_on(void **state)
{
    (void)state;
    assert_int_equal(attempt("do what is needed").code, CONFINED_DID_IT);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(attempt("take much memory").code, CONFINED_REFUSED);
}

static void a_decoder_that_never_ends_is_ended(void **state)
{
    (void)state;
    struct hv_exit end = attempt("go on for ever");
    assert_false(end.timed_out);
    assert_true(end.signal == SIGXCPU || end.signal == SIGKILL);
}

int main(void)
{
    /* Memory that the allocator fills is taken from the limit even where the program would not touch it. */
    unsetenv("MALLOC_PERTURB_");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_not_decoding_kills_the_decoder),
        cmocka_unit_test(decoding_goes_on),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_decoder_that_never_ends_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
