/* replay_seeds.c: runs a fuzz target over the files of its seed folder, so that every build tests them. */
#include "base/cleanup.h"

#include <dirent.h>
#include <helve/str.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        FILE *file = fopen(path, "rb");
        if (!file)
            continue;
        CLEANUP_BUF struct hv_buf buf = {.max = 64u << 20};
        for (size_t got = 1; got;) {
            char *room = hv_buf_reserve(&buf, 1 << 16);
            got = room ? fread(room, 1, 1 << 16, file) : 0;
            if (room)
                hv_buf_commit(&buf, got);
        }
        fclose(file);
        LLVMFuzzerTestOneInput((const uint8_t *)hv_buf_str(&buf).ptr, buf.len);
        count++;
    }
    closedir(folder);
    printf("%u seeds\n", count);
    return count ? 0 : 1;
}
