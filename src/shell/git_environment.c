/*
 * git_environment.c: what the environment of a git command that only reads must hold. Each line was seen to stop, with
 * git 2.39, the program that a repository's configuration names (tests/live/test_git_probe.py). diff.external is not
 * here: set to nothing, it makes `git diff` fail; git_probe.h looks for it instead.
 */
#include "shell/class.h"

#include <stdlib.h>

#define STRING_OF(number) #number
#define SETTING(number, name, value)                                                                                   \
    "GIT_CONFIG_KEY_" STRING_OF(number) "=" name, "GIT_CONFIG_VALUE_" STRING_OF(number) "=" value

static const char *const environment[] = {
    "GIT_OPTIONAL_LOCKS=0", /* git status does not write the index, nor call the hook that this calls */
    "GIT_PAGER=cat",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_NO_LAZY_FETCH=1", /* partial clones */
    "GIT_CONFIG_COUNT=17",
    SETTING(0, "core.fsmonitor", "false"),
    SETTING(1, "core.hooksPath", "/dev/null"),
    SETTING(2, "core.pager", "cat"),
    SETTING(3, "diff.autoRefreshIndex", "false"), /* git diff writes the index without it */
    SETTING(4, "log.showSignature", "false"),
    SETTING(5, "gpg.program", "false"), /* %G? in a format of the configuration */
    SETTING(6, "gpg.openpgp.program", "false"),
    SETTING(7, "gpg.x509.program", "false"),
    SETTING(8, "gpg.ssh.program", "false"),
    SETTING(9, "core.alternateRefsCommand", "false"),
    SETTING(10, "core.sshCommand", "false"),
    SETTING(11, "core.askPass", "false"),
    SETTING(12, "credential.helper", ""),
    SETTING(13, "protocol.ext.allow", "never"),
    SETTING(14, "core.editor", "false"),
    SETTING(15, "gc.auto", "0"),
    SETTING(16, "maintenance.auto", "false"),
    NULL,
};

const char *const *shell_git_environment(void)
{
    return environment;
}
