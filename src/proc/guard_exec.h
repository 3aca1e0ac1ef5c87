/* guard_exec.h: becoming a program within its limits, for the guard and for the helper of the sandbox. Uses nothing but
 * libc. */
#ifndef PROC_GUARD_EXEC_H
#define PROC_GUARD_EXEC_H

#include <stdbool.h>

/* Become the program that argv names, looked for on PATH where it has no slash, with the environment as it is. A file
 * without "#!" that the kernel does not know is run by /bin/sh, as shells do. Returns only when that fails: errno. */
void guard_exec(char **argv);

/* Lower the limit of a resource (RLIMIT_…) to what is wanted; a lower hard limit stays. False: errno. */
bool guard_limit(int resource, unsigned long long wanted);

#endif
