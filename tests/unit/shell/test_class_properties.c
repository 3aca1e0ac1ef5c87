/*
 * test_class_properties.c: what holds for all commands of the tables: quoting in another way changes nothing; an option
 * or a redirection that writes or runs something, added anywhere, never leaves a command harmless; a harmless command
 * beside a harmful one does not help it; rows are well formed and every program has one.
 */
#include "class_table.h"
#include "shell/programs.h"

static bool is_harmless(const char *command)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    judge_here(&arena, command, &judgement);
    bool harmless = judgement.class == SHELL_READ_ONLY;
    hv_arena_release(&arena);
    return harmless;
}

/* Simple commands without anything that quoting would change: no variables, globs, operators. */
static const char *const plain_commands[] = {
    "cat a b",
    "ls -la src",
    "grep -rn x src",
    "head -n 5 f",
    "tail -5 f",
    "wc -l f",
    "sort -k2,2n f",
    "uniq -c f",
    "cut -d: -f1 f",
    "tr a b",
    "diff -u a b",
    "find . -name x",
    "find . -type f -exec wc -l {} +",
    "sed -n 5p f",
    "awk 1 f",
    "stat -c %s f",
    "du -sh .",
    "df -h",
    "ps aux",
    "date +%F",
    "tar tzf a.tgz",
    "unzip -l a.zip",
    "jq .a f",
    "rg -n x src",
    "fd -e c",
    "timeout 5 ls",
    "env LC_ALL=C sort f",
    "xargs grep x",
    "command -v ls",
    "printf %s x",
    "echo a b",
    "test -f x",
    "basename a/b",
    "xxd f",
    "git status",
    "git log -5",
    "gzip -dc a",
    "readlink -f x",
    "seq 1 5",
    "id -u",
    "nice -n 5 cat f",
    "bash -c ls",
    "less f",
    "od -c f",
    "cmp a b",
};
enum { PLAIN = sizeof plain_commands / sizeof *plain_commands };

/* Write each word of a plain command quoted in the given way. */
static void requote(struct hv_buf *out, const char *command, int way)
{
    struct hv_str rest = hv_str_from(command), word;
    hv_buf_clear(out);
    while (hv_str_split(&rest, ' ', &word)) {
        if (out->len)
            hv_buf_add_cstr(out, way % 2 ? " " : " \t \\\n ");
        if (way < 2) {
            hv_buf_addf(out, "'%.*s'", HV_STR_ARG(word));
        } else if (way < 4) {
            hv_buf_addf(out, "\"%.*s\"", HV_STR_ARG(word));
        } else if (way < 6) {
            for (size_t i = 0; i < word.len; i++)
                hv_buf_addf(out, "\\%c", word.ptr[i]);
        } else if (way < 8) {
            hv_buf_addf(out, "$'%.*s'", HV_STR_ARG(word));
        } else {
            size_t half = word.len / 2;
            hv_buf_addf(out, "'%.*s'\"%.*s\"''", (int)half, word.ptr, (int)(word.len - half), word.ptr + half);
        }
    }
}

static void a_harmless_command_stays_harmless_when_it_is_quoted_otherwise(void **state)
{
    struct hv_buf out;
    hv_buf_init(&out, 1 << 16);
    (void)state;
    for (size_t i = 0; i < PLAIN; i++) {
        if (!is_harmless(plain_commands[i]))
            fail_msg("not harmless: %s", plain_commands[i]);
        for (int way = 0; way < 10; way++) {
            requote(&out, plain_commands[i], way);
            if (!is_harmless(out.data))
                fail_msg("not harmless: %s", out.data);
        }
    }
    hv_buf_release(&out);
}

static void a_harmful_part_beside_a_harmless_command_is_never_harmless(void **state)
{
    static const char *const forms[] = {
        "%s; rm x",
        "rm x; %s",
        "%s && rm x",
        "%s || rm x",
        "%s | tee x",
        "%s & rm x",
        "%s > x",
        "%s >> x",
        "%s &> x",
        "%s 2> x",
        "> x %s",
        "{ %s; } > x",
        "( %s ) >| x",
        "%s <> x",
        "%s\nrm x",
        "%s $(rm x)",
        "%s `rm x`",
        "%s <(rm x)",
        "%s >(rm x)",
        "%s <<< $(rm x)",
        "%s <<E\n$(rm x)\nE",
        "PATH=x %s",
        "LD_PRELOAD=x %s",
        "PATH=x; %s",
        "cat() { rm x; }; %s; cat",
        "if %s; then rm x; fi",
        "while %s; do rm x; done",
        "%s \"${y@P}\"",
        "%s ${!y}",
        "alias z=rm; %s",
        "trap 'rm x' EXIT; %s",
        "eval \"$z\"; %s",
        ". ./z; %s",
        "exec %s",
        "sudo %s",
        "own-program; %s",
        "./%s",
        "\"$z\" %s",
        "%s | sh",
        "coproc rm x; %s",
        "%s 3<> /dev/tcp/h/80",
        "! rm x; %s",
        "time rm x; %s",
        "for PATH in a; do %s; done",
        "%s; function ls { rm x; }",
    };
    struct hv_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < PLAIN; i++)
        for (size_t j = 0; j < sizeof forms / sizeof *forms; j++) {
            struct hv_str form = hv_str_from(forms[j]);
            size_t at = hv_str_find(form, HV_STR("%s"), 0);
            struct hv_str command = hv_arena_format(&arena, "%.*s%s%.*s", (int)at, form.ptr, plain_commands[i],
                                                    HV_STR_ARG(hv_str_slice(form, at + 2, form.len)));
            if (is_harmless(command.ptr))
                fail_msg("harmless: %s", command.ptr);
        }
    hv_arena_release(&arena);
}

/* ---- options ---------------------------------------------------------------------------------------------- */

typedef bool program_check(const struct shell_program *row, struct hv_str name);

/* Every program fulfils the check; it prints what does not. */
static void for_each_program(program_check *check)
{
    size_t wrong = 0;
    static const struct shell_program *const tables[] = {
#define ROW(name) shell_programs_##name,
        SHELL_PROGRAM_TABLES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct shell_program *row = tables[i]; row->names; row++) {
            struct hv_str rest = hv_str_from(row->names), name;
            while (hv_str_split(&rest, ' ', &name))
                wrong += !check(row, name);
        }
    assert_int_equal(wrong, 0);
}

static bool has_one_row(const struct shell_program *row, struct hv_str name)
{
    if (name.len && shell_find_program(name) == row)
        return true;
    print_error("%.*s stands in two rows\n", HV_STR_ARG(name));
    return false;
}

static void every_program_has_one_row(void **state)
{
    (void)state;
    for_each_program(has_one_row);
}

/* What no table can know: an option that does not exist. Programs whose words are all data take anything. */
static bool minds_unknown_options(const struct shell_program *row, struct hv_str name)
{
    static const char harmless[] = "echo : true false ps exit return break continue shift times suspend logout caller "
                                   "dirs jobs wait disown help pwd type umask ulimit pushd popd expr test [ printf "
                                   "getopts alias";
    struct hv_arena arena = {0};
    struct hv_str command = hv_arena_format(&arena, "%.*s --frobnicate-it x", HV_STR_ARG(name));
    bool data = row->syntax == SHELL_SYNTAX_NONE && row->class == SHELL_READ_ONLY && !row->judge;
    bool minds = data || shell_names_have(harmless, name) || !is_harmless(command.ptr);
    if (!minds)
        print_error("harmless: %s\n", command.ptr);
    hv_arena_release(&arena);
    return minds;
}

static void an_option_that_is_not_known_is_never_harmless(void **state)
{
    (void)state;
    for_each_program(minds_unknown_options);
}

static bool minds_option(struct hv_str program, struct hv_str name, const struct shell_option *option)
{
    static const char *const operands[] = {"", " x", " x y"};
    struct hv_arena arena = {0};
    const char *argument = option->arity == SHELL_ARITY_ONE ? " v" : "";
    bool harmful = option->effect >= SHELL_EFFECT_WRITE && option->effect != SHELL_EFFECT_HELP, minds = true;
    for (size_t i = 0; harmful && i < 3; i++) {
        struct hv_str command =
            hv_arena_format(&arena, "%.*s %.*s%s%s", HV_STR_ARG(program), HV_STR_ARG(name), argument, operands[i]);
        if (is_harmless(command.ptr)) {
            print_error("harmless: %s\n", command.ptr);
            minds = false;
        }
    }
    hv_arena_release(&arena);
    return minds;
}

static bool minds_its_options(const struct shell_program *row, struct hv_str program)
{
    const struct shell_option *lists[] = {row->options, row->more_options};
    bool minds = true;
    for (size_t i = 0; i < 2 && !row->judge; i++)
        for (const struct shell_option *option = lists[i]; option && option->names; option++) {
            struct hv_str rest = hv_str_from(option->names), name;
            while (hv_str_split(&rest, ' ', &name))
                minds &= minds_option(program, name, option);
        }
    return minds;
}

static void an_option_that_does_harm_is_never_harmless(void **state)
{
    (void)state;
    for_each_program(minds_its_options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_harmless_command_stays_harmless_when_it_is_quoted_otherwise),
        cmocka_unit_test(a_harmful_part_beside_a_harmless_command_is_never_harmless),
        cmocka_unit_test(every_program_has_one_row),
        cmocka_unit_test(an_option_that_is_not_known_is_never_harmless),
        cmocka_unit_test(an_option_that_does_harm_is_never_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
