/* agent_test.h: a small machine in a temporary directory for the tests of the agent. Included by one program each. */
#ifndef TESTS_AGENT_TEST_H
#define TESTS_AGENT_TEST_H

#include <helve/host.h>

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"

#include <cmocka.h>

struct place {
    char top[64];
    struct hv_arena arena;
};

static inline struct hv_str place_path(struct place *place, const char *name)
{
    return path_expand(&place->arena, hv_str_from(name), hv_str_from(place->top), (struct hv_str){0});
}

static inline void place_directory(struct place *place, const char *name)
{
    struct hv_error err;
    if (hv_host_local()->make_directories(hv_host_local(), place_path(place, name), &err) != HV_OK)
        fail_msg("%s: %s", name, err.message);
}

static inline void place_file(struct place *place, const char *name, const char *text)
{
    struct hv_error err;
    struct hv_write_options how = {.make_parents = true};
    const struct hv_host *host = hv_host_local();
    if (host->write(host, place_path(place, name), hv_str_from(text), &how, NULL, &err) != HV_OK)
        fail_msg("%s: %s", name, err.message);
}

static inline void place_link(struct place *place, const char *target, const char *name)
{
    assert_int_equal(symlink(target, hv_arena_cstr(&place->arena, place_path(place, name))), 0);
}

static inline int place_forget(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static inline int place_open(void **state)
{
    static struct place place;
    place = (struct place){.top = "/tmp/helve-agent-XXXXXX"};
    *state = &place;
    return mkdtemp(place.top) ? 0 : -1;
}

static inline int place_close(void **state)
{
    struct place *place = *state;
    hv_arena_release(&place->arena);
    return nftw(place->top, place_forget, 16, FTW_DEPTH | FTW_PHYS);
}

#define PLACE_TEST(function) cmocka_unit_test_setup_teardown(function, place_open, place_close)

#endif
