/* secret_variable.c: see secret_variable.h. */
#include "config/secret_variable.h"

#include "text/glob.h"

/* A word between underscores, wherever it stands; only the last word; and the end of a word. */
static const struct hv_str anywhere[] = {HV_STR("TOKEN"),      HV_STR("SECRET"),     HV_STR("PASSWORD"),
                                         HV_STR("PASSWD"),     HV_STR("PASSPHRASE"), HV_STR("APIKEY"),
                                         HV_STR("CREDENTIAL"), HV_STR("CREDENTIALS")};
static const struct hv_str last[] = {HV_STR("KEY"), HV_STR("PASS"), HV_STR("AUTH"), HV_STR("PAT")};
static const struct hv_str endings[] = {HV_STR("TOKEN"), HV_STR("SECRET"), HV_STR("PASSWORD"), HV_STR("PASSWD"),
                                        HV_STR("APIKEY")};

static bool is_among(struct hv_str word, const struct hv_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_eq_nocase(word, words[i]))
            return true;
    return false;
}

static bool name_says_so(struct hv_str name)
{
    struct hv_str rest = name, word = {0};
    for (size_t i = 0; hv_str_split(&rest, '_', &word); i++) {
        if (is_among(word, anywhere, sizeof anywhere / sizeof *anywhere))
            return true;
        if (i && !rest.len &&
            (is_among(word, last, sizeof last / sizeof *last) || hv_str_eq_nocase(word, HV_STR("PWD"))))
            return true;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (name.len > endings[i].len &&
            hv_str_eq_nocase(hv_str_slice(name, name.len - endings[i].len, name.len), endings[i]))
            return true;
    return false;
}

/* A path, a number, a switch: nothing that opens anything by itself. */
static bool is_plain_value(struct hv_str value)
{
    static const struct hv_str switches[] = {HV_STR("true"), HV_STR("false"), HV_STR("yes"), HV_STR("no"),
                                             HV_STR("on"),   HV_STR("off"),   HV_STR("auto")};
    int64_t number;
    return !value.len || value.ptr[0] == '/' || value.ptr[0] == '~' || hv_str_starts(value, HV_STR("./")) ||
           (value.len < 6 && hv_str_to_int64(value, &number)) ||
           is_among(value, switches, sizeof switches / sizeof *switches);
}

static bool has_password(struct hv_str value)
{
    size_t scheme = hv_str_find(value, HV_STR("://"), 0);
    if (scheme == SIZE_MAX)
        return false;
    struct hv_str rest = hv_str_slice(value, scheme + 3, value.len);
    size_t end = 0;
    while (end < rest.len && !strchr("/?#", rest.ptr[end]))
        end++;
    rest = hv_str_slice(rest, 0, end);
    size_t at = hv_str_rfind_byte(rest, '@'), colon = hv_str_find_byte(rest, ':', 0);
    return at != SIZE_MAX && colon != SIZE_MAX && colon + 1 < at;
}

bool variable_is_secret(struct hv_str name, struct hv_str value)
{
    return has_password(value) || (name_says_so(name) && !is_plain_value(value));
}

bool variable_is_passed(const struct settings *settings, struct hv_str name)
{
    const struct sandbox_strings *passed = &settings->sandbox.passed_environment;
    for (size_t i = 0; i < passed->count; i++)
        if (glob_match(passed->items[i], name, 0))
            return true;
    return false;
}
