/* Borders of a branch are looked for by halving. What is compared are the verdict, the contacts and the signs that friction holds; and the
 * state itself: where the branch goes on, halving an interval halves the way, where it jumps one half keeps all of it. */
#include "cli/linearize_branch.h"

#include <math.h>
#include <string.h>

/* Of the larger of the values around it: a border is known when its sides are so near. Seven digits are printed. Borders at zero are known to
 * a part of the values that were asked for. */
static const double tol_border_rel = 1e-8, tol_zero_rel = 1e-13;

/* A branch that has gone less far, in sizes of its coordinates, has not jumped; nor if it is not this much faster than before. */
static const double jump_told = 1e-6, rate_most = 2;
/* A contact that is nearly closed is closed, so that the state moves by a little where it touches, and touches
 * over a small part of the value. */
static const double touch_told = 1e-4, touch_rel = 1e-5;
/* Beside a fold the branch is steep: so far it may go between the sides of a border. */
static const double near_told = 1e-2;
/* When an interval is halved and the larger part of the way is less than this part of all of it, the branch goes on there; nor does it jump
 * where the way becomes less in BACK halvings. */
static const double jump_least = 0.75;

enum { BACK = 3, BORDERS_BETWEEN = 16 };

/* ---- points ---- */

static void place_point(Branch* branch, BranchPoint* point) {
  point->q = ZW_NEW(branch->arena, branch->n + 1, double);
  point->places = zw_arena_alloc(branch->arena, BRANCH_MODES, sizeof(Place));
  point->contacts = ZW_NEW(branch->arena, branch->contact_count + 1, ZwContactWhat);
}

bool branch_open(Branch* branch, const ZwLinearization* l) {
  branch->n = l->n;
  branch->contact_count = l->contact_count;
  branch->sizes = ZW_NEW(branch->arena, l->n + 1, double);
  branch->contact_names = ZW_NEW(branch->arena, l->contact_count + 1, const char*);
  for (int32_t i = 0; branch->contact_names && i < l->contact_count; i++) {
    branch->contact_names[i] = zw_str_copy(branch->arena, zw_str_from(l->contact_names[i]));
  }
  BranchPoint* points[] = {&branch->last,     &branch->next,      &branch->low,    &branch->high,       &branch->far,
                           &branch->jump_low, &branch->jump_high, &branch->middle, &branch->jump_middle};
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) place_point(branch, points[k]);
  branch->is_open = !branch->arena->failed;
  return branch->is_open;
}

static void copy_point(const Branch* branch, BranchPoint* to, const BranchPoint* from) {
  BranchPoint room = *to;
  *to = *from;
  to->q = room.q;
  to->places = room.places;
  to->contacts = room.contacts;
  memcpy(to->q, from->q, (size_t)branch->n * sizeof(double));
  memcpy(to->places, from->places, (size_t)from->count * sizeof(Place));
  memcpy(to->contacts, from->contacts, (size_t)branch->contact_count * sizeof(ZwContactWhat));
}

/* The number of a sign, which is a new one if it has no number yet; -1: there are too many. */
static int32_t number_of_sign(Branch* branch, const char* name) {
  for (int32_t i = 0; i < branch->sign_count; i++) {
    if (strcmp(branch->signs[i], name) == 0) return i;
  }
  if (branch->sign_count == BRANCH_SIGNS) return -1;
  branch->signs[branch->sign_count] = zw_str_copy(branch->arena, zw_str_from(name));
  return branch->arena->failed ? -1 : branch->sign_count++;
}

static void fill_point(Branch* branch, BranchPoint* point, const ZwLinearization* l) {
  point->is_found = true;
  point->at = l->at;
  point->count = l->count < BRANCH_MODES ? l->count : BRANCH_MODES;
  memcpy(point->q, l->q, (size_t)branch->n * sizeof(double));
  memcpy(branch->sizes, l->sizes, (size_t)branch->n * sizeof(double));
  if (branch->contact_count > 0) {
    memcpy(point->contacts, l->contacts, (size_t)branch->contact_count * sizeof(ZwContactWhat));
  }
  for (int32_t i = 0; i < point->count; i++) point->places[i] = (Place){l->modes[i].re, l->modes[i].im};
  memset(point->is_held, 0, sizeof point->is_held);
  for (int32_t i = 0; i < l->held_count; i++) {
    int32_t number = number_of_sign(branch, l->held_names[i]);
    if (number >= 0) point->is_held[number] = true;
  }
  zw_snprintf(point->verdict, sizeof point->verdict, "%s", verdict_word(l));
}

static const double* near_of(const BranchPoint* point) {
  return point->at == ZW_LINEARIZE_EQUILIBRIUM ? point->q : NULL;
}

/* An equilibrium goes on from that of the value before; a steady motion is what the start values say. */
const double* branch_near(const Branch* branch) {
  return branch->is_open ? near_of(&branch->last) : NULL;
}

/* What is found at a value from a point beside it. ZW_ERR_STEP: nothing; any other failure: it is not known. */
static ZwStatus look(Branch* branch, double value, const BranchPoint* from, BranchPoint* to) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  ZwRunChange change = {branch->name, value};
  char why[128];
  ZwStatus status = linearize(branch->options, branch->model, &change, near_of(from), &run, &l);
  if (!status && linearize_missed(branch->options, run, l, why, sizeof why)) status = ZW_ERR_ARGUMENT;
  to->value = value;
  to->is_found = false;
  if (!status) fill_point(branch, to, l);
  zw_run_destroy(run);
  return status;
}

/* ---- what differs ---- */

static bool have_same_contacts(const Branch* branch, const BranchPoint* a, const BranchPoint* b) {
  size_t bytes = (size_t)branch->contact_count * sizeof(ZwContactWhat);
  return memcmp(a->contacts, b->contacts, bytes) == 0 && memcmp(a->is_held, b->is_held, sizeof a->is_held) == 0;
}

static bool are_alike(const Branch* branch, const BranchPoint* a, const BranchPoint* b) {
  return strcmp(a->verdict, b->verdict) == 0 && have_same_contacts(branch, a, b);
}

static double largest_mode(const BranchPoint* point) {
  double most = 0;
  for (int32_t i = 0; i < point->count; i++) most = fmax(most, hypot(point->places[i].re, point->places[i].im));
  return most;
}

/* How far eigenvalues are from the nearest one of the others, as a part of the largest around. Unlike a state they do not depend on where along
 * its symmetries a steady motion was found. */
static double distance_of_modes(const Branch* branch, const BranchPoint* a, const BranchPoint* b) {
  double most = 0;
  if (a->count != b->count || !(branch->mode_size > 0)) return 0;
  for (int32_t i = 0; i < a->count; i++) {
    double least = INFINITY;
    for (int32_t j = 0; j < b->count; j++) {
      least = fmin(least, hypot(a->places[i].re - b->places[j].re, a->places[i].im - b->places[j].im));
    }
    most = fmax(most, least);
  }
  return most / branch->mode_size;
}

/* How far two points are from each other: equilibria in the sizes of their coordinates. States at a time may be anything. */
static double distance(const Branch* branch, const BranchPoint* a, const BranchPoint* b) {
  double most = 0;
  if (a->at != b->at || a->at == ZW_LINEARIZE_PRESENT) return 0;
  if (a->at == ZW_LINEARIZE_STEADY) {
    return fmax(distance_of_modes(branch, a, b), distance_of_modes(branch, b, a));
  }
  for (int32_t i = 0; i < branch->n; i++) most = fmax(most, fabs(a->q[i] - b->q[i]) / branch->sizes[i]);
  return most;
}

/* Has the branch moved so much faster than before that it may have jumped? */
static bool may_have_jumped(const Branch* branch, const BranchPoint* from, const BranchPoint* to) {
  double way = distance(branch, from, to), step = fabs(to->value - from->value);
  return branch->is_following && way > jump_told && !(way < rate_most * branch->rate * step);
}

/* ---- borders ---- */

static double tol_of(const Border* border) {
  double here = fmax(fabs(border->low), fabs(border->high)), around = fmax(fabs(border->from), fabs(border->to));
  bool is_at_zero = border->low * border->high <= 0 || here <= tol_zero_rel * around;
  return is_at_zero ? tol_zero_rel * around : tol_border_rel * here;
}

static bool is_sharp(const Border* border) {
  return fabs(border->high - border->low) <= tol_of(border);
}

double border_value(const Border* border) {
  return fabs(border->high) <= tol_of(border) ? 0 : border->high;
}

/* ---- halving ---- */

typedef enum Halved { HALVED_SMOOTH, HALVED_BORDER, HALVED_UNKNOWN } Halved;

/* On which side of the border is `middle`? False: nothing jumps between. */
static bool choose_side(const Branch* branch, const BranchPoint* low, const BranchPoint* high,
                        const BranchPoint* middle, bool* is_low) {
  double to_low = distance(branch, middle, low), to_high = distance(branch, middle, high);
  *is_low = middle->is_found && to_low < to_high;
  return !middle->is_found || fmax(to_low, to_high) > jump_least * distance(branch, low, high);
}

/* Halves what is between two points that are alike, but far from each other. */
static Halved find_jump(Branch* branch, Border* border, BranchPoint* low, BranchPoint* high) {
  BranchPoint* middle = &branch->jump_middle;
  double ways[BACK] = {INFINITY, INFINITY, INFINITY}, now = distance(branch, low, high);
  border->low = low->value;
  border->high = high->value;
  for (int round = 0; !is_sharp(border); round++) {
    double value = border->low + (border->high - border->low) / 2;
    bool is_low;
    if (is_interrupted()) return HALVED_UNKNOWN;
    ZwStatus status = look(branch, value, low, middle);
    if (status && status != ZW_ERR_STEP) return HALVED_UNKNOWN;
    if (!choose_side(branch, low, high, middle, &is_low)) return HALVED_SMOOTH;
    if (middle->is_found) copy_point(branch, is_low ? low : high, middle);
    *(is_low ? &border->low : &border->high) = value;
    ways[round % BACK] = now;
    now = distance(branch, low, high);
  }
  bool has_jumped = now > jump_told && now > jump_least * fmax(ways[0], fmax(ways[1], ways[2]));
  return has_jumped ? HALVED_BORDER : HALVED_SMOOTH;
}

/* Between `low` and a point that is like it: does the branch jump? Then these two and the border are around the jump. */
static bool is_jump_between(Branch* branch, Border* border, BranchPoint* low, const BranchPoint* middle,
                            BranchPoint* high) {
  if (!may_have_jumped(branch, low, middle)) return false;
  Border jump = *border;
  copy_point(branch, &branch->jump_low, low);
  copy_point(branch, &branch->jump_high, middle);
  if (find_jump(branch, &jump, &branch->jump_low, &branch->jump_high) != HALVED_BORDER) return false;
  *border = jump;
  border->kind = BORDER_END;
  copy_point(branch, low, &branch->jump_low);
  copy_point(branch, high, &branch->jump_high);
  return true;
}

/* Halves what is between two points that are not alike. */
static Halved find_difference(Branch* branch, Border* border, BranchPoint* low, BranchPoint* high) {
  BranchPoint* middle = &branch->middle;
  double ways[BACK] = {INFINITY, INFINITY, INFINITY};
  for (int round = 0; !is_sharp(border); round++) {
    double value = border->low + (border->high - border->low) / 2;
    if (is_interrupted()) return HALVED_UNKNOWN;
    ZwStatus status = look(branch, value, low, middle);
    if (status && status != ZW_ERR_STEP) return HALVED_UNKNOWN;
    bool is_low = middle->is_found && are_alike(branch, low, middle);
    if (is_low && is_jump_between(branch, border, low, middle, high)) return HALVED_BORDER;
    ways[round % BACK] = high->is_found ? distance(branch, low, high) : INFINITY;
    copy_point(branch, is_low ? low : high, middle);
    *(is_low ? &border->low : &border->high) = value;
  }
  double way = high->is_found ? distance(branch, low, high) : INFINITY;
  double told = high->is_found && have_same_contacts(branch, low, high) ? jump_told : touch_told;
  if (strcmp(low->verdict, "corner") == 0 || strcmp(high->verdict, "corner") == 0) told = touch_told;
  bool has_jumped = way > told && way > jump_least * fmax(ways[0], fmax(ways[1], ways[2]));
  border->kind = !high->is_found || has_jumped            ? BORDER_END
                 : !have_same_contacts(branch, low, high) ? BORDER_CORNER
                                                          : BORDER_VERDICT;
  return HALVED_BORDER;
}

/* ---- what changes at a border ---- */

static void note_changes(Branch* branch, Border* border, const BranchPoint* low, const BranchPoint* high) {
  border->changes = ZW_NEW(branch->arena, branch->contact_count + branch->sign_count + 1, BorderChange);
  if (!border->changes) return;
  for (int32_t i = 0; i < branch->contact_count; i++) {
    if (low->contacts[i] == high->contacts[i]) continue;
    border->changes[border->change_count++] =
        (BorderChange){branch->contact_names[i], contact_word(low->contacts[i]), contact_word(high->contacts[i])};
  }
  for (int32_t i = 0; i < branch->sign_count; i++) {
    if (low->is_held[i] == high->is_held[i]) continue;
    border->changes[border->change_count++] =
        (BorderChange){branch->signs[i], low->is_held[i] ? "held" : "free", high->is_held[i] ? "held" : "free"};
  }
}

static Place* keep_places(Branch* branch, const BranchPoint* point) {
  Place* places = zw_arena_alloc(branch->arena, point->count + 1, sizeof(Place));
  if (places) memcpy(places, point->places, (size_t)point->count * sizeof(Place));
  return places;
}

/* The sides of a border as they are told; `after` is not found where there is nothing. */
static void describe(Branch* branch, Border* border, const BranchPoint* before, const BranchPoint* after) {
  memcpy(border->before, before->verdict, sizeof border->before);
  zw_snprintf(border->after, sizeof border->after, "%s", after->is_found ? after->verdict : "none");
  border->at = before->at;
  if (after->is_found) note_changes(branch, border, before, after);
  border->low_places = keep_places(branch, before);
  border->count_before = before->count;
  border->high_places = after->is_found ? keep_places(branch, after) : NULL;
  border->count_after = after->is_found ? after->count : 0;
}

/* Where the branch seems to end: what was found after that may have been looked for from too far. From `low`, which is beside it, is there
 * something near? Then the branch goes on: `from` becomes that, and `to` what is found from there. */
static bool goes_on(Branch* branch, const Border* border, const BranchPoint* low, const BranchPoint* high,
                    BranchPoint* from, BranchPoint* to) {
  BranchPoint* middle = &branch->middle;
  if (low->at != ZW_LINEARIZE_EQUILIBRIUM) return false;
  if (look(branch, border->high, low, middle) != ZW_OK || !have_same_contacts(branch, low, middle)) return false;
  double way = distance(branch, low, middle), jump = high->is_found ? distance(branch, low, high) : INFINITY;
  if (!(way < jump_least * jump) || !(way < near_told)) return false;
  copy_point(branch, from, middle);
  double value = to->value;
  bool was_found = to->is_found;
  ZwStatus status = look(branch, value, from, middle);
  if (status && (status != ZW_ERR_STEP || was_found)) return false;
  copy_point(branch, to, middle);
  branch->has_moved = true;
  return true;
}

/* Where a contact only just touches, nothing may be found, over a small part of the value. Is the branch there again on the other side, with other
 * contacts? Then that is a corner, and `high` becomes the point after it. */
static bool is_corner_unseen(Branch* branch, Border* border, const BranchPoint* low, BranchPoint* high,
                             const BranchPoint* to) {
  BranchPoint* middle = &branch->middle;
  double ahead = touch_rel * fabs(border->high), side = to->value > border->low ? 1 : -1;
  double value = border->high + side * ahead;
  if (high->is_found || !to->is_found || !(fabs(to->value - border->high) > ahead)) return false;
  if (look(branch, value, low, middle) != ZW_OK || !(distance(branch, low, middle) < touch_told)) return false;
  bool is_same = have_same_contacts(branch, low, middle);
  if (is_same && strcmp(low->verdict, "corner") != 0) return false;
  copy_point(branch, high, middle);
  border->kind = is_same ? BORDER_VERDICT : BORDER_CORNER;
  return true;
}

/* The first border between two points, if there is one; `from` becomes the point after it. `to` becomes another one where the branch leads
 * elsewhere: then there is none, and the border is of no kind (`has_moved` tells). */
static bool find_border(Branch* branch, BranchPoint* from, BranchPoint* to, Border* border) {
  BranchPoint *low = &branch->low, *high = &branch->high;
  *border = (Border){.low = from->value, .high = to->value, .from = from->value, .to = to->value};
  copy_point(branch, low, from);
  copy_point(branch, high, to);
  bool differ = !to->is_found || !are_alike(branch, from, to);
  if (!differ && !may_have_jumped(branch, from, to)) return false;
  Halved outcome = differ ? find_difference(branch, border, low, high) : find_jump(branch, border, low, high);
  if (outcome == HALVED_SMOOTH || (outcome == HALVED_UNKNOWN && (!differ || !to->is_found))) return false;
  if (outcome == HALVED_BORDER && !differ) border->kind = BORDER_END;
  branch->has_moved = false;
  bool seems_over = outcome == HALVED_BORDER && border->kind == BORDER_END;
  if (seems_over && is_corner_unseen(branch, border, low, high, to)) seems_over = false;
  if (seems_over && goes_on(branch, border, low, high, from, to)) return false;
  border->is_sharp = outcome == HALVED_BORDER;
  bool is_known = outcome == HALVED_BORDER && high->is_found;
  const BranchPoint* after = is_known ? high : to;
  describe(branch, border, low, after);
  if (outcome == HALVED_UNKNOWN && border->change_count > 0) border->kind = BORDER_CORNER;
  double value = is_known ? high->value : to->value;
  copy_point(branch, from, after);
  from->value = value;
  return true;
}

/* ---- all of them ---- */

/* Adds what changes at the next border to what changes at this one. */
static void join_changes(Branch* branch, Border* border, const Border* next) {
  int32_t most = border->change_count + next->change_count, count = border->change_count;
  BorderChange* changes = ZW_NEW(branch->arena, most + 1, BorderChange);
  if (!changes) return;
  if (count > 0) memcpy(changes, border->changes, (size_t)count * sizeof(BorderChange));
  for (int32_t j = 0; j < next->change_count; j++) {
    int32_t i = 0;
    while (i < count && strcmp(changes[i].name, next->changes[j].name) != 0) i++;
    if (i == count)
      changes[count++] = next->changes[j];
    else
      changes[i].after = next->changes[j].after;
  }
  border->changes = changes;
  border->change_count = 0;
  for (int32_t i = 0; i < count; i++) {
    if (strcmp(changes[i].before, changes[i].after) != 0) changes[border->change_count++] = changes[i];
  }
}

/* What is so near to the last border that it is the same one is joined with it: a verdict of one value only that was met by halving; or, at
 * a value that was asked for (`is_asked`), a corner itself, where a contact touches without force. */
static bool join_last(Branch* branch, const Border* next, bool is_asked) {
  if (branch->borders.count == 0) return false;
  Border* last = &branch->borders.items[branch->borders.count - 1];
  bool is_touching =
      strcmp(last->after, "corner") == 0 && (last->change_count + next->change_count > 0 || next->kind == BORDER_END);
  double near = is_touching ? touch_rel * fmax(fabs(next->low), fabs(last->high)) : 0;
  bool is_same = strcmp(last->after, next->before) == 0 && last->is_sharp && next->is_sharp &&
                 fabs(next->low - last->high) <= fmax(near, 2 * tol_of(next));
  if (!is_same || last->kind == BORDER_END || (is_asked && !is_touching)) return false;
  join_changes(branch, last, next);
  last->kind = next->kind == BORDER_END ? BORDER_END : last->change_count > 0 ? BORDER_CORNER : BORDER_VERDICT;
  last->high = next->high;
  last->to = next->to;
  memcpy(last->after, next->after, sizeof last->after);
  last->high_places = next->high_places;
  last->count_after = next->count_after;
  return true;
}

/* Borders between the last point and `to`. */
static int32_t find_borders(Branch* branch, BranchPoint* to) {
  int32_t first = branch->borders.count;
  BranchPoint* from = &branch->far;
  copy_point(branch, from, &branch->last);
  for (int round = 0; round < BORDERS_BETWEEN; round++) {
    Border border;
    bool is_there = find_border(branch, from, to, &border);
    branch->is_other = branch->is_other || (!is_there && branch->has_moved);
    if (!is_there && branch->has_moved) continue;
    if (!is_there) break;
    bool is_joined = join_last(branch, &border, round == 0);
    if (!is_joined && !ZW_PUSH(branch->arena, &branch->borders, border)) return -1;
    if (is_joined && border.change_count > 0 && branch->borders.count == first) first--;
    if (border.kind != BORDER_VERDICT) branch->rate = 0;
    if (!from->is_found || from->value == to->value) break;
  }
  return first;
}

int32_t branch_take(Branch* branch, double value, const ZwLinearization* l, ZwStatus status) {
  BranchPoint* next = &branch->next;
  next->value = value;
  next->is_found = false;
  branch->is_other = false;
  if (l) fill_point(branch, next, l);
  bool l_is_found = l != NULL;
  if (l) branch->mode_size = fmax(largest_mode(next), branch->has_last ? largest_mode(&branch->last) : 0);
  double rate = 0, step = branch->has_last ? fabs(value - branch->last.value) : 0;
  if (l && branch->is_following && step > 0) rate = distance(branch, &branch->last, next) / step;
  bool is_end = !l && status == ZW_ERR_STEP && branch->is_following && branch->last.at == ZW_LINEARIZE_EQUILIBRIUM;
  int32_t first = branch->borders.count;
  if (branch->has_last && (l || is_end)) first = find_borders(branch, next);
  if (first < 0) return -1;
  l_is_found = next->is_found;
  bool has_changed = false;
  for (int32_t i = first; i < branch->borders.count; i++) {
    has_changed = has_changed || branch->borders.items[i].kind != BORDER_VERDICT;
  }
  branch->rate = has_changed || branch->is_other ? 0 : rate;
  if (l_is_found) copy_point(branch, &branch->last, next);
  if (is_end && first < branch->borders.count) branch->has_last = false;
  if (l_is_found) branch->has_last = true;
  branch->is_following = l_is_found;
  return branch->arena->failed ? -1 : first;
}

/* ---- words ---- */

static const char* verb_of(const BorderChange* change) {
  if (strcmp(change->after, "open") == 0) return "opens";
  if (strcmp(change->before, "open") == 0) return "closes";
  if (strcmp(change->after, "held") == 0) return "is held";
  if (strcmp(change->after, "free") == 0) return "is let go";
  return strcmp(change->after, "closed") == 0 ? "slides freely" : change->after; /* sticks, slips */
}

void border_add_changes(const Border* border, ZwText* text) {
  for (int32_t i = 0; i < border->change_count; i++) {
    const BorderChange* change = &border->changes[i];
    zw_text_addf(text, "%s'%s' %s", i > 0 ? " and " : "", change->name, verb_of(change));
  }
}
