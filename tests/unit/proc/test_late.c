/* test_late.c: commands that were started ahead and say themselves that they have ended. This program is the command,
 * too: "late MODE", started as "late". */
#include "base/clock.h"
#include "proc/process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "descriptors.h"

enum { MESSAGE_MAX = 64 << 10, ENDED_CODE = 3, OWN_CODE = 5 };

static const struct hv_processes *const on = &proc_processes;

/* ---- the command --------------------------------------------------------------------------------------- */

/* The word after its beginning: directory and number of words come before it. */
static char *take_rest(void)
{
    static char text[MESSAGE_MAX];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    int file;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(GUARD_LATE_FD, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
        _exit(99);
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    if (read(file, text, sizeof text - 1) <= 0)
        _exit(98);
    char *count = text + strlen(text) + 1;
    return count + strlen(count) + 1;
}

static void say(const void *what, size_t size)
{
    if (send(GUARD_LATE_FD, what, size, MSG_NOSIGNAL) < 0)
        _exit(97);
}

static int be_the_command(void)
{
    struct guard_late_end end = {GUARD_LATE_ENDED, ENDED_CODE << 8};
    say(&(char){GUARD_LATE_READY}, 1);
    const char *mode = take_rest();
    say(&(char){GUARD_LATE_TAKEN}, 1);
    printf("I am %d\n", (int)getpid());
    fflush(stdout);
    if (strcmp(mode, "killed") == 0)
        end.status = SIGTERM;
    if (strcmp(mode, "nonsense") == 0)
        say("nonsense", 8);
    else if (strcmp(mode, "silent") != 0)
        say(&end, sizeof end);
    if (strcmp(mode, "nonsense") != 0 && strcmp(mode, "silent") != 0)
        sleep(600);
    return OWN_CODE;
}

/* ---- the tests ----------------------------------------------------------------------------------------- */

struct subject {
    struct hv_process *process;
    struct hv_buf output;
};

static bool on_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    (void)stream;
    hv_buf_add_str(&((struct subject *)user)->output, bytes);
    return true;
}

static void start(struct subject *subject, const char *mode)
{
    char self[4096] = {0};
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const char *beginning[] = {self, "late", NULL}, *argv[] = {self, "late", mode, NULL};
    struct hv_command ahead = {.argv = beginning};
    struct hv_process *prepared;
    hv_buf_init(&subject->output, 1 << 20);
    assert_int_equal(on->prepare(NULL, &ahead, &prepared, NULL), HV_OK);
    assert_true(on->ready(prepared));
    struct hv_process *before = prepared;
    struct hv_command command = {
        .argv = argv, .directory = "/", .on_output = on_output, .user = subject, .prepared = &prepared};
    assert_int_equal(on->start(NULL, &command, &subject->process, NULL), HV_OK);
    assert_ptr_equal(subject->process, before); /* no other was started */
    assert_int_equal(on->attend(subject->process, clock_monotonic_ns() + 20 * CLOCK_SECOND), HV_PROCESS_ENDED);
}

static pid_t pid_of(const struct subject *subject)
{
    int pid = 0;
    assert_int_equal(sscanf(subject->output.data ? subject->output.data : "", "I am %d", &pid), 1);
    return pid;
}

static void what_a_command_says_of_its_end_is_told_before_what_is_around_it_has_gone(void **state)
{
    struct subject subject = {0};
    struct hv_process *rest;
    struct hv_exit ended, ignored;
    (void)state;
    size_t before = open_descriptors();
    start(&subject, "ends");
    assert_int_equal(on->conclude(subject.process, &ended, &rest, NULL), HV_OK);
    assert_int_equal(ended.code, ENDED_CODE);
    assert_false(ended.left_running || ended.timed_out || ended.cancelled);
    pid_t pid = pid_of(&subject); /* all that it wrote is there */
    assert_non_null(rest);
    assert_int_equal(kill(pid, 0), 0);
    assert_int_equal(on->finish(rest, &ignored, NULL), HV_OK);
    assert_true(kill(pid, 0) < 0 && errno == ESRCH);
    assert_int_equal(open_descriptors(), before);
    hv_buf_release(&subject.output);
}

static void a_signal_that_ended_it_is_told_as_such(void **state)
{
    struct subject subject = {0};
    struct hv_process *rest;
    struct hv_exit ended, ignored;
    (void)state;
    start(&subject, "killed");
    assert_int_equal(on->conclude(subject.process, &ended, &rest, NULL), HV_OK);
    assert_int_equal(ended.signal, SIGTERM);
    assert_int_equal(ended.code, -1);
    assert_int_equal(on->finish(rest, &ignored, NULL), HV_OK);
    hv_buf_release(&subject.output);
}

static void who_only_finishes_it_gets_the_same_end(void **state)
{
    struct subject subject = {0};
    struct hv_exit ended;
    (void)state;
    start(&subject, "ends");
    assert_int_equal(on->finish(subject.process, &ended, NULL), HV_OK);
    assert_int_equal(ended.code, ENDED_CODE);
    pid_t pid = pid_of(&subject);
    assert_true(kill(pid, 0) < 0 && errno == ESRCH); /* what stays is not waited for */
    hv_buf_release(&subject.output);
}

static void without_a_word_that_can_be_understood_the_guard_tells_the_end(void **state)
{
    static const char *const modes[] = {"silent", "nonsense"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct subject subject = {0};
        struct hv_process *rest;
        struct hv_exit ended;
        start(&subject, modes[i]);
        assert_int_equal(on->conclude(subject.process, &ended, &rest, NULL), HV_OK);
        assert_null(rest);
        assert_int_equal(ended.code, OWN_CODE);
        pid_t pid = pid_of(&subject);
        assert_true(kill(pid, 0) < 0 && errno == ESRCH);
        hv_buf_release(&subject.output);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_command_says_of_its_end_is_told_before_what_is_around_it_has_gone),
        cmocka_unit_test(a_signal_that_ended_it_is_told_as_such),
        cmocka_unit_test(who_only_finishes_it_gets_the_same_end),
        cmocka_unit_test(without_a_word_that_can_be_understood_the_guard_tells_the_end),
    };
    if (argc == 2 && strcmp(argv[1], "late") == 0)
        return be_the_command();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
