/* test_outline.c: which lines of a source file define something, and what. */
#include "tools/outline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    const char *line, *name;
} lines[] = {
    {"int main(int argc, char **argv)", "main"},
    {"static const struct row *find(const char *name) {", "find"},
    {"struct point {", "point"},
    {"struct point origin;", NULL},
    {"    return compute(x);", NULL},
    {"if (x) {", NULL},
    {"call(x);", NULL},
    {"int x = call(y)", NULL},
    {"def outer():", "outer"},
    {"    async def inner(self):", "inner"},
    {"class Name(Base):", "Name"},
    {"export default class Name {", "Name"},
    {"export async function load(url) {", "load"},
    {"function* numbers() {", "numbers"},
    {"export const load = async (url) => {", "load"},
    {"const limit = 5;", NULL},
    {"let handler = function (event) {", "handler"},
    {"    public static void main(String[] arguments) {", "main"},
    {"    protected override int Count(int x) {", "Count"},
    {"    if (x) {", NULL},
    {"    while (static_thing(x)) {", NULL},
    {"pub(crate) fn parse(text: &str) -> Tree {", "parse"},
    {"    pub fn new() -> Self {", "new"},
    {"impl<T> Display for Tree<T> {", "Display"},
    {"func (t *Tree) Walk(visit func(*Node)) {", "Walk"},
    {"type Tree struct {", "Tree"},
    {"suspend fun load(url: String) {", "load"},
    {"usage() {", "usage"},
    {"sub read_all {", "read_all"},
    {"CREATE TABLE IF NOT EXISTS people (", "people"},
    {"create or replace view `old people` as", "old"},
    {"INSERT INTO people VALUES (1);", NULL},
    {"# Heading", "Heading"},
    {"### A part of it  ", "A part of it"},
    {"#include <stdio.h>", NULL},
    {"", NULL},
    {"   ", NULL},
    {"\t", NULL},
    {"(", NULL},
    {"pub(", NULL},
    {"create", NULL},
    {"create \"", NULL},
    {"                    def deep(self):", NULL},
};

static void a_definition_is_told_by_its_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct hv_str name = outline_definition(hv_str_from(lines[i].line));
        if (lines[i].name ? !hv_str_is(name, lines[i].name) : name.ptr != NULL)
            fail_msg("\"%s\" defines \"%.*s\"", lines[i].line, HV_STR_ARG(name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_definition_is_told_by_its_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
