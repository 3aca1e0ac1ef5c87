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
        hv_buf_addf(&out, "%.*s: %s\n", HV_STR_ARG(setup.settings->project), state_text(trust));
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

enum hv_code cli_ask_trust(struct setup *setup, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf answer = {0};
    hv_buf_init(&answer, 4096);
    if (setup->settings->trust != SETTINGS_UNTRUSTED || !cli_can_ask())
        return HV_OK;
    if (setup->settings->trust_changed) {
        CLEANUP_BUF struct hv_buf changes = {0};
        hv_buf_init(&changes, 8 * CHANGES_MAX);
        add_changes(setup, &changes);
        cli_write(STDERR_FILENO, hv_buf_str(&changes));
    }
    cli_note("%.*s has settings of its own (.helve/ or .claude/).\n"
             "  Trusted, they may allow calls, run hooks and choose servers; else only what they deny or ask counts.\n"
             "  Trust them?  [y] from now on  [o] this once  [n] no",
             HV_STR_ARG(setup->settings->project));
    cli_write(STDERR_FILENO, HV_STR("  > "));
    if (!cli_read_line(NULL, &answer))
        return HV_OK;
    struct hv_str word = hv_str_trim(hv_buf_str(&answer));
    bool always = hv_str_eq_nocase(word, HV_STR("y")) || hv_str_eq_nocase(word, HV_STR("yes"));
    bool once = hv_str_eq_nocase(word, HV_STR("o")) || hv_str_eq_nocase(word, HV_STR("once"));
    if (!always && !once)
        return HV_OK;
    enum hv_code code = always ? settings_trust_folder(&setup->settings_options, err) : HV_OK;
    if (code != HV_OK)
        return code;
    setup->settings_options.trust_this_run = true;
    return reload(setup, err);
}
