/*
 * processor.h: what the processor can do, asked at run time. The C library found out as the program started; to ask the
 * processor once more takes some microseconds for each question on a virtual machine, 60 for all that a compiler's own
 * function asks.
 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#if defined(__x86_64__)
#include <stdbool.h>

#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

/* Vectors of 16 bytes that can be shuffled. */
static inline bool processor_has_shuffles(void)
{
    return CPU_FEATURE_ACTIVE(SSSE3);
}

/* Vectors of 32 bytes. */
static inline bool processor_has_avx2(void)
{
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1);
}

/* Vectors of 64 bytes, by which tables of 128 bytes can be looked up. */
static inline bool processor_has_avx512(void)
{
    return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512_VBMI) &&
           CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(POPCNT);
}

/* Rounds of SHA-256. */
static inline bool processor_has_sha(void)
{
    return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SSSE3);
}
#else
#include <cpuid.h>

static inline bool processor_has_shuffles(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("ssse3");
}

static inline bool processor_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

static inline bool processor_has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

static inline bool processor_has_sha(void)
{
    enum { CPUID_SHA = 1 << 29 };
    unsigned a, b, c, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & CPUID_SHA;
}
#endif
#endif

#endif
