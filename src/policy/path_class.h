/*
 * path_class.h: what a path is, whatever the rules say: a credential, a file that others run or that steers helve
 * itself, a device. The knowledge is a table (path_class.c), one row per pattern with the reason that people are told.
 * Pure. Names are compared without regard to ASCII case: on some file systems `.GIT/Hooks` is `.git/hooks`.
 */
#ifndef POLICY_PATH_CLASS_H
#define POLICY_PATH_CLASS_H

#include "policy/policy.h"

struct path_classes;

/* A file or directory of helve's own: writing it, or in it, is protected. */
struct path_classes_options {
    struct policy_path home;
    const struct policy_path *own; /* settings, and directories of settings and state */
    size_t own_count;
    const struct hv_str *masked; /* below these no path is a credential by its name, but in a folder of git */
    size_t masked_count;
};

/* Compile the tables. Lives in arena, as long as what the options point to. */
const struct path_classes *path_classes_new(struct hv_arena *arena, const struct path_classes_options *options);

struct path_class {
    enum policy_path_class class; /* SPECIAL, FORBIDDEN, CREDENTIAL, PROTECTED, or OUTSIDE for none of them */
    const char *what;             /* "a private key", for people; NULL for OUTSIDE */
};

/* The class of a path, by its written and its resolved form; the graver one. Knows nothing of workspaces. */
struct path_class path_classify(const struct path_classes *classes, const struct policy_path *path, bool for_writing);

/*
 * For walks over many files. True when what lies directly in directory gets a class, for reading or also for writing,
 * only if its name is suspect: then the others need not be looked at one by one. For writing it is the path that has to
 * be asked about, whose last component begins at name.
 */
bool path_classes_by_name(const struct path_classes *classes, const struct policy_path *directory, bool for_writing);
bool path_name_is_suspect(const struct path_classes *classes, struct hv_str name);
bool path_is_suspect(const struct path_classes *classes, struct hv_str path, size_t name);

/* For commands of which it is not known where they run. What a name in the directory place is, depends on the place. */
bool path_place_tells(const struct path_classes *classes, struct hv_str place);

/* In some directory the relative path is a credential: `shadow`, of /etc. What it is, and *path there, in arena; NULL:
 * it is none. Directories in which any name is one (.ssh) are not meant. */
const char *path_credential_astray(const struct path_classes *classes, struct hv_arena *arena, struct hv_str relative,
                                   struct hv_str *path);

#endif
