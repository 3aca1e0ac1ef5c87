/*
 * trust.c: `helve trust`, and the question that is asked once: may this folder's own settings loosen anything? Until
 * then only what they deny or ask for counts.
 */
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "policy/visible.h"

enum { CHANGES_MAX = 256 << 10 };

struct trust_flags {
    struct hv_str directory;
    bool check;
};

static const struct option trust_options[] = {
    {"cwd", 0, OPTION_TEXT, offsetof(struct trust_flags, directory), "DIR", "this directory's project"},
    {"check", 0, OPTION_FLAG, offsetof(struct trust_flags, check), NULL,
     "only tell; exit 1 when the folder has settings that are not trusted"},
    {0},
};

static const char *state_text(enum settings_trust trust)
{
    switch (trust) {
    case SETTINGS_TRUSTED: return "trusted";
    case SETTINGS_UNTRUSTED: return "not trusted: only what its settings deny or ask for counts";
    case SETTINGS_TRUST_NOT_NEEDED: break;
    }
    return "has no settings of its own";
}

/* Their text is the project's: nothing of it reaches the terminal as it is. */
static void add_changes(const struct setup *setup, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, CHANGES_MAX);
    settings_trust_changes(&setup->settings_options, &text);
    hv_buf_addf(out, "What changed since this folder was trusted:\n");
    visible_add_lines(out, hv_buf_str(&text));
}

static int run(const struct cli_call *call)
{
    const struct trust_flags *flags = call->options;
    struct setup setup = {0};
    struct hv_error err;
    struct setup_options options = {.directory = flags->directory};
    enum hv_code code = setup_open(&setup, &options, &err);
    int status = CLI_OK;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, 8 * CHANGES_MAX);
    if (code == HV_OK && setup.settings->trust_changed)
        add_changes(&setup, &out);
    if (code == HV_OK && !flags->check)
        code = settings_trust_folder(&setup.settings_options, &err);
    if (code != HV_OK) {
        status = cli_fail(&err);
    } else {
        enum settings_trust trust = settings_trust_state(&setup.settings_options);
        visible_add(&out, setup.settings->project);
        hv_buf_addf(&out, ": %s\n", state_text(trust));
        status = cli_print(&out, flags->check && trust == SETTINGS_UNTRUSTED ? CLI_FAILED : CLI_OK);
    }
    setup_release(&setup);
    return status;
}

const struct cli_command cli_trust_command = {
    .name = "trust",
    .arguments = "",
    .summary = "let this folder's own settings allow and run things from now on",
    .text =
        "A project's settings (.helve/, .claude/) may tighten at once, but allow, run or redirect nothing before the\n"
        "folder is trusted. Look at them first. --trust on other commands trusts for one run.\n\n"
        "Examples:\n  helve trust --check\n  helve trust",
    .options = trust_options,
    .options_size = sizeof(struct trust_flags),
    .run = run,
};

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static enum hv_code reload(struct setup *setup, struct hv_error *err)
{
    struct settings *fresh;
    enum hv_code code = settings_load(&setup->settings_options, &fresh, err);
    if (code != HV_OK)
        return code;
    settings_unref(setup->settings);
    setup->settings = fresh;
    return HV_OK;
}

static bool is_yes(struct hv_str word)
{
    return hv_str_eq_nocase(word, HV_STR("y")) || hv_str_eq_nocase(word, HV_STR("yes"));
}

/* The person's word for a question that was just written. */
static struct hv_str ask_word(struct hv_buf *answer)
{
    cli_drop_typed();
    cli_write(STDERR_FILENO, HV_STR("  > "));
    return cli_read_line(NULL, answer) ? hv_str_trim(hv_buf_str(answer)) : (struct hv_str){0};
}

enum hv_code cli_check_guards(const struct setup *setup, bool may_ask, struct hv_error *err)
{
    for (size_t i = 0; i < setup->settings->problem_count; i++) {
        const struct settings_problem *problem = &setup->settings->problems[i];
        CLEANUP_BUF struct hv_buf text = {0}, answer = {0};
        if (problem->kind != SETTINGS_UNGUARDED)
            continue;
        hv_buf_init(&text, 64 << 10);
        hv_buf_init(&answer, 4096);
        settings_problem_write(problem, &text);
        struct hv_str what = hv_str_trim(hv_buf_str(&text));
        if (!may_ask) {
            hv_fail(err, HV_EINVAL, "%.*s", HV_STR_ARG(what));
            hv_error_hint(err,
                          "helve does not start without a guard that was meant: mend the name, or take the hook out");
            return HV_EINVAL;
        }
        cli_note("%.*s\n  Go on without these hooks?  [y] yes  [n] no", HV_STR_ARG(what));
        if (!is_yes(ask_word(&answer)))
            return hv_fail(err, HV_ECANCELLED, "not started: hooks that never run");
    }
    return HV_OK;
}

enum hv_code cli_ask_trust(struct setup *setup, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf answer = {0};
    hv_buf_init(&answer, 4096);
    if (setup->settings->trust != SETTINGS_UNTRUSTED || !cli_can_ask())
        return cli_check_guards(setup, cli_can_ask(), err);
    if (setup->settings->trust_changed) {
        CLEANUP_BUF struct hv_buf changes = {0};
        hv_buf_init(&changes, 8 * CHANGES_MAX);
        add_changes(setup, &changes);
        cli_write(STDERR_FILENO, hv_buf_str(&changes));
    }
    CLEANUP_BUF struct hv_buf list = {.max = CHANGES_MAX};
    cli_list_what_trust_allows(setup, &list);
    if (list.len) {
        cli_note("what %.*s brings along:", HV_STR_ARG(setup->settings->project));
        cli_write(STDERR_FILENO, hv_buf_str(&list));
    }
    cli_note("%.*s has settings of its own (.helve/ or .claude/).\n"
             "  Trusted, they may allow calls, run hooks and choose servers; else only what they deny or ask counts.\n"
             "  Trust them?  [y] from now on  [o] this once  [n] no",
             HV_STR_ARG(setup->settings->project));
    struct hv_str word = ask_word(&answer);
    bool always = is_yes(word);
    bool once = hv_str_eq_nocase(word, HV_STR("o")) || hv_str_eq_nocase(word, HV_STR("once"));
    if (!always && !once)
        return cli_check_guards(setup, true, err);
    enum hv_code code = always ? settings_trust_folder(&setup->settings_options, err) : HV_OK;
    if (code != HV_OK)
        return code;
    setup->settings_options.trust_this_run = true;
    code = reload(setup, err);
    return code == HV_OK ? cli_check_guards(setup, true, err) : code;
}
