/* banned.h: functions that have a safer form here become compile errors. Included before every file by the build. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(function) sorry_##function##_is_banned_use_the_hv_functions
#undef strcpy
#define strcpy(a, b) BANNED(strcpy)
#undef strcat
#define strcat(a, b) BANNED(strcat)
#undef strncpy
#define strncpy(a, b, c) BANNED(strncpy)
#undef strncat
#define strncat(a, b, c) BANNED(strncat)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(a, b, c) BANNED(vsprintf)
#undef strtok
#define strtok(a, b) BANNED(strtok)
#undef gets
#define gets(a) BANNED(gets)
#undef gmtime
#define gmtime(a) BANNED(gmtime)
#undef localtime
#define localtime(a) BANNED(localtime)
#undef ctime
#define ctime(a) BANNED(ctime)
#undef asctime
#define asctime(a) BANNED(asctime)
#undef atoi
#define atoi(a) BANNED(atoi)
#undef atol
#define atol(a) BANNED(atol)
#undef alloca
#define alloca(a) BANNED(alloca)
#undef system
#define system(a) BANNED(system)
#undef popen
#define popen(a, b) BANNED(popen)
#undef tmpnam
#define tmpnam(a) BANNED(tmpnam)
#undef mktemp
#define mktemp(a) BANNED(mktemp)

#endif
