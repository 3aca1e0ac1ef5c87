/*
 * test_rewind.c: what is done to which file follows from the changes that the journal tells and from what stands there.
 *
 * Journals and files are written in short, words after blanks:
 *   P            a person says something
 *   b:ID:F=X     before the call ID the file F held X ("-": there was none, "?": its bytes were not kept)
 *   a:ID:F=X     after it, it held X; a:ID alone: nothing changed
 *   S            the session begins (again)
 *   R:N  U:N     code and conversation were rewound to message N; rewind N was undone
 * Contents are single letters; so are files. A plan is written as F:ACT, in the order of the files, with "!" where
 * somebody must say so: = nothing to do, w restore, c bring back, r remove, x impossible.
 */
#include "journal/rewind.h"

#include "journal/resume.h"
#include "journal_test.h"

/* ---- journals in short --------------------------------------------------------------------------------------- */

static struct fs_image image_of(struct hv_arena *arena, char file, char content)
{
    struct fs_image image = {.path = hv_arena_format(arena, "/w/%c", file)};
    if (content == '-')
        return image;
    image.kind = FS_IMAGE_FILE;
    image.mode = 0644;
    image.size = 1;
    image.mtime_ns = 1000 + content;
    if (content == '?')
        image.unsaved = HV_STR("too large");
    else
        image.hash = hv_arena_format(arena, "%064x", (unsigned)content);
    return image;
}

static void put_checkpoint(struct hv_buf *journal, struct hv_arena *arena, struct hv_str word)
{
    bool after = word.ptr[0] == 'a';
    CLEANUP_BUF struct hv_buf data = {.max = 1 << 20};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, after ? "after" : "before");
    hv_json_begin_array(&writer);
    if (word.len > 4) {
        struct fs_image image = image_of(arena, word.ptr[4], word.ptr[6]);
        fs_image_write(&writer, &image);
    }
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    hv_event_write(journal, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                               .name = hv_str_from(after ? "after" : "before"),
                                               .call_id = hv_str_slice(word, 2, 3),
                                               .tool = HV_STR("Edit"),
                                               .data = hv_buf_str(&data)});
}

static void put_word(struct hv_buf *journal, struct hv_arena *arena, struct hv_str word)
{
    struct hv_event event = {.type = HV_EVENT_SESSION_START, .data = HV_STR("{\"id\":\"s\",\"cwd\":\"/w\"}")};
    switch (word.ptr[0]) {
    case 'P':
        event =
            (struct hv_event){.type = HV_EVENT_MESSAGE,
                              .name = HV_STR("user"),
                              .json = hv_arena_format(arena, "[{\"type\":\"text\",\"text\":\"p%zu\"}]", journal->len),
                              .data = HV_STR("{\"prompt\":true}")};
        break;
    case 'M':
        event = (struct hv_event){.type = HV_EVENT_MESSAGE,
                                  .name = HV_STR("assistant"),
                                  .json = HV_STR("[{\"type\":\"text\",\"text\":\"m\"}]")};
        break;
    case 'C':
        event =
            (struct hv_event){.type = HV_EVENT_MESSAGE,
                              .name = HV_STR("assistant"),
                              .json = HV_STR("[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{}}]")};
        break;
    case 'R':
    case 'U':
        event = (struct hv_event){
            .type = HV_EVENT_REWIND,
            .name = HV_STR("both"),
            .call_id = HV_STR("r"),
            .data = hv_arena_format(arena, "{\"%s\":%c}", word.ptr[0] == 'R' ? "to" : "undoes", word.ptr[2])};
        break;
    case 'S': break;
    default: put_checkpoint(journal, arena, word); return;
    }
    hv_event_write(journal, &event);
}

static struct hv_str journal_of(struct hv_arena *arena, const char *text)
{
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct hv_str rest = hv_str_from(text), word;
    while (hv_str_split(&rest, ' ', &word))
        put_word(&journal, arena, word);
    return hv_arena_str(arena, hv_buf_str(&journal));
}

static void read_timeline(struct hv_arena *arena, const char *text, struct timeline *out)
{
    struct journal_reader *reader = journal_reader_from_memory(journal_of(arena, text));
    assert_int_equal(timeline_collect(arena, reader, out, NULL), HV_OK);
    journal_reader_close(reader);
}

/* ---- plans --------------------------------------------------------------------------------------------------- */

/* What stands there: "f=a g=-". */
static void set_present(struct hv_arena *arena, struct rewind_plan *plan, const char *present)
{
    struct hv_str rest = hv_str_from(present), word;
    while (hv_str_split(&rest, ' ', &word))
        for (size_t i = 0; i < plan->count; i++)
            if (plan->steps[i].path.ptr[3] == word.ptr[0]) {
                plan->steps[i].present = image_of(arena, word.ptr[0], word.ptr[2]);
                plan->steps[i].present.inode = 77; /* another file with the same bytes is as good */
                if (word.len > 3)
                    plan->steps[i].barred = HV_STR("a rule");
            }
}

static const char *written(struct hv_arena *arena, const struct rewind_plan *plan)
{
    struct hv_str text = HV_STR("");
    for (size_t i = 0; i < plan->count; i++)
        text = hv_arena_format(arena, "%.*s%s%c:%c%s", HV_STR_ARG(text), i ? " " : "", plan->steps[i].path.ptr[3],
                               "=wcrx"[plan->steps[i].act], plan -> steps[i].doubt ? "!" : "");
    return text.ptr;
}

static const struct {
    const char *journal;
    size_t to;
    const char *present, *plan;
} plans[] = {
    /* one change */
    {"P b:1:f=a a:1:f=b", 1, "f=b", "f:w"},
    {"P b:1:f=- a:1:f=b", 1, "f=b", "f:r"},
    {"P b:1:f=a a:1:f=-", 1, "f=-", "f:c"},
    {"P b:1:f=a a:1", 1, "", ""},
    /* it is as it was already */
    {"P b:1:f=a a:1:f=b", 1, "f=a", "f:="},
    {"P b:1:f=- a:1:f=b", 1, "f=-", "f:="},
    /* somebody changed it since, removed it, made it again */
    {"P b:1:f=a a:1:f=b", 1, "f=c", "f:w!"},
    {"P b:1:f=a a:1:f=b", 1, "f=-", "f:c!"},
    {"P b:1:f=a a:1:f=-", 1, "f=c", "f:w!"},
    {"P b:1:f=- a:1:f=b", 1, "f=c", "f:r!"},
    /* several changes: the first counts for what is wanted, the last for what is expected */
    {"P b:1:f=a a:1:f=b a:2:f=c", 1, "f=c", "f:w"},
    {"P b:1:f=a a:1:f=b P b:2:f=b a:2:f=c", 1, "f=c", "f:w"},
    {"P b:1:f=a a:1:f=b P b:2:f=b a:2:f=c", 2, "f=c", "f:w"},
    {"P b:1:f=a a:1:f=b P b:2:f=b a:2:f=a", 1, "f=a", "f:="},
    {"P b:1:f=a a:1:f=b P b:2:g=b a:2:g=c", 2, "f=x g=c", "g:w"},
    {"P b:1:f=- a:1:f=b P b:2:f=b a:2:f=-", 1, "f=-", "f:="},
    /* somebody changed it in between */
    {"P b:1:f=a a:1:f=b P b:2:f=x a:2:f=c", 1, "f=c", "f:w!"},
    {"P b:1:f=a a:1:f=b P b:2:f=x a:2:f=c", 2, "f=c", "f:w"},
    /* cut off: certain only where nothing happened, or where it was as it was before afterwards */
    {"P b:1:f=a", 1, "f=a", "f:="},
    {"P b:1:f=a", 1, "f=b", "f:w!"},
    {"P b:1:f=a S P b:1:f=a a:1:f=b", 1, "f=b", "f:w"},
    {"P b:1:f=a S P b:1:f=x a:1:f=b", 1, "f=b", "f:w!"},
    /* what an earlier session began is not ended by a call of the same name in a later one */
    {"P b:1:f=a S P a:1:f=b", 1, "f=b", "f:w!"},
    /* no copy; a rule; git's own */
    {"P b:1:f=? a:1:f=b", 1, "f=b", "f:x"},
    {"P b:1:f=a a:1:f=b", 1, "f=b+", "f:x"},
    {"P b:1:f=a a:1:f=b", 1, "f=a+", "f:="},
    /* before the first message nothing counts */
    {"b:1:f=a a:1:f=b P b:2:g=a a:2:g=b", 1, "g=b", "g:w"},
};

static void files_go_back_where_nothing_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct timeline timeline;
        struct rewind_plan plan;
        read_timeline(&arena, plans[i].journal, &timeline);
        assert_true(plans[i].to <= timeline.prompt_count);
        rewind_collect(&arena, &timeline, timeline.prompts[plans[i].to - 1].moment, &plan);
        set_present(&arena, &plan, plans[i].present);
        rewind_judge(&arena, &plan);
        if (strcmp(written(&arena, &plan), plans[i].plan) != 0)
            fail_msg("%s to %zu with %s: %s, not %s", plans[i].journal, plans[i].to, plans[i].present,
                     written(&arena, &plan), plans[i].plan);
    }
}

static void what_belongs_to_git_stays(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct rewind_step steps[2] = {{.path = HV_STR("/w/.git/config")}, {.path = HV_STR("/w/.gitignore")}};
    struct rewind_plan plan = {.steps = steps, .count = 2};
    for (size_t i = 0; i < 2; i++) {
        steps[i].wanted = image_of(&arena, 'f', 'a');
        steps[i].present = steps[i].expected = image_of(&arena, 'f', 'b');
    }
    rewind_judge(&arena, &plan);
    assert_int_equal(steps[0].act, REWIND_IMPOSSIBLE);
    assert_int_equal(steps[1].act, REWIND_RESTORE);
    assert_int_equal(plan.impossible, 1);
    assert_int_equal(plan.changes, 1);
}

static void a_rewind_begins_with_its_last_attempt(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct timeline timeline;
    read_timeline(&arena, "P b:r:f=a P b:1:g=a a:1:g=b b:r:f=a a:r:f=b R:1", &timeline);
    assert_int_equal(timeline.rewind_count, 1);
    assert_int_equal(timeline.rewinds[0].began, 6);
    assert_int_equal(timeline.rewinds[0].moment, 8);
}

/* What a task of the first turn changed in the second is the first one's; in a pause it needs a word. */
static void what_runs_in_the_background_belongs_to_its_turn(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct timeline timeline;
    struct rewind_plan plan;
    put_word(&journal, &arena, HV_STR("P"));
    hv_event_write(&journal,
                   &(struct hv_event){.type = HV_EVENT_TASK, .name = HV_STR("started"), .call_id = HV_STR("1")});
    put_word(&journal, &arena, HV_STR("P"));
    hv_event_write(&journal, &(struct hv_event){
                                 .type = HV_EVENT_CHECKPOINT,
                                 .name = HV_STR("after"),
                                 .call_id = HV_STR("1"),
                                 .tool = HV_STR("Bash"),
                                 .data = HV_STR("{\"before\":[{\"path\":\"/w/f\",\"kind\":\"nothing\"}],"
                                                "\"after\":[{\"path\":\"/w/f\",\"kind\":\"directory\",\"mode\":493}],"
                                                "\"background\":true,\"unsure\":true}")});
    for (int i = 0; i < 2; i++)
        hv_event_write(&journal, &(struct hv_event){
                                     .type = HV_EVENT_CHECKPOINT,
                                     .name = HV_STR("after"),
                                     .call_id = HV_STR("2"),
                                     .tool = HV_STR("Bash"),
                                     .data = HV_STR("{\"before\":[],\"after\":[],\"command\":\"make all\","
                                                    "\"not_looked_at\":[{\"path\":\"/w/out\",\"why\":\"large\"}]}")});
    struct journal_reader *reader = journal_reader_from_memory(hv_buf_str(&journal));
    assert_int_equal(timeline_collect(&arena, reader, &timeline, NULL), HV_OK);
    journal_reader_close(reader);
    assert_int_equal(timeline.touch_count, 1);
    assert_int_equal(timeline.touches[0].prompt, 1);
    assert_int_equal(timeline.prompts[0].commands, 0);
    assert_int_equal(timeline.prompts[1].commands, 2);
    assert_true(hv_str_is(timeline.prompts[1].named[1], "make all"));
    assert_int_equal(timeline.place_count, 1);
    assert_true(hv_str_is(timeline.places[0].path, "/w/out") && hv_str_is(timeline.places[0].why, "large"));
    rewind_collect(&arena, &timeline, timeline.prompts[0].moment, &plan);
    plan.steps[0].present = plan.steps[0].expected;
    rewind_judge(&arena, &plan);
    assert_int_equal(plan.steps[0].act, REWIND_REMOVE);
    assert_int_equal(plan.steps[0].doubt, REWIND_UNSURE);
}

/* Without a copy, but nobody wrote to it: its mode goes back. A directory makes way only when nothing else is in it. */
static void what_needs_no_copy_and_what_needs_room(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct rewind_step steps[4] = {
        {.path = HV_STR("/w/a")}, {.path = HV_STR("/w/b")}, {.path = HV_STR("/w/c")}, {.path = HV_STR("/w/d")}};
    struct rewind_plan plan = {.steps = steps, .count = 4};
    steps[0].wanted = image_of(&arena, 'a', '?');
    steps[0].wanted.inode = 5;
    steps[0].present = steps[0].expected = steps[0].wanted;
    steps[0].present.mode = steps[0].expected.mode = 0777;
    steps[0].present.ctime_ns = steps[0].expected.ctime_ns = 99;
    steps[0].present.hash = steps[0].expected.hash = image_of(&arena, 'a', 'x').hash;
    for (size_t i = 1; i < 4; i++) {
        steps[i].wanted = image_of(&arena, 'b', 'a');
        steps[i].present = steps[i].expected = (struct fs_image){.path = steps[i].path, .kind = FS_IMAGE_DIRECTORY};
    }
    steps[2].is_occupied = true;
    steps[3].lost = HV_STR("the copy is gone");
    rewind_judge(&arena, &plan);
    assert_int_equal(steps[0].act, REWIND_RESTORE);
    assert_int_equal(steps[1].act, REWIND_RESTORE);
    assert_int_equal(steps[2].act, REWIND_IMPOSSIBLE);
    assert_int_equal(steps[3].act, REWIND_IMPOSSIBLE);
    assert_true(hv_str_is(steps[3].why, "the copy is gone"));
}

/* ---- conversations ------------------------------------------------------------------------------------------- */

static const struct {
    const char *journal, *roles; /* of the messages that are left; "." a person's or results, "m" the model's */
    size_t prompts;              /* that are part of the conversation */
} conversations[] = {
    {"P M P M", ".m.m", 2},
    {"P M P M R:2", ".m", 1},
    {"P M P M R:2 P M", ".m.m", 2},
    {"P M P M R:1", "", 0},
    {"P M P M R:1 P M", ".m", 1},
    {"P M P M R:2 U:1", ".m.m", 2},
    {"P M P M R:2 U:1 U:2", ".m", 1},
    {"P M P M R:2 R:1 U:2", ".m", 1},
    {"P M P M R:9", ".m.m", 2},
    {"P M P M R:2 U:7", ".m", 1},
    /* calls without a result get theirs before one goes back to after them */
    {"P C P M R:2", ".m.", 1},
    {"P C R:1", "", 0},
    {"P M P C R:2 P M", ".m.m", 2},
};

static void the_conversation_follows_its_last_branch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversations / sizeof *conversations; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct timeline timeline;
        struct resumed resumed;
        char roles[20] = "";
        size_t prompts = 0;
        struct journal_reader *reader = journal_reader_from_memory(journal_of(&arena, conversations[i].journal));
        resume_collect(&arena, reader, &resumed);
        journal_reader_close(reader);
        for (size_t k = 0; k < resumed.count; k++)
            roles[k] = resumed.messages[k].assistant ? 'm' : '.';
        assert_string_equal(roles, conversations[i].roles);
        read_timeline(&arena, conversations[i].journal, &timeline);
        for (size_t k = 0; k < timeline.prompt_count; k++)
            prompts += timeline.prompts[k].in_conversation;
        if (prompts != conversations[i].prompts)
            fail_msg("%s: %zu prompts", conversations[i].journal, prompts);
    }
}

/* ---- images -------------------------------------------------------------------------------------------------- */

static void an_image_reads_back_as_it_was_written(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct fs_image image = {
        .path = HV_STR("/w/odd\n\xff name"),
        .kind = FS_IMAGE_LINK,
        .mode = 0777,
        .size = 5,
        .mtime_ns = 1700000000123456789,
        .ctime_ns = 1700000000987654321,
        .inode = 1234567890123456789,
        .device = 65025,
        .target = HV_STR("../\xfe"),
        .has_owner = true,
        .uid = 1000,
        .gid = 7,
        .links = 3,
        .twin = HV_STR("/w/twin\xfe"),
        .attributes = HV_STR("{\"user.a\":\"YQ==\"}"),
        .unsaved = HV_STR("why"),
    };
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 20};
    struct hv_json_writer writer;
    const struct hv_json *value;
    struct fs_image again;
    hv_json_writer_init(&writer, &text);
    fs_image_write(&writer, &image);
    assert_int_equal(hv_json_parse(&arena, hv_buf_str(&text), HV_JSON_STRICT, &value, NULL), HV_OK);
    assert_true(fs_image_read(&arena, value, &again));
    assert_true(hv_str_eq(again.path, image.path) && hv_str_eq(again.target, image.target));
    assert_true(hv_str_eq(again.attributes, image.attributes) && hv_str_eq(again.unsaved, image.unsaved));
    assert_true(again.has_owner && again.uid == 1000 && again.gid == 7 && again.links == 3);
    assert_true(hv_str_eq(again.twin, image.twin));
    assert_true(fs_image_untouched(&again, &image) && again.mode == image.mode && fs_image_same(&again, &image));
}

static void what_is_no_image_is_not_taken(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"path\":\"/w/f\"}",
        "{\"path\":\"/w/f\",\"kind\":\"nonsense\"}",
        "{\"path\":\"w/f\",\"kind\":\"file\"}",
        "{\"path\":\"/w/../etc/passwd\",\"kind\":\"file\"}",
        "{\"path\":\"/w//f\",\"kind\":\"file\"}",
        "{\"path\":\"/\",\"kind\":\"directory\"}",
        "{\"path\":\"/w/f\\u0000g\",\"kind\":\"file\"}",
        "{\"path64\":\"nonsense\",\"kind\":\"file\"}",
        "{\"path\":\"/w/f\",\"kind\":\"file\",\"hash\":\"../../x\"}",
        "{\"path\":\"/w/f\",\"kind\":\"link\"}",
        "{\"path\":\"/w/f\",\"kind\":\"file\",\"twin\":\"../x\"}",
        "{\"path\":\"/w/f\",\"kind\":\"link\",\"target\":\"\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        const struct hv_json *value;
        struct fs_image image;
        assert_int_equal(hv_json_parse(&arena, hv_str_from(texts[i]), HV_JSON_STRICT, &value, NULL), HV_OK);
        if (fs_image_read(&arena, value, &image))
            fail_msg("taken: %s", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_go_back_where_nothing_is_lost),
        cmocka_unit_test(what_belongs_to_git_stays),
        cmocka_unit_test(a_rewind_begins_with_its_last_attempt),
        cmocka_unit_test(what_runs_in_the_background_belongs_to_its_turn),
        cmocka_unit_test(what_needs_no_copy_and_what_needs_room),
        cmocka_unit_test(the_conversation_follows_its_last_branch),
        cmocka_unit_test(an_image_reads_back_as_it_was_written),
        cmocka_unit_test(what_is_no_image_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
