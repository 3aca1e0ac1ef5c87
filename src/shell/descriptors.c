/*
 * descriptors.c: what redirections make of descriptors. "/dev/stderr" and "/dev/fd/3" open what the descriptor has open
 * anew, with other rights: a file that is open for reading is emptied and written by that name. So no file to read may
 * get to stdout or stderr, and no other name of a descriptor is free to write.
 */
#include "shell/classify.h"

static bool is_output(int descriptor)
{
    return descriptor == 1 || descriptor == 2;
}

/* A file, or what may be one; not the output of commands. */
static bool opens_file(const struct shell_redirect *redirect)
{
    const struct shell_word *target = &redirect->target;
    bool process = !target->known && !target->value.len && target->flags & SHELL_WORD_PROCESS;
    return redirect->kind == SHELL_REDIRECT_READ && !process &&
           !(target->known && hv_str_is(target->value, "/dev/null"));
}

static bool copies_input(const struct shell_redirect *redirect)
{
    return redirect->kind == SHELL_REDIRECT_DUPLICATE && redirect->target.known &&
           shell_names_have("0 0-", redirect->target.value);
}

bool shell_reads_by_number(const struct shell_script *script)
{
    bool reads = false;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        for (size_t j = 0; j < command->redirect_count; j++) {
            const struct shell_redirect *redirect = &command->redirects[j];
            bool other = redirect->descriptor < 0 || redirect->descriptor > 2;
            reads |= other && (opens_file(redirect) || copies_input(redirect));
        }
    }
    return reads;
}

/* n>&1, n>&2, n>&-: nothing that could be open for reading. */
static bool copies_output(const struct shell_redirect *redirect)
{
    return redirect->target.known && shell_names_have("1 2 - 1- 2-", redirect->target.value);
}

void shell_judge_descriptor(struct shell_reading *reading, const struct shell_redirect *redirect)
{
    if (!is_output(redirect->descriptor))
        return;
    bool copied = redirect->kind == SHELL_REDIRECT_DUPLICATE && !copies_output(redirect) &&
                  (reading->reads_by_number || copies_input(redirect));
    if (copied || opens_file(redirect))
        shell_worsen(reading, SHELL_UNKNOWN,
                     "a file that is open for reading gets to stdout or stderr, "
                     "whose names open it for writing");
}

bool shell_is_output_name(struct hv_str path)
{
    return shell_names_have("/dev/null /dev/stdout /dev/stderr /dev/fd/1 /dev/fd/2", path);
}
