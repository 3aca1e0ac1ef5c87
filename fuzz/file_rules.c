/*
 * file_rules.c: .editorconfig and .gitattributes: RULES 0x1e PATH. Nothing crashes or takes long; what a section of "*"
 * says is said of every path, and telling the same file twice changes nothing.
 */
#include "parts.h"
#include "text/editorconfig.h"
#include "text/gitattributes.h"

#include <string.h>

static void check_editorconfig(struct hv_str rules, struct hv_str path)
{
    struct editorconfig once = {0}, twice = {0}, all = {0};
    editorconfig_apply(rules, path, &once);
    editorconfig_apply(rules, path, &twice);
    editorconfig_apply(rules, path, &twice);
    FUZZ_CHECK(once.end == twice.end && once.charset == twice.charset && once.final_newline == twice.final_newline);
    (void)editorconfig_is_root(rules);
    (void)editorconfig_match(rules, path);
    editorconfig_apply(HV_STR("[*]\nend_of_line = lf\n"), path, &all);
    FUZZ_CHECK(all.end == EDITORCONFIG_LF || path.len > 4096 || hv_str_find_byte(path, '/', 0) != SIZE_MAX);
}

static bool same(struct gitattributes_value a, struct gitattributes_value b)
{
    return a.state == b.state && hv_str_eq(a.value, b.value);
}

static void check_gitattributes(struct hv_str rules, struct hv_str path)
{
    struct gitattributes once = {0}, twice = {0};
    gitattributes_learn(&once, rules);
    gitattributes_apply(&once, rules, path);
    gitattributes_learn(&twice, rules);
    gitattributes_apply(&twice, rules, path);
    gitattributes_apply(&twice, rules, path);
    FUZZ_CHECK(same(once.text, twice.text) && same(once.eol, twice.eol) && same(once.encoding, twice.encoding));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hv_str parts[2] = {0}, rest = hv_str_of((const char *)data, size);
    for (size_t i = 0; i < 2 && hv_str_split(&rest, 0x1e, &parts[i]); i++)
        ;
    check_editorconfig(parts[0], parts[1]);
    check_gitattributes(parts[0], parts[1]);
    return 0;
}
