/*
 * confined.c: a stand-in for a decoder of images that was taken over: it locks itself in by the very function of
 * helve-image, and then tries what its argument names. A program of its own, and without sanitizers, which need more
 * addresses than the confinement gives. test_image_confine.c starts it.
 */
#include "media/confined.h"

#include "media/image_helper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls are made by hand: no library stands between the try and the kernel. */
static long try_open(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static long try_create(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp/helve-image-was-here", O_WRONLY | O_CREAT, 0600);
}

static long try_socket(void)
{
    return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static long try_unix_socket(void)
{
    return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static long try_fork(void)
{
    return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static long try_exec(void)
{
    const char *argv[] = {"/bin/true", NULL};
    return syscall(SYS_execve, "/bin/true", argv, NULL);
}

static long try_kill(void)
{
    return syscall(SYS_kill, getppid(), 0);
}

static long try_trace(void)
{
    return syscall(SYS_ptrace, 0, 0, 0, 0);
}

static long try_code(void)
{
    return syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long try_make_code(void)
{
    long page = syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

static long try_map_file(void)
{
    return syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, 0, 0);
}

static long try_other_descriptor(void)
{
    return syscall(SYS_write, 3, "x", 1);
}

static long try_read_other_descriptor(void)
{
    char byte;
    return syscall(SYS_read, 3, &byte, 1);
}

static long try_duplicate(void)
{
    return syscall(SYS_dup, 0);
}

/* For ever, but for the limit, which main makes a second: one that is lower stays. */
static long try_forever(void)
{
    for (volatile unsigned long turns = 1; turns; turns++)
        ;
    return 0;
}

static long try_much_memory(void)
{
    size_t taken = 0, piece = 1 << 20;
    char *memory;
    for (; taken < (size_t)IMAGE_HELPER_MEMORY_LIMIT && (memory = malloc(piece)); taken += piece)
        memory[piece / 2] = 'x';
    return taken < (size_t)IMAGE_HELPER_MEMORY_LIMIT ? -1 : 0;
}

static long try_what_is_needed(void)
{
    char byte, *memory = malloc(64 << 20);
    bool good = memory && read(0, &byte, 1) == 0 && write(1, "x", 1) == 1;
    free(memory);
    return good ? 0 : -1;
}

static const struct {
    const char *name;
    long (*try)(void);
} tries[] = {
    {"open a file", try_open},
    {"make a file", try_create},
    {"connect", try_socket},
    {"connect locally", try_unix_socket},
    {"start a process", try_fork},
    {"start a program", try_exec},
    {"send a signal", try_kill},
    {"trace", try_trace},
    {"get new code", try_code},
    {"make data code", try_make_code},
    {"map a file", try_map_file},
    {"write to another descriptor", try_other_descriptor},
    {"read from another descriptor", try_read_other_descriptor},
    {"duplicate a descriptor", try_duplicate},
    {"go on for ever", try_forever},
    {"take much memory", try_much_memory},
    {"do what is needed", try_what_is_needed},
};

int main(int argc, char **argv)
{
    struct rlimit second = {1, 1};
    int nothing = open("/dev/null", O_RDWR);
    if (argc != 2 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 3) < 0 ||
        setrlimit(RLIMIT_CPU, &second))
        return 1;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (strcmp(tries[i].name, argv[1]) == 0) {
            if (!image_helper_confine())
                return CONFINED_NOT;
            _exit(tries[i].try() < 0 ? CONFINED_REFUSED : CONFINED_DID_IT);
        }
    return 1;
}
