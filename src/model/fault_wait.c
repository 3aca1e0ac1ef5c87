/* fault_wait.c: how long a server asks to wait, by its headers and by its words. See fault.h and fault_wait.h. */
#include "model/fault_wait.h"
#include "model/fault.h"

#include <math.h>
#include <time.h>

#define WAIT_KNOWN_MAX_MS (366LL * 24 * 3600 * 1000)

/* ---- headers ----------------------------------------------------------------------------------------------- */

static int64_t bounded(double milliseconds)
{
    if (!isfinite(milliseconds) || milliseconds < 0)
        return -1;
    return milliseconds > WAIT_KNOWN_MAX_MS ? WAIT_KNOWN_MAX_MS : (int64_t)milliseconds;
}

/* A decimal number that fills the whole text. */
static bool read_number(struct hv_str text, double *out)
{
    char copy[64], *end;
    text = hv_str_trim(text);
    if (!text.len || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, &end);
    return end == copy + text.len;
}

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
    int64_t of_era = shifted - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "Sat, 21 Nov 2026 10:52:27 GMT", independent of the locale. */
static bool read_date(struct hv_str text, int64_t *seconds)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char copy[64], month[4];
    int day, year, hour, minute, second;
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (sscanf(copy, "%*3s, %2d %3s %4d %2d:%2d:%2d", &day, month, &year, &hour, &minute, &second) != 6)
        return false;
    const char *found = strstr(months, month);
    if (!found || (found - months) % 3 != 0 || year < 1970)
        return false;
    *seconds = ((days_from_civil(year, (found - months) / 3 + 1, day) * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

int64_t fault_retry_after(struct hv_str retry_after_ms, struct hv_str retry_after, int64_t now)
{
    double number;
    int64_t date;
    if (read_number(retry_after_ms, &number))
        return bounded(number);
    if (read_number(retry_after, &number))
        return bounded(number * 1000);
    if (retry_after.len && read_date(hv_str_trim(retry_after), &date))
        return date > now ? bounded((double)(date - now) * 1000) : 0;
    return -1;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* Milliseconds of a unit at the beginning of text, and how long its name is; 0: it is none. */
static double read_unit(struct hv_str text, size_t *len)
{
    static const struct {
        const char *name;
        double milliseconds;
    } units[] = {{"milliseconds", 1}, {"ms", 1},          {"seconds", 1000},  {"second", 1000},  {"secs", 1000},
                 {"sec", 1000},       {"s", 1000},        {"minutes", 60000}, {"minute", 60000}, {"mins", 60000},
                 {"min", 60000},      {"m", 60000},       {"hours", 3600000}, {"hour", 3600000}, {"hrs", 3600000},
                 {"h", 3600000},      {"days", 86400000}, {"day", 86400000},  {"d", 86400000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        *len = strlen(units[i].name);
        bool ends = *len >= text.len || !((text.ptr[*len] | 0x20) >= 'a' && (text.ptr[*len] | 0x20) <= 'z');
        if (ends && hv_str_eq_nocase(hv_str_slice(text, 0, *len), hv_str_from(units[i].name)))
            return units[i].milliseconds;
    }
    *len = 0;
    return 0;
}

/* "34s", "11.054s", "6m0s", "1 hour 5 minutes", "500ms" at the beginning of text: milliseconds, or -1. */
static double read_duration(struct hv_str text)
{
    double sum = 0, number;
    bool any = false;
    for (;;) {
        size_t digits = 0, unit_len;
        text = hv_str_trim(text);
        while (digits < text.len && digits < 20 &&
               (text.ptr[digits] == '.' || (text.ptr[digits] >= '0' && text.ptr[digits] <= '9')))
            digits++;
        struct hv_str figure = hv_str_slice(text, 0, digits);
        if (!read_number(figure, &number) &&
            !(figure.len > 1 && read_number(hv_str_slice(figure, 0, figure.len - 1), &number)))
            return any ? sum : -1;
        text = hv_str_trim(hv_str_slice(text, digits, text.len));
        double unit = read_unit(text, &unit_len);
        if (unit == 0)
            return any ? sum : -1;
        sum += number * unit;
        any = true;
        text = hv_str_slice(text, unit_len, text.len);
    }
}

static int64_t wait_from_text(struct hv_str text)
{
    static const char *const phrases[] = {"try again in ", "retry in ",    "retry after ", "resets in ",
                                          "reset in ",     "again after ", "available in "};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        struct hv_str phrase = hv_str_from(phrases[i]);
        for (size_t at = 0; at + phrase.len < text.len; at++) {
            if (!hv_str_eq_nocase(hv_str_slice(text, at, at + phrase.len), phrase))
                continue;
            double wait = read_duration(hv_str_slice(text, at + phrase.len, text.len));
            if (wait >= 0)
                return bounded(wait);
        }
    }
    return -1;
}

int64_t fault_wait_from_json(const struct hv_json *error, struct hv_str message)
{
    static const char *const names[] = {"resets_in_seconds", "retry_after_seconds", "retry_after", "retryAfter"};
    const struct hv_json *places[] = {error, hv_json_get(error, "metadata"), hv_json_get(error, "details")};
    double seconds;
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (hv_json_double(hv_json_get(places[place], names[i]), &seconds))
                return bounded(seconds * 1000);
        }
    }
    if (hv_json_type_of(places[2]) == HV_JSON_ARRAY) {
        hv_json_each(detail, places[2])
        {
            double wait = read_duration(hv_json_get_string(detail, "retryDelay"));
            if (wait >= 0)
                return bounded(wait);
        }
    }
    return wait_from_text(message);
}

struct hv_str fault_wait_text(struct hv_arena *arena, int64_t wait_ms)
{
    long long minutes = (wait_ms + 59999) / 60000;
    if (minutes < 120)
        return hv_arena_format(arena, "%lld minutes", minutes);
    if (minutes < 48 * 60)
        return hv_arena_format(arena, "%lld hours", (minutes + 30) / 60);
    return hv_arena_format(arena, "%lld days", (minutes + 12 * 60) / (24 * 60));
}
