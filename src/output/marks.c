#include "output/marks.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output/path.h"
#include "output/xml.h"

enum {
  APART = 6,        /* px, between lines from top to bottom; denser ones would hide the curves */
  SHORT = 7,        /* px, of a line at the top */
  LABEL_CHAR = 6,   /* px, width of a character */
  LABEL_GAP = 8,    /* px, between labels */
  LABEL_CHARS = 24, /* characters of a name that are shown */
  GROUPS_MAX = 1024 /* more than a frame has pixels */
};

/* ---- what is kept ---- */

static int32_t find_name(ZwMarks* marks, const char* name) {
  char cut[ZW_MARK_NAME];
  zw_snprintf(cut, sizeof cut, "%s", name);
  zw_str_end_whole(cut);
  for (int32_t i = 0; i < marks->name_count; i++) {
    if (strcmp(marks->names[i], cut) == 0) return i;
  }
  if (marks->name_count == ZW_MARK_NAMES) return -1;
  memcpy(marks->names[marks->name_count], cut, sizeof cut);
  return marks->name_count++;
}

static bool is_same_cell(const ZwMarks* marks, double a, double b) {
  if (!(marks->cell > 0)) return false;
  return floor((a - marks->origin) / marks->cell) == floor((b - marks->origin) / marks->cell);
}

static void merge(ZwMark* into, const ZwMark* next) {
  into->count += next->count;
  if (into->name != next->name) into->name = -1;
}

/* Half as many cells over the time up to now; where time stands still, neighbours. */
static void thin(ZwMarks* marks) {
  double span = marks->marks[marks->count - 1].t - marks->marks[0].t;
  marks->origin = marks->marks[0].t;
  marks->cell = fmax(2 * marks->cell, span / (ZW_MARKS / 2 - 1));
  int32_t count = 1;
  for (int32_t i = 1; i < marks->count; i++) {
    ZwMark* last = &marks->marks[count - 1];
    if (is_same_cell(marks, last->t, marks->marks[i].t) || last->t == marks->marks[i].t)
      merge(last, &marks->marks[i]);
    else
      marks->marks[count++] = marks->marks[i];
  }
  marks->count = count;
}

void zw_marks_add(ZwMarks* marks, double t, const char* name) {
  if (!isfinite(t)) return;
  ZwMark mark = {t, 1, find_name(marks, name)};
  for (int32_t i = marks->count - 1; i >= 0 && marks->marks[i].t == t; i--) {
    if (marks->marks[i].name == mark.name) return;
  }
  if (marks->count == ZW_MARKS) thin(marks);
  if (marks->count > 0 && is_same_cell(marks, marks->marks[marks->count - 1].t, t))
    merge(&marks->marks[marks->count - 1], &mark);
  else
    marks->marks[marks->count++] = mark;
}

/* ---- lines ---- */

/* Hundredths of a pixel; false: it is not on the axis. */
static bool place_of(const ZwPageFrame* frame, const ZwTicks* time, double t, int64_t* x) {
  double at = time->is_log ? log10(t) : t;
  if (!isfinite(at) || at < time->low || at > time->high) return false;
  *x = zw_page_time_place(frame, time, at);
  return true;
}

/* Lines, those in the same pixel once: from top to bottom where they are apart, else short ones at the top. */
static void add_lines(ZwText* whole, ZwText* brief, const ZwPageFrame* frame, const ZwTicks* time,
                      const ZwMarks* marks) {
  int64_t before = INT64_MIN / 2, last_whole = INT64_MIN / 2;
  for (int32_t i = 0; i < marks->count; i++) {
    int64_t x;
    if (!place_of(frame, time, marks->marks[i].t, &x) || x / 100 == before / 100) continue;
    bool is_whole = x - last_whole >= 100 * APART;
    before = x;
    if (is_whole) last_whole = x;
    ZwText* path = is_whole ? whole : brief;
    zw_page_add(path, "M");
    zw_path_number(path, x);
    zw_text_addf(path, " %dv%d", (int)frame->y, is_whole ? (int)frame->height : SHORT);
  }
}

static void draw_lines(ZwText* out, ZwTheme theme, const ZwText* lines, const char* dashes) {
  if (lines->size == 0) return;
  zw_page_line(out, theme, ZW_INK_MARK);
  zw_text_addf(out, " stroke-linecap=\"butt\"%s d=\"%s\"/>\n", dashes, lines->data);
}

void zw_marks_draw(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks) {
  ZwText whole, brief;
  zw_text_init(&whole, out->arena);
  zw_text_init(&brief, out->arena);
  add_lines(&whole, &brief, frame, time, marks);
  draw_lines(out, theme, &whole, " stroke-dasharray=\"1 3\"");
  draw_lines(out, theme, &brief, "");
}

/* ---- labels ---- */

/* Marks that share a label. */
typedef struct Group {
  int64_t first, last; /* 1/100 px */
  int64_t count;
  int32_t name; /* -1: several */
  int64_t half; /* 1/100 px, of the width of the label */
} Group;

typedef struct Groups {
  Group groups[GROUPS_MAX];
  int32_t count;
} Groups;

static void write_label(ZwText* out, const ZwMarks* marks, const Group* group) {
  if (group->name < 0) {
    zw_text_addf(out, "%lld events", (long long)group->count);
    return;
  }
  zw_xml_add_clipped(out, zw_str_from(marks->names[group->name]), LABEL_CHARS);
  if (group->count > 1) zw_text_addf(out, " \u00d7%lld", (long long)group->count);
}

static void measure(Group* group, const ZwMarks* marks) {
  char number[32];
  int32_t chars = zw_snprintf(number, sizeof number, " \u00d7%lld", (long long)group->count) - 1;
  if (group->name < 0) {
    chars += 6;
  } else {
    const char* name = marks->names[group->name];
    int32_t length = zw_utf8_count(name, (ptrdiff_t)strlen(name));
    chars = (length > LABEL_CHARS ? LABEL_CHARS : length) + (group->count > 1 ? chars : 0);
  }
  group->half = (int64_t)50 * chars * LABEL_CHAR;
}

static void join(Group* into, const Group* next, const ZwMarks* marks) {
  into->last = next->last;
  into->count += next->count;
  if (into->name != next->name) into->name = -1;
  measure(into, marks);
}

/* Where the label stands: in the middle of its marks, and inside of the frame if it can. */
static int64_t centre(const ZwPageFrame* frame, const Group* group) {
  int64_t half = group->half, middle = (group->first + group->last) / 2;
  int64_t left = 100 * (int64_t)frame->x + half, right = 100 * (int64_t)(frame->x + frame->width) - half;
  if (middle > right) middle = right;
  return middle < left ? left : middle;
}

static bool overlap(const ZwPageFrame* frame, const Group* a, const Group* b) {
  return centre(frame, b) - b->half < centre(frame, a) + a->half + 100 * LABEL_GAP;
}

/* One for each pixel where something happens. */
static void collect(Groups* groups, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks) {
  groups->count = 0;
  for (int32_t i = 0; i < marks->count; i++) {
    Group group = {.count = marks->marks[i].count, .name = marks->marks[i].name};
    if (!place_of(frame, time, marks->marks[i].t, &group.first)) continue;
    group.last = group.first;
    measure(&group, marks);
    Group* before = groups->count > 0 ? &groups->groups[groups->count - 1] : NULL;
    if (before && (before->last / 100 == group.last / 100 || groups->count == GROUPS_MAX))
      join(before, &group, marks);
    else
      groups->groups[groups->count++] = group;
  }
}

/* Of the neighbours whose labels overlap, those that are nearest to each other; -1: there are none. */
static int32_t find_overlap(const Groups* groups, const ZwPageFrame* frame) {
  int32_t found = -1;
  int64_t least = INT64_MAX;
  for (int32_t i = 0; i + 1 < groups->count; i++) {
    const Group *a = &groups->groups[i], *b = &groups->groups[i + 1];
    if (b->first - a->last >= least || !overlap(frame, a, b)) continue;
    least = b->first - a->last;
    found = i;
  }
  return found;
}

/* As many labels as there is room for. */
static void make_groups(Groups* groups, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks) {
  collect(groups, frame, time, marks);
  for (int32_t i; (i = find_overlap(groups, frame)) >= 0;) {
    join(&groups->groups[i], &groups->groups[i + 1], marks);
    groups->count--;
    memmove(&groups->groups[i + 1], &groups->groups[i + 2], (size_t)(groups->count - i - 1) * sizeof(Group));
  }
}

void zw_marks_labels(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks) {
  Groups groups;
  make_groups(&groups, frame, time, marks);
  if (groups.count == 0) return;
  zw_page_add(out, "<g font-size=\"10\" text-anchor=\"middle\"");
  zw_theme_fill(out, theme, ZW_INK_MARK);
  zw_page_add(out, ">\n");
  for (int32_t i = 0; i < groups.count; i++) {
    zw_page_add(out, "<text");
    zw_page_attribute(out, "x", centre(frame, &groups.groups[i]));
    zw_text_addf(out, " y=\"%d\">", (int)(frame->y - 4));
    write_label(out, marks, &groups.groups[i]);
    zw_page_add(out, "</text>\n");
  }
  zw_page_add(out, "</g>\n");
}
