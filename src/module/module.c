/* module.c: see module.h. Holds no state: the dynamic linker counts and locks. */
#include "module/module.h"

#include "base/cleanup.h"

#include <dlfcn.h>
#include <errno.h>
#include <helve/helve.h>
#include <limits.h>
#include <sys/stat.h>

enum { BUILD_TREE_DEPTH = 4 }; /* how far above the program the build directory may be */

/* ---- finding ------------------------------------------------------------------------------------------- */

/* HV_OK when path is a file that is safe to load or start: nobody but root, we, or the program's owner wrote it. */
static enum hv_code check_file(const char *path, const struct stat *program, struct hv_error *err)
{
    struct stat file;
    if (stat(path, &file))
        return hv_fail_errno(err, errno, "cannot find %s", path);
    if (!S_ISREG(file.st_mode))
        return hv_fail(err, HV_EINVAL, "%s is not a file", path);
    bool owned = file.st_uid == 0 || file.st_uid == geteuid() || file.st_uid == program->st_uid;
    if (owned && !(file.st_mode & S_IWOTH))
        return HV_OK;
    if (!owned) {
        hv_fail(err, HV_EACCES,
                "%s will not be used: it belongs to user %u, helve runs as user %u and belongs to user %u", path,
                (unsigned)file.st_uid, (unsigned)geteuid(), (unsigned)program->st_uid);
        hv_error_hint(err, "Run helve as the user that installed it, or install it as root: sudo make install.");
        return HV_EACCES;
    }
    hv_fail(err, HV_EACCES, "%s will not be used: others may write it", path);
    hv_error_hint(err, "Run: chmod o-w '%s'", path);
    return HV_EACCES;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The first of the three places of module.h that has the file, or NULL. program: absolute path of the executable. */
static char *search(struct hv_arena *arena, const char *program, const char *file, const char *build_path)
{
    struct hv_str place = hv_str_from(program);
    place = hv_str_slice(place, 0, hv_str_rfind_byte(place, '/'));
    char *path = (char *)hv_arena_format(arena, "%.*s/../" HELVE_LIBRARY_FOLDER "/%s", HV_STR_ARG(place), file).ptr;
    if (is_there(path))
        return path;
    for (int depth = 0; depth < BUILD_TREE_DEPTH && place.len; depth++) {
        if (is_there(hv_arena_format(arena, "%.*s/meson-private/coredata.dat", HV_STR_ARG(place)).ptr)) {
            path = (char *)hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(place), build_path).ptr;
            return is_there(path) ? path : NULL;
        }
        place = hv_str_slice(place, 0, hv_str_rfind_byte(place, '/'));
    }
    path = (char *)hv_arena_format(arena, HELVE_LIBRARY_DIRECTORY "/%s", file).ptr;
    return is_there(path) ? path : NULL;
}

enum hv_code module_find(struct hv_arena *arena, const char *file, const char *build_path, char **path,
                         struct hv_error *err)
{
    char program[PATH_MAX];
    struct stat info;
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0 || stat("/proc/self/exe", &info))
        return hv_fail_errno(err, errno, "cannot tell where this program lies (is /proc mounted?)");
    program[len] = '\0';
    char *found = search(arena, program, file, build_path);
    if (!found) {
        hv_fail(err, HV_ENOTFOUND, "a part of helve is missing: %s", file);
        hv_error_hint(err, "The installation is incomplete. It belongs into %s; run `make install` again.",
                      HELVE_LIBRARY_DIRECTORY);
        return HV_ENOTFOUND;
    }
    enum hv_code code = check_file(found, &info, err);
    if (!code)
        *path = found;
    return code;
}

/* ---- loading ------------------------------------------------------------------------------------------- */

enum hv_code module_load_file(const char *path, const struct hv_module **out, struct hv_error *err)
{
    struct stat self = {.st_uid = geteuid()};
    if (path[0] != '/')
        return hv_fail(err, HV_EINVAL, "the path of a module must be absolute: %s", path);
    enum hv_code code = check_file(path, &self, err);
    if (code)
        return code;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return hv_fail(err, HV_EUNSUPPORTED, "cannot load %s: %s", path, dlerror());
    hv_module_entry_function *entry;
    *(void **)&entry = dlsym(handle, HV_MODULE_ENTRY);
    const struct hv_module *module = entry ? entry() : NULL;
    if (!module || !module->name || !module->functions) {
        code = hv_fail(err, HV_EUNSUPPORTED, "%s is not a module of helve (it has no %s)", path, HV_MODULE_ENTRY);
    } else if (module->abi != HV_MODULE_ABI) {
        code = hv_fail(err, HV_EUNSUPPORTED, "%s was built for version %u of the module interface, not %d", path,
                       module->abi, HV_MODULE_ABI);
        hv_error_hint(err, "Build it again for helve %s.", HELVE_VERSION);
    } else {
        *out = module;
        return HV_OK;
    }
    dlclose(handle);
    return code;
}

static enum hv_code check_version(const struct hv_module *module, const char *path, struct hv_error *err)
{
    if (module->version && hv_str_is(hv_str_from(module->version), HELVE_VERSION))
        return HV_OK;
    hv_fail(err, HV_EUNSUPPORTED, "%s belongs to helve %s, this is %s", path,
            module->version ? module->version : "of an unknown version", HELVE_VERSION);
    hv_error_hint(err, "The installation is mixed; run `make install` again.");
    return HV_EUNSUPPORTED;
}

enum hv_code module_load(const char *name, const char *package, const void **functions, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_module *module;
    char *path;
    struct hv_str file = hv_arena_format(&arena, "%s.so", name);
    struct hv_str build_path = hv_arena_format(&arena, "src/%s/%s.so", name, name);
    enum hv_code code = module_find(&arena, file.ptr, build_path.ptr, &path, err);
    if (code)
        return code;
    code = module_load_file(path, &module, err);
    if (code == HV_EUNSUPPORTED && package && err && !err->hint[0])
        hv_error_hint(err, "Install the package %s.", package);
    code = code ? code : check_version(module, path, err);
    if (!code)
        *functions = module->functions;
    return code;
}
