/* git_changes.h: may what a command made of a configuration of git be obeyed outside the sandbox? Pure. */
#ifndef SANDBOX_GIT_CHANGES_H
#define SANDBOX_GIT_CHANGES_H

#include <helve/str.h>

/*
 * True when all that differs between the two texts is harmless: names of remotes, branches, persons and the like, which
 * no value makes run a program, read a file or look elsewhere. Everything else has to be the same, in the same order.
 * False: *names says which variables are not (in arena), or why the text cannot be taken.
 */
bool git_changes_are_harmless(struct hv_str before, struct hv_str after, struct hv_arena *arena, struct hv_str *names);
/* Where they are not: after, with what is not harmless as before says. In arena; absent where nothing else would be
 * left of the changes, or more was done to it than to add variables and to give them other values. */
struct hv_str git_changes_kept(struct hv_str before, struct hv_str after, struct hv_arena *arena);

#endif
