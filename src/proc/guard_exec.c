/* guard_exec.c: see guard_exec.h. What execvp does with a script that does not say what runs it differs between the C
 * libraries: glibc gives it to the shell, musl does not. */
#include "proc/guard_exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static void run_by_shell(const char *script, char **argv)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char shell[] = "/bin/sh", **words = calloc(count + 2, sizeof *words);
    if (!words)
        return;
    words[0] = shell;
    words[1] = (char *)script;
    memcpy(words + 2, argv + 1, (count - 1) * sizeof *words);
    execv(shell, words);
    free(words);
}

/* The file that execvp has found last: the first of that name on PATH that may be run. */
static void run_from_path(char **argv)
{
    char path[PATH_SIZE];
    const char *rest = getenv("PATH");
    for (const char *end; rest; rest = *end ? end + 1 : NULL) {
        end = strchrnul(rest, ':');
        int len = snprintf(path, sizeof path, "%.*s%s%s", (int)(end - rest), rest, end > rest ? "/" : "", argv[0]);
        if (len < sizeof path && access(path, X_OK) == 0) {
            run_by_shell(path, argv);
            return;
        }
    }
}

void guard_exec(char **argv)
{
    execvp(argv[0], argv);
    if (errno != ENOEXEC)
        return;
    if (strchr(argv[0], '/'))
        run_by_shell(argv[0], argv);
    else
        run_from_path(argv);
    errno = ENOEXEC;
}

bool guard_limit(int resource, unsigned long long wanted)
{
    struct rlimit current;
    if (getrlimit(resource, &current))
        return false;
    if (current.rlim_max == RLIM_INFINITY || current.rlim_max > wanted)
        current.rlim_max = wanted;
    current.rlim_cur = current.rlim_max;
    return setrlimit(resource, &current) == 0;
}
