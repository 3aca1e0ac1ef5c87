/* host.c: the local machine: the table of helve/host.h, from the files of src/fs and the processes of this folder. */
#include "base/clock.h"
#include "fs/held.h"
#include "fs/host_files.h"
#include "fs/transaction.h"
#include "proc/process.h"
#include "proc/run.h"

static uint64_t monotonic_ns(const struct hv_host *host)
{
    (void)host;
    return clock_monotonic_ns();
}

static int64_t wall_ns(const struct hv_host *host)
{
    (void)host;
    return clock_wall_ns();
}

static enum hv_code change_files(const struct hv_host *host, struct hv_file_change *changes, size_t count,
                                 struct hv_str journal, struct hv_error *err)
{
    (void)host;
    return fs_change_files(changes, count, journal, err);
}

static const struct hv_host local = {
    .stat = fs_host_stat,
    .resolve = fs_host_resolve,
    .read = fs_host_read,
    .write = fs_host_write,
    .change_files = change_files,
    .list = fs_host_list,
    .make_directories = fs_host_make_directories,
    .remove = fs_host_remove,
    .run = proc_host_run,
    .processes = &proc_processes,
    .monotonic_ns = monotonic_ns,
    .wall_ns = wall_ns,
    .write_pieces = fs_host_write_pieces,
    .open = fs_host_open,
    .hold = fs_held_hold,
};

const struct hv_host *hv_host_local(void)
{
    return &local;
}
