/* The private /tmp, repositories in the workspace, and sandboxes that were started ahead of their command. */
#include "bench.h"

/* ---- /tmp, repositories --------------------------------------------------------------------------------- */

static void test_tmp_is_private_and_lasts(void **state)
{
    (void)state;
    struct bench bench;
    char host_file[] = "/tmp/helve-unit-host-XXXXXX";
    int fd = mkstemp(host_file);
    assert_true(fd >= 0 && write(fd, "of the host\n", 12) == 12 && close(fd) == 0);
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run(&bench, "echo mine > /tmp/helve-unit-own && cat /tmp/helve-unit-own && stat -c %a /tmp");
        assert_string_equal(bench.output.data, "mine\n1777\n");
        assert_int_equal(bench.notes.len, 0);
        struct hv_str missed = sandbox_tmp_missed(bench.sandbox, HV_STR("cat /tmp/helve-unit-own"), &bench.arena);
        assert_true(hv_str_find(missed, HV_STR("has as /tmp/helve-unit-own is "), 0) != SIZE_MAX);
        assert_false(sandbox_tmp_missed(bench.sandbox, HV_STR("cat /tmp/helve-unit-other"), &bench.arena).len);
        assert_int_not_equal(access("/tmp/helve-unit-own", F_OK), 0);
        run(&bench, "cat /tmp/helve-unit-own; echo $TMPDIR; ls -A /tmp | grep sandbox; rm /tmp/helve-unit-own");
        assert_string_equal(bench.output.data, "mine\n/tmp\n");
        assert_int_equal(bench.notes.len, 0);
        char *named =
            hv_arena_cstr(&bench.arena, hv_arena_format(&bench.arena, "cat %s; echo evil > %s", host_file, host_file));
        run(&bench, named);
        assert_wrote(&bench, "of the host\n");
        assert_int_not_equal(bench.end.code, 0);
        run(&bench, named); /* what it was mounted upon is no file of the command's */
        assert_wrote(&bench, "of the host\n");
        run(&bench, "ls /tmp; cat ../outside.txt");
        assert_wrote(&bench, "outside\n");
        run(&bench, "ln -s /etc/passwd /tmp/helve-unit-link; echo evil > /tmp/helve-unit-link; cd /tmp && mkdir -p a/b "
                    "&& mv a c");
        assert_true(is_noted(&bench, "/etc/passwd") || bench.end.code == 0);
    }
    close_bench(&bench);
    assert_int_equal(unlink(host_file), 0);
}

static void test_hooks_of_nested_repositories_cannot_be_changed(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        make_folder(&bench, "project/sub");
        make_folder(&bench, "project/sub/.git");
        make_folder(&bench, "project/sub/.git/hooks");
        write_text(&bench, "project/sub/.git/config", "[core]\n");
        make_folder(&bench, "project/.git/modules");
        make_folder(&bench, "project/.git/modules/m");
        make_folder(&bench, "project/.git/modules/m/objects");
        make_folder(&bench, "project/.git/modules/m/refs");
        make_folder(&bench, "project/.git/modules/m/hooks");
        write_text(&bench, "project/.git/modules/m/HEAD", "ref: refs/heads/main\n");
        write_text(&bench, "project/.git/modules/m/config", "[core]\n");
        make_folder(&bench, "project/m");
        write_text(&bench, "project/m/.git", "gitdir: ../.git/modules/m\n");
        sandbox_free(bench.sandbox);
        bench.sandbox = sandbox_new(&(struct sandbox_setup){.host = hv_host_local(),
                                                            .options = &bench.options,
                                                            .home = bench.home,
                                                            .roots = &bench.project,
                                                            .root_count = 1});
        run(&bench,
            "echo evil > sub/.git/hooks/post-checkout; echo evil > sub/.git/config; mv sub/.git x; mv sub y;"
            "echo evil > .git/modules/m/hooks/post-checkout; echo evil >> .git/modules/m/config;"
            "echo gitdir: evil > m/.git; rm m/.git; touch sub/.git/index .git/modules/m/index sub/file && echo worked");
        assert_wrote(&bench, "worked\n");
        run(&bench, "cat sub/.git/config .git/modules/m/config m/.git; ls sub/.git/hooks .git/modules/m/hooks");
        assert_string_equal(bench.output.data, "[core]\n[core]\ngitdir: ../.git/modules/m\n.git/modules/m/hooks:\n\n"
                                               "sub/.git/hooks:\n");
    }
    close_bench(&bench);
}

/* ---- ahead of the command ------------------------------------------------------------------------------ */

static void test_a_sandbox_that_was_started_ahead_runs_a_command_as_a_fresh_one_does(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run_until_ahead(&bench, "echo \"$A $HELVE_SANDBOX $(basename $PWD) $#\"; echo x > made; cat; "
                                "ls /proc/self/fd | wc -l; exit 7");
        assert_int_equal(bench.end.code, 7);
        assert_string_equal(bench.output.data, "b full project 0\n4\n");
        assert_true(is_there(&bench, "project/made"));
        run_until_ahead(&bench, "kill -SEGV $$");
        assert_int_equal(bench.end.signal, SIGSEGV);
        run_until_ahead(&bench, "echo evil > ../evil; cat ../home/.netrc; echo evil > .git/config; true");
        assert_false(is_there(&bench, "evil"));
        assert_false(wrote(&bench, "the secret"));
        assert_true(is_noted(&bench, ".git/config"));
    }
    close_bench(&bench);
}

static void test_what_changed_since_a_sandbox_was_started_ahead_counts(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, "{}");
    if (is_full(&bench)) {
        run_until_ahead(&bench, "true");
        write_text(&bench, "home/.pgpass", "the secret that came later\n");
        assert_false(run_ahead(&bench, "cat ../home/.pgpass"));
        assert_false(wrote(&bench, "the secret"));
        run_until_ahead(&bench, "true");
        /* The same plan; but who puts another file there takes away what was mounted over the old one. */
        write_text(&bench, "project/fresh", "[core]\n");
        char *from = hv_arena_cstr(&bench.arena, hv_arena_join(&bench.arena, bench.project, HV_STR("/fresh")));
        char *to = hv_arena_cstr(&bench.arena, hv_arena_join(&bench.arena, bench.project, HV_STR("/.git/config")));
        assert_int_equal(rename(from, to), 0);
        assert_false(run_ahead(&bench, "echo evil > .git/config; cat .git/config"));
        assert_true(is_noted(&bench, "/.git/config")); /* that it was put back, or may not be written */
        run_until_ahead(&bench, "cat .git/config");
        assert_true(wrote(&bench, "[core]") && !wrote(&bench, "evil\n"));
        run_until_ahead(&bench, "true");
        assert_int_equal(
            rmdir(hv_arena_cstr(&bench.arena, hv_arena_join(&bench.arena, bench.project, HV_STR("/.git/hooks")))), 0);
        (void)run_ahead(&bench, "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
        assert_false(is_there(&bench, "project/.git/hooks/pre-commit"));
    }
    close_bench(&bench);
}

static void test_the_first_command_takes_the_sandbox_that_showed_what_holds(void **state)
{
    (void)state;
    struct bench bench;
    make_bench(&bench, "{}");
    sandbox_keep_ready(bench.sandbox, true);
    sandbox_look(bench.sandbox, &bench.state);
    if (is_full(&bench)) {
        assert_true(run_ahead(&bench, "echo evil > .git/config; cat ../home/.netrc; echo $HELVE_SANDBOX"));
        assert_wrote(&bench, "full\n");
        assert_false(wrote(&bench, "the secret"));
        assert_false(run_ahead(&bench, "echo $HELVE_SANDBOX")); /* it was to be the only one */
        assert_wrote(&bench, "full\n");
    }
    close_bench(&bench);
}

static void test_a_command_that_is_expected_finds_its_sandbox_ready(void **state)
{
    (void)state;
    struct bench bench;
    make_bench(&bench, "{}");
    sandbox_expect(bench.sandbox); /* nothing is kept ready here */
    sandbox_expect(NULL);
    sandbox_keep_ready(bench.sandbox, false);
    sandbox_expect(bench.sandbox);
    sandbox_expect(bench.sandbox);
    sandbox_look(bench.sandbox, &bench.state);
    if (is_full(&bench)) {
        assert_true(run_ahead(&bench, "echo $HELVE_SANDBOX"));
        assert_wrote(&bench, "full\n");
    }
    close_bench(&bench);
    make_bench(&bench, "{}"); /* and nobody comes */
    sandbox_keep_ready(bench.sandbox, false);
    sandbox_expect(bench.sandbox);
    close_bench(&bench);
    make_bench(&bench, "{\"enabled\":false}");
    sandbox_keep_ready(bench.sandbox, false);
    sandbox_expect(bench.sandbox);
    close_bench(&bench);
}

/* What was made for the one command of a session is taken away with its end, not with that of the session; and another
 * one finds all again. */
static void test_all_goes_with_the_one_command(void **state)
{
    (void)state;
    struct bench bench;
    make_bench(&bench, "{\"autoAllowBashIfSandboxed\":true}");
    sandbox_keep_ready(bench.sandbox, true);
    sandbox_expect(bench.sandbox);
    sandbox_expect(bench.sandbox);
    bool unasked = sandbox_allows_unasked(bench.sandbox, HV_STR("echo $TMPDIR"), false);
    sandbox_look(bench.sandbox, &bench.state);
    if (is_full(&bench)) {
        assert_true(unasked);
        assert_true(run_ahead(&bench, "echo $HELVE_SANDBOX; mkdir .helve; touch $TMPDIR/made"));
        assert_wrote(&bench, "full\n");
        assert_false(is_there(&bench, "project/.helve"));
        assert_true(sandbox_allows_unasked(bench.sandbox, HV_STR("true"), false));
        run(&bench, "test ! -e $TMPDIR/made && test -d $TMPDIR && echo fresh");
        assert_wrote(&bench, "fresh\n");
    }
    close_bench(&bench);
}

/* A command that was begun, to its end. */
static void run_begun(struct bench *bench, struct sandbox_run *run, const char *const *argv)
{
    struct hv_command command = {.argv = sandbox_argv(run, &bench->arena, argv),
                                 .directory = hv_arena_cstr(&bench->arena, bench->project),
                                 .on_output = keep,
                                 .user = &bench->output};
    assert_int_equal(hv_host_local()->run(hv_host_local(), &command, &bench->end, NULL), HV_OK);
    (void)sandbox_end(bench->sandbox, run, &bench->arena, (struct hv_str){0}, bench->project, true);
}

/* A folder that is to be hidden goes away between the plan and the mounts: none takes its place on the disk. */
static void test_nothing_is_made_on_the_disk_to_mount_on(void **state)
{
    (void)state;
    struct bench bench;
    struct sandbox_run run;
    const char *const bash[] = {"bash", "-c", "echo ran", NULL};
    make_bench(&bench, "{\"filesystem\":{\"denyRead\":[\"./secrets\"]}}");
    make_folder(&bench, "project/secrets");
    sandbox_look(bench.sandbox, &bench.state);
    if (is_full(&bench) && bench.state.own_mounts) {
        assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("echo ran"), false, false, &run, NULL),
                         HV_OK);
        char *secrets = hv_arena_cstr(&bench.arena, hv_arena_join(&bench.arena, bench.project, HV_STR("/secrets")));
        assert_int_equal(rmdir(secrets), 0);
        run_begun(&bench, &run, bash);
        assert_int_not_equal(bench.end.code, 0);
        assert_true(wrote(&bench, "cannot mount") && !wrote(&bench, "ran"));
        assert_false(is_there(&bench, "project/secrets"));
    }
    close_bench(&bench);
}

/* What is to be hidden is moved away between the plan and the mounts, and something else comes in its place. */
static void test_what_is_hidden_is_what_was_looked_at(void **state)
{
    static const char *const names[] = {"project/secret", "project/secrets"};
    const char *const bash[] = {"bash", "-c", "cat moved moved/x", NULL};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bench bench;
        struct sandbox_run run;
        make_bench(&bench, "{\"filesystem\":{\"denyRead\":[\"./secret\",\"./secrets\"]}}");
        make_folder(&bench, "project/secrets");
        write_text(&bench, "project/secrets/x", "top secret");
        write_text(&bench, "project/secret", "top secret");
        sandbox_look(bench.sandbox, &bench.state);
        if (is_full(&bench) && bench.state.own_mounts) {
            assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("cat"), false, false, &run, NULL),
                             HV_OK);
            const char *name = hv_arena_format(&bench.arena, "%.*s/%s", HV_STR_ARG(bench.top), names[i]).ptr;
            const char *moved = hv_arena_format(&bench.arena, "%.*s/project/moved", HV_STR_ARG(bench.top)).ptr;
            assert_int_equal(rename(name, moved), 0);
            if (i)
                make_folder(&bench, names[i]);
            else
                write_text(&bench, names[i], "other");
            run_begun(&bench, &run, bash);
            assert_int_not_equal(bench.end.code, 0);
            assert_true(wrote(&bench, "something else came") && !wrote(&bench, "top secret"));
        }
        close_bench(&bench);
    }
}

/* A secret that is moved to its other place right after each of the next looks at it. */
struct mover {
    struct bench *bench;
    size_t at, moves;
    uint64_t changes;
};

static const char *moving_path(const struct mover *mover, size_t at)
{
    return hv_arena_format(&mover->bench->arena, "%.*s/%c.key", HV_STR_ARG(mover->bench->project), at ? 'b' : 'a').ptr;
}

static void find_moving(void *user, struct hv_arena *arena, struct sandbox_masks *out)
{
    struct mover *mover = user;
    struct sandbox_mask *mask = hv_arena_new(arena, struct sandbox_mask);
    *mask = (struct sandbox_mask){.path = hv_str_from(moving_path(mover, mover->at)), .hides = true};
    *out = (struct sandbox_masks){.items = mask, .count = 1, .changes = mover->changes};
    if (!mover->moves)
        return;
    mover->moves--;
    mover->changes++;
    assert_int_equal(rename(moving_path(mover, mover->at), moving_path(mover, !mover->at)), 0);
    mover->at = !mover->at;
}

/* … and it is planned once more, and then nothing runs. */
static void test_what_is_moved_while_the_plan_is_made_is_hidden_or_nothing_runs(void **state)
{
    (void)state;
    struct bench bench;
    struct sandbox_run begun;
    struct mover mover = {.bench = &bench, .changes = 1};
    make_bench(&bench, "{}");
    write_text(&bench, "project/a.key", "top secret");
    sandbox_free(bench.sandbox);
    struct sandbox_setup setup = {.host = hv_host_local(),
                                  .options = &bench.options,
                                  .home = bench.home,
                                  .roots = &bench.project,
                                  .root_count = 1,
                                  .find_masks = find_moving,
                                  .user = &mover};
    bench.sandbox = sandbox_new(&setup);
    sandbox_look(bench.sandbox, &bench.state);
    for (size_t moves = 0; moves < 3 && is_full(&bench); moves++) {
        mover.moves = moves;
        run(&bench, "cat a.key b.key");
        assert_true(!wrote(&bench, "top secret"));
    }
    if (is_full(&bench)) {
        struct hv_error err = {0};
        mover.moves = 4;
        assert_int_equal(sandbox_begin(bench.sandbox, &bench.arena, HV_STR("cat"), false, false, &begun, &err),
                         HV_EAGAIN);
        assert_non_null(strstr(err.message, "were moved"));
    }
    close_bench(&bench);
}

/* The sandbox is looked at with a bubblewrap of the test's before the machine's. */
static void look_with_bubblewrap(struct bench *bench, const char *script)
{
    char *before = hv_strdup(getenv("PATH"));
    make_folder(bench, "bin");
    write_text(bench, "bin/bwrap", script);
    struct hv_str program = hv_arena_join(&bench->arena, bench->top, HV_STR("/bin/bwrap"));
    struct hv_str path = hv_arena_format(&bench->arena, "%.*s/bin:%s", HV_STR_ARG(bench->top), before);
    assert_int_equal(chmod(hv_arena_cstr(&bench->arena, program), 0755), 0);
    assert_int_equal(setenv("PATH", hv_arena_cstr(&bench->arena, path), 1), 0);
    sandbox_keep_ready(bench->sandbox, false);
    sandbox_look(bench->sandbox, &bench->state);
    assert_int_equal(setenv("PATH", before, 1), 0);
    free(before);
}

/* A bubblewrap that does not do what it should is no sandbox, kept ready or not. */
static void test_a_broken_bubblewrap_is_found_out_ahead_too(void **state)
{
    static const char *const scripts[] = {"#!/bin/sh\necho it is broken >&2; exit 1\n", "#!/bin/sh\nexit 0\n"};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct bench bench;
        make_bench(&bench, "{}");
        look_with_bubblewrap(&bench, scripts[i]);
        assert_int_not_equal(bench.state.level, SANDBOX_LEVEL_FULL);
        assert_true(bench.state.reason[0] && bench.told.len);
        if (i == 0)
            assert_non_null(strstr(bench.state.reason, "it is broken"));
        close_bench(&bench);
    }
}

/* What a command may do, and what it sees: one line for each. */
static const char attempts[] =
    "try() { \"$@\" >/dev/null 2>&1 && echo \"$* yes\" || echo \"$* no\"; }\n"
    "try touch made\ntry touch /tmp/made\ntry touch ../evil\ntry touch /etc/evil\ntry touch .git/index\n"
    "try touch .git/hooks/evil\ntry mv .git git\ntry mkdir .helve/x\ntry rmdir .vscode\ntry cat ../outside.txt\n"
    "try cat ~/.netrc\ntry ls ~/.ssh\ntry cat ../secret\ntry ls ../secrets\ntry cat ../secrets/shown\n"
    "try mount -t tmpfs x /mnt\ntry umount /dev/shm\ntry test -w /proc/sys/kernel/hostname\ntry test -c /dev/null\n"
    "try test -e /dev/kmsg\ntry test -e /dev/vda\ntry touch /dev/shm/x\n"
    "grep -E '^(CapPrm|CapEff|CapInh|CapAmb|NoNewPrivs|Seccomp):|^[UG]id' /proc/self/status\n"
    "test $PWD = $(pwd) && basename $PWD; umask; ls /dev; stat -c '%a %F' /dev/* /tmp .helve ~/.ssh ../secrets "
    "../secret 2>&1; exit 0\n";

/* The helper mounts where it can; where bubblewrap leaves it no right to, that does, and it makes no difference. */
static void test_it_makes_no_difference_who_mounts(void **state)
{
    static const char settings[] =
        "{\"filesystem\":{\"denyRead\":[\"../secret\",\"../secrets\"],\"allowRead\":[\"../secrets/shown\"]}}";
    struct hv_str said[2];
    struct hv_arena arena = {0};
    bool full = true;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        make_bench(&bench, settings);
        write_text(&bench, "secret", "x");
        make_folder(&bench, "secrets");
        write_text(&bench, "secrets/shown", "x");
        if (i == 0)
            sandbox_look(bench.sandbox, &bench.state);
        else
            look_with_bubblewrap(&bench, "#!/bin/sh\ngrep -q -e --cap-add /proc/self/fd/10 && exit 1\n"
                                         "exec $(PATH=/usr/bin:/bin:/usr/local/bin command -v bwrap) \"$@\"\n");
        full = full && is_full(&bench);
        assert_true(i == 0 || !bench.state.own_mounts);
        run(&bench, attempts);
        assert_int_equal(bench.end.code, 0);
        said[i] = hv_arena_str(&arena, hv_buf_str(&bench.output));
        close_bench(&bench);
    }
    if (full) {
        assert_true(hv_str_find(said[0], HV_STR("touch made yes"), 0) != SIZE_MAX);
        assert_true(hv_str_find(said[0], HV_STR("cat ../secret no"), 0) != SIZE_MAX);
        if (!hv_str_eq(said[0], said[1]))
            fail_msg("%.*s\n---\n%.*s", HV_STR_ARG(said[0]), HV_STR_ARG(said[1]));
    }
    hv_arena_release(&arena);
}

/* The view has a /dev of its own, in which the place of such a workspace is missing at first. */
static void test_a_workspace_below_dev_is_mounted_like_any(void **state)
{
    struct bench here, there;
    (void)state;
    if (access("/dev/shm", W_OK | X_OK)) {
        print_message("/dev/shm cannot be written here: not tried\n");
        return;
    }
    open_bench(&here, "{}");
    make_bench_below(&there, "/dev/shm", "{}");
    sandbox_look(there.sandbox, &there.state);
    assert_int_equal(there.state.level, here.state.level);
    assert_int_equal(there.state.own_mounts, here.state.own_mounts);
    run(&there, "touch made && ! touch ../evil /dev/shm/evil/x .git/hooks/evil");
    if (is_full(&there)) {
        assert_int_equal(there.end.code, 0);
        assert_true(is_there(&there, "project/made"));
        assert_false(is_there(&there, "evil"));
        assert_false(is_there(&there, "project/.git/hooks/evil"));
    }
    close_bench(&there);
    close_bench(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tmp_is_private_and_lasts),
        cmocka_unit_test(test_hooks_of_nested_repositories_cannot_be_changed),
        cmocka_unit_test(test_a_sandbox_that_was_started_ahead_runs_a_command_as_a_fresh_one_does),
        cmocka_unit_test(test_what_changed_since_a_sandbox_was_started_ahead_counts),
        cmocka_unit_test(test_the_first_command_takes_the_sandbox_that_showed_what_holds),
        cmocka_unit_test(test_a_command_that_is_expected_finds_its_sandbox_ready),
        cmocka_unit_test(test_all_goes_with_the_one_command),
        cmocka_unit_test(test_what_is_hidden_is_what_was_looked_at),
        cmocka_unit_test(test_what_is_moved_while_the_plan_is_made_is_hidden_or_nothing_runs),
        cmocka_unit_test(test_nothing_is_made_on_the_disk_to_mount_on),
        cmocka_unit_test(test_a_broken_bubblewrap_is_found_out_ahead_too),
        cmocka_unit_test(test_it_makes_no_difference_who_mounts),
        cmocka_unit_test(test_a_workspace_below_dev_is_mounted_like_any),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
