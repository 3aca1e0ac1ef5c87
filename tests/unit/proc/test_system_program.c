/* test_system_program.c: which programs are the machine's own, and how long that is remembered. */
#include "proc/system_program.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A machine of a few programs that counts how often it is looked at. */
struct machine {
    struct hv_host host; /* first */
    size_t looks;
};

static enum hv_code look(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err)
{
    static const char *const programs[] = {"/usr/bin/ls",   "/usr/bin/make", "/ws/bin/make",
                                           "/opt/tool/run", "/usr/bin/sly",  "/usr/bin/mine"};
    (void)follow;
    ((struct machine *)host)->looks++;
    *out = (struct hv_file_stat){.kind = HV_FILE_DIRECTORY, .mode = 0755};
    if (hv_str_is(path, "/opt/tool"))
        return HV_OK;
    *out = (struct hv_file_stat){.kind = HV_FILE_REGULAR, .mode = 0755};
    if (hv_str_is(path, "/usr/bin/mine"))
        out->mode = 0744;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (hv_str_is(path, programs[i]))
            return HV_OK;
    return hv_fail(err, HV_ENOTFOUND, "nothing there");
}

static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    (void)host, (void)arena, (void)err;
    *out = hv_str_is(path, "/usr/bin/sly") ? HV_STR("/ws/sly") : path;
    return HV_OK;
}

static const struct hv_str roots[] = {{"/ws", 3}};

static bool ask(struct machine *machine, struct system_answers *answers, const char *path, const char *name)
{
    const char *environment[] = {"HOME=/home/me", path, NULL};
    struct system_programs programs = {
        .host = &machine->host, .roots = roots, .root_count = 1, .environment = environment, .answers = answers};
    programs.directory = HV_STR("/ws");
    return system_program_is(&programs, hv_str_from(name));
}

static void the_first_program_of_a_name_counts(void **state)
{
    static const struct {
        const char *path, *name;
        bool trusted;
    } cases[] = {
        {"PATH=/usr/bin", "ls", true},
        {"PATH=/usr/bin", "no-such-program", true}, /* nothing can run */
        {"PATH=/ws/bin:/usr/bin", "make", false},
        {"PATH=/usr/bin:/ws/bin", "make", true},
        {"PATH=bin:/usr/bin", "make", false}, /* from the working directory */
        {"PATH=/opt/tool", "run", true},
        {"PATH=/usr/bin", "sly", false}, /* a link into the workspace */
        {"OTHER=/ws/bin", "make", true}, /* no PATH: the usual one */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine = {.host = {.stat = look, .resolve = resolve}};
        struct system_answers answers = {0};
        assert_int_equal(ask(&machine, &answers, cases[i].path, cases[i].name), cases[i].trusted);
        assert_int_equal(ask(&machine, &answers, cases[i].path, cases[i].name), cases[i].trusted);
        system_answers_release(&answers);
    }
}

static void what_is_started_is_the_first_of_the_machine(void **state)
{
    static const struct {
        const char *path, *name, *found;
    } rows[] = {
        {"PATH=/ws/bin:/usr/bin", "make", "/usr/bin/make"},
        {"PATH=bin:.:/usr/bin", "make", "/usr/bin/make"},
        {"PATH=/ws/bin", "make", "/usr/bin/make"},
        {"PATH=", "make", "/usr/bin/make"},
        {"PATH=/opt/tool:/usr/bin", "run", "/opt/tool/run"},
        {"PATH=/usr/bin", "sly", ""},
        {"PATH=/usr/bin", "nothing", ""},
    };
    struct machine machine = {{.stat = look, .resolve = resolve}, 0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const char *environment[] = {rows[i].path, NULL};
        const struct system_programs programs = {.host = &machine.host,
                                                 .roots = roots,
                                                 .root_count = 1,
                                                 .environment = environment,
                                                 .directory = HV_STR("/ws")};
        struct hv_str found = system_program_first(&programs, &arena, hv_str_from(rows[i].name));
        assert_string_equal(found.ptr ? found.ptr : "", rows[i].found);
    }
}

static void a_program_is_where_path_has_it(void **state)
{
    static const struct {
        const char *path, *name, *found;
    } cases[] = {
        {"PATH=/usr/bin", "ls", "/usr/bin/ls"},
        {"PATH=/bin:/usr/bin:/ws/bin", "make", "/usr/bin/make"},
        {"PATH=/usr/bin/:/usr/bin", "ls", ""}, /* which would say /usr/bin//ls */
        {"PATH=/usr/bin", "no-such-program", ""},
        {"PATH=/ws/bin:/usr/bin", "make", ""},
        {"PATH=bin:/usr/bin", "make", ""},
        {"PATH=/usr/bin", "sly", ""},
        {"PATH=/usr/bin", "mine", ""}, /* not everybody may run it: who asks may find another one */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct machine machine = {.host = {.stat = look, .resolve = resolve}};
        struct system_answers answers = {0};
        const char *environment[] = {cases[i].path, NULL};
        struct system_programs programs = {.host = &machine.host,
                                           .roots = roots,
                                           .root_count = 1,
                                           .environment = environment,
                                           .directory = HV_STR("/ws"),
                                           .answers = &answers};
        struct hv_str found = system_program_path(&programs, &arena, hv_str_from(cases[i].name));
        assert_true(hv_str_is(found, cases[i].found));
        system_answers_release(&answers);
    }
}

static void an_answer_is_remembered_for_its_place_alone(void **state)
{
    struct machine machine = {.host = {.stat = look, .resolve = resolve}};
    struct system_answers answers = {0};
    (void)state;
    assert_true(ask(&machine, &answers, "PATH=/usr/bin:/ws/bin", "make"));
    size_t looks = machine.looks;
    assert_true(looks > 0);
    assert_true(ask(&machine, &answers, "PATH=/usr/bin:/ws/bin", "make"));
    assert_int_equal(machine.looks, looks);
    assert_false(ask(&machine, &answers, "PATH=/ws/bin:/usr/bin", "make"));
    assert_true(machine.looks > looks);
    assert_true(ask(&machine, &answers, "PATH=/usr/bin:/ws/bin", "make"));
    system_answers_release(&answers);
}

static void many_names_are_remembered(void **state)
{
    struct machine machine = {.host = {.stat = look, .resolve = resolve}};
    struct system_answers answers = {0};
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t looks = 0;
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++)
            assert_true(ask(&machine, &answers, "PATH=/usr/bin", hv_arena_format(&arena, "tool%d", i).ptr));
        assert_true(round == 0 || machine.looks == looks);
        looks = machine.looks;
    }
    system_answers_release(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_program_of_a_name_counts),
        cmocka_unit_test(a_program_is_where_path_has_it),
        cmocka_unit_test(what_is_started_is_the_first_of_the_machine),
        cmocka_unit_test(an_answer_is_remembered_for_its_place_alone),
        cmocka_unit_test(many_names_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
