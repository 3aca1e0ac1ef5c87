/*
 * ask.c: asks the person at the terminal for permission: once, for this session, always (the rule is saved), or no.
 * Runs on a worker; the runtime asks one question at a time.
 */
#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "text/ansi.h"
#include "text/diff_words.h"

enum { LINE_MAX_BYTES = 4096, TEXT_MAX = 256 << 10, REASON_MAX = 4 << 10 };

bool cli_can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

void cli_drop_typed(void)
{
    if (isatty(STDIN_FILENO))
        tcflush(STDIN_FILENO, TCIFLUSH);
}

bool cli_read_line(const struct hv_cancel *cancel, struct hv_buf *line)
{
    for (;;) {
        char c;
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = hv_cancel_fd(cancel), .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (hv_cancelled(cancel))
            return false;
        if (!fds[0].revents)
            continue;
        ssize_t got = read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        if (c == '\n')
            return true;
        hv_buf_add_byte(line, c);
    }
}

/* Every line behind a bar, so that none of what a model wrote looks like a line of ours. */
static void put_barred(struct hv_str text, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf clean = {0};
    struct hv_str rest, line;
    hv_buf_init(&clean, TEXT_MAX);
    ansi_clean(text, &clean); /* it must not steer the terminal */
    rest = hv_buf_str(&clean);
    while (hv_str_split(&rest, '\n', &line))
        hv_buf_addf(out, "  | %.*s\n", HV_STR_ARG(line));
}

/* The change that is asked for, painted where the terminal takes colours. */
static void put_preview(struct hv_str preview, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf clean = {0}, painted = {0};
    struct hv_str rest, line;
    hv_buf_init(&clean, TEXT_MAX);
    hv_buf_init(&painted, (size_t)TEXT_MAX * 4);
    ansi_clean(preview, &clean);
    rest = hv_buf_str(&clean);
    if (cli_has_colour(STDERR_FILENO)) {
        diff_paint(rest, &painted);
        rest = hv_buf_str(&painted);
    }
    while (rest.len && hv_str_split(&rest, '\n', &line))
        hv_buf_addf(out, "  | %.*s\n", HV_STR_ARG(line));
}

static void put_question(const struct runtime_question *question, struct hv_buf *out)
{
    const struct policy_decision *decision = question->decision;
    hv_buf_addf(out, "\nhelve: may this be done? %.*s\n", HV_STR_ARG(question->tool));
    put_barred(question->text, out);
    put_preview(question->preview, out);
    if (decision->reason.len > 0)
        hv_buf_addf(out, "  why you are asked: %.*s\n", HV_STR_ARG(hv_str_slice(decision->reason, 0, REASON_MAX)));
    if (decision->proposal_count > 1 && !decision->always_confirm) {
        hv_buf_add_cstr(out, "  [y] once  [s] this session  [a] always: these rules are saved  [n] no\n");
        for (size_t i = 0; i < decision->proposal_count; i++)
            hv_buf_addf(out, "        %.*s\n", HV_STR_ARG(decision->proposals[i]));
    } else if (decision->proposal.len > 0 && !decision->always_confirm)
        hv_buf_addf(out, "  [y] once  [s] this session  [a] always: the rule %.*s is saved  [n] no\n",
                    HV_STR_ARG(decision->proposal));
    else
        hv_buf_add_cstr(out, "  [y] once  [n] no\n");
    hv_buf_add_cstr(out, "  (anything else means no, and is told to the model) > ");
}

/* The rules for the answer, the first of them apart. */
static void take_rules(const struct policy_decision *decision, struct hv_arena *arena, struct runtime_answer *answer)
{
    struct hv_str *rules = hv_arena_array(arena, struct hv_str, decision->proposal_count);
    for (size_t i = 0; i < decision->proposal_count; i++)
        rules[i] = hv_arena_str(arena, decision->proposals[i]);
    answer->rule = rules[0];
    answer->more_rules = rules + 1;
    answer->more_rule_count = decision->proposal_count - 1;
}

static void allow_for_longer(const struct setup *setup, const struct policy_decision *decision, bool always,
                             struct hv_arena *arena, struct runtime_answer *answer)
{
    struct hv_error err;
    take_rules(decision, arena, answer);
    answer->scope = always ? POLICY_LOCAL : POLICY_SESSION;
    if (!always)
        return;
    struct hv_str file = settings_file(&setup->settings_options, arena, SETTINGS_LOCAL);
    for (size_t i = 0; i < decision->proposal_count; i++) {
        if (settings_add_rule(&setup->settings_options, SETTINGS_LOCAL, HV_ALLOW, decision->proposals[i], &err) ==
            HV_OK)
            continue;
        cli_fail(&err);
        cli_note("what could not be saved holds for this session only");
        answer->scope = POLICY_SESSION;
        return;
    }
    cli_note("saved in %.*s", HV_STR_ARG(file));
    /* The file is the folder's only one, and this person's work: it needs no other trust to count next time. */
    if (setup->settings->trust == SETTINGS_TRUST_NOT_NEEDED &&
        settings_trust_folder(&setup->settings_options, &err) != HV_OK)
        cli_fail(&err);
    else if (setup->settings->trust == SETTINGS_UNTRUSTED)
        cli_note("it counts from now on only if you trust this folder: helve trust");
}

static bool is_word(struct hv_str line, const char *letter, const char *word)
{
    return hv_str_eq_nocase(line, hv_str_from(letter)) || hv_str_eq_nocase(line, hv_str_from(word));
}

void cli_ask(void *user, const struct runtime_question *question, const struct hv_cancel *cancel,
             struct hv_arena *arena, struct runtime_answer *answer)
{
    CLEANUP_BUF struct hv_buf text = {0}, line = {0};
    const struct policy_decision *decision = question->decision;
    bool may_keep = decision->proposal_count > 0 && !decision->always_confirm;
    hv_buf_init(&text, TEXT_MAX);
    hv_buf_init(&line, LINE_MAX_BYTES);
    put_question(question, &text);
    cli_drop_typed(); /* what was typed before the question was shown does not answer it */
    cli_write(STDERR_FILENO, hv_buf_str(&text));
    answer->verdict = HV_DENY;
    if (!cli_read_line(cancel, &line))
        return;
    struct hv_str word = hv_str_trim(hv_buf_str(&line));
    bool always = is_word(word, "a", "always"), session = is_word(word, "s", "session");
    if (is_word(word, "y", "yes") || (may_keep && (always || session)))
        answer->verdict = HV_ALLOW;
    else if (word.len > 0 && !is_word(word, "n", "no"))
        answer->message = hv_arena_str(arena, word);
    if (answer->verdict == HV_ALLOW && (always || session))
        allow_for_longer(user, decision, always, arena, answer);
}
