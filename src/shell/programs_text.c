/* programs_text.c: what prints, counts, cuts and compares text. */
#include "shell/programs.h"

const struct shell_program shell_programs_text[] = {
    {0},
};
