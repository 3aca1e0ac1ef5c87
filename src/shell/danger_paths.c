/* danger_paths.c: see danger_paths.h. */
#include "shell/danger_paths.h"

#include "base/path.h"

#include <string.h>

/* Directories without which the machine, or everybody's work on it, is lost. */
static const char trees[] = "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /proc /root /sbin "
                            "/sys /usr /usr/bin /usr/lib /usr/lib64 /usr/sbin /usr/share /usr/include "
                            "/usr/libexec /var /var/lib /snap /nix /Users /System /Library /Applications /private "
                            "/etc/ssh /etc/ssl /etc/pam.d /etc/systemd /var/db";
/* Shared by many, but what is in them comes and goes. */
static const char shared[] = "/tmp /var/tmp /mnt /media /run /opt /srv /var/cache /var/log /var/spool /var/www "
                             "/Volumes /cores /lost+found /usr/local /var/run /home/linuxbrew";

/* "/dev/sd" stands for all that begins so. */
static const char *const devices[] = {
    "/dev/sd",   "/dev/nvme", "/dev/hd",   "/dev/vd",   "/dev/xvd",   "/dev/mmcblk", "/dev/disk",  "/dev/mapper",
    "/dev/loop", "/dev/dm-",  "/dev/md",   "/dev/ram",  "/dev/mem",   "/dev/kmem",   "/dev/rdisk", "/dev/zram",
    "/dev/sr",   "/dev/nbd",  "/dev/mtd",  "/dev/pmem", "/dev/block", "/dev/bcache", "/dev/drbd",  "/dev/dasd",
    "/dev/port", "/dev/root", "/dev/zvol", "/dev/zd",   "/dev/sg",    "/dev/fd0",    NULL};

bool shell_is_block_device(struct hv_str path)
{
    if (!hv_str_starts(path, HV_STR("/dev/")))
        return false;
    for (size_t i = 0; devices[i]; i++)
        if (hv_str_starts(path, hv_str_from(devices[i])))
            return true;
    return false;
}

bool danger_is_account_file(struct hv_str path)
{
    if (!hv_str_starts(path, HV_STR("/etc/")))
        return false;
    return shell_is_one_of(path, "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/fstab "
                                 "/etc/master.passwd /etc/crypttab") ||
           path_inside(path, HV_STR("/etc/sudoers.d"));
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

bool danger_path_of(struct hv_arena *arena, const struct shell_danger_world *world, struct hv_str directory,
                    struct hv_str value, struct hv_str *written, struct hv_str *resolved)
{
    bool absolute = hv_str_starts(value, HV_STR("/"));
    if (!absolute && !directory.len)
        return false;
    struct hv_str untidy = absolute ? value : path_join(arena, directory, value);
    *written = path_expand(arena, untidy, HV_STR("/"), (struct hv_str){0});
    *resolved = world->resolve ? world->resolve(world->user, arena, untidy) : *written;
    if (!resolved->len)
        *resolved = *written;
    return true;
}

static bool is_home(const struct shell_danger_world *world, struct hv_str path)
{
    bool below_homes = hv_str_starts(path, HV_STR("/home/")) || hv_str_starts(path, HV_STR("/Users/"));
    if (below_homes && hv_str_rfind_byte(path, '/') == hv_str_find_byte(path, '/', 1))
        return true;
    return hv_str_is(path, "/root") || (world->home.len > 1 && hv_str_eq(path, world->home));
}

static enum danger_place place_of_path(const struct shell_danger_world *world, struct hv_str path)
{
    enum { LONGEST = 16 }; /* none of trees and shared is longer */
    enum danger_place place = DANGER_PLACE_NONE;
    if (is_home(world, path))
        return DANGER_PLACE_HOME;
    if (path.len <= LONGEST && shell_is_one_of(path, trees))
        return DANGER_PLACE_SYSTEM;
    if (world->home.len > 1 && path_inside(world->home, path))
        return DANGER_PLACE_HOME;
    if (path.len <= LONGEST && shell_is_one_of(path, shared))
        place = DANGER_PLACE_SHARED;
    for (size_t i = 0; i < world->root_count; i++) {
        if (hv_str_eq(world->roots[i], path) && place < DANGER_PLACE_WORKSPACE)
            place = DANGER_PLACE_WORKSPACE;
        else if (path_inside(world->roots[i], path) && !hv_str_eq(world->roots[i], path))
            place = DANGER_PLACE_PARENT;
    }
    return place;
}

bool danger_place_is_guarded(const struct shell_danger_world *world, struct hv_str path)
{
    return place_of_path(world, path) != DANGER_PLACE_NONE;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* "*" and "?" in pattern are open, as is a bracket; the rest is itself. Short texts only. */
static bool may_match(struct hv_str pattern, struct hv_str name)
{
    while (pattern.len && pattern.ptr[0] != '*') {
        bool open = strchr("?[", pattern.ptr[0]) != NULL;
        if (!name.len || (!open && pattern.ptr[0] != name.ptr[0]))
            return false;
        size_t width = 1;
        if (pattern.ptr[0] == '[' && (width = hv_str_find_byte(pattern, ']', 1)) == SIZE_MAX)
            width = 0;
        pattern = hv_str_slice(pattern, width + (pattern.ptr[0] == '['), pattern.len);
        name = hv_str_slice(name, 1, name.len);
    }
    if (!pattern.len)
        return !name.len;
    for (size_t skip = 0; skip <= name.len; skip++)
        if (may_match(hv_str_slice(pattern, 1, pattern.len), hv_str_slice(name, skip, name.len)))
            return true;
    return false;
}

/* A top directory of the system may be among the names of pattern in "/". */
static bool names_system_tree(struct hv_str pattern)
{
    static const char *const names[] = {"bin",  "boot", "etc", "home", "lib", "lib64",
                                        "root", "sbin", "usr", "var",  NULL};
    size_t stars = 0;
    for (size_t i = 0; i < pattern.len; i++)
        stars += pattern.ptr[i] == '*';
    if (pattern.len > 32 || stars > 3)
        return pattern.len <= 32;
    for (size_t i = 0; names[i]; i++)
        if (may_match(pattern, hv_str_from(names[i])))
            return true;
    return false;
}

/* The home directory as people write it, where the reader could not tell what it is. */
static bool is_home_text(struct hv_str text, bool *contents)
{
    static const char *const forms[] = {"~", "$HOME", "${HOME}", "\"$HOME\"", "\"${HOME}\"", "~root", "$HOME/.", NULL};
    while (text.len > 1 && strchr("*/", text.ptr[text.len - 1])) {
        *contents |= text.ptr[text.len - 1] == '*';
        text.len--;
    }
    for (size_t i = 0; forms[i]; i++)
        if (hv_str_is(text, forms[i]))
            return true;
    return false;
}

/* Every name in the directory before it: "*", ".*", "*.*", "[!.]*". */
static bool is_all(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        size_t end = pattern.ptr[i] == '[' ? hv_str_find_byte(pattern, ']', i) : SIZE_MAX;
        if (end != SIZE_MAX)
            i = end;
        else if (!strchr("*.?/", pattern.ptr[i]))
            return false;
    }
    return hv_str_find_byte(pattern, '*', 0) != SIZE_MAX;
}

enum danger_place danger_place_of(struct hv_arena *arena, const struct shell_danger_world *world,
                                  struct hv_str directory, const struct shell_word *word, bool *contents)
{
    struct hv_str value = word->value, pattern = {0}, written, resolved;
    *contents = false;
    if (!word->known && is_home_text(word->text, contents))
        return DANGER_PLACE_HOME;
    if (!word->known) {
        /* A glob in the last component: what is in its directory. Anything else is not known. */
        if (!(word->flags & SHELL_WORD_GLOB) || word->flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND))
            return DANGER_PLACE_NONE;
        size_t slash = hv_str_rfind_byte(value, '/');
        size_t star = 0;
        while (star < word->text.len && !strchr("*?[", word->text.ptr[star]))
            star++;
        pattern = hv_str_slice(word->text, star, word->text.len);
        size_t head = slash == SIZE_MAX ? 0 : slash + 1;
        pattern = hv_arena_join(arena, hv_str_slice(value, head, value.len), pattern);
        value = slash == SIZE_MAX ? HV_STR(".") : hv_str_slice(value, 0, slash + 1);
        while (hv_str_ends(pattern, HV_STR("/")))
            pattern.len--;
        *contents = true;
    }
    if (!danger_path_of(arena, world, directory, value, &written, &resolved))
        return DANGER_PLACE_NONE;
    if (*contents && !is_all(pattern))
        return hv_str_is(resolved, "/") && names_system_tree(pattern) ? DANGER_PLACE_SYSTEM : DANGER_PLACE_NONE;
    enum danger_place a = place_of_path(world, written);
    enum danger_place b = hv_str_eq(written, resolved) ? a : place_of_path(world, resolved);
    return a > b ? a : b;
}

bool danger_is_device_at(const struct shell_word *word, struct hv_str written, struct hv_str resolved, bool *unsure)
{
    *unsure |= !word->known && hv_str_is(word->value, "/dev/");
    return shell_is_block_device(written) || (word->known && shell_is_block_device(resolved));
}

bool danger_is_device(struct hv_arena *arena, const struct shell_danger_world *world, struct hv_str directory,
                      const struct shell_word *word, bool *unsure)
{
    struct hv_str written, resolved;
    return word->value.len && danger_path_of(arena, world, directory, word->value, &written, &resolved) &&
           danger_is_device_at(word, written, resolved, unsure);
}
