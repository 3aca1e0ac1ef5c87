/*
 * module.h: optional parts of helve and users' plugins, loaded on first use.
 *
 * Linking the heavy libraries (curl and its like) would cost 40 ms at every start; so each sits in a shared object
 * NAME.so with one visible symbol, `hv_module_entry`, that returns a constant struct hv_module. A module links what it
 * needs of helve's floors statically and hidden (they hold no state), and takes and returns only plain structs: nothing
 * of the program that loads it is looked up by name. Modules are never unloaded.
 *
 * Where parts are looked for, in this order; the environment has no say in it:
 *   1. LIBDIR/helve seen from the running program (PREFIX/bin/helve → PREFIX/lib/…/helve), so a tree can be moved;
 *   2. in a build tree (an ancestor of the program that holds meson-private/coredata.dat): src/NAME/NAME.so, or
 *      src/proc/helve-guard;
 *   3. the LIBDIR/helve of the installation that this program was configured for.
 * A file that everybody may write, or that belongs to somebody else than root, us, or the owner of the program, is
 * refused.
 */
#ifndef MODULE_MODULE_H
#define MODULE_MODULE_H

#include <helve/str.h>

enum { HV_MODULE_ABI = 1 };

/* What a module says of itself. Constant, valid for ever. */
struct hv_module {
    uint32_t abi;          /* HV_MODULE_ABI */
    const char *name;      /* "net" */
    const char *version;   /* HELVE_VERSION of the build; parts of helve must be of the same version as the program */
    const void *functions; /* the module's table of functions; its type is in the header of the module */
};

/* The one visible symbol of a module. */
typedef const struct hv_module *hv_module_entry_function(void);
#define HV_MODULE_ENTRY "hv_module_entry"

/*
 * The table of functions of a part of helve ("net"), loading it when it is not yet. Repeated calls are cheap (some 20
 * µs) and give the same table: keep it in the object that uses it. package names what to install when it is missing
 * ("libcurl4"), for the hint. HV_ENOTFOUND: no such file; HV_EUNSUPPORTED: it cannot be loaded (the message is the
 * dynamic linker's, and names a missing library), or is of another version; HV_EACCES: others may write it.
 * Any thread; blocks for the time of loading.
 */
enum hv_code module_load(const char *name, const char *package, const void **functions,
                         struct hv_error *err) HV_MUST_CHECK;

/* Load a module from a file (absolute path): a user's plugin. As module_load, but the version is not compared. */
enum hv_code module_load_file(const char *path, const struct hv_module **out, struct hv_error *err) HV_MUST_CHECK;

/*
 * The absolute path of a part: file as installed below LIBDIR/helve ("net.so", "helve-guard"), build_path as
 * built, below the build directory ("src/net/net.so"). In arena. HV_ENOTFOUND (the hint says that the
 * installation is incomplete), HV_EACCES (others may write it).
 */
enum hv_code module_find(struct hv_arena *arena, const char *file, const char *build_path, char **path,
                         struct hv_error *err) HV_MUST_CHECK;

#endif
