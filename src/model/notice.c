/* What a drawing can be made of when nobody drew one: places that move, and lengths between them, noticed while energies and
 * constraints are read.
 *
 *   kinetic    P'^2, dot(P', P')                        a mass at P
 *   constraint norm(P - Q), (P - Q)^2, hypot, sqrt      a bar from Q to P
 *   constraint P = Q                                    a joint at P
 *   potential  (norm(P - Q) - l)^2, (P - Q)^2           a spring from Q to P
 *
 * P and Q are vectors, or the terms of a sum of squares: (x - a)^2 + (y - b)^2. */
#include "model/builder.h"
#include "text/lexer.h"

static bool is_square(const ZwAst* node) {
  return node->kind == ZW_AST_POWER && node->b->kind == ZW_AST_NUMBER && node->b->number == 2;
}

static bool is_call_of(const ZwAst* node, const char* name) {
  return node->kind == ZW_AST_CALL && node->a->kind == ZW_AST_NAME && zw_str_equal(node->a->text, zw_str_from(name));
}

static const ZwAst* argument(const ZwAst* call, int32_t i) {
  const ZwAst* item = call->first;
  while (item && i-- > 0) item = item->next;
  return item ? item->a : NULL;
}

/* A value of the tree that is being read, without noticing again what stands in it. */
static ZwValue value_of(ZwBuild* build, const ZwAst* node) {
  ZwNotice notice = build->notice;
  build->notice = ZW_NOTICE_NOTHING;
  ZwValue value = zw_build_value(build, node);
  build->notice = notice;
  return value;
}

/* ---- lengths ---- */

/* The ends of a difference: of P - Q they are Q and P, of anything else the origin and itself. */
static void find_ends(ZwBuild* build, const ZwAst* node, ZwValue* from, ZwValue* to) {
  bool is_difference = node->kind == ZW_AST_SUM && node->count == 2 && node->last->lead == ZW_TOKEN_MINUS;
  *to = value_of(build, is_difference ? node->first : node);
  *from = is_difference ? value_of(build, node->last) : zw_value_zero(&build->system->graph, to->dim);
  (void)zw_value_match(&build->system->graph, from, to);
}

static void add_length(ZwBuild* build, const ZwValue* from, const ZwValue* to) {
  ZwLength length = {*from, *to};
  if (from->dim != to->dim || to->dim < 2) return;
  if (build->notice == ZW_NOTICE_POTENTIAL) {
    (void)ZW_PUSH(build->scratch, &build->springs, length);
  } else {
    (void)ZW_PUSH(build->scratch, &build->bars, length);
  }
}

static void notice_vector(ZwBuild* build, const ZwAst* node) {
  ZwValue from, to;
  find_ends(build, node, &from, &to);
  add_length(build, &from, &to);
}

/* The components of a length, each the base of a square. */
static void notice_components(ZwBuild* build, const ZwAst* const* bases, int32_t count) {
  ZwValue from = {.dim = count}, to = {.dim = count};
  for (int32_t k = 0; k < count; k++) {
    ZwValue a, b;
    find_ends(build, bases[k], &a, &b);
    if (a.dim != 1 || b.dim != 1) return;
    from.c[k] = a.c[0];
    to.c[k] = b.c[0];
  }
  add_length(build, &from, &to);
}

/* x^2 + y^2, (x - a)^2 + (y - b)^2 */
static void notice_squares(ZwBuild* build, const ZwAst* sum) {
  const ZwAst* bases[3];
  int32_t count = 0;
  if (sum->count > 3) return;
  for (const ZwAst* item = sum->first; item; item = item->next) {
    if (!is_square(item) || item->lead == ZW_TOKEN_MINUS) return;
    bases[count++] = item->a;
  }
  if (count > 1) notice_components(build, bases, count);
}

static void notice_length(ZwBuild* build, const ZwAst* node) {
  if (node->kind == ZW_AST_SUM) notice_squares(build, node);
  if (is_call_of(node, "norm") && node->count == 1) notice_vector(build, argument(node, 0));
  if (is_call_of(node, "hypot") && node->count == 2) {
    notice_components(build, (const ZwAst*[]){argument(node, 0), argument(node, 1)}, 2);
  }
}

/* A length itself is no spring: gravity reads it too. What is squared is, as long as it is one. */
static void notice_spring(ZwBuild* build, const ZwAst* node) {
  if (!is_square(node)) return;
  notice_vector(build, node->a);
  notice_length(build, node->a);
  if (node->a->kind != ZW_AST_SUM) return;
  for (const ZwAst* item = node->a->first; item; item = item->next) notice_length(build, item);
}

/* ---- masses ---- */

static void notice_mass(ZwBuild* build, const ZwAst* node) {
  const ZwAst* rate = is_square(node) ? node->a : NULL;
  if (is_call_of(node, "dot") && node->count == 2) rate = argument(node, 0);
  if (!rate || rate->kind != ZW_AST_PRIMED || rate->count != 1) return;
  ZwValue place = value_of(build, rate->a);
  if (place.dim > 1) (void)ZW_PUSH(build->scratch, &build->masses, place);
}

/* ---- all of it ---- */

void zw_build_notice(ZwBuild* build, const ZwAst* node) {
  if (build->diags->errors > 0 || build->is_in_library) return; /* libraries draw what they are made of */
  switch (build->notice) {
    case ZW_NOTICE_KINETIC:
      notice_mass(build, node);
      break;
    case ZW_NOTICE_POTENTIAL:
      notice_spring(build, node);
      break;
    case ZW_NOTICE_CONSTRAINT:
      if (is_square(node)) notice_vector(build, node->a);
      notice_length(build, node);
      break;
    default:
      break;
  }
}

void zw_build_notice_joint(ZwBuild* build, const ZwValue* a, const ZwValue* b) {
  if (!build->def->drawing || a->dim < 2 || build->diags->errors > 0) return;
  ZwLength joint = {*a, *b};
  (void)ZW_PUSH(build->scratch, &build->joints, joint);
}
