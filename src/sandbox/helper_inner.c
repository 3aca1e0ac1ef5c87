/*
 * helper_inner.c: the half of the helper that runs inside; see helper.c. It is under the command's seccomp filter. It
 * is the first process there (--as-pid-1): no signal of a command reaches it, and with it all others end.
 */
#include "sandbox/helper.h"

#include "proc/guard_exec.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *read_all(int fd, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status))
        fail(HELPER_EXIT_SANDBOX, "cannot read the plan", "");
    char *bytes = calloc((size_t)status.st_size + 1, 1);
    if (!bytes)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (*size = 0; *size < (size_t)status.st_size;) {
        ssize_t got = read(fd, bytes + *size, (size_t)status.st_size - *size);
        if (got <= 0)
            fail(HELPER_EXIT_SANDBOX, "cannot read the plan", "");
        *size += (size_t)got;
    }
    close(fd);
    return bytes;
}

char **split_words(char *at, size_t count)
{
    char **words = calloc(count + 1, sizeof *words);
    if (!words)
        fail(HELPER_EXIT_SANDBOX, "out of memory", "");
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        words[i] = at;
    return words;
}

static struct inside read_plan(void)
{
    size_t size = 0, count = 0;
    char *bytes = read_all(HELPER_FD_PLAN, &size);
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\0';
    if (!count)
        fail(HELPER_EXIT_SANDBOX, "cannot read the plan", "");
    return (struct inside){.plan = bytes, .argv = split_words(bytes + strlen(bytes) + 1, count - 1)};
}

/* Give the proxy a socket that listens in this network: it takes the connections by itself from then on. */
static void hand_over(int listener, struct helper_listener what)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec data = {&what, sizeof what};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof listener);
    memcpy(CMSG_DATA(header), &listener, sizeof listener);
    (void)!sendmsg(HELPER_FD_PROXY, &message, MSG_NOSIGNAL); /* helve may be gone; then nothing is reached */
}

/* To the proxy, or, machine, to servers of the machine. Those listeners are shared by all that listen there, so a
 * sandbox has them only once it has a command: what is refused is told of those that may have connected. */
static void open_way_out(const char *plan, bool machine)
{
    struct item proxy = item_find(plan, HELPER_PROXY);
    if (!proxy.kind || fcntl(HELPER_FD_PROXY, F_SETFD, FD_CLOEXEC))
        return;
    for (struct item item = item_next(plan); item.kind; item = item_next(item.rest)) {
        char *end;
        if (item.kind != HELPER_LISTEN)
            continue;
        struct helper_listener what = {strtoull(proxy.text, NULL, 10), (int32_t)strtol(item.text, &end, 10)};
        if (machine != (what.kind >= HELPER_LISTEN_MACHINE))
            continue;
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)strtoul(end + 1, NULL, 10)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        /* A port of the machine is listened at for each command of the session; whichever takes it passes it on. What
         * is left of such connections must not keep a command's own server from the port later (SO_REUSEADDR). */
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
        int many = machine;
        if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
            setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &many, sizeof many) == 0 &&
            bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 64) == 0)
            hand_over(listener, what);
        close(listener);
    }
}

static void report(int kind, int value, bool alone)
{
    struct helper_report message = {kind, value, alone};
    while (write(HELPER_FD_STATUS, &message, sizeof message) < 0 && errno == EINTR)
        ;
}

/* What it changes of the environment is ours, too; we need none. */
static int become_command(void *data)
{
    const struct inside *inside = data;
    sigset_t none;
    sigemptyset(&none);
    if (apply_environment(inside->plan) && apply_limits(inside->plan) && (!inside->only_reads || refuse_network()) &&
        sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        guard_exec(inside->argv);
    report(HELPER_FAILED, errno, false);
    _exit(HELPER_EXIT_PROGRAM);
}

static bool is_alone(void)
{
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
        ;
    return ended < 0;
}

/* What a command that was started ahead leaves nothing of, helve hears first: for all others there is more to wait for.
 */
static void report_end(int status, bool late)
{
    bool alone = is_alone();
    if (late && alone)
        tell_end(status);
    report(HELPER_EXITED, status, alone);
    close(HELPER_FD_STATUS);
    if (late)
        close(HELPER_FD_LATE);
}

/* Nothing is left but what keeps the mounts in place. */
static bool all_have_ended(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

/* The command's orphans are ours, and we stay as long as one lives: when we end, the kernel kills all that is left.
 * That is done, too, when the command has ended or stopped what keeps the mounts in place. */
__attribute__((noreturn)) static void wait_for_all(pid_t command, pid_t keeper, bool late)
{
    while (!all_have_ended()) {
        int status;
        pid_t changed = waitpid(-1, &status, __WALL | WUNTRACED);
        if (changed == keeper || (changed < 0 && errno != EINTR))
            _exit(HELPER_EXIT_SANDBOX);
        if (changed == command && !WIFSTOPPED(status))
            report_end(status, late);
    }
    _exit(0);
}

void inner_main(void)
{
    struct inside inside = read_plan();
    bool late = !inside.argv[0];
    pid_t keeper = 0;
    int keeper_socket = -1;
    fcntl(HELPER_FD_STATUS, F_SETFD, FD_CLOEXEC);
    fcntl(HELPER_FD_SOCKETS, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "hv-sandbox");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (late && item_find(inside.plan, HELPER_LATER).kind)
        inside.plan = wait_for_plan(inside.plan);
    if (item_find(inside.plan, HELPER_ROOT).kind) {
        make_view(inside.plan, late);
        keeper = keep_view(inside.plan, &keeper_socket);
        give_up_rights(inside.plan);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* as bubblewrap has set it: who gets other rights loses that */
    prctl(PR_SET_DUMPABLE, 0); /* the command does not reach our descriptors in /proc; it gets its own way by exec */
    open_way_out(inside.plan, false);
    if (late)
        inside.argv = wait_for_command();
    open_way_out(inside.plan, true);
    inside.only_reads = inside.argv[0] && strcmp(inside.argv[0], HELPER_ONLY_READS) == 0;
    inside.argv += inside.only_reads;
    if (inside.only_reads && keeper)
        lock_view(keeper_socket);
    close(keeper_socket);
    pid_t command = start_in_memory(become_command, &inside, 0, NULL);
    if (command < 0) {
        report(HELPER_FAILED, errno, false);
        _exit(HELPER_EXIT_SANDBOX);
    }
    close(0);
    close(1);
    close(2);
    wait_for_all(command, keeper, late);
}
