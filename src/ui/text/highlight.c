/* highlight.c: see highlight.h. */
#include "ui/text/highlight.h"

#include <string.h>

struct highlight_language {
    const char *names;        /* names and endings, each between blanks */
    const char *keywords;     /* likewise */
    const char *line;         /* what begins a comment to the end of the line, or NULL */
    const char *line_too;     /* another one, or NULL */
    const char *open, *close; /* block comments, or NULL */
    const char *quotes;       /* of strings that end with their line */
    const char *long_quotes;  /* of strings over several lines: once, as Go's `, or three times, as Python's """ */
    bool triple, any_case;
};

static const struct highlight_language languages[] = {
    {" c h cpp cc cxx hpp c++ ",
     " auto bool break case catch char class const constexpr continue default delete do double else enum extern false "
     "float "
     "for goto if inline int long namespace new nullptr operator private protected public register return short signed "
     "sizeof "
     "static struct switch template this throw true try typedef typename union unsigned using virtual void volatile "
     "while "
     "NULL #include #define #if #ifdef #ifndef #endif #else #undef #pragma ",
     "//", NULL, "/*", "*/", "\"'", "", false, false},
    {" python py python3 pyi ",
     " and as assert async await break class continue def del elif else except False finally for from global if import "
     "in is "
     "lambda None nonlocal not or pass raise return self True try while with yield match case ",
     "#", NULL, NULL, NULL, "\"'", "\"'", true, false},
    {" javascript js jsx mjs typescript ts tsx ",
     " abstract any as async await boolean break case catch class const continue debugger default delete do else enum "
     "export "
     "extends false finally for from function if implements import in instanceof interface let new null number of "
     "private "
     "protected public readonly return static string super switch this throw true try type typeof undefined var void "
     "while "
     "yield ",
     "//", NULL, "/*", "*/", "\"'", "`", false, false},
    {" go golang ",
     " bool break byte case chan const continue default defer else error fallthrough false for func go goto if import "
     "int "
     "interface iota map nil package range return rune select string struct switch true type uint var ",
     "//", NULL, "/*", "*/", "\"'", "`", false, false},
    {" rust rs ",
     " as async await bool break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
     "move mut "
     "pub ref return Self self static str struct super trait true type u8 u16 u32 u64 i32 i64 usize unsafe use where "
     "while ",
     "//", NULL, "/*", "*/", "\"", "", false, false},
    {" java kotlin kt scala ",
     " abstract boolean break case catch class const continue data default do double else enum extends false final "
     "finally "
     "float for fun if implements import in instanceof int interface is long native new null object override package "
     "private "
     "protected public return static super switch synchronized this throw throws true try val var void when while ",
     "//", NULL, "/*", "*/", "\"'", "\"", true, false},
    {" bash sh shell zsh console ",
     " if then else elif fi for while until do done case esac in function return local export readonly declare unset "
     "set shift "
     "exit trap source eval exec echo cd ",
     "#", NULL, NULL, NULL, "", "\"'", false, false},
    {" ruby rb ",
     " alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or "
     "redo "
     "require rescue retry return self super then true undef unless until when while yield ",
     "#", NULL, NULL, NULL, "\"'", "", false, false},
    {" json jsonc json5 jsonl ", " true false null ", "//", NULL, "/*", "*/", "\"", "", false, false},
    {" yaml yml toml ini ", " true false null yes no on off ", "#", NULL, NULL, NULL, "\"'", "", false, false},
    {" sql ",
     " select from where and or not insert into values update set delete create table index view drop alter add join "
     "left right "
     "inner outer on group by order having limit offset as distinct null primary key foreign references union all case "
     "when "
     "then else end in is like between exists ",
     "--", "#", "/*", "*/", "'\"", "", false, true},
    {" css scss less php swift cs csharp ",
     " abstract case class const default else enum extends false final for foreach func function guard if import in "
     "interface let "
     "namespace new nil null private protected public return self static struct switch this true try use using var "
     "void while ",
     "//", NULL, "/*", "*/", "\"'", "", false, false},
};

static bool in_list(const char *list, struct hv_str word, bool any_case)
{
    char padded[40];
    if (!word.len || word.len > sizeof padded - 3 || memchr(word.ptr, ' ', word.len))
        return false;
    padded[0] = ' ';
    for (size_t i = 0; i < word.len; i++) {
        char byte = word.ptr[i];
        padded[i + 1] = any_case && byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
    }
    padded[word.len + 1] = ' ';
    return hv_str_find(hv_str_from(list), hv_str_of(padded, word.len + 2), 0) != SIZE_MAX;
}

const struct highlight_language *highlight_find(struct hv_str name)
{
    size_t slash = hv_str_rfind_byte(name, '/');
    name = slash == SIZE_MAX ? name : hv_str_slice(name, slash + 1, name.len);
    size_t dot = hv_str_rfind_byte(name, '.');
    name = dot == SIZE_MAX ? name : hv_str_slice(name, dot + 1, name.len);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (in_list(languages[i].names, name, true))
            return &languages[i];
    return NULL;
}

static bool begins(struct hv_str line, size_t at, const char *mark)
{
    return mark && hv_str_starts(hv_str_slice(line, at, line.len), hv_str_from(mark));
}

static bool is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_' || (unsigned char)byte >= 0x80;
}

/* Where the string that opened with that quote ends, or SIZE_MAX; bash's '…' knows no escapes, others do. */
static size_t string_end(struct hv_str line, size_t at, char quote, size_t length)
{
    for (; at < line.len; at++) {
        if (line.ptr[at] == '\\') {
            at++;
            continue;
        }
        size_t run = 0;
        while (run < length && at + run < line.len && line.ptr[at + run] == quote)
            run++;
        if (run == length)
            return at + length;
    }
    return SIZE_MAX;
}

/* Goes on inside a comment or string that an earlier line began: returns where code begins again. */
static size_t finish_inside(struct highlight *state, const struct paint_theme *theme, struct hv_str line, size_t from,
                            size_t body, struct hv_buf *out)
{
    const struct highlight_language *language = state->language;
    bool comment = state->inside == 'c';
    size_t end;
    if (comment) {
        end = hv_str_find(line, hv_str_from(language->close), body);
        end = end == SIZE_MAX ? end : end + strlen(language->close);
    } else {
        end = string_end(line, body, state->inside, language->triple ? 3 : 1);
    }
    if (end != SIZE_MAX)
        state->inside = 0;
    else
        end = line.len;
    paint_put(theme, comment ? PAINT_COMMENT : PAINT_STRING, hv_str_slice(line, from, end), out);
    return end;
}

static bool opens_long_string(const struct highlight_language *language, struct hv_str line, size_t at)
{
    char byte = line.ptr[at];
    if (!byte || !strchr(language->long_quotes, byte))
        return false;
    return !language->triple || (at + 2 < line.len && line.ptr[at + 1] == byte && line.ptr[at + 2] == byte);
}

static size_t put_word(const struct highlight_language *language, const struct paint_theme *theme, struct hv_str line,
                       size_t at, struct hv_buf *out)
{
    size_t end = at + 1;
    while (end < line.len && is_word_byte(line.ptr[end]))
        end++;
    struct hv_str word = hv_str_slice(line, at, end);
    bool number = line.ptr[at] >= '0' && line.ptr[at] <= '9';
    bool keyword = !number && in_list(language->keywords, word, language->any_case);
    paint_put(theme, number ? PAINT_NUMBER : keyword ? PAINT_KEYWORD : PAINT_PLAIN, word, out);
    return end;
}

void highlight_line(struct highlight *state, const struct paint_theme *theme, struct hv_str line, struct hv_buf *out)
{
    const struct highlight_language *language = state->language;
    size_t at = 0;
    if (!language || !theme->colour) {
        paint_add(out, line);
        return;
    }
    if (state->inside)
        at = finish_inside(state, theme, line, 0, 0, out);
    while (at < line.len) {
        char byte = line.ptr[at];
        if (begins(line, at, language->line) || begins(line, at, language->line_too)) {
            paint_put(theme, PAINT_COMMENT, hv_str_slice(line, at, line.len), out);
            return;
        }
        if (begins(line, at, language->open)) {
            state->inside = 'c';
            at = finish_inside(state, theme, line, at, at + strlen(language->open), out);
        } else if (opens_long_string(language, line, at)) {
            state->inside = byte;
            at = finish_inside(state, theme, line, at, at + (language->triple ? 3 : 1), out);
        } else if (byte && strchr(language->quotes, byte)) {
            size_t end = string_end(line, at + 1, byte, 1);
            end = end == SIZE_MAX ? line.len : end;
            paint_put(theme, PAINT_STRING, hv_str_slice(line, at, end), out);
            at = end;
        } else if (is_word_byte(byte) || byte == '#') {
            at = put_word(language, theme, line, at, out);
        } else {
            size_t end = at + 1;
            while (end < line.len && !is_word_byte(line.ptr[end]) && line.ptr[end] != '#' && line.ptr[end] != '/' &&
                   line.ptr[end] != '-' && line.ptr[end] != '"' && line.ptr[end] != '\'' && line.ptr[end] != '`')
                end++;
            /* A part that ends so would lose it, as a line does: it takes the whole next character along. */
            while (end < line.len && line.ptr[end - 1] == '\r')
                for (end++; end < line.len && ((unsigned char)line.ptr[end] & 0xc0) == 0x80;)
                    end++;
            paint_add(out, hv_str_slice(line, at, end));
            at = end;
        }
    }
}
