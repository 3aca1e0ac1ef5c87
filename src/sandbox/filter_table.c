/* filter_table.c: a program of the build: writes the header that has the filters of all options (filter.c). */
#include "sandbox/filter_make.h"

#include <stdio.h>

static enum hv_code put(bool unix_sockets, bool no_internet)
{
    struct hv_arena arena = {0};
    struct hv_error err;
    struct hv_str text;
    struct sandbox_filter_options options = {.unix_sockets = unix_sockets, .no_internet = no_internet};
    enum hv_code code = filter_make(&arena, &options, &text, &err);
    if (code)
        fprintf(stderr, "%s\n", err.message);
    else
        printf("        \"%.*s\",\n", HV_STR_ARG(text));
    hv_arena_release(&arena);
    return code;
}

int main(void)
{
    puts("/* Made by filter_table.c: by unix_sockets and no_internet. */");
    puts("static const char *const filter_table[2][2] = {");
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0)
            puts("    {");
        if (put(i / 2, i % 2))
            return 1;
        if (i % 2)
            puts("    },");
    }
    return puts("};") < 0;
}
