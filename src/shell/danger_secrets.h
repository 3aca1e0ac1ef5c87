/* danger_secrets.h: programs that hand out secrets; see danger.h. Inner to src/shell. */
#ifndef SHELL_DANGER_SECRETS_H
#define SHELL_DANGER_SECRETS_H

#include "shell/danger.h"

/* Behind its name the run has a word that is one of names, which are separated by blanks. */
bool danger_has_word(const struct shell_run *run, const char *names);

/* echo "$GITHUB_TOKEN", printenv API_KEY: the value would be shown. */
bool danger_shows_secret(const struct shell_run *run);

/* gh auth token, vault read …: it reads or changes credentials. */
bool danger_reads_secrets(const struct shell_run *run);

#endif
