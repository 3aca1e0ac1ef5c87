/* read_support.h: what a script was read as, in one line for comparison. */
#ifndef TEST_READ_SUPPORT_H
#define TEST_READ_SUPPORT_H

#include "base/cleanup.h"
#include "shell/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct row {
    const char *script, *expected;
};

static inline struct hv_str test_variable(void *user, struct hv_str name)
{
    (void)user;
    return hv_str_is(name, "USER") ? HV_STR("me too") : (struct hv_str){0};
}

static const struct shell_start test_start = {.directory = {"/w", 2}, .home = {"/h", 2}, .variable = test_variable};

/* A known word is <value>; an unknown one is ?<begins|ends> and letters for its flags. */
static inline void put_word(struct hv_buf *out, const struct shell_word *word)
{
    static const char letters[] = "qgmvcpahne"; /* in the order of enum shell_word_flags */
    if (word->known) {
        hv_buf_addf(out, "<%.*s>", HV_STR_ARG(word->value));
        return;
    }
    hv_buf_addf(out, "?<%.*s|%.*s>", HV_STR_ARG(word->value), HV_STR_ARG(word->tail));
    for (size_t i = 1; letters[i]; i++)
        if (word->flags & 1u << i)
            hv_buf_add_byte(out, letters[i]);
}

static inline void put_command(struct hv_buf *out, const struct shell_command *command)
{
    static const char *const kinds[] = {"", "group", "for", "case", "((", "[[", "function"};
    hv_buf_addf(out, "%s%s", kinds[command->kind], command->kind ? " " : "");
    if (command->variable.ptr)
        hv_buf_addf(out, "%.*s ", HV_STR_ARG(command->variable));
    for (size_t i = 0; i < command->assignment_count; i++) {
        const struct shell_assignment *assignment = &command->assignments[i];
        hv_buf_addf(out, "%.*s%s%s%s=", HV_STR_ARG(assignment->name), assignment->element ? "[]" : "",
                    assignment->array ? "()" : "", assignment->appends ? "+" : "");
        put_word(out, &assignment->value);
    }
    for (size_t i = 0; i < command->word_count; i++)
        put_word(out, &command->words[i]);
    for (size_t i = 0; i < command->redirect_count; i++) {
        static const char *const names[] = {"", "r", "w", "a", "b", "B", "rw", "dup", "here", "string"};
        const struct shell_redirect *redirect = &command->redirects[i];
        hv_buf_addf(out, " %s%d%.*s", names[redirect->kind], redirect->descriptor, HV_STR_ARG(redirect->variable));
        put_word(out, &redirect->target);
    }
}

static inline struct hv_str rendered(struct hv_arena *arena, const char *text, struct shell_script *script)
{
    CLEANUP_BUF struct hv_buf out = {.max = 1 << 20};
    hv_buf_add_cstr(&out, "");
    shell_read(arena, hv_str_from(text), &test_start, script);
    for (size_t i = 0; i < script->count; i++) {
        hv_buf_add_cstr(&out, i ? " ; " : "");
        put_command(&out, &script->commands[i]);
    }
    if (!script->accepted)
        hv_buf_addf(&out, " !%s", script->reason);
    return hv_arena_str(arena, hv_buf_str(&out));
}

static inline void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hv_arena arena = {0};
        struct shell_script script;
        struct hv_str got = rendered(&arena, rows[i].script, &script);
        if (!hv_str_is(got, rows[i].expected))
            print_error("%s\n  expected %s\n  got      %.*s\n", rows[i].script, rows[i].expected, HV_STR_ARG(got));
        assert_true(hv_str_is(got, rows[i].expected));
        hv_arena_release(&arena);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

#endif
