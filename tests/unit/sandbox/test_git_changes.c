/* test_git_changes.c: what a sandboxed command may change of a configuration of
 * git. */
#include "sandbox/git_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CORE "[core]\n\tbare = false\n\thooksPath = mine\n"
#define ORIGIN "[remote \"origin\"]\n\turl = https://a/b\n"

static const struct {
    const char *before, *after;
    const char *names; /* NULL: harmless */
} cases[] = {
    {CORE, CORE, NULL},
    {CORE, CORE ORIGIN "\tfetch = +refs/heads/*:refs/remotes/origin/*\n", NULL},
    {CORE,
     ORIGIN CORE "[branch \"a.b\"]\n\tremote = origin\n\tmerge = "
                 "refs/heads/x\n[user]\n\tname = \"Me; #1\"\n",
     NULL},
    {CORE ORIGIN, CORE ORIGIN "# a remark\n[USER]\nEMAIL=a@b\n", NULL},
    {"[a]\n\tb\n", "[a]\n\tb\n[user]\n\tname = x\n", NULL},
    {CORE, "[core]\n\tbare = true\n\thooksPath = mine\n", NULL},
    {CORE, CORE "[core]\n\tfsmonitor = x\n", "core.fsmonitor"},
    {CORE, "[core]\n\tbare = false\n", "core.hooksPath"},
    {CORE, "[core]\n\tbare = false\n\thooksPath = other\n", "core.hooksPath, core.hooksPath"},
    {CORE, CORE "[alias]\n\tst = status\n[filter \"x\"]\n\tclean = y\n", "alias.st, filter.x.clean"},
    {CORE, CORE "[core \"x\"]\n\tbare = y\n", "core.x.bare"},
    {CORE, CORE "[remote.origin]\n\turl = x\n", "remote.origin.url"},
    {CORE, CORE "[remote \"origin\"]\n\turl = ext::sh -c x\n", "remote.origin.url"},
    {CORE, CORE "[remote \"origin\"]\n\turl = --upload-pack=x\n", "remote.origin.url"},
    {CORE, CORE "[remote \"origin\"]\n\tuploadpack = x\n", "remote.origin.uploadpack"},
    {CORE ORIGIN, CORE "[remote \"origin\"]\n\turl = https://evil\n", "remote.origin.url, remote.origin.url"},
    {CORE ORIGIN, CORE ORIGIN "\tpushurl = https://evil\n", "remote.origin.pushurl"},
    {"[a]\n\tb = 1\n\tc = 2\n", "[a]\n\tc = 2\n\tb = 1\n", "the order of variables"},
    {"[a]\n\tb = 1\n", "[a]\n\tb = 1\n\tb = 1\n", "the order of variables"},
    {CORE, CORE "[user]\n\tname = \"x\n", "text that git may read in another way"},
    {CORE, CORE "[user]\n\tname = x", "text that git may read in another way"},
    {CORE, CORE "[user]\r\n\tname = x\r\n", "text that git may read in another way"},
    {CORE, CORE "]\n[core]\n\tfsmonitor = x\n", "text that git may read in another way"},
};

static const struct {
    const char *before, *after;
    const char *kept; /* NULL: nothing of it */
} mixtures[] = {
    {CORE, CORE "[alias]\n\tx = !y\n" ORIGIN, CORE "[alias]\n" ORIGIN},
    {CORE, "[core]\n\tbare = true\n\tfsmonitor = a \\\n b ; c\n\thooksPath = mine\n",
     "[core]\n\tbare = true\n\thooksPath = mine\n"},
    {CORE, "[core]\n\tbare = true\n\thooksPath = other # why\n", "[core]\n\tbare = true\n\thooksPath = mine\n"},
    {CORE ORIGIN, CORE "[remote \"origin\"]\n\turl = https://evil\n[user]\n\tname = x\n",
     CORE ORIGIN "[user]\n\tname = x\n"},
    {CORE, CORE "[user] name = x\n[alias] y = !z\n", CORE "[user] name = x\n[alias] \n"},
    {CORE, CORE "[user]\n\tname = x\n[alias \"b\"]\n\ty\n", CORE "[user]\n\tname = x\n[alias \"b\"]\n"},
    {CORE, CORE "[alias]\n\tx = !y\n", NULL},                              /* nothing else */
    {CORE, "[core]\n\tbare = true\n", NULL},                               /* removed */
    {CORE "[a]\n\tb = 1\n", "[a]\n\tb = 1\n" CORE ORIGIN, NULL},           /* moved */
    {CORE, CORE "]\n[core]\n\tfsmonitor = x\n[user]\n\tname = x\n", NULL}, /* read in another way */
    {"[core\n", CORE ORIGIN "[alias]\n\tx = !y\n", NULL},
};

static void harmless_changes_beside_others_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
        struct hv_arena arena = {0};
        struct hv_str kept = git_changes_kept(hv_str_from(mixtures[i].before), hv_str_from(mixtures[i].after), &arena);
        if (!kept.ptr != !mixtures[i].kept || (kept.ptr && !hv_str_is(kept, mixtures[i].kept)))
            fail_msg("mixture %zu: \"%.*s\"", i, HV_STR_ARG(kept));
        hv_arena_release(&arena);
    }
}

static void only_what_is_harmless_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_arena arena = {0};
        struct hv_str names = {0};
        bool harmless =
            git_changes_are_harmless(hv_str_from(cases[i].before), hv_str_from(cases[i].after), &arena, &names);
        if (harmless != !cases[i].names || (!harmless && !hv_str_is(names, cases[i].names)))
            fail_msg("case %zu: %d, \"%.*s\"", i, harmless, HV_STR_ARG(names));
        hv_arena_release(&arena);
    }
}

static void a_text_with_a_zero_in_it_is_refused(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct hv_str names = {0};
    assert_false(git_changes_are_harmless(HV_STR(CORE), HV_STR(CORE "\0[core]\n\tfsmonitor = x\n"), &arena, &names));
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_harmless_is_taken),
        cmocka_unit_test(harmless_changes_beside_others_are_kept),
        cmocka_unit_test(a_text_with_a_zero_in_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
