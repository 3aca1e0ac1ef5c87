/* danger_tells.c: see danger_tells.h. */
#include "shell/danger_tells.h"

#include <string.h>

static struct hv_str word_at(const struct shell_run *run, size_t at)
{
    return at < run->word_count ? run->words[at].value : (struct hv_str){0};
}

/* A group of letters may hold "s" only where it is an argument: -Iseconds, -dsunday, -usIs sets the clock. */
static bool date_only_tells(const struct shell_run *run)
{
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = word_at(run, i);
        if (!run->words[i].known || hv_str_starts(word, HV_STR("--s")))
            return false;
        if (hv_str_starts(word, HV_STR("--")) || !hv_str_starts(word, HV_STR("-")))
            continue;
        for (size_t at = 1; at < word.len && !strchr("Idfr", word.ptr[at]); at++)
            if (!strchr("uR", word.ptr[at]))
                return false;
    }
    return true;
}

/* What a disk says of itself: none of its other options beside. */
static bool hdparm_only_tells(const struct shell_run *run)
{
    size_t asked = 0;
    for (size_t i = 1; i < run->word_count; i++) {
        if (!run->words[i].known)
            return false;
        if (hv_str_starts(word_at(run, i), HV_STR("-")) && !shell_is_one_of(word_at(run, i), "-I -i -g -C"))
            return false;
        asked += hv_str_starts(word_at(run, i), HV_STR("-"));
    }
    return asked > 0;
}

bool danger_only_tells(const struct shell_run *run)
{
    static const struct {
        const char *name, *first, *second;
    } rows[] = {
        {"pmset", "-g", NULL},
        {"csrutil", "status", NULL},
        {"diskutil", "list info listFilesystems activity", NULL},
        {"diskutil", "apfs cs coreStorage corestorage ar appleRAID", "list info listUsers listSnapshots"},
        {"dscl", ". /Local/Default localhost", "-read -list -search -readall -readpl -ls -cat"},
        {"machinectl", "list list-images status show image-status show-image", NULL},
        {"efibootmgr", "-v --verbose", NULL},
        {"update-alternatives", "--display --list --query --get-selections", NULL},
    };
    if (hv_str_is(run->name, "date"))
        return date_only_tells(run);
    if (hv_str_is(run->name, "hdparm"))
        return hdparm_only_tells(run);
    if (hv_str_is(run->name, "efibootmgr") && run->word_count == 1)
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hv_str_is(run->name, rows[i].name) && shell_is_one_of(word_at(run, 1), rows[i].first) &&
            (!rows[i].second || shell_is_one_of(word_at(run, 2), rows[i].second)))
            return true;
    return false;
}
