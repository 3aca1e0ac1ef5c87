/*
 * given_code.h: words by which a program is given code, or another program, to run: `python3 -c …`, `git grep -O…`. No
 * rule is offered for the first, and patterns do not take the second: whoever allowed `go test:*` has not allowed
 * `go test -exec …`. Pure.
 */
#ifndef POLICY_GIVEN_CODE_H
#define POLICY_GIVEN_CODE_H

#include "shell/class.h"

/* One of the words is an interpreter, and one after it hands it code. */
bool given_code(const struct shell_word *words, size_t count);
/* An option among the words makes a program that is no interpreter run what the option says, and the pattern of a rule
 * does not name that option itself. */
bool given_program(const struct shell_word *words, size_t count, struct hv_str pattern);

#endif
