/* Tests of ini.c. Each prints one line; the exit code is the number of failures. */
#include "ini.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check(const char *what, const char *got, const char *wanted)
{
    int same = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;
    printf("%s %s", same ? "ok    " : "FAILED", what);
    if (!same)
        printf(": wanted \"%s\", got \"%s\"", wanted ? wanted : "(nothing)", got ? got : "(nothing)");
    printf("\n");
    failures += !same;
}

static struct ini *parse(const char *text)
{
    size_t line = 0;
    struct ini *ini = ini_parse(text, strlen(text), &line);
    if (!ini)
        printf("FAILED line %zu is refused\n", line);
    return ini;
}

int main(void)
{
    struct ini *ini = parse("name = helve\n"
                            "; a comment\n"
                            "[server]\n"
                            "host = \"example.org\" # the host\n"
                            "port=8080\n"
                            "prefix =   \n"
                            "motto = \"one ; two\"\n"
                            "color = red ; the best\n"
                            "port = 8081\n");
    long port = 0;
    if (!ini)
        return 1;
    check("a key before the first section", ini_get(ini, "", "name"), "helve");
    check("a quoted value with a comment after it", ini_get(ini, "server", "host"), "example.org");
    check("the last of two values", ini_get(ini, "server", "port"), "8081");
    check("a value of blanks only is empty", ini_get(ini, "server", "prefix"), "");
    check("a comment ends the value", ini_get(ini, "server", "color"), "red");
    check("a semicolon in quotes is no comment", ini_get(ini, "server", "motto"), "one ; two");
    check("a missing key", ini_get(ini, "server", "nothing"), NULL);
    check("a number", ini_get_int(ini, "server", "port", &port) && port == 8081 ? "8081" : "no", "8081");
    ini_free(ini);

    /* A line of one character in brackets, and an equals sign with blanks around it only. */
    size_t line = 0;
    check("a line without a key is refused", ini_parse(" = x\n", 5, &line) ? "accepted" : "refused", "refused");
    printf("%d failed\n", failures);
    return failures;
}
