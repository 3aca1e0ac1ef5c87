/* killing.h: killing a child right before a system call of its that may change something, or making a call of its fail.
 */
#ifndef TESTS_FS_KILLING_H
#define TESTS_FS_KILLING_H

#include <stdbool.h>
#include <stddef.h>

enum { KILLING_NOT_POSSIBLE = 77 }; /* exit code of the child: this machine lets nobody trace */

/* Run function in a child, and kill that before its call number `number` (from 1) that may change something. False: it
 * had ended before; *status is that of waitpid. function's result is the exit code. */
bool kill_before_change(int (*function)(void *data), void *data, size_t number, int *status);

/* Run function in a child, and call meddle right before its call number `number` (from 1) that may change something;
 * then it goes on to its end. False: it had ended before; *status is that of waitpid. */
bool meddle_before_change(int (*function)(void *data), void (*meddle)(void *data), void *data, size_t number,
                          int *status);

/* Run function in a child, and make its call number `number` (from 1) fail with `reason`; when is_for_good is set, each
 * one after it too that may change something. False: it had ended before; *status is that of waitpid. x86-64 alone:
 * elsewhere nothing fails. */
bool fail_call(int (*function)(void *data), void *data, size_t number, int reason, bool is_for_good, int *status);

#endif
