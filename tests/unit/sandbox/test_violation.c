/* Refusals of the sandbox are told from ordinary failures. */
#include "sandbox/violation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct sandbox_mount mounts[] = {
    {SANDBOX_HIDDEN, HV_STR("/home/me/.netrc")},           {SANDBOX_HIDDEN_DIRECTORY, HV_STR("/home/me/.ssh")},
    {SANDBOX_WRITABLE, HV_STR("/deep/ws/other")},          {SANDBOX_WRITABLE, HV_STR("/ws/project")},
    {SANDBOX_PINNED, HV_STR("/ws/project/.git")},          {SANDBOX_PROTECTED, HV_STR("/ws/project/.git/config")},
    {SANDBOX_PROTECTED, HV_STR("/ws/project/.git/hooks")}, {SANDBOX_PROTECTED, HV_STR("/ws/project/.helve")},
};

static const struct {
    const char *output, *refusals;
    bool failed;
    const char *expected; /* in the notes; NULL: there are none */
} cases[] = {
    {"touch: cannot touch '/etc/x': Read-only file system\n", "", true, "not to /etc/x"},
    {"bash: line 1: ../x: Read-only file system\n", "", true, "not to /ws/x"},
    {"OSError: [Errno 30] Read-only file system: '/usr/lib/y'\n", "", true, "not to /usr/lib/y"},
    {"Error: EROFS: read-only file system, open '/opt/z'\n", "", true, "not to /opt/z"},
    {"npm error Log files were not written due to an error writing to the directory: /home/me/.npm/_logs\n", "", true,
     "allowWrite: [\"/home/me/.npm\"] in the settings"},
    {"npm error Log files were not written due to an error writing to the directory: /ws/project/x\n", "", true,
     "$TMPDIR (/tmp/own)"},
    {"something: Read-only file system\n", "", true, "$TMPDIR (/tmp/own)"},
    {"bash: line 2: /tmp/today: Read-only file system\n", "", true, "a name in /tmp that is not there yet"},
    {"cat: /home/me/.ssh/id_rsa: Permission denied\n", "", true, "hides /home/me/.ssh"},
    {"cat: /home/me/.netrc: Permission denied\n", "", true, "allowRead"},
    {"cat: /root/x: Permission denied\n", "", true, NULL},
    {"bash: .git/hooks/pre-commit: Read-only file system\n", "", true, "changing /ws/project/.git/hooks"},
    {"error: could not write config file .git/config: Device or resource busy\n", "", true,
     "changing /ws/project/.git/config"},
    {"mkdir: cannot create directory '.helve/x': Permission denied\n", "", true, "changing /ws/project/.helve"},
    {"rmdir: failed to remove '/mnt/x': Device or resource busy\n", "", true, NULL},
    {"strace: ptrace: Operation not permitted\n", "", true, "may come from the sandbox"},
    {"strace: ptrace: Operation not permitted\n", "", false, "may come from the sandbox"},
    {"gpg: can't connect to the agent: IPC connect call failed\n", "", true, "allowUnixSockets"},
    {"docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?\n", "", false,
     "allowUnixSockets"},
    {"cat: x: Permission denied: Network is unreachable\n", "", false, "HTTP_PROXY"},
    {"curl: (6) Could not resolve host: example.org\n", "", true, "allowedDomains"},
    {"curl: (56) CONNECT tunnel failed, response 403\n", "example.org:443 (no rule allows it)", true,
     "connection to example.org:443"},
    {"mkdir: cannot create directory '/opt/tools/x': Read-only file system\n", "", true,
     "allowWrite: [\"/opt/tools\"] in the settings"},
    {"open /opt/tools/y: read-only file system\n", "", true, "not to /opt/tools/y"},                   /* Go */
    {"Error: Read-only file system (os error 30) at /opt/tools/z\n", "", true, "not to /opt/tools/z"}, /* Rust */
    {"java.io.FileNotFoundException: /opt/tools/q (Read-only file system)\n", "", true, "not to /opt/tools/q"},
    {"touch: cannot touch '/etc/x': Read-only file system\n", "", true,
     "sandbox.filesystem.allowWrite in the settings"},
    {"open /home/me/.ssh/id: permission denied\n", "", true, "allowRead: [\"/home/me/.ssh\"]"},
    {"Error: getaddrinfo ENOTFOUND registry.example\n", "", true, "allowedDomains"},
    {"dial tcp: lookup example.org: no such host\n", "", true, "allowedDomains"},
    {"wget: unable to resolve host address 'example.org'\n", "", true, "allowedDomains"},
    {"ssh: Could not resolve hostname example.org: Name or service not known\n", "", true, "allowedDomains"},
    {"x\n", "example.org:443 (no rule allows it)", true, "allowedDomains: [\"example.org\"] in the settings"},
    {"x\n", "10.0.0.1:80 (it leads to this machine or its network)", true, "its network)."},
    {"x\n", "example.org:443 (the person who was asked said no: use the cache)", true, "said no: use the cache)."},
    {"ok\n", "example.org:443 (no rule allows it)", false, "connection to example.org:443"},
    {"grep: no such file\n", "", true, NULL},
    {"touch: cannot touch '/opt/my tools/sub dir/x': Read-only file system\n", "", true,
     "not to /opt/my tools/sub dir/x; sandbox.filesystem.allowWrite: [\"/opt/my tools/sub dir\"] in the settings"},
    {"mkdir: cannot create directory ‘/opt/tools/it's mine/x’: Read-only file system\n", "", true,
     "allowWrite: [\"/opt/tools/it's mine\"] in the settings"},
    {"Error: EROFS: read-only file system, open '/opt/my tools/z'\n", "", true, "allowWrite: [\"/opt/my tools\"]"},
    {"touch: cannot touch '/home/me/x': Read-only file system\n", "", true,
     "not to /home/me/x; sandbox.filesystem.allowWrite in the settings"},
    {"chmod: changing permissions of '/srv/www/x': Read-only file system\n", "", true, "allowWrite: [\"/srv/www\"]"},
    {"touch: cannot touch '/deep/ws/x': Read-only file system\n", "", true,
     "not to /deep/ws/x; sandbox.filesystem.allowWrite in the settings"},
    {"cat: src: Is a directory\n", "", true, NULL},
    {"", "", true, NULL},
    {"psql: error: connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: No such file or "
     "directory\n",
     "", true, "allowUnixSockets"},
    {"dial unix /run/docker.sock: connect: no such file or directory\n", "", true, "allowUnixSockets"},
    {"Failed to connect to bus: No such file or directory\n", "", false, "allowUnixSockets"},
    {"cat: /run/x: No such file or directory\n", "", true, NULL},
    {"Could not trace the inferior process.\nwarning: ptrace: Function not implemented\n", "", true, "tracing"},
};

static const struct {
    const char *command, *expected;
} commands[] = {
    {"python3 count.py /home/me/.netrc", "The sandbox hides /home/me/.netrc"},
    {"cat ~/.ssh/id_rsa 2>/dev/null || echo none", "The sandbox hides /home/me/.ssh"},
    {"f='/home/me/.netrc'; wc -l <\"$f\"", "The sandbox hides /home/me/.netrc"},
    {"(echo x >/opt/tools/x) 2>/dev/null; true",
     "not to /opt/tools/x; sandbox.filesystem.allowWrite: [\"/opt/tools\"]"},
    {"echo x >> \"/opt/tools/x\" || true", "not to /opt/tools/x"},
    {"cat /opt/tools/x > y 2>/dev/null", NULL},
    {"echo x >/dev/null", NULL},
    {"ls /home/me 2>&1", NULL},
};

static void what_a_command_names_is_told_though_its_program_says_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct hv_arena arena = {0};
        struct sandbox_plan plan = {.mounts = mounts, .mount_count = sizeof mounts / sizeof *mounts};
        struct violation_facts facts = {
            .plan = &plan,
            .command = hv_str_from(commands[i].command),
            .directory = HV_STR("/ws/project"),
            .home = HV_STR("/home/me"),
            .temporary = HV_STR("/tmp/session"),
        };
        struct hv_str said = violation_describe(&facts, &arena);
        const char *expected = commands[i].expected;
        if (expected ? hv_str_find(said, hv_str_from(expected), 0) == SIZE_MAX : said.len != 0)
            fail_msg("\"%s\" gave \"%.*s\"", commands[i].command, HV_STR_ARG(said));
        hv_arena_release(&arena);
    }
}

static void what_the_plan_refuses_is_explained_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_arena arena = {0};
        struct sandbox_plan plan = {.mounts = mounts, .mount_count = sizeof mounts / sizeof *mounts};
        struct violation_facts facts = {
            .plan = &plan,
            .output = hv_str_from(cases[i].output),
            .directory = HV_STR("/ws/project"),
            .home = HV_STR("/home/me"),
            .temporary = HV_STR("/tmp/own"),
            .refusals = hv_str_from(cases[i].refusals),
            .failed = cases[i].failed,
        };
        struct hv_str notes = violation_describe(&facts, &arena);
        bool found = cases[i].expected && hv_str_find(notes, hv_str_from(cases[i].expected), 0) != SIZE_MAX;
        if (cases[i].expected ? !found : notes.len > 0)
            fail_msg("%s gave: %.*s", cases[i].output, HV_STR_ARG(notes));
        hv_arena_release(&arena);
    }
}

/* Output of a command that went to another folder. */
static const struct {
    const char *ended_in, *output;
    const char *expected; /* NULL: nothing that names a path */
} elsewhere[] = {
    {"/opt/tools", "touch: cannot touch './x': Read-only file system\n",
     "not to /opt/tools/x; sandbox.filesystem.allowWrite: [\"/opt/tools\"]"},
    {"/opt/tools", "touch: cannot touch 'x': Read-only file system\n", "not to /opt/tools/x;"},
    {"/opt/tools", "bash: line 1: x: Read-only file system\n", "not to /opt/tools/x;"},
    {"/opt/tools", "OSError: [Errno 30] Read-only file system: 'x'\n", "not to /opt/tools/x;"},
    {"/opt/tools", "install: Read-only file system\n", NULL},
    {"/home/me/.ssh", "cat: id_rsa: Permission denied\n", "hides /home/me/.ssh"},
    {"/ws/project/src", "cat: x: Permission denied\n", NULL},
    {"/ws/project/src", "cat: ../x: Permission denied\n", NULL},
    {"/ws/project/.git", "bash: config: Read-only file system\n", "changing /ws/project/.git/config"},
    {"", "bash: config: Read-only file system\n", NULL},
};

static void a_relative_name_is_looked_for_where_the_command_went(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        struct hv_arena arena = {0};
        struct sandbox_plan plan = {.mounts = mounts, .mount_count = sizeof mounts / sizeof *mounts};
        struct violation_facts facts = {
            .plan = &plan,
            .output = hv_str_from(elsewhere[i].output),
            .directory = HV_STR("/ws/project"),
            .ended_in = hv_str_from(elsewhere[i].ended_in),
            .home = HV_STR("/home/me"),
            .temporary = HV_STR("/tmp/own"),
            .failed = true,
        };
        struct hv_str notes = violation_describe(&facts, &arena);
        bool names = hv_str_find(notes, HV_STR("not to"), 0) != SIZE_MAX ||
                     hv_str_find(notes, HV_STR("hides"), 0) != SIZE_MAX ||
                     hv_str_find(notes, HV_STR("changing"), 0) != SIZE_MAX;
        const char *expected = elsewhere[i].expected;
        if (expected ? hv_str_find(notes, hv_str_from(expected), 0) == SIZE_MAX : names)
            fail_msg("%s gave: %.*s", elsewhere[i].output, HV_STR_ARG(notes));
        hv_arena_release(&arena);
    }
}

static void a_flood_of_refusals_gives_few_sentences(void **state)
{
    struct hv_arena arena = {0};
    struct hv_buf output;
    struct sandbox_plan plan = {.mounts = mounts, .mount_count = sizeof mounts / sizeof *mounts};
    (void)state;
    hv_buf_init(&output, 1 << 20);
    for (int i = 0; i < 5000; i++)
        hv_buf_addf(&output, "cp: cannot create '/usr/x%d': Read-only file system\n", i);
    struct violation_facts facts = {.plan = &plan,
                                    .output = hv_buf_str(&output),
                                    .directory = HV_STR("/ws/project"),
                                    .home = HV_STR("/home/me"),
                                    .temporary = HV_STR("/tmp/own"),
                                    .failed = true};
    struct hv_str notes = violation_describe(&facts, &arena), line;
    size_t lines = 0;
    while (hv_str_split(&notes, '\n', &line))
        lines++;
    assert_int_equal(lines, 3);
    hv_buf_release(&output);
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_plan_refuses_is_explained_and_nothing_else),
        cmocka_unit_test(a_relative_name_is_looked_for_where_the_command_went),
        cmocka_unit_test(a_flood_of_refusals_gives_few_sentences),
        cmocka_unit_test(what_a_command_names_is_told_though_its_program_says_nothing),
    };
    return cmocka_run_group_tests_name("sandbox violations", tests, NULL, NULL);
}
