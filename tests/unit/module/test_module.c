/* test_module.c: loading modules: one that is fine, and every way in which one is refused. */
#include "module/module.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, MODULE_FOLDER "/%s.so", name);
    return path;
}

static void a_module_is_loaded_and_gives_its_functions(void **state)
{
    (void)state;
    const struct hv_module *module, *again;
    struct hv_error err;
    if (module_load_file(path_of("sample_fine"), &module, &err))
        fail_msg("%s", err.message);
    assert_string_equal(module->name, "sample");
    assert_int_equal(*(const int *)module->functions, 42);
    assert_int_equal(module_load_file(path_of("sample_fine"), &again, &err), HV_OK);
    assert_ptr_equal(module, again);
}

struct refused {
    const char *name;
    enum hv_code code;
    const char *message;
};

static void what_is_no_module_of_ours_is_refused(void **state)
{
    (void)state;
    static const struct refused cases[] = {
        {"sample_other_abi", HV_EUNSUPPORTED, "version 2 of the module interface"},
        {"sample_no_name", HV_EUNSUPPORTED, "is not a module of helve"},
        {"sample_no_entry", HV_EUNSUPPORTED, "is not a module of helve"},
        {"sample_nowhere", HV_ENOTFOUND, "cannot find"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hv_module *module = NULL;
        struct hv_error err;
        assert_int_equal(module_load_file(path_of(cases[i].name), &module, &err), cases[i].code);
        assert_non_null(strstr(err.message, cases[i].message));
        assert_null(module);
    }
}

static void relative_paths_and_directories_are_refused(void **state)
{
    (void)state;
    const struct hv_module *module;
    struct hv_error err;
    assert_int_equal(module_load_file("sample_fine.so", &module, &err), HV_EINVAL);
    assert_int_equal(module_load_file(MODULE_FOLDER, &module, &err), HV_EINVAL);
}

static void make_file(char path[64], const char *text, mode_t mode)
{
    snprintf(path, 64, "/tmp/helve-module-XXXXXX");
    CLEANUP_FD int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
}

static void a_file_that_others_may_write_is_refused_unread(void **state)
{
    (void)state;
    char path[64];
    const struct hv_module *module;
    struct hv_error err;
    make_file(path, "", 0666);
    assert_int_equal(module_load_file(path, &module, &err), HV_EACCES);
    assert_non_null(strstr(err.hint, "chmod o-w"));
    unlink(path);
}

static void a_file_that_is_no_shared_object_says_why(void **state)
{
    (void)state;
    char path[64];
    const struct hv_module *module;
    struct hv_error err;
    make_file(path, "this is text", 0600);
    assert_int_equal(module_load_file(path, &module, &err), HV_EUNSUPPORTED);
    assert_non_null(strstr(err.message, path));
    unlink(path);
}

static void parts_are_found_in_the_build_tree(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    char *path = NULL;
    struct hv_error err;
    if (module_find(&arena, "sample_fine.so", MODULE_PLACE "/sample_fine.so", &path, &err))
        fail_msg("%s", err.message);
    assert_string_equal(path, path_of("sample_fine"));
    path = NULL;
    assert_int_equal(module_find(&arena, "nothing.so", "src/nothing/nothing.so", &path, &err), HV_ENOTFOUND);
    assert_null(path);
    assert_non_null(strstr(err.hint, "make install"));
    const void *functions;
    assert_int_equal(module_load("nothing", "libnothing1", &functions, &err), HV_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_loaded_and_gives_its_functions),
        cmocka_unit_test(what_is_no_module_of_ours_is_refused),
        cmocka_unit_test(relative_paths_and_directories_are_refused),
        cmocka_unit_test(a_file_that_others_may_write_is_refused_unread),
        cmocka_unit_test(a_file_that_is_no_shared_object_says_why),
        cmocka_unit_test(parts_are_found_in_the_build_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
