/*
 * ask.h: the one way to ask a person, or the program in a person's place: for leave, for a choice, for a form, for a
 * text. What is asked is data; a terminal, the program at the other end of stdin and stdout, and nobody are the three
 * that answer.
 *
 * Threads: an asker is called by any thread but the loop's, by one at a time, and blocks until the question is answered
 * or cancelled. Who asks from a thread that must not wait makes one that may. Views of a question live until the asker
 * returns; those of an answer are in the arena given. Everything in a question that others wrote has been made visible
 * (no escapes, nothing that hides) by who asks.
 */
#ifndef HELVE_ASK_H
#define HELVE_ASK_H

#include <helve/json.h>

struct hv_cancel;

enum hv_ask_kind {
    HV_ASK_PERMISSION = 0, /* may this be done? */
    HV_ASK_CHOICE,         /* one field, of several answers */
    HV_ASK_TEXT,           /* one field, a text */
    HV_ASK_FORM,           /* fields */
};

enum hv_ask_type {
    HV_ASK_OF_TEXT = 0,
    HV_ASK_OF_NUMBER,
    HV_ASK_OF_INTEGER,
    HV_ASK_OF_BOOLEAN,
    HV_ASK_OF_OPTIONS, /* one of them */
    HV_ASK_OF_SEVERAL, /* any number of them */
};

struct hv_ask_option {
    struct hv_str name, label, description; /* name: what is answered; label absent: the name */
};

struct hv_ask_field {
    struct hv_str name, label, description; /* label absent: the name */
    enum hv_ask_type type;
    const struct hv_ask_option *options;
    size_t option_count;
    bool required;
    struct hv_str initial; /* what stands there to begin with: a text, a number, "true", an option's name; or absent */
};

/* How long leave is given for. */
enum hv_ask_scope { HV_ASK_ONCE = 0, HV_ASK_SESSION, HV_ASK_LOCAL, HV_ASK_PROJECT, HV_ASK_USER };

struct hv_question {
    enum hv_ask_kind kind;
    struct hv_str call_id;     /* of the call that it is about, or absent */
    struct hv_str subject;     /* who wants it, in a word: the name of a tool, of a server, "network" */
    struct hv_str text;        /* what is asked, lines */
    struct hv_str shown;       /* the same and more as blocks (helve/show.h); absent: the text is all there is */
    struct hv_str reason;      /* why it is asked; or absent */
    struct hv_str explanation; /* lines for who wants to know more; or absent */
    /* Permission. */
    struct hv_str input;        /* JSON of an object that the person may amend; absent: it is as it is */
    struct hv_str details;      /* JSON of an object: what it is about, for a program that is asked; absent: input */
    const struct hv_str *rules; /* what leave for longer would add; none: it can only be given once */
    size_t rule_count;
    bool destructive; /* it cannot be undone */
    bool each_time;   /* no rule may ever answer it */
    /* Choice, text, form. */
    const struct hv_ask_field *fields;
    size_t field_count;
};

enum hv_ask_outcome {
    HV_ASK_NOBODY = 0, /* nobody could be asked, or the question was cancelled */
    HV_ASK_REFUSED,
    HV_ASK_ANSWERED, /* leave is given; the fields are filled */
};

struct hv_answer {
    enum hv_ask_outcome outcome;
    struct hv_str words;        /* refused, or nobody to ask: to the model, or absent */
    enum hv_ask_scope scope;    /* leave for longer: the rules are added … */
    struct hv_str input;        /* … in place of the question's, or absent */
    const struct hv_str *rules; /* … these in place of those proposed; none: those */
    size_t rule_count;
    struct hv_str values; /* JSON object: a member for each field that was filled */
    /* Of a program in a person's place: its list of changes of rules and mode (`updatedPermissions`) as it came, or
     * NULL. All of them are made with the leave, or it is not given. */
    const struct hv_json *updates;
};

/* Take what a person wrote for a field into the object that is open: of options their numbers from 1 or names (several:
 * with blanks between), yes or no, a number, a text; nothing means the initial value. False: it is none of these, or
 * nothing where the field is required, and nothing was written. */
HV_API bool hv_ask_take_value(const struct hv_ask_field *field, struct hv_str text, struct hv_json_writer *writer);
/* Append the JSON Schema of the object that the fields make. */
HV_API void hv_ask_put_schema(const struct hv_question *question, struct hv_json_writer *writer);

struct hv_asker {
    void (*ask)(void *user, const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                struct hv_answer *answer); /* NULL: nobody can be asked. *answer comes zeroed. */
    void *user;
};

#endif
