/* sweeper.c: see sweeper.h. */
#include "proc/sweeper.h"

#include "base/cleanup.h"
#include "module/module.h"
#include "proc/cage.h"
#include "proc/children.h"
#include "proc/guard_protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int spawn(pid_t *process, const char *path, int fd)
{
    char name[] = GUARD_NAME, word[] = "sweep";
    char *argv[] = {name, word, NULL}, *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed = posix_spawn_file_actions_adddup2(&actions, fd, SWEEP_FD);
    for (int standard = 0; !failed && standard < 3; standard++)
        failed = posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(&actions, SWEEP_FD + 1);
    failed = failed ? failed : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    children_begin_start();
    failed = failed ? failed : posix_spawn(process, path, &actions, &attributes, argv, environment);
    children_end_start(failed ? 0 : *process);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

void sweeper_start(struct sweeper *sweeper)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    int ends[2];
    char *path;
    *sweeper = (struct sweeper){.fd = -1};
    if (module_find(&arena, "helve-guard", "src/proc/helve-guard", &path, NULL) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) /* writing to a dead one raises no signal */
        return;
    CLEANUP_FD int ours = ends[0], theirs = ends[1];
    if (ours <= SWEEP_FD || theirs <= SWEEP_FD || spawn(&sweeper->process, path, theirs)) {
        sweeper->process = 0;
        return;
    }
    sweeper->fd = take_fd(&ours);
    const char *groups = cage_prefix(&arena);
    if (groups)
        sweeper_tell(sweeper, SWEEP_GROUPS, groups);
}

void sweeper_tell(const struct sweeper *sweeper, enum sweep_word what, const char *path)
{
    if (!sweeper->process)
        return;
    CLEANUP_BUF struct hv_buf text = {.max = 64 << 10};
    hv_buf_add_byte(&text, (char)what);
    hv_buf_add(&text, path, strlen(path) + 1);
    if (!text.failed)
        (void)!send(sweeper->fd, text.data, text.len, MSG_NOSIGNAL);
}

void sweeper_end(struct sweeper *sweeper)
{
    const char done = SWEEP_DONE;
    if (!sweeper->process)
        return;
    (void)!send(sweeper->fd, &done, 1, MSG_NOSIGNAL);
    cleanup_fd(&sweeper->fd);
    while (waitpid(sweeper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    children_forget(sweeper->process);
    *sweeper = (struct sweeper){.fd = -1};
}
