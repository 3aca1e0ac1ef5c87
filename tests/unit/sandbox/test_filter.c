/* test_filter.c: the system-call filters that were made when helve was built. */
#include "sandbox/filter_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_what_was_built_in_is_what_is_made_on_this_machine(void **state)
{
    (void)state;
    struct hv_str seen[4];
    struct hv_arena arena = {0};
    for (int i = 0; i < 4; i++) {
        struct sandbox_filter_options options = {.unix_sockets = i / 2, .no_internet = i % 2};
        struct hv_error err;
        struct hv_str made;
        assert_int_equal(filter_make(&arena, &options, &made, &err), HV_OK);
        assert_int_equal(sandbox_filter_build(&arena, &options, &seen[i], &err), HV_OK);
        assert_true(hv_str_eq(made, seen[i]));
        assert_true(seen[i].len % 16 == 0 && seen[i].len > 16 * 100); /* eight bytes an instruction */
        for (int j = 0; j < i; j++)
            assert_false(hv_str_eq(seen[i], seen[j]));
    }
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_built_in_is_what_is_made_on_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
