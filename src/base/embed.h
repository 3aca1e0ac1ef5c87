/*
 * embed.h: a file as part of the program, put there by the assembler:
 *   EMBED(demo, DEMO_FILE)   →   static struct hv_str demo(void): its bytes, with a NUL behind them that is not counted
 * `file` is a string literal with an absolute path. The compiler does not know that it depends on it: the source
 * includes a stamp, an empty header that its meson.build makes anew whenever the file changes.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <helve/str.h>

#define EMBED(name, file)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".hidden embed_" #name "_begin\n.global embed_" #name "_begin\n"                                           \
            ".hidden embed_" #name "_end\n.global embed_" #name "_end\n"                                               \
            "embed_" #name "_begin:\n.incbin \"" file "\"\nembed_" #name "_end:\n.byte 0\n.previous\n");               \
    extern const char embed_##name##_begin[] __attribute__((visibility("hidden")));                                    \
    extern const char embed_##name##_end[] __attribute__((visibility("hidden")));                                      \
    static struct hv_str name(void)                                                                                    \
    {                                                                                                                  \
        return hv_str_of(embed_##name##_begin, (size_t)(embed_##name##_end - embed_##name##_begin));                   \
    }

#endif
