/*
 * scan_table.h: a table of open files of a scanning thread's own. Threads that share one take turns at each file that
 * is opened, read and closed; where a file is hardly more than that, having one's own saves a twentieth of the kernel's
 * time.
 *
 * The thread does not see what others open afterwards, and they do not see what it opens. Of what was open, nothing
 * stays but standard error, for messages of what goes wrong, and one directory: no pipe or socket of anybody is kept
 * open by it (but between the two calls that this takes), and locks are the business of the table they were taken in.
 * Only for threads that were made for one task and end with it.
 */
#ifndef FS_SCAN_TABLE_H
#define FS_SCAN_TABLE_H

#include <stdbool.h>

/*
 * ThreadSanitizer takes the same number in two tables for the same file. There threads do all as if they had tables of
 * their own, so that it sees how they work together, but have one.
 */
#if defined __SANITIZE_THREAD__
enum { SCAN_TABLES_REAL = 0 };
#elif defined __has_feature
enum { SCAN_TABLES_REAL = !__has_feature(thread_sanitizer) };
#else
enum { SCAN_TABLES_REAL = 1 };
#endif

/*
 * Part from the table of the process; root, a directory, is then open under the same number. False: the system cannot,
 * or it is not worth it, and nothing has changed.
 */
bool scan_table_part(int root);

/* Close all that is open in the thread's own table, as it ends: so that nothing is open any more when others know. */
void scan_table_close(void);

#endif
