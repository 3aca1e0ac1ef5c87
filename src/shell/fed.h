/*
 * fed.h: what a command is given to read, where the script says it itself: `echo rm x | sh`, here-documents that cat or
 * `base64 -d` hand on, the words of printf. Generous, as runs.h is: for denying, never for allowing. Pure; inner to
 * src/shell.
 */
#ifndef SHELL_FED_H
#define SHELL_FED_H

#include "shell/script.h"

/* Looking through one script and the code within it; zeroed but for the arena. */
struct shell_feeding {
    struct hv_arena *arena;
    size_t scans;
    unsigned steps;
    bool exhausted; /* there was too much to look at all of it */
};

/* The word as it would be read again: what is not known becomes a variable that nobody knows. */
void shell_add_code(struct hv_buf *buf, const struct shell_word *word);

/* What the pipe before the command brings, or with `substitutions` what those in its words write, as code; absent: it
 * is not known. */
struct hv_str shell_fed_to(struct shell_feeding *feeding, const struct shell_script *script,
                           const struct shell_command *command, bool substitutions);

#endif
