/*
 * host_files.h: the file half of the local host. These functions have the signatures of the members of struct
 * hv_host with the same names, so that the table of the local machine is assembled from them; the contract of each
 * is the one written in helve/host.h. All of them block, hold no state, and may be called from any thread.
 */
#ifndef FS_HOST_FILES_H
#define FS_HOST_FILES_H

#include <helve/host.h>

enum hv_code fs_host_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                          struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                             struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                          struct hv_buf *buf, struct hv_file_stat *stat, struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_write(const struct hv_host *host, struct hv_str path, struct hv_str bytes,
                           const struct hv_write_options *options, struct hv_file_stat *after,
                           struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_write_pieces(const struct hv_host *host, struct hv_str path, const struct hv_str *pieces,
                                  size_t count, const struct hv_write_options *options, struct hv_file_stat *after,
                                  struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                          struct hv_directory_entry **entries, size_t *count, bool *more,
                          struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_open(const struct hv_host *host, struct hv_str path, enum hv_file_kind kind, int *fd,
                          struct hv_file_stat *stat, struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_make_directories(const struct hv_host *host, struct hv_str path,
                                      struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_host_remove(const struct hv_host *host, struct hv_str path, struct hv_error *err) HV_MUST_CHECK;

/* What read and list do with what is open already; path is for messages, size what it is thought to have. The
 * descriptor stays the caller's. */
enum hv_code fs_read_open(int fd, struct hv_str path, uint64_t offset, size_t limit, uint64_t size, struct hv_buf *buf,
                          struct hv_error *err) HV_MUST_CHECK;
enum hv_code fs_list_open(int fd, struct hv_str path, struct hv_arena *arena, size_t limit,
                          struct hv_directory_entry **entries, size_t *count, bool *more,
                          struct hv_error *err) HV_MUST_CHECK;

#endif
