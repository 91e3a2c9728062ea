/* A drawing of what was noticed (notice.c): bars, springs, joints and masses; if there is nothing of that kind, the coordinates as
 * hands of dials. */
#include <string.h>

#include "model/builder.h"

enum {
  TRAILS = 4,      /* most points that leave a trail */
  DIALS = 12,      /* most coordinates that are shown as dials, */
  DIALS_ACROSS = 4 /* so many of them side by side */
};

typedef struct Drawing {
  ZwBuild* build;
  ZwGraph* graph;
  int32_t* vector_of; /* by coordinate: the vector it belongs to, + 1 */
  ZW_ARRAY(ZwValue) points;
  ZW_ARRAY(ZwValue) masses; /* those of the points that move by themselves */
  ZW_ARRAY(ZwLength) links;
} Drawing;

/* ---- values ---- */

static bool is_same(const ZwValue* a, const ZwValue* b) {
  if (a->dim != b->dim) return false;
  for (int32_t k = 0; k < a->dim; k++) {
    if (a->c[k].ref != b->c[k].ref) return false;
  }
  return true;
}

/* Of positions and time only: a point where something is, not a velocity. */
static bool is_place(const Drawing* drawing, const ZwValue* value) {
  for (int32_t k = 0; k < value->dim; k++) {
    ZwReads reads = zw_expr_reads(drawing->graph, value->c[k]);
    if (!value->c[k].ref || reads.velocity || reads.acceleration || reads.reaction) return false;
  }
  return true;
}

static void add_point(Drawing* drawing, const ZwValue* point) {
  for (int32_t i = 0; i < drawing->points.count; i++) {
    if (is_same(&drawing->points.items[i], point)) return;
  }
  (void)ZW_PUSH(drawing->build->scratch, &drawing->points, *point);
}

static void add_link(Drawing* drawing, const ZwValue* from, const ZwValue* to) {
  ZwLength link = {*from, *to};
  if (is_same(from, to)) return;
  (void)ZW_PUSH(drawing->build->scratch, &drawing->links, link);
}

/* ---- coordinates that are vectors ---- */

static bool find_vectors(Drawing* drawing) {
  const ZwBuild* build = drawing->build;
  drawing->vector_of = ZW_NEW(build->scratch, build->system->coords.count, int32_t);
  if (!drawing->vector_of) return false;
  for (int32_t i = 0; i < build->vectors.count; i++) {
    for (int32_t k = 0; k < build->vectors.items[i].dim; k++) {
      drawing->vector_of[build->vectors.items[i].first + k] = i + 1;
    }
  }
  return true;
}

/* Whether component k of the value reads component k of the vector, and no other of it. */
static bool moves_with(const Drawing* drawing, ZwExpr e, const ZwVectorCoord* vector, int32_t k) {
  ZwWalk* walk = &drawing->build->walk;
  if (!zw_walk_collect(walk, drawing->graph, &e, 1)) return false;
  bool reads_own = false;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(drawing->graph, (ZwExpr){walk->order.items[i]});
    if (node->op != ZW_OP_COORD) continue;
    int32_t component = node->u.index - vector->first;
    if (component == k) reads_own = true;
    if (component != k && component >= 0 && component < vector->dim) return false;
  }
  return reads_own;
}

static bool is_carried(const Drawing* drawing, const ZwValue* place, const ZwVectorCoord* vector) {
  if (vector->dim != place->dim) return false;
  for (int32_t k = 0; k < place->dim; k++) {
    if (!moves_with(drawing, place->c[k], vector, k)) return false;
  }
  return true;
}

/* The vectors that a place is carried by: it moves with them, component by component. Links lead there from them. */
static bool link_to_carriers(Drawing* drawing, const ZwValue* place) {
  ZwWalk* walk = &drawing->build->walk;
  int32_t carriers[8], count = 0;
  if (!zw_walk_collect(walk, drawing->graph, &place->c[0], 1)) return false;
  for (int32_t i = 0; i < walk->order.count && count < 8; i++) {
    const ZwNode* node = zw_graph_node(drawing->graph, (ZwExpr){walk->order.items[i]});
    int32_t vector = node->op == ZW_OP_COORD ? drawing->vector_of[node->u.index] : 0;
    if (vector && drawing->build->vectors.items[vector - 1].first == node->u.index) carriers[count++] = vector - 1;
  }
  bool has_carrier = false;
  for (int32_t i = 0; i < count; i++) {
    const ZwVectorCoord* vector = &drawing->build->vectors.items[carriers[i]];
    if (!is_carried(drawing, place, vector)) continue;
    ZwValue centre = {.dim = vector->dim};
    for (int32_t k = 0; k < vector->dim; k++) {
      centre.c[k] = zw_expr_leaf(drawing->graph, ZW_OP_COORD, vector->first + k);
    }
    has_carrier = true;
    add_link(drawing, &centre, place);
  }
  return has_carrier;
}

static void add_joints(Drawing* drawing) {
  for (int32_t i = 0; i < drawing->build->joints.count; i++) {
    const ZwLength* joint = &drawing->build->joints.items[i];
    if (!is_place(drawing, &joint->from) || !is_place(drawing, &joint->to)) continue;
    bool is_first = link_to_carriers(drawing, &joint->from), is_second = link_to_carriers(drawing, &joint->to);
    if (is_first || is_second) add_point(drawing, &joint->from);
  }
}

/* ---- masses ---- */

/* Coordinates called x and y, x1 and y1, x[3] and y[3], and perhaps z, are a point. */
static int32_t find_sibling(const Drawing* drawing, int32_t coord, char letter) {
  const ZwSystem* system = drawing->build->system;
  ZwStr name = system->coords.items[coord].name;
  int32_t at = name.size;
  while (at > 0 && name.data[at - 1] != '.') at--;
  if (at == name.size || name.data[at] != 'x' || drawing->vector_of[coord]) return -1;
  for (int32_t i = 0; i < system->coords.count; i++) {
    ZwStr other = system->coords.items[i].name;
    if (other.size != name.size || other.data[at] != letter || drawing->vector_of[i]) continue;
    bool is_like = strncmp(other.data, name.data, (size_t)at) == 0 &&
                   strncmp(other.data + at + 1, name.data + at + 1, (size_t)(name.size - at - 1)) == 0;
    if (is_like) return i;
  }
  return -1;
}

static void add_mass(Drawing* drawing, const ZwValue* mass) {
  int32_t count = drawing->points.count;
  if (!is_place(drawing, mass)) return;
  add_point(drawing, mass);
  if (drawing->points.count > count) (void)ZW_PUSH(drawing->build->scratch, &drawing->masses, *mass);
}

static void add_named_points(Drawing* drawing) {
  for (int32_t i = 0; i < drawing->build->system->coords.count; i++) {
    int32_t y = find_sibling(drawing, i, 'y'), z = find_sibling(drawing, i, 'z');
    if (y < 0) continue;
    ZwValue point = {.dim = z < 0 ? 2 : 3};
    const int32_t coords[3] = {i, y, z};
    for (int32_t k = 0; k < point.dim; k++) point.c[k] = zw_expr_leaf(drawing->graph, ZW_OP_COORD, coords[k]);
    add_mass(drawing, &point);
  }
}

/* Whether an angle turns there: a sine or cosine of what moves. */
static bool turns(const Drawing* drawing, ZwExpr e) {
  ZwWalk* walk = &drawing->build->walk;
  if (!zw_walk_collect(walk, drawing->graph, &e, 1)) return false;
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwExpr part = {walk->order.items[i]};
    ZwOp op = zw_graph_node(drawing->graph, part)->op;
    if ((op == ZW_OP_SIN || op == ZW_OP_COS) && zw_expr_reads(drawing->graph, part).coord) return true;
  }
  return false;
}

/* The terms of a sum in which no angle turns: where the rest of it begins. */
static ZwExpr base_of(const Drawing* drawing, ZwExpr e, int32_t depth) {
  ZwGraph* graph = drawing->graph;
  ZwNode node = *zw_graph_node(graph, e);
  if (!turns(drawing, e)) return e;
  ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
  if (depth > 0 && node.op == ZW_OP_ADD) {
    return zw_expr_add(graph, base_of(drawing, a, depth - 1), base_of(drawing, b, depth - 1));
  }
  if (depth > 0 && node.op == ZW_OP_SUB) {
    return zw_expr_sub(graph, base_of(drawing, a, depth - 1), base_of(drawing, b, depth - 1));
  }
  return zw_expr_const(graph, 0);
}

/* P = Q + ..., in every component */
static bool goes_on_from(const Drawing* drawing, const ZwValue* to, const ZwValue* from) {
  if (from->dim != to->dim || is_same(from, to)) return false;
  for (int32_t k = 0; k < to->dim; k++) {
    const ZwNode* node = zw_graph_node(drawing->graph, to->c[k]);
    bool is_sum = node->op == ZW_OP_ADD || node->op == ZW_OP_SUB;
    if (!is_sum || (node->u.args[0] != from->c[k].ref && node->u.args[1] != from->c[k].ref)) return false;
  }
  return true;
}

static bool has_link(const Drawing* drawing, const ZwValue* point) {
  for (int32_t i = 0; i < drawing->links.count; i++) {
    if (is_same(&drawing->links.items[i].to, point) || is_same(&drawing->links.items[i].from, point)) return true;
  }
  return false;
}

/* A mass that no bar holds goes on from another one, or from where its angles turn. */
static void link_mass(Drawing* drawing, const ZwValue* mass) {
  enum { DEPTH = 16 };
  for (int32_t i = 0; i < drawing->masses.count; i++) {
    if (!goes_on_from(drawing, mass, &drawing->masses.items[i])) continue;
    add_link(drawing, &drawing->masses.items[i], mass);
    return;
  }
  if (has_link(drawing, mass)) return;
  ZwValue base = {.dim = mass->dim};
  for (int32_t k = 0; k < mass->dim; k++) base.c[k] = base_of(drawing, mass->c[k], DEPTH);
  add_link(drawing, &base, mass);
}

static bool begins_link(const Drawing* drawing, const ZwValue* point) {
  for (int32_t i = 0; i < drawing->links.count; i++) {
    if (is_same(&drawing->links.items[i].from, point)) return true;
  }
  return false;
}

/* ---- shapes ---- */

static void add_trails(Drawing* drawing) {
  int32_t count = 0;
  for (int32_t i = 0; i < drawing->masses.count; i++) count += !begins_link(drawing, &drawing->masses.items[i]);
  for (int32_t i = 0; i < drawing->masses.count && count <= TRAILS; i++) {
    const ZwValue* mass = &drawing->masses.items[i];
    if (!begins_link(drawing, mass)) zw_build_add_shape(drawing->build, ZW_DRAW_TRAIL, mass, 1);
  }
}

static void add_lengths(Drawing* drawing, ZwDrawKind kind, const ZwLength* lengths, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (!is_place(drawing, &lengths[i].from) || !is_place(drawing, &lengths[i].to)) continue;
    zw_build_add_shape(drawing->build, kind, (const ZwValue[]){lengths[i].from, lengths[i].to}, 2);
  }
}

static ZwExpr sum(ZwGraph* graph, double a, ZwExpr b) {
  return zw_expr_add(graph, zw_expr_const(graph, a), b);
}

/* One turn of the hand is 2 pi; at 0 it hangs down. */
static void add_dial(Drawing* drawing, int32_t i) {
  ZwGraph* graph = drawing->graph;
  double x = 2.8 * (i % DIALS_ACROSS), y = -3.0 * (i / DIALS_ACROSS); /* of radius 1 */
  ZwExpr angle = zw_expr_leaf(graph, ZW_OP_COORD, i);
  ZwExpr down = zw_expr_unary(graph, ZW_OP_NEG, zw_expr_unary(graph, ZW_OP_COS, angle));
  ZwValue centre = {2, {zw_expr_const(graph, x), zw_expr_const(graph, y)}};
  ZwValue hand = {2, {sum(graph, x, zw_expr_unary(graph, ZW_OP_SIN, angle)), sum(graph, y, down)}};
  ZwValue below = {2, {centre.c[0], zw_expr_const(graph, y - 1.35)}};
  zw_build_add_circle(drawing->build, &centre, 1);
  zw_build_add_shape(drawing->build, ZW_DRAW_LINE, (const ZwValue[]){centre, hand}, 2);
  zw_build_add_shape(drawing->build, ZW_DRAW_POINT, &hand, 1);
  zw_build_add_label(drawing->build, &below, drawing->build->system->coords.items[i].name);
}

static void add_dials(Drawing* drawing) {
  int32_t count = drawing->build->system->coords.count;
  for (int32_t i = 0; i < count && i < DIALS; i++) add_dial(drawing, i);
}

void zw_build_draw_noticed(ZwBuild* build) {
  Drawing drawing = {.build = build, .graph = &build->system->graph};
  if (!build->def->drawing || build->has_own_shapes || !find_vectors(&drawing)) return;
  for (int32_t i = 0; i < build->bars.count; i++) {
    add_link(&drawing, &build->bars.items[i].from, &build->bars.items[i].to);
  }
  for (int32_t i = 0; i < build->masses.count; i++) add_mass(&drawing, &build->masses.items[i]);
  add_named_points(&drawing);
  for (int32_t i = 0; i < drawing.masses.count; i++) link_mass(&drawing, &drawing.masses.items[i]);
  add_joints(&drawing);
  add_trails(&drawing);
  add_lengths(&drawing, ZW_DRAW_SPRING, build->springs.items, build->springs.count);
  add_lengths(&drawing, ZW_DRAW_LINE, drawing.links.items, drawing.links.count);
  for (int32_t i = 0; i < drawing.points.count; i++) {
    zw_build_add_shape(build, ZW_DRAW_POINT, &drawing.points.items[i], 1);
  }
  if (build->system->shapes.count == 0) add_dials(&drawing);
}
