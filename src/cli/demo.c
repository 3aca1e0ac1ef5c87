/* demo.c: see demo.h. The files are those of examples/ini. */
#include "cli/demo.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/embed.h"
#include "cli/cli.h"
#include "cli_demo_stamp.h"

EMBED(agents, DEMO_EXAMPLE "/AGENTS.md")
EMBED(makefile, DEMO_EXAMPLE "/Makefile")
EMBED(readme, DEMO_EXAMPLE "/README.md")
EMBED(ini_source, DEMO_EXAMPLE "/ini.c")
EMBED(ini_header, DEMO_EXAMPLE "/ini.h")
EMBED(tests, DEMO_EXAMPLE "/test_ini.c")

static const struct {
    const char *name;
    struct hv_str (*bytes)(void);
} files[] = {
    {"AGENTS.md", agents}, {"Makefile", makefile}, {"README.md", readme},
    {"ini.c", ini_source}, {"ini.h", ini_header},  {"test_ini.c", tests},
};

bool demo_is_here(struct hv_arena *arena, struct hv_str directory)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct hv_error ignored;
    const char *path = hv_arena_format(arena, "%.*s/test_ini.c", HV_STR_ARG(directory)).ptr;
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    hv_buf_init(&bytes, tests().len + 1);
    return fd >= 0 && cli_read_all(fd, tests().len, &bytes, &ignored) == HV_OK &&
           hv_str_eq(hv_buf_str(&bytes), tests());
}

static enum hv_code write_file(const char *path, struct hv_str bytes, struct hv_error *err)
{
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int failed = fd < 0 ? errno : cli_write(fd, bytes);
    return failed ? hv_fail_errno(err, failed, "cannot write %s", path) : HV_OK;
}

enum hv_code demo_copy(struct hv_arena *arena, struct hv_str *directory, struct hv_error *err)
{
    const char *base = getenv("TMPDIR");
    enum hv_code code = HV_OK;
    struct hv_str name = hv_arena_format(arena, "%s/helve-demo-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    char *path = hv_arena_cstr(arena, name);
    if (!mkdtemp(path))
        return hv_fail_errno(err, errno, "cannot make a directory for the demo's project (%s)", path);
    *directory = hv_str_from(path);
    for (size_t i = 0; i < sizeof files / sizeof *files && code == HV_OK; i++)
        code = write_file(hv_arena_format(arena, "%s/%s", path, files[i].name).ptr, files[i].bytes(), err);
    return code;
}
