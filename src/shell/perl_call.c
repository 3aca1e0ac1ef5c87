/*
 * perl_call.c: terms of perl that begin with a word: functions, quoting operators, my, print, map. Only the words of
 * the table are known; what perl takes for an argument depends on the kind of function. See perl.h; perlfunc(1).
 */
#include "shell/classify.h"
#include "shell/perl.h"
#include <string.h>

enum kind {
    KIND_UNKNOWN = 0,
    KIND_CONSTANT,    /* no argument */
    KIND_UNARY,       /* one argument, or $_: gives a value of its own */
    KIND_UNARY_ALIAS, /* … what it gives is the argument, or in it */
    KIND_UNARY_CHANGE,
    KIND_UNARY_REMOVE, /* takes something away, and puts nothing in */
    KIND_LIST,
    KIND_LIST_ALIAS,
    KIND_LIST_CHANGE, /* the first argument is changed */
    KIND_SUBSTR,      /* … if there are four; what it gives is in the first one */
    KIND_PRINT,
    KIND_SORT,
    KIND_SELECT, /* a block or an expression, and a list: $_ is each of them */
    KIND_SELECT_BLOCK,
    KIND_DECLARE,
    KIND_LOCAL,
    KIND_DO,
    KIND_JUMP,
    KIND_STREAM, /* eof, close: a handle, or nothing */
    KIND_BINMODE,
};

static const struct {
    const char *names;
    enum kind kind;
} functions[] = {
    {"print printf", KIND_PRINT},
    {"length lc uc lcfirst ucfirst chr ord hex oct int abs sqrt sin cos exp log defined ref scalar quotemeta exit rand "
     "srand localtime gmtime exists stat lstat readlink keys sleep",
     KIND_UNARY},
    {"join sprintf die warn split index rindex atan2", KIND_LIST},
    {"my our", KIND_DECLARE},
    {"local", KIND_LOCAL},
    {"values each pos", KIND_UNARY_ALIAS},
    {"shift pop delete undef", KIND_UNARY_REMOVE},
    {"chomp chop", KIND_UNARY_CHANGE},
    {"push unshift splice", KIND_LIST_CHANGE},
    {"map grep", KIND_SELECT},
    {"next last redo", KIND_JUMP},
    {"eof close", KIND_STREAM},
    {"sort", KIND_SORT},
    {"reverse", KIND_LIST_ALIAS},
    {"substr", KIND_SUBSTR},
    {"time times", KIND_CONSTANT},
    {"do", KIND_DO},
    {"binmode", KIND_BINMODE},
};

/* Modules of perl itself that only compute, with what of theirs is known. unasked: they give it without being asked. */
static const struct {
    const char *name, *functions, *selectors;
    bool unasked;
} modules[] = {
    {"List::Util", "sum sum0 min max minstr maxstr product uniq uniqnum uniqstr shuffle",
     "first any all none notall reduce", false},
    {"Scalar::Util", "looks_like_number blessed reftype", "", false},
    {"POSIX", "floor ceil fmod pow strftime strtol toupper tolower", "", true},
    {"Data::Dumper", "Dumper", "", true},
    {"MIME::Base64", "encode_base64 decode_base64", "", true},
    {"Digest::MD5", "md5_hex", "", false},
    {"Digest::SHA", "sha1_hex sha256_hex sha512_hex", "", false},
    {"Time::Local", "timelocal timegm", "", true},
    {"strict", "", "", true},
    {"warnings", "", "", true},
};

bool perl_find_module(struct hv_str module, const char **found, const char **selectors, bool *unasked)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (hv_str_is(module, modules[i].name)) {
            *found = modules[i].functions;
            *selectors = modules[i].selectors;
            *unasked = modules[i].unasked;
            return true;
        }
    return false;
}

static enum kind find_kind(const struct perl *perl, struct hv_str word)
{
    for (size_t i = 0; i < perl->import_count; i++)
        if (hv_str_eq(perl->imports[i].name, word))
            return perl->imports[i].selects ? KIND_SELECT_BLOCK : KIND_LIST;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (shell_names_have(functions[i].names, word))
            return functions[i].kind;
    if (perl->says && hv_str_is(word, "say"))
        return KIND_PRINT;
    if (perl->says && hv_str_is(word, "fc"))
        return KIND_UNARY;
    return perl->says && hv_str_is(word, "state") ? KIND_DECLARE : KIND_UNKNOWN;
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

static bool pass_byte(struct perl *perl, char byte)
{
    perl_skip(perl);
    if (perl_peek(perl, 0) != byte)
        return false;
    perl->at++;
    return true;
}

/* ---- one argument ----------------------------------------------------------------------------------------- */

/* Behind a named operator without parentheses perl expects a term. */
enum presence { PRESENCE_NONE, PRESENCE_ARGUMENT, PRESENCE_UNCLEAR };

static enum presence find_argument(const struct perl *perl, struct hv_str function)
{
    char byte = perl_peek(perl, 0), next = perl_peek(perl, 1);
    if (perl_at_end(perl) || byte == ',' || byte == '>' || byte == '|' || byte == '=')
        return PRESENCE_NONE;
    if (is_letter(byte)) {
        if (shell_names_have("eq ne lt gt le ge cmp", perl_word(perl)))
            return PRESENCE_NONE;
        return hv_str_is(perl_word(perl), "x") ? PRESENCE_UNCLEAR : PRESENCE_ARGUMENT;
    }
    if (byte == '!')
        return next == '=' || next == '~' ? PRESENCE_NONE : PRESENCE_ARGUMENT;
    if (byte == '/') /* of some, "//" is not an empty pattern */
        return next == '/' && shell_names_have("shift pop undef pos readlink", function) ? PRESENCE_NONE
                                                                                         : PRESENCE_ARGUMENT;
    if (byte == '.')
        return next >= '0' && next <= '9' ? PRESENCE_UNCLEAR : PRESENCE_NONE;
    if (byte == '&')
        return next == '&' ? PRESENCE_NONE : PRESENCE_UNCLEAR;
    return strchr("$@%\"'<-+~\\0123456789", byte) ? PRESENCE_ARGUMENT : PRESENCE_UNCLEAR;
}

/* f, f X, f(X), f(); *given: there was an argument. */
static bool pass_argument(struct perl *perl, struct hv_str function, struct perl_value *value, bool *given)
{
    *value = (struct perl_value){0};
    *given = false;
    perl_skip(perl);
    if (perl_peek(perl, 0) == '(') {
        perl->at++;
        perl_skip(perl);
        *given = perl_peek(perl, 0) != ')';
        if (*given && (perl_peek(perl, 0) == '{' || !perl_expression(perl, value)))
            return false;
        return pass_byte(perl, ')');
    }
    switch (find_argument(perl, function)) {
    case PRESENCE_NONE: return true;
    case PRESENCE_ARGUMENT: *given = true; return perl_operand(perl, value);
    default: return false;
    }
}

static bool pass_unary(struct perl *perl, struct hv_str function, enum kind kind, struct perl_value *value)
{
    bool given;
    if (!pass_argument(perl, function, value, &given))
        return false;
    if (shell_names_have("stat lstat readlink", function))
        perl->looks_at_files = true;
    perl->modifications += kind != KIND_UNARY; /* of $_, or of what was given */
    if (kind == KIND_UNARY_CHANGE && given && !perl_modify(perl, *value))
        return false;
    if (kind == KIND_UNARY_REMOVE && value->guarded)
        return false;
    if (kind != KIND_UNARY_ALIAS)
        *value = (struct perl_value){0};
    return true;
}

bool perl_file_test(struct perl *perl)
{
    char letter = perl_peek(perl, 1);
    struct perl_value value;
    bool given;
    perl->at++;
    struct hv_str word = perl_word(perl);
    perl->at += word.len;
    size_t ahead = 0;
    while (is_blank(perl_peek(perl, ahead)))
        ahead++;
    if (word.len != 1 || !strchr("edfrwxszlMACTBpSbctoORWXugk", letter) ||
        (perl_peek(perl, ahead) == '=' && perl_peek(perl, ahead + 1) == '>'))
        return false;
    perl->looks_at_files |= letter != 't';
    perl_skip(perl);
    struct hv_str handle = perl_word(perl);
    if (shell_names_have("STDIN STDOUT STDERR _", handle)) {
        perl->at += handle.len;
        return true;
    }
    return pass_argument(perl, HV_STR("shift"), &value, &given);
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* "print $x -1": behind a variable and a blank, perl guesses whether a term or an operator comes. */
static bool is_guessed(const struct perl *perl)
{
    size_t ahead = 1;
    if (perl_peek(perl, 0) != '$')
        return false;
    while (is_letter(perl_peek(perl, ahead)) || (perl_peek(perl, ahead) >= '0' && perl_peek(perl, ahead) <= '9'))
        ahead++;
    if (ahead == 1 || !is_blank(perl_peek(perl, ahead)))
        return false;
    while (is_blank(perl_peek(perl, ahead)))
        ahead++;
    char sign = perl_peek(perl, ahead), next = perl_peek(perl, ahead + 1);
    if (!sign || !next || is_blank(next) || next == '=')
        return false;
    return strchr("?-+", sign) || (sign == '/' && next != '/') || sign == '<' || (sign == '&' && next != '&') ||
           sign == '%' || (sign == '*' && next != '*');
}

static bool begins_term(const struct perl *perl)
{
    char byte = perl_peek(perl, 0);
    if (perl_at_end(perl) || !byte)
        return false;
    return is_letter(byte) || (byte >= '0' && byte <= '9') || strchr("$@%\"'[(+-!~\\</", byte) ||
           (byte == '.' && perl_peek(perl, 1) >= '0' && perl_peek(perl, 1) <= '9');
}

/* What may stand behind a list operator without arguments. */
static bool ends_list(const struct perl *perl)
{
    char byte = perl_peek(perl, 0), next = perl_peek(perl, 1);
    return perl_at_end(perl) || byte == ',' || ((byte == '&' || byte == '|') && next == byte);
}

/* The arguments up to the end of the list, or to the parenthesis when one was passed. */
static bool pass_items(struct perl *perl, bool parenthesis, struct perl_value *first, struct perl_value *all)
{
    *first = *all = (struct perl_value){0};
    perl_skip(perl);
    if (parenthesis && perl_peek(perl, 0) == ')')
        return perl->at++;
    if (!parenthesis && !begins_term(perl))
        return ends_list(perl);
    return perl_peek(perl, 0) != '{' && !is_guessed(perl) && perl_list(perl, first, all) &&
           (!parenthesis || pass_byte(perl, ')'));
}

static bool open_parenthesis(struct perl *perl)
{
    return pass_byte(perl, '(');
}

static bool pass_list(struct perl *perl, enum kind kind, struct perl_value *value)
{
    struct perl_value first, all;
    bool parenthesis = open_parenthesis(perl);
    if (!pass_items(perl, parenthesis, &first, &all))
        return false;
    *value = kind == KIND_LIST_ALIAS ? all : kind == KIND_SUBSTR ? first : (struct perl_value){0};
    return kind != KIND_LIST_CHANGE || perl_modify(perl, first);
}

static size_t count_commas(struct hv_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ',';
    return count;
}

/* With four arguments it changes the first; commas within others make them more, which does no harm. */
static bool pass_substr(struct perl *perl, struct perl_value *value)
{
    size_t start = perl->at;
    return pass_list(perl, KIND_SUBSTR, value) &&
           (count_commas(hv_str_slice(perl->text, start, perl->at)) < 3 || value->guarded || perl_modify(perl, *value));
}

/* print, with one of the streams before the list or not. */
static bool pass_print(struct perl *perl, struct perl_value *value)
{
    struct perl_value first, all;
    bool parenthesis = open_parenthesis(perl);
    perl_skip(perl);
    struct hv_str handle = perl_word(perl);
    if (shell_names_have("STDOUT STDERR", handle)) {
        perl->at += handle.len;
        perl_skip(perl);
        if (!begins_term(perl) && !perl_at_end(perl))
            return false;
    }
    *value = (struct perl_value){0};
    return pass_items(perl, parenthesis, &first, &all);
}

/* ---- blocks and lists ------------------------------------------------------------------------------------- */

/* How far the reading was before a block. */
struct mark {
    size_t modifications, guards, places;
};

static struct mark mark(const struct perl *perl)
{
    return (struct mark){perl->modifications, perl->guards, perl->place_count};
}

/* The list behind a block or an expression, in which its items are $_, or $a and $b. */
static bool pass_selected(struct perl *perl, bool parenthesis, struct mark before, struct perl_value *value)
{
    struct perl_value first;
    bool changes = perl->modifications != before.modifications;
    return pass_items(perl, parenthesis, &first, value) && (!changes || perl_modify(perl, *value));
}

/* What a block may give: anything that is in it. */
static struct perl_value value_since(const struct perl *perl, struct mark before)
{
    return (struct perl_value){
        .guarded = perl->guards != before.guards, .from = before.places, .to = perl->place_count};
}

static bool pass_select(struct perl *perl, struct hv_str function, bool only_block, struct perl_value *value)
{
    struct perl_value inner;
    bool parenthesis = open_parenthesis(perl);
    perl_skip(perl);
    struct mark before = mark(perl);
    if (perl_peek(perl, 0) == '{') {
        if (!perl_block(perl))
            return false;
    } else if (only_block || is_guessed(perl) || !begins_term(perl) || !perl_assignment(perl, &inner) ||
               !pass_byte(perl, ',')) {
        return false;
    }
    inner = value_since(perl, before);
    if (!pass_selected(perl, parenthesis, before, value))
        return false;
    if (!hv_str_is(function, "grep"))
        *value = perl_join(inner, *value);
    return true;
}

/* A word behind sort is the name of a function that compares, unless perl itself knows it. */
static bool pass_sort(struct perl *perl, struct perl_value *value)
{
    bool parenthesis = open_parenthesis(perl);
    perl_skip(perl);
    struct mark before = mark(perl);
    struct hv_str word = perl_word(perl);
    if (perl_peek(perl, 0) == '{' && !perl_block(perl))
        return false;
    if (word.len && !shell_names_have("keys values map grep reverse sort split qw", word))
        return false;
    return pass_selected(perl, parenthesis, before, value);
}

/* ---- the rest --------------------------------------------------------------------------------------------- */

/* my $x, my ($x, @y) */
static bool pass_declaration(struct perl *perl, struct perl_value *value)
{
    struct perl_value item;
    *value = (struct perl_value){0};
    perl_skip(perl);
    if (perl_peek(perl, 0) != '(') {
        if (!perl_declare(perl, value))
            return false;
    } else {
        do {
            perl->at++;
            perl_skip(perl);
            if (perl_peek(perl, 0) == ')')
                break;
            if (hv_str_is(perl_word(perl), "undef"))
                perl->at += 5;
            else if (perl_declare(perl, &item))
                *value = perl_join(*value, item);
            else
                return false;
            perl_skip(perl);
        } while (perl_peek(perl, 0) == ',');
        if (!pass_byte(perl, ')'))
            return false;
    }
    perl_skip(perl);
    return perl_peek(perl, 0) != ':'; /* attributes */
}

static bool pass_local(struct perl *perl, struct perl_value *value)
{
    perl_skip(perl);
    if (!perl_operand(perl, value) || value->guarded)
        return false;
    perl->changes_arguments |= value->arguments;
    perl->modifications++;
    return true;
}

/* do { … }: gives what is in the block. */
static bool pass_do(struct perl *perl, struct perl_value *value)
{
    perl_skip(perl);
    struct mark before = mark(perl);
    if (perl_peek(perl, 0) != '{' || !perl_block(perl))
        return false;
    *value = value_since(perl, before);
    return true;
}

/* next, last LINE */
static bool pass_jump(struct perl *perl)
{
    perl_skip(perl);
    struct hv_str label = perl_word(perl);
    bool capitals = label.len;
    for (size_t i = 0; i < label.len; i++)
        capitals &= !(label.ptr[i] >= 'a' && label.ptr[i] <= 'z');
    perl->at += capitals ? label.len : 0;
    perl_skip(perl);
    return perl_at_end(perl) || perl_peek(perl, 0) == ',';
}

/* eof, eof(), eof(ARGV), close ARGV */
static bool pass_stream(struct perl *perl, bool closes)
{
    bool parenthesis = open_parenthesis(perl);
    perl_skip(perl);
    struct hv_str handle = perl_word(perl);
    if (shell_names_have("ARGV STDIN", handle)) {
        perl->at += handle.len;
        perl_skip(perl);
        return parenthesis ? pass_byte(perl, ')') : ends_list(perl);
    }
    if (closes)
        return false;
    perl->reads_operands |= parenthesis;
    return parenthesis ? pass_byte(perl, ')') : find_argument(perl, HV_STR("eof")) == PRESENCE_NONE;
}

/* binmode STDOUT, ":utf8": layers may load modules, these are perl's own. */
static bool pass_binmode(struct perl *perl)
{
    static const char layers[] = ":utf8 :raw :bytes :crlf :encoding(UTF-8) :encoding(utf8) :encoding(utf-8)";
    bool parenthesis = open_parenthesis(perl);
    perl_skip(perl);
    struct hv_str handle = perl_word(perl);
    if (!shell_names_have("STDIN STDOUT STDERR", handle))
        return false;
    perl->at += handle.len;
    if (pass_byte(perl, ',')) {
        perl_skip(perl);
        size_t start = perl->at;
        if ((perl_peek(perl, 0) != '"' && perl_peek(perl, 0) != '\'') || !perl_string(perl, false) ||
            !shell_names_have(layers, hv_str_slice(perl->text, start + 1, perl->at - 1)))
            return false;
    }
    return parenthesis ? pass_byte(perl, ')') : (perl_skip(perl), perl_at_end(perl));
}

static bool pass_call(struct perl *perl, struct hv_str word, struct perl_value *value)
{
    enum kind kind = find_kind(perl, word);
    *value = (struct perl_value){0};
    switch (kind) {
    case KIND_CONSTANT: return perl_peek(perl, 0) != '(' || (perl->at++, pass_byte(perl, ')'));
    case KIND_UNARY:
    case KIND_UNARY_ALIAS:
    case KIND_UNARY_CHANGE:
    case KIND_UNARY_REMOVE: return pass_unary(perl, word, kind, value);
    case KIND_LIST:
    case KIND_LIST_ALIAS:
    case KIND_LIST_CHANGE: return pass_list(perl, kind, value);
    case KIND_SUBSTR: return pass_substr(perl, value);
    case KIND_PRINT: return pass_print(perl, value);
    case KIND_SORT: return pass_sort(perl, value);
    case KIND_SELECT:
    case KIND_SELECT_BLOCK: return pass_select(perl, word, kind == KIND_SELECT_BLOCK, value);
    case KIND_DECLARE: return pass_declaration(perl, value);
    case KIND_LOCAL: return pass_local(perl, value);
    case KIND_DO: return pass_do(perl, value);
    case KIND_JUMP: return pass_jump(perl);
    case KIND_STREAM: return pass_stream(perl, hv_str_is(word, "close"));
    case KIND_BINMODE: return pass_binmode(perl);
    case KIND_UNKNOWN: break;
    }
    perl->refused = word;
    return false;
}

bool perl_word_term(struct perl *perl, struct perl_value *value)
{
    struct hv_str word = perl_word(perl);
    size_t ahead = word.len;
    *value = (struct perl_value){0};
    while (perl_peek(perl, ahead) == ' ' || perl_peek(perl, ahead) == '\t')
        ahead++;
    bool names = perl_peek(perl, ahead) == '=' && perl_peek(perl, ahead + 1) == '>';
    perl->at += word.len;
    if (names) /* word => …: a text, whatever it is */
        return true;
    if (perl_peek(perl, 0) == ':' && perl_peek(perl, 1) == ':')
        return false;
    if (shell_names_have("q qq qw m qr s tr y", word))
        return perl_quote(perl, word);
    return pass_call(perl, word, value);
}
