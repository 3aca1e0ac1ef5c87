/* test_web_state.c: what the tools for the web remember in a session, on a clock of the test's own. */
#include "tools/web_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "harness.h"

struct web {
    struct session session;
    struct hv_host host;
};

static uint64_t clock_of_test;

static uint64_t test_clock(const struct hv_host *host)
{
    (void)host;
    return clock_of_test;
}

static int open_web(void **state)
{
    static struct web web;
    session_open(&web.session);
    web.host = *web.session.context.host;
    web.host.monotonic_ns = test_clock;
    web.session.context.host = &web.host;
    clock_of_test = 1000 * CLOCK_SECOND;
    *state = &web;
    return 0;
}

static int close_web(void **state)
{
    session_close(&((struct web *)*state)->session);
    return 0;
}

static struct hv_context *context_of(void **state)
{
    return &((struct web *)*state)->session.context;
}

static void answers_are_fresh_for_a_quarter_of_an_hour(void **state)
{
    struct hv_context *context = context_of(state);
    struct web_kept kept = {0};
    assert_false(web_cache_find(context, HV_STR("http://e.org/"), context->arena, &kept));
    web_cache_keep(context, HV_STR("http://e.org/"), HV_STR("ETag: 1\n"), HV_STR("body"));
    clock_of_test += 899 * CLOCK_SECOND;
    assert_true(web_cache_find(context, HV_STR("http://e.org/"), context->arena, &kept) && kept.fresh);
    assert_true(hv_str_is(kept.body, "body") && hv_str_is(web_header(kept.headers, "etag"), "1"));
    assert_false(web_cache_find(context, HV_STR("http://e.org/x"), context->arena, &kept));
    clock_of_test += 2 * CLOCK_SECOND;
    /* It stays, to be asked for by its tag. */
    assert_true(web_cache_find(context, HV_STR("http://e.org/"), context->arena, &kept) && !kept.fresh);
    web_cache_keep(context, HV_STR("http://e.org/"), HV_STR(""), HV_STR("newer"));
    assert_true(web_cache_find(context, HV_STR("http://e.org/"), context->arena, &kept) && kept.fresh);
    assert_true(hv_str_is(kept.body, "newer"));
}

static void the_oldest_answers_make_room(void **state)
{
    struct hv_context *context = context_of(state);
    CLEANUP_BUF struct hv_buf large = {.max = 16 << 20};
    struct web_kept kept;
    char key[20];
    assert_true(hv_buf_reserve(&large, 15 << 20));
    memset(large.data, 'x', 15 << 20);
    large.len = 15 << 20;
    for (int i = 0; i < 70; i++) {
        snprintf(key, sizeof key, "small %d", i);
        web_cache_keep(context, hv_str_from(key), HV_STR(""), HV_STR("b"));
    }
    assert_false(web_cache_find(context, HV_STR("small 5"), context->arena, &kept));
    assert_true(web_cache_find(context, HV_STR("small 69"), context->arena, &kept));
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "large %d", i);
        web_cache_keep(context, hv_str_from(key), HV_STR(""), hv_buf_str(&large));
    }
    assert_false(web_cache_find(context, HV_STR("small 69"), context->arena, &kept));
    assert_false(web_cache_find(context, HV_STR("large 0"), context->arena, &kept));
    assert_true(web_cache_find(context, HV_STR("large 2"), context->arena, &kept));
}

static void a_host_is_asked_twenty_times_then_every_other_second(void **state)
{
    struct hv_context *context = context_of(state);
    struct hv_error err;
    for (int i = 0; i < 20; i++)
        assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test, &err), HV_OK);
    assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test + CLOCK_SECOND, &err), HV_EAGAIN);
    assert_non_null(strstr(err.message, "e.org"));
    clock_of_test -= 1; /* it was read before another call took its turn */
    assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test + CLOCK_SECOND, &err), HV_EAGAIN);
    clock_of_test += 1;
    assert_int_equal(web_wait_turn(context, HV_STR("other.org"), clock_of_test, &err), HV_OK);
    clock_of_test += 2 * CLOCK_SECOND;
    assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test, &err), HV_OK);
    assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test, &err), HV_EAGAIN);
    clock_of_test += 3600 * CLOCK_SECOND; /* no more is saved up than a burst */
    for (int i = 0; i < 20; i++)
        assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test, &err), HV_OK);
    assert_int_equal(web_wait_turn(context, HV_STR("e.org"), clock_of_test, &err), HV_EAGAIN);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_fresh_for_a_quarter_of_an_hour, open_web, close_web),
        cmocka_unit_test_setup_teardown(the_oldest_answers_make_room, open_web, close_web),
        cmocka_unit_test_setup_teardown(a_host_is_asked_twenty_times_then_every_other_second, open_web, close_web),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
