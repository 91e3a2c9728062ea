#include "output/scene_marks.h"

#include <math.h>
#include <stdlib.h>

#include "output/scene_trail.h"

enum { LAYER_FLOOR, LAYER_GROUND, LAYER_TRAIL, LAYER_BODIES, LAYER_ARROWS, LAYER_TEXTS };
enum { CIRCLE_CORNERS = 48, HATCHES_MOST = 300, PIECES_MOST = 40 };
static const double spring_lead = 0.12; /* of its length is straight, at either end */
static const double outside = 20000;    /* px: nothing reaches farther from the stage */

/* Where the marks of one shape come from. */
typedef struct Maker {
  ZwSceneMarks* marks;
  const ZwSceneMarksDef* def;
  const ZwDraw* shape;
  int32_t number; /* of the shape */
  int32_t row;
} Maker;

/* ---- adding marks ---- */

static ZwPlace place_of(const Maker* maker, const double point[3]) {
  double place[2];
  zw_view_place(maker->def->view, point, place);
  return (ZwPlace){place[0], place[1]};
}

static void point_of(const Maker* maker, int32_t i, double point[3]) {
  zw_scene_point(maker->def->scene, maker->row, maker->shape, i, point);
}

static double number_of(const Maker* maker, int32_t i) {
  return zw_scene_number(maker->def->scene, maker->row, maker->shape, i);
}

static int32_t layer_of(const Maker* maker) {
  bool is_spatial = maker->def->view->is_spatial;
  switch (maker->shape->kind) {
    case ZW_DRAW_GROUND:
      return is_spatial ? LAYER_BODIES : LAYER_GROUND;
    case ZW_DRAW_TRAIL:
      return is_spatial ? LAYER_BODIES : LAYER_TRAIL;
    case ZW_DRAW_ARROW:
      return is_spatial ? LAYER_BODIES : LAYER_ARROWS;
    case ZW_DRAW_TEXT:
      return LAYER_TEXTS;
    default:
      return LAYER_BODIES;
  }
}

/* Begins a mark; its places follow. The nearness counts in space only. */
static void begin(const Maker* maker, ZwSceneMarkKind kind, double nearness) {
  ZwSceneMarks* marks = maker->marks;
  ZwSceneMark mark = {.kind = kind,
                      .ink = maker->def->look->shapes[maker->number].ink,
                      .shape = maker->number,
                      .layer = layer_of(maker),
                      .nearness = maker->def->view->is_spatial ? nearness : 0,
                      .first = marks->places.count,
                      .order = marks->list.count};
  (void)ZW_PUSH(marks->arena, &marks->list, mark);
}

static ZwSceneMark* last_mark(const Maker* maker) {
  return &maker->marks->list.items[maker->marks->list.count - 1];
}

static void add_place(const Maker* maker, ZwPlace place) {
  if (maker->marks->list.count == 0) return; /* memory is out */
  if (ZW_PUSH(maker->marks->arena, &maker->marks->places, place)) last_mark(maker)->count++;
}

static double nearness_of(const Maker* maker, const double point[3]) {
  return zw_view_nearness(maker->def->view, point);
}

/* px to the world's units */
static double world(const Maker* maker, double px) {
  return px / maker->def->view->scale;
}

/* ---- strokes ---- */

static bool is_near(ZwPlace place) {
  return fabs(place.x) < outside && fabs(place.y) < outside;
}

/* Narrows the part from..to of a segment to where one coordinate is within the bounds; false: nowhere. */
static bool clip(double start, double change, double* from, double* to) {
  if (change == 0) return fabs(start) <= outside;
  double a = (-outside - start) / change, b = (outside - start) / change;
  *from = fmax(*from, fmin(a, b));
  *to = fmin(*to, fmax(a, b));
  return *from <= *to;
}

/* A stroke from a to b. What is very far from the stage is cut off: programs that show SVG know single precision only. */
static void add_segment(const Maker* maker, ZwSceneMarkKind kind, ZwPlace a, ZwPlace b, double nearness) {
  double from = 0, to = 1, dx = b.x - a.x, dy = b.y - a.y;
  if (!is_near(a) || !is_near(b)) {
    if (!clip(a.x, dx, &from, &to) || !clip(a.y, dy, &from, &to)) return;
  }
  begin(maker, kind, nearness);
  add_place(maker, from > 0 ? (ZwPlace){a.x + from * dx, a.y + from * dy} : a);
  add_place(maker, to < 1 ? (ZwPlace){a.x + to * dx, a.y + to * dy} : b);
}

/* From point a to point b, in space in pieces that are sorted one by one. */
static void add_rod(const Maker* maker, ZwSceneMarkKind kind, const double a[3], const double b[3]) {
  ZwPlace from = place_of(maker, a), to = place_of(maker, b);
  double length = hypot(to.x - from.x, to.y - from.y);
  int32_t pieces = 1;
  if (maker->def->view->is_spatial && is_near(from) && is_near(to)) {
    pieces = (int32_t)fmin(PIECES_MOST, 1 + length / zw_look_sizes.piece);
  }
  double near_a = nearness_of(maker, a), near_b = nearness_of(maker, b);
  for (int32_t i = 0; i < pieces; i++) {
    double s = (double)i / pieces, e = (double)(i + 1) / pieces, m = (s + e) / 2;
    ZwPlace start = {from.x + s * (to.x - from.x), from.y + s * (to.y - from.y)};
    ZwPlace end = i + 1 == pieces ? to : (ZwPlace){from.x + e * (to.x - from.x), from.y + e * (to.y - from.y)};
    add_segment(maker, kind, start, end, near_a + m * (near_b - near_a));
  }
}

/* In the plane all corners are one stroke, so that they are joined well. */
static void make_line(const Maker* maker, ZwSceneMarkKind kind) {
  bool is_near_all = !maker->def->view->is_spatial;
  for (int32_t i = 0; i < maker->shape->point_count && is_near_all; i++) {
    double point[3];
    point_of(maker, i, point);
    is_near_all = is_near(place_of(maker, point));
  }
  if (is_near_all) begin(maker, kind, 0);
  for (int32_t i = 0; i < maker->shape->point_count; i++) {
    double point[3], next[3];
    point_of(maker, i, point);
    if (is_near_all) {
      add_place(maker, place_of(maker, point));
    } else if (i + 1 < maker->shape->point_count) {
      point_of(maker, i + 1, next);
      add_rod(maker, kind, point, next);
    }
  }
}

static double mean_nearness(const Maker* maker) {
  double sum = 0;
  for (int32_t i = 0; i < maker->shape->point_count; i++) {
    double point[3];
    point_of(maker, i, point);
    sum += nearness_of(maker, point);
  }
  return sum / maker->shape->point_count;
}

/* A zigzag between two straight ends. */
static void make_spring(const Maker* maker) {
  const ZwDrawLook* look = &maker->def->look->shapes[maker->number];
  double a[3], b[3];
  point_of(maker, 0, a);
  point_of(maker, 1, b);
  ZwPlace from = place_of(maker, a), to = place_of(maker, b);
  double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
  if (!is_near(from) || !is_near(to) || length < 1) {
    add_segment(maker, ZW_SCENE_SPRING, from, to, mean_nearness(maker));
    return;
  }
  begin(maker, ZW_SCENE_SPRING, mean_nearness(maker));
  add_place(maker, from);
  int32_t corners = 2 * look->windings;
  for (int32_t i = 0; i <= corners; i++) {
    double along = spring_lead + (1 - 2 * spring_lead) * i / corners;
    double off = i == 0 || i == corners ? 0 : (i % 2 ? look->coil : -look->coil) / length;
    add_place(maker, (ZwPlace){from.x + along * dx - off * dy, from.y + along * dy + off * dx});
  }
  add_place(maker, to);
}

static void make_arrow(const Maker* maker) {
  double a[3], b[3];
  point_of(maker, 0, a);
  point_of(maker, 1, b);
  ZwPlace from = place_of(maker, a), to = place_of(maker, b);
  double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
  if (!(length >= 1)) return;
  dx /= length, dy /= length;
  double head = fmin(zw_look_sizes.head, 0.6 * length), half = zw_look_sizes.head_half * head / zw_look_sizes.head;
  ZwPlace neck = {to.x - head * dx, to.y - head * dy};
  /* arrows belong to what they begin at, and are seen before it */
  double nearness = fmax(nearness_of(maker, a), nearness_of(maker, b)) + world(maker, zw_look_sizes.piece);
  add_segment(maker, ZW_SCENE_ARROW, from, (ZwPlace){neck.x + dx, neck.y + dy}, nearness);
  if (!is_near(to)) return;
  begin(maker, ZW_SCENE_HEAD, nearness);
  add_place(maker, to);
  add_place(maker, (ZwPlace){neck.x - half * dy, neck.y + half * dx});
  add_place(maker, (ZwPlace){neck.x + half * dy, neck.y - half * dx});
}

/* ---- surfaces ---- */

static void make_dot(const Maker* maker) {
  double point[3];
  point_of(maker, 0, point);
  ZwPlace place = place_of(maker, point);
  if (!is_near(place)) return;
  begin(maker, ZW_SCENE_DOT, nearness_of(maker, point) + world(maker, zw_look_sizes.piece / 2));
  add_place(maker, place);
  if (maker->marks->list.count > 0) last_mark(maker)->radius = zw_look_sizes.point;
}

/* A circle that faces the eye: every one in the plane, and a ball, which is sorted by its front. */
static void make_ring(const Maker* maker, double radius) {
  double point[3];
  point_of(maker, 0, point);
  ZwPlace place = place_of(maker, point);
  if (!is_near(place) || radius * maker->def->view->scale > outside) return;
  begin(maker, ZW_SCENE_RING, nearness_of(maker, point) + radius);
  add_place(maker, place);
  if (maker->marks->list.count > 0) last_mark(maker)->radius = radius * maker->def->view->scale;
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int32_t k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double scale_to(double a[3], double length) {
  double now = hypot(hypot(a[0], a[1]), a[2]);
  for (int32_t k = 0; k < 3 && now > 0; k++) a[k] *= length / now;
  return now;
}

/* Around an axis in space. */
static void make_disc(const Maker* maker, double radius, double axis[3]) {
  const double turn = 2 * acos(-1);
  double centre[3], a[3], b[3], z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  scale_to(axis, 1);
  cross(axis, fabs(axis[2]) < 0.9 ? z : x, a);
  scale_to(a, radius);
  cross(axis, a, b);
  point_of(maker, 0, centre);
  if (!is_near(place_of(maker, centre)) || radius * maker->def->view->scale > outside) return;
  begin(maker, ZW_SCENE_AREA, nearness_of(maker, centre));
  for (int32_t i = 0; i < CIRCLE_CORNERS; i++) {
    double c = cos(turn * i / CIRCLE_CORNERS), s = sin(turn * i / CIRCLE_CORNERS), point[3];
    for (int32_t k = 0; k < 3; k++) point[k] = centre[k] + c * a[k] + s * b[k];
    add_place(maker, place_of(maker, point));
  }
}

static void make_circle(const Maker* maker) {
  double radius = fabs(number_of(maker, maker->shape->dim)), axis[3] = {0, 0, 0};
  for (int32_t k = 0; maker->shape->dim == 3 && k < 3; k++) axis[k] = number_of(maker, 4 + k);
  bool is_flat = maker->shape->dim == 2 && maker->def->view->is_spatial;
  if (is_flat) axis[2] = 1;
  if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
    make_ring(maker, radius);
  else
    make_disc(maker, radius, axis);
}

/* Corners of the shape's bounds as a surface. */
static void add_face(const Maker* maker, const int32_t corners[4], int32_t shade, double nearness) {
  ZwPlace places[4];
  for (int32_t i = 0; i < 4; i++) {
    double point[3];
    zw_scene_bound(maker->def->scene, maker->row, maker->shape, corners[i], point);
    places[i] = place_of(maker, point);
    if (!is_near(places[i])) return;
  }
  begin(maker, ZW_SCENE_AREA, nearness);
  for (int32_t i = 0; i < 4; i++) add_place(maker, places[i]);
  if (maker->marks->list.count > 0) last_mark(maker)->shade = shade;
}

/* Of the six faces those are seen that look to the eye; no two of them overlap. Light comes from above and the left. */
static void make_box(const Maker* maker) {
  static const int32_t flat[4] = {0, 1, 2, 3};
  static const int32_t faces[3][2][4] = {
      {{0, 2, 6, 4}, {1, 3, 7, 5}}, {{0, 1, 5, 4}, {2, 3, 7, 6}}, {{0, 1, 3, 2}, {4, 5, 7, 6}}};
  double centre[3], axes[3][3];
  point_of(maker, 0, centre);
  double nearness = nearness_of(maker, centre);
  if (maker->shape->dim == 2) {
    add_face(maker, flat, 0, nearness);
    return;
  }
  zw_scene_box_axes(maker->def->scene, maker->row, maker->shape, axes);
  const ZwView* view = maker->def->view;
  for (int32_t axis = 0; axis < 3; axis++) {
    scale_to(axes[axis], 1);
    double toward = dot(axes[axis], view->toward), sign = toward > 0 ? 1 : -1;
    int32_t shade = sign * axes[axis][2] > 0.6 ? 0 : sign * dot(axes[axis], view->right) < 0 ? 1 : 2;
    add_face(maker, faces[axis][toward > 0], shade, nearness);
  }
}

/* ---- the ground ---- */

/* Strokes at an angle on the right of a way from a to b, as engineers draw what does not move. */
static void hatch(const Maker* maker, ZwPlace a, ZwPlace b) {
  double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy), step = zw_look_sizes.hatch_step;
  if (!(length >= 1) || !is_near(a) || !is_near(b)) return;
  dx /= length, dy /= length;
  int32_t count = (int32_t)fmin(HATCHES_MOST, floor(length / step) + 1);
  double first = (length - (count - 1) * step) / 2;
  for (int32_t i = 0; i < count; i++) {
    double s = fmax(first, 0) + i * (count == HATCHES_MOST ? length / count : step);
    ZwPlace top = {a.x + s * dx, a.y + s * dy};
    begin(maker, ZW_SCENE_HATCH, 0);
    add_place(maker, top);
    add_place(maker, (ZwPlace){top.x - step * (dx + dy) * 0.75, top.y - step * (dy - dx) * 0.75});
  }
}

/* In space three points or more are the corners of a plate. */
static void make_plate(const Maker* maker) {
  begin(maker, ZW_SCENE_AREA, mean_nearness(maker));
  for (int32_t i = 0; i < maker->shape->point_count; i++) {
    double point[3];
    point_of(maker, i, point);
    add_place(maker, place_of(maker, point));
  }
}

static void make_ground(const Maker* maker) {
  if (maker->shape->dim == 3 && maker->shape->point_count > 2) {
    make_plate(maker);
    return;
  }
  for (int32_t i = 0; i + 1 < maker->shape->point_count && !maker->def->view->is_spatial; i++) {
    double a[3], b[3];
    point_of(maker, i, a);
    point_of(maker, i + 1, b);
    hatch(maker, place_of(maker, a), place_of(maker, b));
  }
  make_line(maker, ZW_SCENE_GROUND);
}

static void make_text(const Maker* maker) {
  double point[3];
  point_of(maker, 0, point);
  ZwPlace place = place_of(maker, point);
  if (!is_near(place)) return;
  begin(maker, ZW_SCENE_TEXT, 0);
  add_place(maker, place);
}

/* ---- trails ---- */

typedef struct TrailSink {
  const Maker* maker;
  bool is_sorted; /* in pieces */
  double length;  /* px, of the piece so far */
  double begin;   /* how near its begin is */
  double nearness;
  ZwPlace last;
} TrailSink;

static void begin_trail(TrailSink* sink, double nearness) {
  begin(sink->maker, ZW_SCENE_TRAIL, nearness);
  sink->length = 0;
  sink->begin = nearness;
}

static void take_trail(void* context, ZwPlace place, double nearness, int32_t row, bool begins) {
  TrailSink* sink = context;
  (void)row;
  bool is_full = sink->is_sorted && sink->length >= zw_look_sizes.piece;
  if (begins) begin_trail(sink, nearness);
  if (!begins && is_full) {
    begin_trail(sink, sink->nearness);
    add_place(sink->maker, sink->last);
  }
  add_place(sink->maker, place);
  if (!begins) sink->length += hypot(place.x - sink->last.x, place.y - sink->last.y);
  if (sink->is_sorted && sink->maker->marks->list.count > 0) {
    last_mark(sink->maker)->nearness = (sink->begin + nearness) / 2;
  }
  sink->last = place;
  sink->nearness = nearness;
}

static void make_trail(const Maker* maker, bool is_sorted) {
  TrailSink sink = {.maker = maker, .is_sorted = is_sorted};
  zw_scene_trail_walk(maker->def->scene, maker->def->view, maker->shape, maker->row, take_trail, &sink);
}

void zw_scene_marks_trail(ZwSceneMarks* marks, const ZwSceneMarksDef* def, int32_t shape, int32_t row) {
  Maker maker = {marks, def, &def->scene->shapes[shape], shape, row};
  marks->list.count = marks->places.count = 0;
  make_trail(&maker, false);
}

/* ---- all ---- */

static void make_shape(const Maker* maker) {
  if (maker->shape->kind == ZW_DRAW_TRAIL) {
    if (maker->def->with_trails) make_trail(maker, maker->def->view->is_spatial);
    return;
  }
  if (!zw_scene_is_finite(maker->def->scene, maker->row, maker->shape)) return;
  switch (maker->shape->kind) {
    case ZW_DRAW_LINE:
      make_line(maker, ZW_SCENE_LINE);
      break;
    case ZW_DRAW_SPRING:
      make_spring(maker);
      break;
    case ZW_DRAW_POINT:
      make_dot(maker);
      break;
    case ZW_DRAW_CIRCLE:
      make_circle(maker);
      break;
    case ZW_DRAW_BOX:
      make_box(maker);
      break;
    case ZW_DRAW_ARROW:
      make_arrow(maker);
      break;
    case ZW_DRAW_GROUND:
      make_ground(maker);
      break;
    case ZW_DRAW_TEXT:
      make_text(maker);
      break;
    case ZW_DRAW_TRAIL:
      break;
  }
}

static int compare_marks(const void* a, const void* b) {
  const ZwSceneMark *x = a, *y = b;
  if (x->layer != y->layer) return x->layer - y->layer;
  if (x->nearness != y->nearness) return x->nearness < y->nearness ? -1 : 1;
  return x->order - y->order;
}

static int compare_trails(const void* a, const void* b) {
  const ZwSceneMark *x = a, *y = b;
  return x->ink != y->ink ? x->ink - y->ink : x->order - y->order;
}

/* Which of two thin lines is before the other is hardly seen: pieces of trails with nothing else between are put together by their
 * colour, since one long path is painted much faster than a thousand short ones. */
static void gather_trails(ZwSceneMark* marks, int32_t count) {
  for (int32_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && marks[from].kind == ZW_SCENE_TRAIL && marks[to].kind == ZW_SCENE_TRAIL;) to++;
    if (to > from + 1) qsort(marks + from, (size_t)(to - from), sizeof *marks, compare_trails);
  }
}

void zw_scene_marks_init(ZwSceneMarks* marks, ZwArena* arena) {
  *marks = (ZwSceneMarks){.arena = arena};
}

void zw_scene_marks_make(ZwSceneMarks* marks, const ZwSceneMarksDef* def, int32_t row) {
  marks->list.count = marks->places.count = 0;
  for (int32_t i = 0; i < def->scene->shape_count; i++) {
    Maker maker = {marks, def, &def->scene->shapes[i], i, row};
    make_shape(&maker);
  }
  if (marks->list.count == 0) return;
  qsort(marks->list.items, (size_t)marks->list.count, sizeof(ZwSceneMark), compare_marks);
  gather_trails(marks->list.items, marks->list.count);
}

static void add_floor_line(ZwSceneMarks* marks, const ZwView* view, double ax, double ay, double bx, double by) {
  ZwSceneMark mark = {
      .kind = ZW_SCENE_GRID, .ink = ZW_LOOK_GRID, .shape = -1, .layer = LAYER_FLOOR, .first = marks->places.count};
  double a[2], b[2];
  zw_view_place(view, (double[3]){ax, ay, view->low[2]}, a);
  zw_view_place(view, (double[3]){bx, by, view->low[2]}, b);
  mark.count = ZW_PUSH(marks->arena, &marks->places, ((ZwPlace){a[0], a[1]})) &&
                       ZW_PUSH(marks->arena, &marks->places, ((ZwPlace){b[0], b[1]}))
                   ? 2
                   : 0;
  (void)ZW_PUSH(marks->arena, &marks->list, mark);
}

void zw_scene_marks_floor(ZwSceneMarks* marks, const ZwSceneMarksDef* def) {
  const ZwView* view = def->view;
  marks->list.count = marks->places.count = 0;
  if (!view->is_spatial) return;
  int32_t columns = (int32_t)lround((view->floor_high[0] - view->floor_low[0]) / view->grid);
  int32_t rows = (int32_t)lround((view->floor_high[1] - view->floor_low[1]) / view->grid);
  for (int32_t i = 0; i <= columns; i++) {
    double x = view->floor_low[0] + i * view->grid;
    add_floor_line(marks, view, x, view->floor_low[1], x, view->floor_high[1]);
  }
  for (int32_t i = 0; i <= rows; i++) {
    double y = view->floor_low[1] + i * view->grid;
    add_floor_line(marks, view, view->floor_low[0], y, view->floor_high[0], y);
  }
}
