/*
 * trivial.h: two small questions about a shell command that need no parser.
 *
 * The full reader of bash's grammar is another part of this folder. This one knows only a list of harmless programs,
 * and accepts a command only when it is one simple command of plain words, so that no quoting, expansion, redirection
 * or operator can be in it. Everything else is "not known", and that is the safe answer. Pure.
 */
#ifndef SHELL_TRIVIAL_H
#define SHELL_TRIVIAL_H

#include <helve/str.h>

/* What a trivial command reads. */
struct shell_trivial {
    struct hv_str *paths; /* as written (relative or absolute), in arena; "." when it lists the working directory */
    size_t path_count;    /* 0: it reads no files that matter */
};

/*
 * True when command is one simple command whose words consist of letters, digits and "_./-" only, whose first word is
 * one of a small table (sleep, true, false, echo, pwd, date, uname, id, whoami, hostname, nproc, ls), with arguments
 * that the table allows. Such a command changes nothing, may run beside anything that does not write its *paths, and
 * ends by itself. *out may be NULL.
 */
bool shell_trivial(struct hv_arena *arena, struct hv_str command, struct shell_trivial *out);

/*
 * The exit code of a command whose last simple command is grep, diff, test, … is an answer rather than a failure: true
 * when code is such a code. *certain is false when something else in the command may have given that code (`cd x &&
 * grep y`): then look at stderr too. Quotes are minded; what is not understood gives false.
 */
bool shell_exit_is_answer(struct hv_str command, int code, bool *certain);

#endif
