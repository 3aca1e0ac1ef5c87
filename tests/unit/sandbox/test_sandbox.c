/* Commands in the sandbox that this machine has: what they may do, what they may not, and what is left of them. */
#include "bench.h"

/* ---- files --------------------------------------------------------------------------------------------- */

static void test_the_workspace_and_the_temporary_folder_are_writable(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    run(&bench, "echo here > made.txt && echo there > \"$TMPDIR/x\" && cat \"$TMPDIR/x\" made.txt && rm \"$TMPDIR/x\"");
    assert_int_equal(bench.end.code, 0);
    assert_string_equal(bench.output.data, "there\nhere\n");
    assert_true(is_there(&bench, "project/made.txt"));
    assert_int_equal(bench.notes.len, 0);
    close_bench(&bench);
}

static void test_nothing_outside_is_written_but_it_may_be_read(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (bench.state.level != SANDBOX_LEVEL_NONE) {
        run(&bench, "cat ../outside.txt; echo evil > ../evil.txt; echo evil >> ../outside.txt; echo evil > ~/.bashrc");
        assert_true(wrote(&bench, "outside\n"));
        assert_false(is_there(&bench, "evil.txt"));
        assert_false(is_there(&bench, "home/.bashrc"));
        run(&bench, "grep -c evil ../outside.txt");
        assert_string_equal(bench.output.data, "0\n");
    }
    close_bench(&bench);
}

static void test_a_refused_write_is_explained(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run(&bench, "echo evil > ../evil.txt");
        assert_int_equal(bench.end.code, 1);
        assert_true(is_noted(&bench, "sandbox.filesystem.allowWrite"));
        assert_true(is_noted(&bench, "/evil.txt"));
        run(&bench, "echo x > .git/config");
        assert_true(is_noted(&bench, "/project/.git/config"));
        run(&bench, "ls /nowhere/at/all");
        assert_int_equal(bench.notes.len, 0);
    }
    close_bench(&bench);
}

static void test_secrets_are_hidden(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{\"filesystem\":{\"denyRead\":[\"../outside.txt\"]}}");
    if (bench.state.level != SANDBOX_LEVEL_NONE) {
        char *script = hv_arena_cstr(&bench.arena,
                                     hv_arena_format(&bench.arena, "cd %.*s; cat .ssh/id_ed25519 .netrc ../outside.txt",
                                                     HV_STR_ARG(bench.home)));
        run(&bench, script);
        assert_false(wrote(&bench, "the secret"));
        assert_false(wrote(&bench, "outside\n"));
        assert_int_not_equal(bench.end.code, 0);
    }
    if (is_full(&bench)) {
        assert_true(is_noted(&bench, "holds secrets"));
        run(&bench, hv_arena_cstr(&bench.arena, hv_arena_format(&bench.arena, "ls %.*s/.ssh", HV_STR_ARG(bench.home))));
        assert_int_not_equal(bench.end.code, 0); /* Landlock alone hides no names */
        run(&bench, "cat /etc/shadow");
        assert_wrote(&bench, "Permission denied");
    }
    close_bench(&bench);
}

static void test_allow_read_shows_a_secret_again(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{\"filesystem\":{\"allowRead\":[\"~/.netrc\",\"~/.ssh/id_ed25519\"]}}");
    char *script = hv_arena_cstr(
        &bench.arena, hv_arena_format(&bench.arena, "cd %.*s; cat .netrc .ssh/id_ed25519", HV_STR_ARG(bench.home)));
    run(&bench, script);
    if (is_full(&bench))
        assert_string_equal(bench.output.data, "the secret login\nthe secret key\n");
    close_bench(&bench);
}

static void test_what_others_run_or_obey_cannot_be_changed(void **state)
{
    static const char *const scripts[] = {
        "echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "mv .git/config .git/config.old",
        "rm -rf .git/hooks && mkdir .git/hooks",
        "mv .git .git.old && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
        "mv .git/hooks .git/hooks.old",
        "ln -sfn /tmp .git/hooks",
        "ln .git/config config.link && echo evil >> config.link",
        "echo evil > .mcp.json",
        "mkdir -p .helve && echo evil > .helve/settings.json",
        "mkdir -p .claude/commands && echo evil > .claude/settings.local.json",
        "rmdir .helve && mkdir .helve && echo evil > .helve/settings.json",
        "mv .helve x && mkdir .helve && echo evil > .helve/settings.json",
        "mkdir other && mv -T other .claude",
        "ln -sfn other .vscode",
        "chmod 777 .helve && echo evil > .helve/settings.json",
    };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct bench bench;
        open_bench(&bench, "{}");
        if (is_full(&bench)) {
            run(&bench, scripts[i]);
            run(&bench, "grep -rl evil . --exclude=*.moved-aside --exclude-dir=*.moved-aside; ls -d .git.old x "
                        ".git/hooks.old 2>/dev/null; test ! -L .git/hooks -a ! -L .vscode");
            if (bench.output.len || bench.end.code)
                fail_msg("%s: %.*s", scripts[i], HV_STR_ARG(hv_buf_str(&bench.output)));
        }
        close_bench(&bench);
    }
}

static void test_what_a_command_makes_where_something_protected_may_be_is_moved_aside(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run(&bench, "ls -A; echo a > .mcp.json; mkdir .helve; ln -s / .vscode; echo made");
        assert_string_equal(bench.output.data, ".git\nmade\n");
        assert_true(is_noted(&bench, "/project/.mcp.json.moved-aside"));
        assert_true(is_there(&bench, "project/.helve.moved-aside") && is_there(&bench, "project/.vscode.moved-aside"));
        assert_false(is_there(&bench, "project/.helve") || is_there(&bench, "project/.vscode"));
        /* Somebody else writes there meanwhile: that is left. */
        struct hv_str written = hv_arena_join(&bench.arena, bench.project, HV_STR("/.helve/settings.json"));
        sandbox_note_written(bench.sandbox, written);
        run(&bench, "mkdir .helve; echo b > .mcp.json");
        assert_true(is_there(&bench, "project/.helve") && is_there(&bench, "project/.mcp.json.moved-aside-2"));
        assert_false(is_there(&bench, "project/.mcp.json"));
    }
    close_bench(&bench);
}

static void test_allowed_folders_are_writable(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{\"filesystem\":{\"allowWrite\":[\"../home\"],\"denyWrite\":[\"kept\"]}}");
    run(&bench, "echo x > ../home/y; echo x > kept/y");
    assert_true(is_there(&bench, "home/y"));
    if (is_full(&bench))
        assert_false(is_there(&bench, "project/kept/y"));
    close_bench(&bench);
}

/* ---- processes ----------------------------------------------------------------------------------------- */

static void test_a_command_ends_as_it_would_without_a_sandbox(void **state)
{
    static const struct {
        const char *script;
        int code, signal;
    } cases[] = {
        {"exit 0", 0, 0},
        {"exit 3", 3, 0},
        {"exit 255", 255, 0},
        {"kill -SEGV $$", -1, SIGSEGV},
        {"kill -9 $$", -1, SIGKILL},
        {"kill -TERM $$", -1, SIGTERM},
        {"kill -INT 0; echo not", -1, SIGINT},
        {"no-such-program", 127, 0},
    };
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(&bench, cases[i].script);
        assert_int_equal(bench.end.code, cases[i].code);
        assert_int_equal(bench.end.signal, cases[i].signal);
        assert_false(bench.end.left_running);
    }
    close_bench(&bench);
}

static void test_both_streams_come_in_order_and_stdin_is_empty(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    run(&bench, "cat; for i in 1 2 3 4 5; do echo out $i; done; pwd");
    assert_wrote(&bench, "out 1\nout 2\nout 3\nout 4\nout 5\n/");
    assert_wrote(&bench, "/project\n");
    close_bench(&bench);
}

static void test_what_is_left_in_the_background_gets_its_time_and_is_ended(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    for (int tries = 0; tries < 50; tries++) { /* the time is short, and on a slow machine too short now and then */
        run(&bench, "echo now; (:; :; echo late) &"); /* no program to start: that may take longer than the time */
        if (strcmp(bench.output.data, "now\nlate\n") == 0)
            break;
    }
    assert_string_equal(bench.output.data, "now\nlate\n");
    assert_false(bench.end.left_running);
    run(&bench, "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; echo now");
    assert_string_equal(bench.output.data, "now\n");
    assert_int_equal(bench.end.code, 0);
    assert_true(bench.end.left_running);
    close_bench(&bench);
}

static void test_a_command_that_handles_term_may_end_by_itself(void **state)
{
    (void)state;
    struct bench bench;
    struct sandbox_run run;
    open_bench(&bench, "{}");
    const char *const bash[] = {"bash", "-c", "trap 'echo bye; exit 5' TERM; while :; do sleep 0.05; done", NULL};
    assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("x"), false, false, &run, NULL), HV_OK);
    struct hv_command command = {.argv = sandbox_argv(&run, &bench.arena, bash),
                                 .timeout_ns = 600000000ull,
                                 .grace_ns = 5000000000ull,
                                 .on_output = keep,
                                 .user = &bench.output};
    assert_int_equal(hv_host_local()->run(hv_host_local(), &command, &bench.end, NULL), HV_OK);
    assert_true(bench.end.timed_out);
    assert_int_equal(bench.end.code, 5);
    assert_wrote(&bench, "bye\n");
    (void)sandbox_end(bench.sandbox, &run, &bench.arena, HV_STR(""), bench.project, true);
    close_bench(&bench);
}

static void test_it_sees_only_its_own_processes(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run(&bench, "ls -d /proc/[0-9]* | wc -l");
        assert_true(strtol(bench.output.data, NULL, 10) < 8);
        run(&bench, "grep -c . /proc/net/unix /proc/self/mountinfo >/dev/null; grep NoNewPrivs /proc/self/status; "
                    "grep CapEff /proc/self/status; grep Seccomp: /proc/self/status");
        assert_wrote(&bench, "NoNewPrivs:\t1");
        assert_wrote(&bench, "CapEff:\t0000000000000000");
        assert_wrote(&bench, "Seccomp:\t2");
        /* The values that are there, should the attempt succeed. */
        run(&bench, "for f in kernel/hostname kernel/core_pattern vm/swappiness; do v=$(cat /proc/sys/$f); "
                    "echo \"$v\" > /proc/sys/$f && echo WRITTEN $f; done; true");
        assert_false(wrote(&bench, "WRITTEN"));
    }
    close_bench(&bench);
}

static void test_system_calls_that_lead_out_are_refused(void **state)
{
    static const char *const calls[] = {
        "101, 0, 0, 0, 0",       /* ptrace(PTRACE_TRACEME) */
        "165, 0, 0, 0, 0, 0",    /* mount */
        "250, 0, 0, 0, 0, 0",    /* keyctl */
        "321, 0, 0, 0",          /* bpf */
        "272, 0x10000000",       /* unshare(CLONE_NEWUSER) */
        "425, 1, 0",             /* io_uring_setup */
        "41, 17, 3, 0",          /* socket(AF_PACKET) */
        "41, 0x100000011, 3, 0", /* the same with a bit that the kernel ignores */
        "41, 16, 3, 12",         /* socket(AF_NETLINK, NETLINK_NETFILTER) */
        "41, 40, 1, 0",          /* socket(AF_VSOCK) */
        "16, 0, 0x5412, 0",      /* ioctl(TIOCSTI) */
        "16, 0, 0x100005412, 0", /* the same with a bit that the kernel ignores */
        "16, 0, 0x5423, 0",      /* ioctl(TIOCSETD) */
        "467, -100, 0, 0, 0, 0", /* open_tree_attr */
        "310, 1, 0, 0, 0, 0, 0", /* process_vm_readv */
        "298, 0, 0, -1, -1, 0",  /* perf_event_open */
    };
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
#ifdef __x86_64__
    bool confined = bench.state.level != SANDBOX_LEVEL_NONE;
#else
    bool confined = false; /* the numbers above are those of x86-64 */
#endif
    for (size_t i = 0; confined && i < sizeof calls / sizeof *calls; i++) {
        char *script = hv_arena_cstr(
            &bench.arena,
            hv_arena_format(&bench.arena,
                            "python3 -c 'import ctypes, os; c = ctypes.CDLL(None, use_errno=True); a = (%s); "
                            "r = c.syscall(*[ctypes.c_long(x) for x in a]); print(r, ctypes.get_errno())'",
                            calls[i]));
        run(&bench, script);
        if (!hv_str_is(hv_buf_str(&bench.output), "-1 1\n"))
            fail_msg("syscall(%s): %.*s", calls[i], HV_STR_ARG(hv_buf_str(&bench.output)));
    }
    close_bench(&bench);
}

static void test_the_number_of_processes_is_limited(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{\"limits\":{\"processes\":30}}");
    if (is_full(&bench) && (bench.state.groups || bench.state.user_namespace)) {
        /* Sixty, no more, whatever happens. */
        write_text(&bench, "project/forks.py",
                   "import os, time\n"
                   "children = []\n"
                   "for i in range(60):\n"
                   "    try:\n"
                   "        child = os.fork()\n"
                   "    except OSError:\n"
                   "        break\n"
                   "    if child == 0:\n"
                   "        time.sleep(20)\n"
                   "        os._exit(0)\n"
                   "    children.append(child)\n"
                   "print(len(children))\n"
                   "for child in children:\n"
                   "    os.kill(child, 9)\n");
        run(&bench, "python3 forks.py");
        assert_int_equal(bench.end.code, 0);
        assert_in_range(strtol(bench.output.data, NULL, 10), 10, 30);
    }
    close_bench(&bench);
}

static void test_a_file_is_limited(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{\"limits\":{\"fileSize\":100000}}");
    run(&bench, "trap '' XFSZ; head -c 200000 /dev/zero > big; stat -c %s big");
    if (bench.state.level != SANDBOX_LEVEL_NONE)
        assert_wrote(&bench, "100000");
    close_bench(&bench);
}

/* ---- the network ---------------------------------------------------------------------------------------- */

enum { CLIENTS = 12 };

/* Answers as many connections as will come, each with one line. */
static void *serve(void *data)
{
    int listener = *(int *)data;
    for (int i = 0; i < CLIENTS; i++) {
        char byte;
        int client = accept(listener, NULL, NULL);
        assert_true(client >= 0);
        assert_int_equal(read(client, &byte, 1), 1);
        assert_int_equal(write(client, "served\n", 7), 7);
        close(client);
    }
    return NULL;
}

static void test_connections_at_once_go_through_the_proxy_and_only_where_they_may(void **state)
{
    (void)state;
    struct bench bench;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t thread;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, CLIENTS), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    open_bench(&bench, "{\"network\":{\"allowedDomains\":[\"127.0.0.1\"],\"deniedDomains\":[\"10.0.0.1\"]}}");
    if (is_full(&bench)) {
        assert_int_equal(pthread_create(&thread, NULL, serve, &listener), 0);
        char *script = hv_arena_cstr(
            &bench.arena,
            hv_arena_format(&bench.arena,
                            "ask() { exec 3<>/dev/tcp/127.0.0.1/${HTTP_PROXY##*:}; printf 'CONNECT %%s:%d "
                            "HTTP/1.1\\r\\n\\r\\nx' $1 "
                            ">&3; cat <&3; }; for i in $(seq %d); do ask localhost & done; ask 10.0.0.1 & wait",
                            ntohs(address.sin_port), CLIENTS));
        run(&bench, script);
        pthread_join(thread, NULL);
        size_t served = 0;
        for (size_t at = 0; (at = hv_str_find(hv_buf_str(&bench.output), HV_STR("served"), at)) != SIZE_MAX; at++)
            served++;
        assert_int_equal(served, CLIENTS);
        assert_wrote(&bench, "403 Forbidden");
        assert_true(is_noted(&bench, "10.0.0.1"));
        assert_false(is_noted(&bench, "localhost"));
    }
    close(listener);
    close_bench(&bench);
}

/* ---- decisions ----------------------------------------------------------------------------------------- */

static void test_a_command_leaves_only_where_the_settings_let_it(void **state)
{
    (void)state;
    struct bench bench;
    struct sandbox_run run;
    struct hv_error err;
    open_bench(&bench, "{\"allowUnsandboxedCommands\":false,\"excludedCommands\":[\"docker *\"]}");
    assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("ls"), true, false, &run, &err), HV_EDENIED);
    assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("docker ps"), false, false, &run, &err), HV_OK);
    assert_int_equal(run.level, SANDBOX_LEVEL_NONE);
    (void)sandbox_end(bench.sandbox, &run, &bench.arena, HV_STR(""), bench.project, false);
    assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("docker ps; ls"), false, false, &run, &err),
                     HV_OK);
    assert_int_equal(run.level, bench.state.level);
    (void)sandbox_end(bench.sandbox, &run, &bench.arena, HV_STR(""), bench.project, false);
    close_bench(&bench);
}

static void test_without_bubblewrap_it_says_what_holds(void **state)
{
    (void)state;
    struct bench bench;
    struct sandbox_run run;
    struct hv_error err;
    char *path = hv_strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    open_bench(&bench, "{\"failIfUnavailable\":true,\"autoAllowBashIfSandboxed\":true}");
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    assert_int_not_equal(bench.state.level, SANDBOX_LEVEL_FULL);
    assert_true(hv_str_find(bench.told, HV_STR("bwrap"), 0) != SIZE_MAX);
    assert_false(sandbox_allows_unasked(bench.sandbox, HV_STR("ls"), false));
    assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("ls"), false, false, &run, &err),
                     HV_EUNSUPPORTED);
    close_bench(&bench);
}

static void test_landlock_keeps_files_and_network_where_bubblewrap_is_missing(void **state)
{
    (void)state;
    struct bench bench;
    char *path = hv_strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    open_bench(&bench, "{}");
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    if (bench.state.level == SANDBOX_LEVEL_LANDLOCK) {
        char *script =
            hv_arena_cstr(&bench.arena, hv_arena_format(&bench.arena,
                                                        "echo in > made; cat ../outside.txt; echo evil > ../evil; cat "
                                                        "%.*s/.ssh/id_ed25519 /etc/shadow; true > /dev/tcp/127.0.0.1/9",
                                                        HV_STR_ARG(bench.home)));
        run(&bench, script);
        assert_true(is_there(&bench, "project/made"));
        assert_false(is_there(&bench, "evil"));
        assert_wrote(&bench, "outside\n");
        assert_false(wrote(&bench, "the secret"));
        assert_false(wrote(&bench, "root:"));
        assert_wrote(&bench, "Operation not permitted");
        run(&bench, "kill -SEGV $$");
        assert_int_equal(bench.end.signal, SIGSEGV);
    }
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_workspace_and_the_temporary_folder_are_writable),
        cmocka_unit_test(test_nothing_outside_is_written_but_it_may_be_read),
        cmocka_unit_test(test_a_refused_write_is_explained),
        cmocka_unit_test(test_secrets_are_hidden),
        cmocka_unit_test(test_allow_read_shows_a_secret_again),
        cmocka_unit_test(test_what_others_run_or_obey_cannot_be_changed),
        cmocka_unit_test(test_what_a_command_makes_where_something_protected_may_be_is_moved_aside),
        cmocka_unit_test(test_allowed_folders_are_writable),
        cmocka_unit_test(test_a_command_ends_as_it_would_without_a_sandbox),
        cmocka_unit_test(test_both_streams_come_in_order_and_stdin_is_empty),
        cmocka_unit_test(test_what_is_left_in_the_background_gets_its_time_and_is_ended),
        cmocka_unit_test(test_a_command_that_handles_term_may_end_by_itself),
        cmocka_unit_test(test_it_sees_only_its_own_processes),
        cmocka_unit_test(test_system_calls_that_lead_out_are_refused),
        cmocka_unit_test(test_the_number_of_processes_is_limited),
        cmocka_unit_test(test_a_file_is_limited),
        cmocka_unit_test(test_connections_at_once_go_through_the_proxy_and_only_where_they_may),
        cmocka_unit_test(test_a_command_leaves_only_where_the_settings_let_it),
        cmocka_unit_test(test_without_bubblewrap_it_says_what_holds),
        cmocka_unit_test(test_landlock_keeps_files_and_network_where_bubblewrap_is_missing),
    };
    return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
