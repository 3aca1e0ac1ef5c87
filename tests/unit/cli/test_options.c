/* test_options.c: how flags are read, by a table of command lines. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

#include <cmocka.h>

struct inner {
    struct hv_str directory;
};

struct flags {
    bool print, verbose;
    struct hv_str model, resume;
    int64_t turns;
    double cost;
    int format;
    struct option_list dirs, rules;
    struct inner inner;
};

static const char *const formats[] = {"text", "json", "stream-json", NULL};

static const struct option inner_table[] = {
    {"cwd", 0, OPTION_TEXT, offsetof(struct inner, directory), "DIR", "work there"},
    {0},
};

static const struct option table[] = {
    {"print", 'p', OPTION_FLAG, offsetof(struct flags, print), NULL, "print"},
    {"verbose", 'v', OPTION_FLAG, offsetof(struct flags, verbose), NULL, "more"},
    {"model", 'm', OPTION_TEXT, offsetof(struct flags, model), "NAME", "the model"},
    {"resume", 'r', OPTION_TEXT, offsetof(struct flags, resume), "ID", "go on", .value_optional = true},
    {"max-turns", 0, OPTION_INTEGER, offsetof(struct flags, turns), "N", "limit", .minimum = 1},
    {"max-budget-usd", 0, OPTION_NUMBER, offsetof(struct flags, cost), "USD", "limit"},
    {"output-format", 0, OPTION_CHOICE, offsetof(struct flags, format), "FORMAT", "form", .choices = formats},
    {"add-dir", 0, OPTION_LIST, offsetof(struct flags, dirs), "DIR", "more"},
    {"allowed-tools", 0, OPTION_RULES, offsetof(struct flags, rules), "RULES", "rules"},
    {.type = OPTION_TABLE, .offset = offsetof(struct flags, inner), .table = inner_table},
    {0},
};

enum { ARGUMENTS_MAX = 16 };

/* What a command line means, in short: set members, then arguments in brackets; or "!" and the message. */
static void describe(const char *line, struct hv_buf *out)
{
    struct hv_arena arena = {0};
    char *arguments[ARGUMENTS_MAX];
    size_t count = 0;
    struct hv_str rest_of_line = hv_str_from(line), word;
    while (hv_str_split(&rest_of_line, '|', &word))
        arguments[count++] = hv_arena_cstr(&arena, word);
    struct flags flags = {0};
    struct options_rest rest;
    struct hv_error err;
    hv_buf_clear(out);
    if (options_parse(table, arguments, count, &arena, &flags, &rest, &err) != HV_OK) {
        hv_buf_addf(out, "! %s%s%s", err.message, err.hint[0] ? " / " : "", err.hint);
        hv_arena_release(&arena);
        return;
    }
    hv_buf_addf(out, "%s%s%s", rest.help ? "help " : "", flags.print ? "print " : "", flags.verbose ? "verbose " : "");
    if (flags.model.ptr)
        hv_buf_addf(out, "model=%.*s ", HV_STR_ARG(flags.model));
    if (flags.resume.ptr)
        hv_buf_addf(out, "resume=%.*s ", HV_STR_ARG(flags.resume));
    if (flags.turns)
        hv_buf_addf(out, "turns=%lld ", (long long)flags.turns);
    if (flags.cost > 0)
        hv_buf_addf(out, "cost=%g ", flags.cost);
    if (flags.format)
        hv_buf_addf(out, "format=%s ", formats[flags.format - 1]);
    for (size_t i = 0; i < flags.dirs.count; i++)
        hv_buf_addf(out, "dir=%.*s ", HV_STR_ARG(flags.dirs.items[i]));
    if (flags.rules.given)
        hv_buf_addf(out, "rules:%zu ", flags.rules.count);
    for (size_t i = 0; i < flags.rules.count; i++)
        hv_buf_addf(out, "<%.*s> ", HV_STR_ARG(flags.rules.items[i]));
    if (flags.inner.directory.ptr)
        hv_buf_addf(out, "cwd=%.*s ", HV_STR_ARG(flags.inner.directory));
    for (size_t i = 0; i < rest.count; i++)
        hv_buf_addf(out, "[%.*s]", HV_STR_ARG(rest.arguments[i]));
    hv_arena_release(&arena);
}

struct row {
    const char *line, *wanted;
};

static void expect_rows(const struct row *rows, size_t count)
{
    struct hv_buf out;
    hv_buf_init(&out, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        describe(rows[i].line, &out);
        if (!hv_str_is(hv_str_trim(hv_buf_str(&out)), rows[i].wanted))
            fail_msg("%s\nwanted: %s\ngot:    %s", rows[i].line, rows[i].wanted, out.data ? out.data : "");
    }
    hv_buf_release(&out);
}
#define EXPECT_ROWS(rows) expect_rows(rows, sizeof rows / sizeof *rows)

static void flags_are_read_in_every_way_of_writing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"-p|do it", "print [do it]"},
        {"do it|--print", "print [do it]"},
        {"-pv", "print verbose"},
        {"-pmx", "print model=x"},
        {"-m|x|-p", "print model=x"},
        {"--model|x", "model=x"},
        {"--model=x=y", "model=x=y"},
        {"--model=", "model="},
        {"--model|--print", "model=--print"},
        {"--maxTurns|3", "turns=3"},
        {"--max_turns=3", "turns=3"},
        {"--MAX-TURNS=3", "turns=3"},
        {"--max-budget-usd|0.5", "cost=0.5"},
        {"--output-format|streamJson", "format=stream-json"},
        {"--add-dir|a|--addDir=b", "dir=a dir=b"},
        {"--cwd|/x", "cwd=/x"},
        {"--|--print|-p", "[--print][-p]"},
        {"-", "[-]"},
        {"a||b", "[a][][b]"},
        {"--model|a|--model|b", "model=b"},
        {"", "[]"},
    };
    EXPECT_ROWS(rows);
}

static void an_optional_value_may_be_missing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--resume", "resume="},
        {"--resume|-p|x", "print resume= [x]"},
        {"--resume|abc|-p", "print resume=abc"},
        {"-r|abc", "resume=abc"},
    };
    EXPECT_ROWS(rows);
}

static void rules_are_split_outside_parentheses_and_go_on_as_long_as_they_are_rules(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--allowed-tools|Read,Edit", "rules:2 <Read> <Edit>"},
        {"--allowed-tools|Bash(git diff:*, x) Read", "rules:2 <Bash(git diff:*, x)> <Read>"},
        {"--allowedTools|Read|Edit|Bash(a b)|mcp__s__t|do it", "rules:4 <Read> <Edit> <Bash(a b)> <mcp__s__t> [do it]"},
        {"--allowed-tools|Read|fix|Edit", "rules:1 <Read> [fix][Edit]"},
        {"--allowed-tools|Read|-p", "print rules:1 <Read>"},
        {"--allowed-tools=Read|Edit", "rules:2 <Read> <Edit>"},
        {"--allowed-tools=", "rules:0"},
        {"--allowed-tools| , ,", "rules:0"},
        {"--allowed-tools|Bash(a(b) c)", "rules:1 <Bash(a(b) c)>"},
        {"--allowed-tools|Bash(open", "rules:1 <Bash(open>"},
    };
    EXPECT_ROWS(rows);
}

static void wrong_use_is_explained(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--modle|x", "! unknown flag --modle / did you mean --model?"},
        {"--modle=secret", "! unknown flag --modle / did you mean --model?"},
        {"-x", "! unknown flag -x"},
        {"-px", "! unknown flag -px"},
        {"--qqqqqqqqq", "! unknown flag --qqqqqqqqq"},
        {"--model", "! --model needs a value / write --model NAME"},
        {"--print=yes", "! --print takes no value"},
        {"--max-turns|x", "! --max-turns: expected a whole number, got \"x\""},
        {"--max-turns|0", "! --max-turns: 0 is too small, the least is 1"},
        {"--max-turns|99999999999999999999", "! --max-turns: expected a whole number, got \"99999999999999999999\""},
        {"--max-budget-usd|-1", "! --max-budget-usd: expected a number, got \"-1\""},
        {"--max-budget-usd|nan", "! --max-budget-usd: expected a number, got \"nan\""},
        {"--max-budget-usd|1x", "! --max-budget-usd: expected a number, got \"1x\""},
        {"--output-format|jsn",
         "! --output-format: expected text, json or stream-json, got \"jsn\" / did you mean json?"},
    };
    EXPECT_ROWS(rows);
}

static void help_wins_over_everything_before_two_dashes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--nonsense|--help", "help"},
        {"-h", "help"},
        {"--|--help", "[--help]"},
    };
    EXPECT_ROWS(rows);
}

static void the_help_has_every_flag_that_is_not_hidden(void **state)
{
    (void)state;
    struct hv_buf out;
    hv_buf_init(&out, 1 << 20);
    options_help(table, &out);
    static const char *const parts[] = {"-p, --print", "--model NAME", "--resume [ID]", "--max-turns N", "--cwd DIR"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(hv_str_find(hv_buf_str(&out), hv_str_from(parts[i]), 0) != SIZE_MAX);
    hv_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_read_in_every_way_of_writing),
        cmocka_unit_test(an_optional_value_may_be_missing),
        cmocka_unit_test(rules_are_split_outside_parentheses_and_go_on_as_long_as_they_are_rules),
        cmocka_unit_test(wrong_use_is_explained),
        cmocka_unit_test(help_wins_over_everything_before_two_dashes),
        cmocka_unit_test(the_help_has_every_flag_that_is_not_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
