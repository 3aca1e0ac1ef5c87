/*
 * find_reduce.h: what a pattern says about its matches, made quicker to look for without becoming untrue. Pure.
 */
#ifndef TEXT_FIND_REDUCE_H
#define TEXT_FIND_REDUCE_H

#include "text/find_pattern.h"

/*
 * Leave out of the sequences what stands at their ends and tells next to nothing, as "\w" in "\w_init": characters of
 * any alphabet, which each encoding writes in other bytes.
 */
void find_trim(struct find_facts *facts);

/*
 * Fill *merged with the facts in which one sequence stands for all of facts->best, which has two or more: laid upon
 * each other by their ends or by their beginnings, whichever is rarer. So " device_" and "*device_" become "[
 * *]device_". A scanner for one sequence is several times as fast as one for a set. False, with *merged undefined, when
 * the one would be much more frequent than the set, or there are too many classes.
 */
bool find_merge(const struct find_facts *facts, struct find_facts *merged) HV_MUST_CHECK;

#endif
