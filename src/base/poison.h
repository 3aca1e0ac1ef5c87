/* poison.h: AddressSanitizer is told what of a piece of memory is in use. Nothing happens in other builds. */
#ifndef BASE_POISON_H
#define BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(pointer, size) ((void)(pointer), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(pointer, size) ((void)(pointer), (void)(size))
#endif

#endif
