/*
 * helper_protocol.h: what helve tells its sandbox helper (helper.c) and the two halves of the helper tell each other.
 *
 * helve starts `helve-sandbox PLAN PROGRAM ARGUMENT…`, or ahead of the command `helve-sandbox PLAN`. PLAN is a text of
 * items, each LETTER LENGTH ":" BYTES, so that a path may hold any byte. It can be built once and used for many
 * commands.
 */
#ifndef SANDBOX_HELPER_PROTOCOL_H
#define SANDBOX_HELPER_PROTOCOL_H

#include <stdint.h>

enum helper_item {
    HELPER_BWRAP = 'B',      /* path of bubblewrap; without this item the helper confines the command by itself */
    HELPER_BWRAP_WORD = 'b', /* one of its arguments */
    /* Where the inner half mounts what is seen (helper_mount.c), in this order. */
    HELPER_LATER = 'y',          /* it does; started ahead, it finds what follows on HELPER_FD_LATE */
    HELPER_ROOT = 'a',           /* HELPER_WRITES, or anything else: read-only */
    HELPER_PROC = 'c',           /* the same for /proc */
    HELPER_SAME = 'q',           /* DEVICE:INODE of what the next mount lies upon; nothing else may be there */
    HELPER_SOURCE = 's',         /* what the next bind shows, if not its own path */
    HELPER_BIND = 'W',           /* PATH */
    HELPER_BIND_READ_ONLY = 'R', /* PATH */
    HELPER_BIND_LINK = 'L',      /* PATH of a file in whose place the link HELPER_SOURCE is seen; itself read-only */
    HELPER_BIND_SOCKET = 'S',    /* PATH, which may lead over links; may be missing */
    HELPER_MEMORY = 'T',         /* MODE:PATH, an empty folder in memory */
    HELPER_SOCKETS = 'k',        /* cover each bound socket of the machine that lies in nothing writable */
    HELPER_TEMPORARY = 'z',      /* PATH of a bind that stays writable when the command only reads */
    HELPER_FORBIDDEN = 'x',      /* PATH of a file that is removed when somebody makes it */
    HELPER_IDENTITY = 'i',       /* USER:GROUP, of a namespace of users that is left for one with these */

    HELPER_FILTER = 'f',   /* the seccomp filter: struct sock_filter after struct sock_filter, in hexadecimal */
    HELPER_SET = 'e',      /* NAME=value, for the command's environment */
    HELPER_UNSET = 'u',    /* NAME */
    HELPER_LIMIT = 'l',    /* RESOURCE:VALUE, decimal, for setrlimit */
    HELPER_JOIN = 'g',     /* a cgroup's cgroup.procs */
    HELPER_OOM = 'o',      /* the command's oom_score_adj */
    HELPER_PROXY = 'p',    /* RUN:NAME: the number of this run, and the abstract socket of helve's proxy */
    HELPER_LISTEN = 't',   /* KIND:PORT: listen on that port of the loopback address, and hand it to the proxy */
    HELPER_READABLE = 'r', /* Landlock: may be read and executed, with all below */
    HELPER_LISTABLE = 'd', /* Landlock: may be listed, with all below */
    HELPER_WRITABLE = 'w', /* Landlock: everything may be done to it and all below */
    HELPER_DEVICE = 'v',   /* Landlock: a device that may be read and written */
};

enum { HELPER_WRITES = 'w' };

/* Before PROGRAM: what it is bound to do is to read. Nothing but temporary files can be written, and no network is
 * reached. */
#define HELPER_ONLY_READS "only-reads"

/* Descriptors of the inner half. */
enum {
    HELPER_FD_WORDS = 10,  /* the arguments of bubblewrap */
    HELPER_FD_PLAN = 11,   /* plan and command, each text with its NUL */
    HELPER_FD_STATUS = 12, /* struct helper_report, to the outer half */
    HELPER_FD_PROXY = 13,  /* a socket to the proxy, or nothing */
    HELPER_FD_FILTER = 14,
    HELPER_FD_SOCKETS = 16, /* the list of all bound sockets of the machine, open for reading */
    HELPER_FD_LATE = 15,    /* where the command comes from, when it was started ahead (proc/guard_protocol.h) */
};

enum helper_report_kind { HELPER_EXITED = 1, HELPER_FAILED };

struct helper_report {
    int32_t kind, value; /* EXITED: wait status; FAILED: errno */
    int32_t alone;       /* EXITED: it left nothing behind */
};

/* What the helper exits with when the command did not run. */
enum { HELPER_EXIT_SANDBOX = 126, HELPER_EXIT_PROGRAM = 127 };
#define HELPER_NAME "helve-sandbox: "

/* What the outer half hears first from the proxy: the namespaces of the session's network, beside GIVEN, or that it is
 * to make them and send them back. */
enum helper_network { HELPER_NETWORK_GIVEN = 'g', HELPER_NETWORK_MAKE = 'm', HELPER_NETWORK_NONE = 'n' };

/* To the proxy, with the listening socket, or the namespaces, beside it. */
struct helper_listener {
    uint64_t run;
    int32_t kind; /* enum helper_listener_kind */
};
enum helper_listener_kind {
    HELPER_LISTEN_HTTP = 0,
    HELPER_LISTEN_RELAY_HTTP,
    HELPER_LISTEN_RELAY_SOCKS,
    HELPER_NETWORK_MADE,             /* no listener: the namespace of a network, and maybe that of its users */
    HELPER_LISTEN_MACHINE = 1 << 16, /* + PORT: passed on to that port of the machine's loopback */
};
enum { HELPER_PORTS_MAX = 16 };

#endif
