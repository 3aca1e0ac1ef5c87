/*
 * world.h: a small machine in a temporary directory for the tests of settings: a home, a project with `.git`, a managed
 * file. Included by one test program each.
 */
#ifndef TESTS_CONFIG_WORLD_H
#define TESTS_CONFIG_WORLD_H

#include "base/cleanup.h"
#include "base/path.h"
#include "config/settings.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct world {
    char top[64];
    struct hv_arena arena;
    struct settings_options options;
    struct settings *settings; /* the last that was loaded */
    struct hv_error err;
};

static inline struct hv_str world_path(struct world *world, const char *name)
{
    return path_expand(&world->arena, hv_str_from(name), hv_str_from(world->top), (struct hv_str){0});
}

static inline void world_directory(struct world *world, const char *name)
{
    assert_int_equal(hv_host_local()->make_directories(hv_host_local(), world_path(world, name), &world->err), HV_OK);
}

static inline void world_bytes(struct world *world, const char *name, struct hv_str bytes)
{
    struct hv_write_options how = {.make_parents = true};
    if (hv_host_local()->write(hv_host_local(), world_path(world, name), bytes, &how, NULL, &world->err) != HV_OK)
        fail_msg("%s: %s", name, world->err.message);
}

static inline void world_file(struct world *world, const char *name, const char *text)
{
    world_bytes(world, name, hv_str_from(text));
}

/* The bytes of a file, in the world's arena; absent when it does not exist. */
static inline struct hv_str world_read(struct world *world, const char *name)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, 1 << 22);
    if (hv_host_local()->read(hv_host_local(), world_path(world, name), 0, 1 << 22, &bytes, NULL, NULL) != HV_OK)
        return (struct hv_str){0};
    return hv_arena_str(&world->arena, hv_buf_str(&bytes));
}

static inline int world_setup(void **state)
{
    struct world *world = hv_calloc(1, sizeof *world);
    snprintf(world->top, sizeof world->top, "%s", "/tmp/helve-test-config-XXXXXX");
    if (!mkdtemp(world->top))
        return -1;
    *state = world;
    world_directory(world, "project/.git");
    world_directory(world, "home");
    world->options = (struct settings_options){
        .host = hv_host_local(),
        .directory = world_path(world, "project"),
        .home = world_path(world, "home"),
        .managed_file = world_path(world, "etc/settings.json"),
    };
    return 0;
}

static inline int world_remove(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static inline int world_teardown(void **state)
{
    struct world *world = *state;
    settings_unref(world->settings);
    nftw(world->top, world_remove, 8, FTW_DEPTH | FTW_PHYS);
    hv_arena_release(&world->arena);
    free(world);
    return 0;
}

static inline const struct settings *world_load(struct world *world)
{
    settings_unref(world->settings);
    world->settings = NULL;
    if (settings_load(&world->options, &world->settings, &world->err) != HV_OK)
        fail_msg("settings_load: %s", world->err.message);
    return world->settings;
}

static inline void assert_str(struct hv_str actual, const char *expected)
{
    if (!hv_str_is(actual, expected))
        fail_msg("expected \"%s\", found \"%.*s\"", expected, HV_STR_ARG(actual));
}

static inline void assert_holds(struct hv_str actual, const char *part)
{
    if (hv_str_find(actual, hv_str_from(part), 0) == SIZE_MAX)
        fail_msg("\"%.*s\" does not hold \"%s\"", HV_STR_ARG(actual), part);
}

static inline const struct settings_rule *world_rule(const struct settings *settings, const char *text)
{
    for (size_t i = 0; i < settings->rule_count; i++)
        if (hv_str_is(settings->rules[i].text, text))
            return &settings->rules[i];
    return NULL;
}

/* The first problem whose message holds part; fails when there is none. */
static inline const struct settings_problem *world_problem(const struct settings *settings, const char *part)
{
    for (size_t i = 0; i < settings->problem_count; i++)
        if (hv_str_find(settings->problems[i].message, hv_str_from(part), 0) != SIZE_MAX)
            return &settings->problems[i];
    for (size_t i = 0; i < settings->problem_count; i++)
        print_message("# problem: %.*s\n", HV_STR_ARG(settings->problems[i].message));
    fail_msg("no problem says \"%s\"", part);
    return NULL;
}

static inline void assert_no_problems(const struct settings *settings)
{
    if (settings->problem_count)
        fail_msg("unexpected: %.*s", HV_STR_ARG(settings->problems[0].message));
}

#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)

#endif
