/*
 * grep_answer.c: what Grep tells in the end: files or lines in an order that does not depend on threads, then notes on
 * what is left, what may have been missed and how to go on.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "text/find_meant.h"
#include "tools/file_kind.h"
#include "tools/grep_parts.h"

#include <ctype.h>

enum { UNREADABLE_SHOWN = 5 };

/* ---- showing --------------------------------------------------------------------------------------------- */

/* Whether the next entry is to be shown; *full is set when it would be one too many. */
static bool takes_entry(struct grepping *grepping)
{
    if (grepping->skip) {
        grepping->skip--;
        return false;
    }
    if (!grepping->room || grepping->out.len > GREP_OUTPUT_MAX - GREP_OUTPUT_SPARE) {
        grepping->full = true;
        return false;
    }
    grepping->room--;
    grepping->shown++;
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static void list_newest(struct grepping *grepping)
{
    struct fs_newest *newest = &grepping->workers[0].newest;
    for (unsigned i = 1; i < grepping->threads; i++)
        fs_newest_merge(newest, &grepping->workers[i].newest);
    fs_newest_sort(newest);
    for (size_t i = 0; i < newest->count; i++)
        if (takes_entry(grepping))
            hv_buf_addf(
                &grepping->out, "%.*s\n",
                HV_STR_ARG(search_listed(&grepping->search, hv_str_of(newest->items[i].path, newest->items[i].len))));
    grepping->full |= newest->total > newest->count;
}

/* What stands before each path that was found where all of them lie in the working directory: tens of thousands. */
static void set_before(struct grepping *grepping)
{
    struct hv_arena *arena = grepping->search.context->arena;
    struct hv_str root = grepping->search.root, shown = search_shown(&grepping->search, root);
    if (hv_str_is(shown, "."))
        grepping->before = HV_STR("");
    else if (!hv_str_eq(shown, root) && file_name_is_plain(shown))
        grepping->before = hv_arena_join(arena, shown, HV_STR("/"));
}

/* The path of a file that was found, as it is listed. */
static struct hv_str listed_path(struct grepping *grepping, const struct found_file *file)
{
    struct grep_worker *worker = &grepping->workers[0];
    if (file->is_plain && grepping->before.ptr && grepping->search.stat.kind == HV_FILE_DIRECTORY) {
        if (!grepping->before.len)
            return found_path(file);
        hv_buf_clear(&worker->path);
        hv_buf_add_str(&worker->path, grepping->before);
        hv_buf_add_str(&worker->path, found_path(file));
        return hv_buf_str(&worker->path);
    }
    if (grepping->search.stat.kind == HV_FILE_REGULAR)
        return search_listed(&grepping->search, grepping->search.root);
    grep_set_path(worker, found_path(file));
    return search_listed(&grepping->search, hv_buf_str(&worker->path));
}

static void list_lines(struct grepping *grepping, const struct found_file *file)
{
    const struct line_scan *scan = &grepping->workers[0].scan;
    struct hv_buf *out = &grepping->out;
    struct hv_str path = listed_path(grepping, file), text = found_text(file);
    bool printed = false;
    grepping->files_found++;
    for (size_t i = 0, from = 0; i < file->lines->count; from = file->lines->items[i++].end) {
        const struct found_line *line = &file->lines->items[i];
        bool takes = takes_entry(grepping);
        if (grepping->full) {
            grepping->matches += line->matches;
            grepping->last = found_path(file);
            return;
        }
        if (!takes)
            continue;
        if ((scan->before || scan->after) && grepping->any_printed && (!printed || line->after_gap))
            hv_buf_add_cstr(out, "--\n");
        printed = grepping->any_printed = true;
        hv_buf_add_str(out, path);
        hv_buf_add_str(out, hv_str_slice(text, from, line->end));
    }
    grepping->matches += file->matches;
}

static void list_count(struct grepping *grepping, const struct found_file *file)
{
    hv_buf_add_str(&grepping->out, listed_path(grepping, file));
    hv_buf_add_byte(&grepping->out, ':');
    grep_add_number(&grepping->out, file->matches, '\n');
}

static void list_found(struct grepping *grepping)
{
    struct grep_found *found = &grepping->found;
    found_sort(found);
    set_before(grepping);
    for (size_t i = 0; i < found->files.count && !grepping->full; i++) {
        const struct found_file *file = found_at(found, i);
        if (grepping->in->output_mode == CONTENT)
            list_lines(grepping, file);
        else if (takes_entry(grepping))
            list_count(grepping, file);
    }
    grepping->full |= found->is_cut;
}

/* What all threads together did. Content counts what it lists, as it may have ended early. */
static void add_up(struct grepping *grepping)
{
    struct grep_worker *sum = &grepping->workers[0];
    for (unsigned i = 1; i < grepping->threads; i++) {
        const struct grep_worker *worker = &grepping->workers[i];
        sum->matches += worker->matches;
        sum->binary += worker->binary;
    }
    grepping->files = grep_files_searched(grepping);
    if (grepping->in->output_mode == CONTENT)
        return;
    grepping->files_found = grep_files_matched(grepping);
    grepping->matches = sum->matches;
}

static void note_rest(struct grepping *grepping, const char *at_least)
{
    const struct grep_input *in = grepping->in;
    struct hv_buf *out = &grepping->out;
    bool content = in->output_mode == CONTENT;
    long long offset = in->offset, shown = (long long)grepping->shown;
    if (!grepping->full)
        return;
    if (content)
        hv_buf_addf(out,
                    "[Lines %lld to %lld of the answer are shown; there are more. Continue with offset %lld, or narrow "
                    "the search.]\n",
                    offset + 1, offset + shown, offset + shown);
    else
        hv_buf_addf(
            out, "[%lld of %s%zu files are shown: %lld more. Continue with offset %lld, or narrow the search.]\n",
            shown, at_least, grepping->files_found, (long long)grepping->files_found - offset - shown, offset + shown);
}

static bool has_any_of(struct hv_str text, const char *bytes)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] && strchr(bytes, text.ptr[i]))
            return true;
    return false;
}

/* What other tools write so means something else here; told where it may be why nothing was found. */
static const char *foreign_syntax(struct hv_str pattern)
{
    for (size_t at = 0; at + 1 < pattern.len; at++) {
        char byte = pattern.ptr[at], next = pattern.ptr[at + 1];
        bool is_name = next == '_' || next == '{' || isalpha((unsigned char)next);
        if (byte == '$' && is_name)
            return "$ is the end of a line: the character itself is written \\$";
        if (byte == '\\' && next == '|')
            return "\\| is the character itself: alternatives are written a|b";
        if (byte == '\\' && (next == '<' || next == '>'))
            return "\\< and \\> are the characters themselves: where words begin and end is written \\b";
        at += byte == '\\';
    }
    if (find_looks_like_text(pattern) && has_any_of(pattern, "()[*+?"))
        return "( ) [ ] * + ? have a meaning of their own in a pattern: set fixed_strings to search for the text as it "
               "is";
    return NULL;
}

/* What was to be searched may have been chosen in a way that means something else. */
static void note_no_file(struct grepping *grepping)
{
    const struct grep_input *in = grepping->in;
    struct hv_context *context = grepping->search.context;
    struct hv_buf *out = &grepping->out;
    hv_buf_addf(out, "[No file there fits %s]\n",
                in->glob.len && in->type.len ? "glob and type"
                : in->glob.len               ? "glob"
                                             : "type");
    const char *doubt = search_doubt(in->glob, true);
    if (doubt)
        hv_buf_addf(out, "[%s]\n", doubt);
    if (!in->glob.len || in->glob.ptr[0] == '!' || glob_is_pattern(in->glob))
        return;
    struct hv_file_stat stat;
    struct hv_str named = path_expand(context->arena, in->glob, grepping->search.root, context->home);
    if (!context->host->stat(context->host, named, true, &stat, NULL) && stat.kind == HV_FILE_DIRECTORY &&
        !hv_hides_path(context, named))
        hv_buf_addf(out, "[%.*s is a directory: use %.*s/** for the files in it, or give it as path]\n",
                    HV_STR_ARG(in->glob), HV_STR_ARG(in->glob));
}

static void note_nothing(struct grepping *grepping, bool cut)
{
    const struct grep_input *in = grepping->in;
    struct hv_buf *out = &grepping->out;
    struct hv_str where = search_listed(&grepping->search, grepping->search.root);
    if (grepping->files_found) {
        hv_buf_addf(out, "Nothing more: the answer ends before offset %lld.\n", (long long)in->offset);
        return;
    }
    hv_buf_addf(out, "No matches for %.*s in %.*s (%zu file%s searched%s).\n",
                HV_STR_ARG(in->pattern.len > GREP_LINE_SHOWN ? HV_STR("the pattern") : in->pattern), HV_STR_ARG(where),
                grepping->files, grepping->files == 1 ? "" : "s", cut ? " so far" : "");
    const char *foreign = in->fixed_strings ? NULL : foreign_syntax(in->pattern);
    if (foreign)
        hv_buf_addf(out, "[%s]\n", foreign);
    if (!grepping->files && (in->glob.len || in->type.len) && !cut)
        note_no_file(grepping);
    size_t binary = grepping->workers[0].binary;
    if (binary)
        hv_buf_addf(out, "[%zu binary file%s skipped]\n", binary, binary == 1 ? " was" : "s were");
}

/* ---- troubles -------------------------------------------------------------------------------------------- */

/* All troubles of one call, those that the answer is about. */
struct troubles {
    VEC(const struct grep_trouble *) items; /* unreadable files, in order */
    size_t count[GREP_GIVEN_UP + 1];
    bool more;
};

static int compare_troubles(const void *a, const void *b)
{
    const struct grep_trouble *left = *(const struct grep_trouble *const *)a,
                              *right = *(const struct grep_trouble *const *)b;
    return found_compare(hv_str_of(left->path, left->path_len), false, hv_str_of(right->path, right->path_len));
}

/*
 * Put together what the threads noted. An answer that ends early is not about files after the last one it shows: which
 * of them happened to be searched depends on the threads.
 */
static void gather(const struct grepping *grepping, struct troubles *out)
{
    for (unsigned i = 0; i < grepping->threads; i++) {
        const struct grep_worker *worker = &grepping->workers[i];
        out->more |= worker->more_troubles;
        for (size_t k = 0; k < worker->troubles.count; k++) {
            const struct grep_trouble *trouble = &worker->troubles.items[k];
            struct hv_str path = hv_str_of(trouble->path, trouble->path_len);
            if (grepping->last.len && found_compare(path, false, grepping->last) > 0)
                continue;
            out->count[trouble->kind] += trouble->count;
            if (trouble->kind == GREP_UNREADABLE)
                *vec_push(&out->items) = trouble;
        }
    }
    if (out->items.count)
        qsort(out->items.items, out->items.count, sizeof *out->items.items, compare_troubles);
}

/* One more name of a list that begins with `before`; what may not be read is not named either. */
static void name_one(struct grepping *grepping, struct hv_str path, bool is_directory, size_t *named)
{
    struct grep_worker *worker = &grepping->workers[0];
    grep_set_path(worker, path);
    struct hv_str whole = hv_str_is(path, ".") || grepping->search.stat.kind == HV_FILE_REGULAR
                              ? grepping->search.root
                              : hv_buf_str(&worker->path);
    if (*named == UNREADABLE_SHOWN || (is_directory && hv_hides_path(grepping->search.context, whole)))
        return;
    hv_buf_addf(&grepping->out, *named ? ", %.*s" : ": %.*s", HV_STR_ARG(search_listed(&grepping->search, whole)));
    ++*named;
}

static void note_unreadable(struct grepping *grepping, const struct troubles *troubles,
                            const struct fs_scan_outcome *outcome)
{
    struct hv_buf *out = &grepping->out;
    size_t files = troubles->count[GREP_UNREADABLE], directories = outcome->unreadable, named = 0;
    bool early = grepping->last.len > 0, more = troubles->more;
    if (early) { /* as far as they come before the end of the answer */
        directories = 0;
        for (size_t i = 0; i < outcome->unreadable_named; i++)
            directories += found_compare(outcome->unreadable_names[i].path, true, grepping->last) < 0;
        more |= directories == FS_SCAN_NAMES_MAX;
    }
    if (!files && !directories)
        return;
    hv_buf_addf(out, "[%s", more ? "At least " : "");
    if (files)
        hv_buf_addf(out, "%zu file%s", files, files == 1 ? "" : "s");
    if (directories)
        hv_buf_addf(out, "%s%zu director%s", files ? " and " : "", directories, directories == 1 ? "y" : "ies");
    hv_buf_add_cstr(out, " could not be read");
    for (size_t i = 0; i < outcome->unreadable_named; i++)
        if (!early || found_compare(outcome->unreadable_names[i].path, true, grepping->last) < 0)
            name_one(grepping, outcome->unreadable_names[i].path, true, &named);
    for (size_t i = 0; i < troubles->items.count; i++)
        name_one(grepping, hv_str_of(troubles->items.items[i]->path, troubles->items.items[i]->path_len), false,
                 &named);
    hv_buf_add_cstr(out, named && files + directories > named ? ", …]\n" : "]\n");
}

static void note_troubles(struct grepping *grepping, const struct fs_scan_outcome *outcome)
{
    struct hv_buf *out = &grepping->out;
    struct troubles troubles = {0};
    gather(grepping, &troubles);
    note_unreadable(grepping, &troubles, outcome);
    size_t cut_short = troubles.count[GREP_CUT_SHORT];
    size_t in_pieces = troubles.count[GREP_IN_PIECES], given_up = troubles.count[GREP_GIVEN_UP];
    if (in_pieces)
        hv_buf_addf(out, "[%zu file%s searched in parts of 32 MB: a match longer than 4 MB may be missing or cut]\n",
                    in_pieces, in_pieces == 1 ? " was" : "s were");
    if (cut_short)
        hv_buf_addf(out, "[%zu file%s searched up to the first NUL byte: what follows is no text]\n", cut_short,
                    cut_short == 1 ? " was" : "s were");
    if (given_up)
        hv_buf_addf(out,
                    "[The pattern takes too long on %zu %s, which may match, too; a simpler one, without nested "
                    "repetitions, finds out]\n",
                    given_up, given_up == 1 ? "place" : "places");
    vec_release(&troubles.items);
}

/* Ignore files that are not honoured: as far as they speak about what comes before the end of the answer. */
static void cut_rules(const struct grepping *grepping, struct fs_scan_outcome *outcome)
{
    size_t before = 0;
    if (!grepping->last.len)
        return;
    for (size_t i = 0; i < outcome->rules_named; i++)
        before += hv_str_is(outcome->rules_names[i].path, ".") ||
                  found_compare(outcome->rules_names[i].path, true, grepping->last) <= 0;
    outcome->rules_unreadable = outcome->rules_above + before;
    outcome->rules_more = before == FS_SCAN_NAMES_MAX;
}

/* The text of the answer, which may be megabytes, as the arena's: not copied. */
static struct hv_str give_to_arena(struct hv_buf *out, struct hv_arena *arena)
{
    size_t len;
    char *text = hv_buf_take(out, &len);
    hv_arena_on_release(arena, free, text);
    return hv_str_of(text, len);
}

void grep_answer(struct grepping *grepping, const struct fs_scan_outcome *outcome, struct hv_result *result)
{
    struct hv_arena *arena = grepping->search.context->arena;
    struct hv_buf *out = &grepping->out;
    add_up(grepping);
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        list_newest(grepping);
    else
        list_found(grepping);
    const char *at_least =
        outcome->timed_out || (grepping->full && grepping->in->output_mode == CONTENT) ? "at least " : "";
    if (!out->len) {
        note_nothing(grepping, outcome->timed_out);
        search_note_ignored(outcome, "; no_ignore searches them, too", out);
    } else if (grepping->in->output_mode == COUNT) {
        hv_buf_addf(out, "[%s%zu match%s in %zu file%s]\n", at_least, grepping->matches,
                    grepping->matches == 1 ? "" : "es", grepping->files_found, grepping->files_found == 1 ? "" : "s");
    }
    note_rest(grepping, at_least);
    if (grepping->around_alone)
        hv_buf_addf(out, "[The only match, with up to %d lines before and after it]\n", GREP_ALONE);
    const char *doubt = search_doubt_negation(grepping->in->glob);
    if (doubt)
        hv_buf_addf(out, "[%s]\n", doubt);
    note_troubles(grepping, outcome);
    struct fs_scan_outcome others = *outcome;
    others.unreadable = 0; /* told already */
    cut_rules(grepping, &others);
    search_note_outcome(&grepping->search, &others, out);
    hv_result_add_text(result, arena, give_to_arena(out, arena));
    const char *files = grepping->files_found == 1 ? "file" : "files";
    if (grepping->in->output_mode == FILES_WITH_MATCHES)
        result->summary = hv_arena_format(arena, "%s%zu %s", at_least, grepping->files_found, files);
    else
        result->summary = hv_arena_format(arena, "%s%zu match%s in %zu %s", at_least, grepping->matches,
                                          grepping->matches == 1 ? "" : "es", grepping->files_found, files);
}
