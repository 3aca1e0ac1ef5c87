/*
 * host.h: the machine as a small table of functions: files, processes, clocks.
 *
 * Tools reach the world through a host, so that an editor's unsaved buffers, another machine or a recorded tape
 * can stand in for the local one. Every function blocks and may be called from any worker thread at the same
 * time. Paths are absolute byte strings (not NUL-terminated, may be invalid UTF-8, never hold NUL: HV_EINVAL).
 */
#ifndef HELVE_HOST_H
#define HELVE_HOST_H

#include <helve/str.h>

/* ---- cancellation ------------------------------------------------------------------------------------ */

/* A flag that one thread raises and others watch, also through a descriptor. Reference-free: its owner outlives
 * its users. */
struct hv_cancel;

HV_API struct hv_cancel *hv_cancel_new(void); /* never NULL */
HV_API void hv_cancel_free(struct hv_cancel *cancel);
HV_API void hv_cancel_raise(struct hv_cancel *cancel); /* async-signal-safe; repeated calls are harmless */
/* NULL is never cancelled. */
HV_API bool hv_cancelled(const struct hv_cancel *cancel);
/* A descriptor that becomes readable for ever when cancelled, for poll(); the same at each call. -1 for NULL, and when
 * the system has no descriptor left. Do not read or close it. Any thread. */
HV_API int hv_cancel_fd(const struct hv_cancel *cancel);

/* ---- files ------------------------------------------------------------------------------------------- */

enum hv_file_kind {
    HV_FILE_UNKNOWN = 0,
    HV_FILE_REGULAR,
    HV_FILE_DIRECTORY,
    HV_FILE_SYMLINK,
    HV_FILE_DEVICE, /* block or character */
    HV_FILE_FIFO,
    HV_FILE_SOCKET,
};

struct hv_file_stat {
    enum hv_file_kind kind;
    uint32_t mode;    /* permission bits */
    uint64_t size;    /* bytes */
    int64_t mtime_ns; /* since 1970 */
    int64_t ctime_ns; /* when anything of it last changed, which nobody can set back; 0: not known */
    uint64_t inode, device, links;
};

/* What was held when a path was judged: the deepest directory above it that existed. Whose it is, is the host's. */
struct hv_handle;

/* A path that a call is about, for hv_host.hold. */
struct hv_place {
    struct hv_str written;  /* absolute and tidy */
    struct hv_str resolved; /* out: with its links resolved, as of the moment when it was held; lives as long as the
                             * host that holds it. Absent: that could not be found out, and nothing is reached by it */
    enum hv_file_kind kind; /* out: of what is there; UNKNOWN: nothing is */
};

struct hv_write_options {
    /* The path is resolved, and lies at or below this: nothing is followed from there on. Set by hosts that hold. NULL:
     * links in the path are followed. */
    const struct hv_handle *at;
    /* When set, the write happens only if the file still is what was judged: HV_ECONFLICT otherwise. */
    const struct hv_file_stat *expected;
    /* The bytes that go with `expected`: looked at again where its mtime is so young that another change may have left
     * it as it is. Absent: the metadata alone must do. */
    struct hv_str expected_bytes;
    bool must_not_exist; /* HV_EEXIST when there is a file */
    bool make_parents;   /* create missing directories */
    uint32_t mode;       /* permission bits of a new file; 0 means 0666 less the umask */
    bool set_mode;       /* mode is that of an existing file, too */
    bool unsynced; /* do not wait for the disk: the end of this process costs nothing, a power cut may cost the file */
    int64_t mtime_ns;   /* since 1970: the time the file shall bear; 0: now */
    struct hv_str like; /* a file whose owner and attributes a new one gets, as far as that may be: of a move */
    /* Where a record is kept for as long as the write is under way (as hv_host.change_files does), so that what a kill
     * leaves is undone at the next start. Absent: a kill may leave a temporary file, or a backup beside the target. */
    struct hv_str journal;
    /* write_pieces alone: called with announced_to when all is prepared and the next step changes something that was
     * there before the call (or makes a directory); not at all where it fails before. May block. NULL: nobody asks. */
    void (*announce)(void *announced_to);
    void *announced_to;
};

/* One file of a change over several. */
struct hv_file_change {
    struct hv_str path;
    struct hv_str bytes;     /* the whole new content; absent: the file is removed, or a link is made */
    struct hv_str link_like; /* a symbolic link: path, where nothing may stand, becomes one that says the same */
    const struct hv_handle *link_like_at; /* what that is opened from, as options.at is for path */
    struct hv_write_options options;      /* removing heeds `expected` only, making a link `make_parents` */
    struct hv_file_stat after;            /* out: of what was written */
};

struct hv_directory_entry {
    struct hv_str name;
    enum hv_file_kind kind;
};

/* ---- processes --------------------------------------------------------------------------------------- */

enum hv_stream { HV_STDOUT = 1, HV_STDERR = 2 };

struct hv_command {
    const char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH when it has no slash */
    const char *const *environment; /* NULL-terminated "NAME=value"; NULL inherits helve's */
    const char *directory;          /* working directory; NULL inherits */
    struct hv_str input;            /* fed to stdin; absent: stdin is empty */
    uint64_t timeout_ns;            /* 0: no limit */
    uint64_t grace_ns;              /* between TERM and KILL of the process group; 0 means 2 s */
    const struct hv_cancel *cancel; /* may be NULL */
    /* Called on the calling thread with each piece of output in order of arrival. Returning false stops the
     * command as cancel does (flood cap). May be NULL: output is thrown away. */
    bool (*on_output)(void *user, enum hv_stream stream, struct hv_str bytes);
    /* Called about once a second while the command runs. May be NULL. */
    void (*on_tick)(void *user, uint64_t elapsed_ns);
    void *user;
    uint64_t memory_limit, file_limit, process_limit; /* bytes, bytes, count; 0: none. Set in the child only. */

    /* For hv_processes.start only. */
    bool tty;         /* stdin, stdout and stderr are a terminal of its own (all output is HV_STDOUT) */
    bool one_output;  /* without tty: stderr is the same pipe as stdout, so that the order holds (all is HV_STDOUT) */
    bool keeps_input; /* without tty: stdin is a pipe that hv_processes.write fills; `input` is not used */
    bool lingers;     /* what it leaves behind lives on until stop (HV_PROCESS_LINGERING) */
    unsigned rows, columns; /* of the terminal; 0: 40 and 120 */
    /* What hv_processes.prepare started ahead for this command: taken (it is NULL afterwards) whether it serves or not;
     * where it does not, a fresh one is started. May be NULL, as may what it points to. */
    struct hv_process **prepared;
    /* Once it is raised, attend returns early, one time: its starter wants to look. Not used after adopt. May be NULL.
     */
    const struct hv_cancel *wake;
};

struct hv_exit {
    int code;                           /* exit code, or -1 when ended by a signal */
    int signal;                         /* the signal that ended it, or 0 */
    bool timed_out, cancelled, stopped; /* why it was killed, if helve killed it (stopped: on_output said so) */
    bool left_running; /* the command ended while a descendant still held its output; that one was killed */
    uint64_t duration_ns;
};

/* A command under way that its starter looks after in parts. */
struct hv_process;

enum hv_process_state {
    HV_PROCESS_RUNNING = 0,
    HV_PROCESS_LINGERING, /* the command itself has ended; what it left behind lives on */
    HV_PROCESS_ENDED,     /* nothing of it is left */
};

struct hv_host;

/*
 * Commands that outlive the call that started them, or that somebody types to. One thread at a time attends, adopts,
 * stops and finishes; interrupt, write, close_input and waits may be called by others meanwhile, until finish.
 */
struct hv_processes {
    /* As hv_host.run as far as starting goes. The texts of command are not used after it; its callbacks are called by
     * attend. Free *out with finish. */
    enum hv_code (*start)(const struct hv_host *host, const struct hv_command *command, struct hv_process **out,
                          struct hv_error *err);
    /* Start the beginning of a later command: a program that reads the rest of its arguments, its directory and its
     * environment when it is told (as helve-sandbox does). Of command argv, environment, lingers and one_output are
     * used; texts are copied. A later `start` whose argv begins with these very words, and which wants neither terminal
     * nor input nor limits, takes it by hv_command.prepared; else it is given to finish. NULL: this host cannot. */
    enum hv_code (*prepare)(const struct hv_host *host, const struct hv_command *command, struct hv_process **out,
                            struct hv_error *err);
    /* Of one that was prepared, once, before ready: the rest of its last word, which it reads when it has it. The words
     * are then as if it had been started with the whole. False: it does not hear any more. NULL: this host cannot. */
    bool (*complete)(struct hv_process *process, struct hv_str rest);
    /* Of one that was prepared: wait until it reads the rest; false when it does not come to that within five seconds.
     */
    bool (*ready)(struct hv_process *process);
    /* Deliver output and ticks, obey time-out and cancellation, until the state changes or until_ns (on the monotonic
     * clock; 0: no limit) has come, or hv_command.wake is raised. Returns the state. */
    enum hv_process_state (*attend)(struct hv_process *process, uint64_t until_ns);
    /* From now on watch this cancellation instead (NULL: none) and no `wake`, obey no time-out, and give ticks only if
     * `ticks`. */
    void (*adopt)(struct hv_process *process, const struct hv_cancel *cancel, bool ticks);
    /* TERM to all of it now, KILL grace_ns later, by attend. Harmless when it has ended. */
    void (*stop)(struct hv_process *process, uint64_t grace_ns);
    void (*interrupt)(struct hv_process *process); /* what Ctrl-C does: SIGINT to all of it */
    /* Bytes for its stdin or terminal. HV_EUNSUPPORTED: its stdin is empty or closed; HV_EAGAIN: it has not taken all
     * of them within a second. Blocks for no longer. */
    enum hv_code (*write)(struct hv_process *process, struct hv_str bytes, struct hv_error *err);
    void (*close_input)(struct hv_process *process); /* end of file: a pipe is closed, a terminal gets Ctrl-D */
    /* Some process of it is blocked in reading the stdin or terminal that write fills. */
    bool (*waits)(struct hv_process *process);
    int64_t (*id)(const struct hv_process *process); /* of the command; 0 while not known */
    /* How the command itself ended, while what it left lingers. */
    void (*exit_of)(const struct hv_process *process, struct hv_exit *out);
    /* Kill what still lives, tell how it ended, and free it. Faults: those of run (the command never started). */
    enum hv_code (*finish)(struct hv_process *process, struct hv_exit *out, struct hv_error *err);
    /* As finish, of one that has ended; but what was around the command, and takes a while to go, is not waited for:
     * *rest is to be given to finish then, by any thread, which tells nothing of use. NULL: all is gone, and freed. */
    enum hv_code (*conclude)(struct hv_process *process, struct hv_exit *out, struct hv_process **rest,
                             struct hv_error *err);
};

/* ---- the table --------------------------------------------------------------------------------------- */

struct hv_host {
    void *data; /* the implementation's own */

    /* Metadata. follow: of a symlink's target. */
    enum hv_code (*stat)(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err);
    /* The path with all links, "." and ".." resolved; parts that do not exist are kept as written after the deepest
     * that does. HV_EINVAL for a loop of links. */
    enum hv_code (*resolve)(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err);
    /* Append up to limit bytes from offset on to buf (over buf's maximum: HV_ETOOBIG). Regular files only: anything
     * else is HV_EUNSUPPORTED without blocking. *stat (may be NULL) is that of the very descriptor that was read. */
    enum hv_code (*read)(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                         struct hv_buf *buf, struct hv_file_stat *stat, struct hv_error *err);
    /* Replace or create the whole file atomically: readers and a crash see the old bytes or the new. Mode, owner,
     * extended attributes and a symlink's target survive. *after (may be NULL) is the new file's metadata. */
    enum hv_code (*write)(const struct hv_host *host, struct hv_str path, struct hv_str bytes,
                          const struct hv_write_options *options, struct hv_file_stat *after, struct hv_error *err);
    /* Make all changes or none, also when this process is killed half-way: what is needed to undo or complete them is
     * kept below the directory `journal` meanwhile (made when missing), and looked after at the next start. NULL: this
     * host changes one file at a time. */
    enum hv_code (*change_files)(const struct hv_host *host, struct hv_file_change *changes, size_t count,
                                 struct hv_str journal, struct hv_error *err);
    /* The entries of a directory without "." and "..", unsorted, in arena. At most limit entries: *more tells. */
    enum hv_code (*list)(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                         struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err);
    enum hv_code (*make_directories)(const struct hv_host *host, struct hv_str path, struct hv_error *err);
    enum hv_code (*remove)(const struct hv_host *host, struct hv_str path, struct hv_error *err); /* a file or a link */

    /* Run a command to its end. Returns HV_OK and fills *out whenever the command was started, however it ended; an
     * error when it could not be started. Returns as soon as the command itself has ended, even when a grandchild
     * still holds its output. The whole process group, descendants included, is dead when this returns. */
    enum hv_code (*run)(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                        struct hv_error *err);
    const struct hv_processes *processes; /* NULL: this host only runs commands to their end */

    uint64_t (*monotonic_ns)(const struct hv_host *host);
    int64_t (*wall_ns)(const struct hv_host *host); /* since 1970, UTC */

    /* As write, of content that lies in pieces, one after the other. NULL: they are put together for write; a host that
     * has a write of its own and takes the rest from another one sets this to NULL or to its own. */
    enum hv_code (*write_pieces)(const struct hv_host *host, struct hv_str path, const struct hv_str *pieces,
                                 size_t count, const struct hv_write_options *options, struct hv_file_stat *after,
                                 struct hv_error *err);

    /* A descriptor of a regular file (as read opens it) or of a directory, open for reading, for who reads in his own
     * way: *fd is the caller's. *stat: of a file, may be NULL. NULL: this host has none to give. */
    enum hv_code (*open)(const struct hv_host *host, struct hv_str path, enum hv_file_kind kind, int *fd,
                         struct hv_file_stat *stat, struct hv_error *err);

    /*
     * Hold the places that a call was judged by: *out is a host that reaches what these paths name now and what lies
     * below, and nothing else of any content. Whatever becomes a link afterwards is not followed (HV_ECONFLICT); a file
     * that is replaced by another one under its name is still the same place. What lies above a place may be listed,
     * and files there be read by tools that look for rules; metadata are told of all. The programs it runs are not
     * held. One reference is the caller's. NULL: nobody can exchange names of this host behind its back; a host that
     * has a read or write of its own and takes the rest from another one sets this to NULL or to its own.
     */
    enum hv_code (*hold)(const struct hv_host *host, struct hv_place *places, size_t count, const struct hv_host **out,
                         struct hv_error *err);
    /* The rest is of hosts that hold gave, and NULL for others. Whether one of its paths leads elsewhere now, or to
     * something of another kind. Blocks. */
    bool (*moved)(const struct hv_host *host);
    /* One more owner, for who needs it when the call is over; one less: the last frees it, and what it told of its
     * places. */
    void (*retain)(const struct hv_host *host);
    void (*release)(const struct hv_host *host);
};

/* The local machine. Static, stateless, valid for ever. */
HV_API const struct hv_host *hv_host_local(void);

#endif
