/* danger_tells.h: forms of programs for the whole machine that only tell; see danger.h. Inner to src/shell. */
#ifndef SHELL_DANGER_TELLS_H
#define SHELL_DANGER_TELLS_H

#include "shell/danger.h"

/* The run is one of `diskutil list`, `efibootmgr -v`, `date -Iseconds`, `hdparm -I /dev/sda` …: it changes nothing. */
bool danger_only_tells(const struct shell_run *run);

#endif
