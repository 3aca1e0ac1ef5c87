/* demo.c: the recording that is part of the program: demo.jsonl, put here by the assembler. See replay.c. */
#include "model/demo.h"

__asm__(".section .rodata\n"
        ".hidden model_demo_begin\n"
        ".hidden model_demo_end\n"
        ".global model_demo_begin\n"
        ".global model_demo_end\n"
        "model_demo_begin:\n"
        ".incbin \"" MODEL_DEMO_FILE "\"\n"
        "model_demo_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char model_demo_begin[] __attribute__((visibility("hidden")));
extern const char model_demo_end[] __attribute__((visibility("hidden")));

struct hv_str demo_recording(void)
{
    return hv_str_of(model_demo_begin, (size_t)(model_demo_end - model_demo_begin));
}
