/* test_file_types.c: the names of kinds of files, against ripgrep's where that is installed. */
#include "base/cleanup.h"
#include "tools/file_types.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static bool is_of(const char *type, const char *name)
{
    const struct file_type *known = file_type_named(hv_str_from(type));
    return known && file_type_matches(known, hv_str_from(name));
}

static void types_know_their_files(void **state)
{
    (void)state;
    assert_true(is_of("c", "a.c") && is_of("c", "a.h") && is_of("C", "a.h.in"));
    assert_true(is_of("make", "Makefile") && is_of("make", "GNUmakefile") && is_of("makefile", "x.mk"));
    assert_true(is_of("py", "x.py") && is_of("python", "x.pyi") && is_of("rs", "x.rs"));
    assert_false(is_of("c", "a.cpp") || is_of("py", "x.pyc") || is_of("make", "Make"));
    assert_null(file_type_named(HV_STR("no-such-type")));
    assert_null(file_type_named(HV_STR("")));
}

/* What a later ripgrep knows than the one that is likely to be installed. */
static void types_of_ripgrep_15_are_known(void **state)
{
    static const char *const files[][2] = {
        {"alire", "alire.toml"},
        {"asp", "x.asp"},
        {"bazel", "WORKSPACE.bzlmod"},
        {"bazel", "WORKSPACE.bazel"},
        {"boxlang", "x.bxm"},
        {"cfml", "x.cfc"},
        {"cmd", "x.bat"},
        {"cml", "x.cml"},
        {"crystal", "shard.yml"},
        {"csproj", "x.csproj"},
        {"devicetree", "x.dtso"},
        {"dita", "x.ditamap"},
        {"ebuild", "x.eclass"},
        {"fut", "x.fut"},
        {"gdscript", "x.gd"},
        {"gleam", "x.gleam"},
        {"gprbuild", "x.gpr"},
        {"gradle", "gradlew"},
        {"gradle", "gradle-wrapper.jar"},
        {"kconfig", "Kconfig.debug"},
        {"lean", "x.lean"},
        {"llvm", "x.ll"},
        {"msbuild", "x.sln"},
        {"qrc", "x.qrc"},
        {"qui", "x.ui"},
        {"raku", "x.rakumod"},
        {"ruby", "x.rake"},
        {"scdoc", "x.scd"},
        {"seed7", "x.s7i"},
        {"sh", ".env"},
        {"tf", "terraform.rc"},
        {"tf", ".terraform.lock.hcl"},
        {"usd", "x.usda"},
        {"v", "x.vsh"},
        {"vim", "_vimrc"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!is_of(files[i][0], files[i][1]))
            fail_msg("%s is %s to ripgrep", files[i][1], files[i][0]);
    assert_false(is_of("cpp", "x.c.in") || is_of("kconfig", "Kconfigs") || is_of("alire", "x.toml"));
}

static void a_wrong_name_has_a_near_one(void **state)
{
    (void)state;
    assert_true(hv_str_is(file_type_nearest(HV_STR("pyhton")), "python"));
    assert_int_equal(file_type_nearest(HV_STR("qqqqqqqqqqqq")).len, 0);
}

/* One line of `rg --type-list`: "name: pattern, pattern". */
static void check_line(struct hv_str line)
{
    size_t colon = hv_str_find(line, HV_STR(": "), 0);
    assert_true(colon != SIZE_MAX);
    struct hv_str name = hv_str_slice(line, 0, colon), rest = hv_str_slice(line, colon + 2, line.len), pattern;
    const struct file_type *type = file_type_named(name);
    if (!type)
        fail_msg("ripgrep knows the type %.*s", HV_STR_ARG(name));
    while (hv_str_split(&rest, ',', &pattern)) {
        char file[256];
        pattern = hv_str_trim(pattern);
        if (!hv_str_starts(pattern, HV_STR("*.")) || strcspn(pattern.ptr + 1, "*?[{") < pattern.len - 1)
            continue;
        snprintf(file, sizeof file, "x%.*s", HV_STR_ARG(hv_str_slice(pattern, 1, pattern.len)));
        if (!file_type_matches(type, hv_str_from(file)))
            fail_msg("%s is %.*s to ripgrep", file, HV_STR_ARG(name));
    }
}

/* What `rg --type-list` says; nothing where there is no ripgrep. */
static void read_list(struct hv_buf *out)
{
    int ends[2], status;
    pid_t child;
    ssize_t got;
    char program[] = "rg", first[] = "--no-config", second[] = "--type-list";
    char *arguments[] = {program, first, second, NULL}, *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    bool started = posix_spawnp(&child, "rg", &actions, NULL, arguments, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (started && (got = read(ends[0], hv_buf_reserve(out, 4096), 4096)) > 0)
        hv_buf_commit(out, (size_t)got);
    close(ends[0]);
    if (started)
        waitpid(child, &status, 0);
}

static void ripgreps_types_are_known(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf list = {.max = 1 << 20};
    struct hv_str rest, line;
    read_list(&list);
    if (!list.len)
        print_message("ripgrep is not installed: its list of types was not compared\n");
    for (rest = hv_buf_str(&list); hv_str_split(&rest, '\n', &line);)
        if (line.len)
            check_line(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_know_their_files),
        cmocka_unit_test(types_of_ripgrep_15_are_known),
        cmocka_unit_test(a_wrong_name_has_a_near_one),
        cmocka_unit_test(ripgreps_types_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
