/* What a person sees in a sum at a glance: that sines and cosines melt together, and that a fraction cancels. */
#include <math.h>
#include <string.h>

#include "paper/poly.h"

enum {
  TRIG_MAX = 160,  /* summands up to which pairs are looked at */
  CANCEL_MAX = 64, /* summands of a numerator that is divided */
  ROUNDS_MAX = 64
};

/* ---- sines and cosines ---- */

/* What one summand has and the other has not: at most two sines and cosines. */
typedef struct Rest {
  int count;
  ZwOp op[2];
  uint32_t angle[2];
} Rest;

static bool same_number(double a, double b) {
  return fabs(a - b) <= 8e-16 * (fabs(a) + fabs(b));
}

/* False unless a / common is one of: 1, f(x)^2, f(x) g(y), with f, g sine or cosine. */
static bool take_rest(const ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b, Rest* rest) {
  *rest = (Rest){0};
  for (int32_t i = 0; i < a->count; i++) {
    double x = a->factors[i].power, y = zw_monomial_power_of(b, a->factors[i].base);
    double more = x > 0 ? x - fmax(0, fmin(x, y)) : x - fmin(0, fmax(x, y));
    if (more == 0) continue;
    const ZwNode* node = &tidy->graph->nodes.items[a->factors[i].base];
    if ((node->op != ZW_OP_SIN && node->op != ZW_OP_COS) || (more != 1 && more != 2)) return false;
    for (int k = 0; k < (int)more; k++) {
      if (rest->count == 2) return false;
      rest->op[rest->count] = node->op;
      rest->angle[rest->count++] = node->u.args[0];
    }
  }
  return true;
}

static bool is_square(const Rest* rest, ZwOp op) {
  return rest->count == 2 && rest->op[0] == op && rest->op[1] == op && rest->angle[0] == rest->angle[1];
}

/* sin or cos of x + sign y, with the sign of the result in *sign */
static const ZwPoly* trig_of_sum(ZwTidy* tidy, ZwOp op, uint32_t x, uint32_t y, double sign) {
  const ZwPoly *a = zw_poly_of(tidy, (ZwExpr){x}), *b = zw_poly_of(tidy, (ZwExpr){y});
  const ZwPoly* angle = zw_poly_add(tidy, a, b, sign);
  if (!angle) return NULL;
  if (angle->count == 0) return zw_poly_number(tidy, op == ZW_OP_COS ? 1 : 0);
  ZwMonomial content;
  const ZwPoly* primitive = zw_poly_primitive(tidy, angle, &content);
  if (!primitive) return NULL;
  double turn = content.coef < 0 ? -1 : 1;
  ZwMonomial* terms = ZW_NEW(&tidy->scratch, angle->count, ZwMonomial);
  if (!terms) return NULL;
  content.coef *= turn;
  for (int32_t i = 0; i < angle->count; i++) terms[i] = zw_monomial_mul(tidy, &content, &primitive->terms[i]);
  const ZwPoly* sorted = zw_poly_from(tidy, terms, angle->count);
  ZwExpr e = zw_poly_thing(tidy, sorted);
  if (!e.ref) return NULL;
  const ZwPoly* result = zw_poly_atom(tidy, zw_expr_unary(tidy->graph, op, e));
  return op == ZW_OP_SIN && turn < 0 ? zw_poly_mul(tidy, zw_poly_number(tidy, -1), result) : result;
}

/* What two summands make together, divided by what they have in common; NULL if nothing shorter. */
static const ZwPoly* melt(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b) {
  Rest x, y;
  bool same = same_number(a->coef, b->coef), opposite = same_number(a->coef, -b->coef);
  if ((!same && !opposite) || !take_rest(tidy, a, b, &x) || !take_rest(tidy, b, a, &y)) return NULL;
  /* sin^2 + cos^2 = 1, 1 - sin^2 = cos^2 */
  for (int k = 0; k < 2; k++) {
    ZwOp op = k ? ZW_OP_SIN : ZW_OP_COS, other = k ? ZW_OP_COS : ZW_OP_SIN;
    if (same && is_square(&x, op) && is_square(&y, other) && x.angle[0] == y.angle[0]) {
      return zw_poly_number(tidy, a->coef);
    }
    bool left = is_square(&y, op) && x.count == 0, right = is_square(&x, op) && y.count == 0;
    if (opposite && (left || right)) {
      ZwExpr e = zw_expr_unary(tidy->graph, other, (ZwExpr){left ? y.angle[0] : x.angle[0]});
      const ZwPoly* square = zw_poly_power(tidy, zw_poly_atom(tidy, e), 2);
      return zw_poly_mul(tidy, zw_poly_number(tidy, left ? a->coef : b->coef), square);
    }
  }
  if (x.count != 2 || y.count != 2) return NULL;
  /* bring both to the order of the angles */
  if (y.angle[0] != x.angle[0]) {
    uint32_t angle = y.angle[0];
    ZwOp op = y.op[0];
    y.angle[0] = y.angle[1], y.op[0] = y.op[1];
    y.angle[1] = angle, y.op[1] = op;
  }
  if (x.angle[0] != y.angle[0] || x.angle[1] != y.angle[1] || x.op[0] == y.op[0] || x.op[1] == y.op[1]) return NULL;
  if (x.angle[0] == x.angle[1]) return NULL;
  const ZwPoly* result;
  double coef = a->coef;
  if (x.op[0] == x.op[1]) { /* cos x cos y +- sin x sin y = cos(x -+ y) */
    if (x.op[0] == ZW_OP_SIN) coef = b->coef;
    result = trig_of_sum(tidy, ZW_OP_COS, x.angle[0], x.angle[1], same ? -1 : 1);
  } else { /* sin x cos y +- cos x sin y = sin(x +- y) */
    if (x.op[0] == ZW_OP_COS) coef = b->coef;
    result = trig_of_sum(tidy, ZW_OP_SIN, x.angle[0], x.angle[1], same ? 1 : -1);
  }
  return result ? zw_poly_mul(tidy, zw_poly_number(tidy, coef), result) : NULL;
}

/* One pair melted, in the place of its first summand; the sum itself when there is none. */
static const ZwPoly* melt_once(ZwTidy* tidy, const ZwPoly* a) {
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t j = i + 1; j < a->count; j++) {
      tidy->work += a->terms[i].count + 2;
      const ZwPoly* molten = melt(tidy, &a->terms[i], &a->terms[j]);
      if (!molten) continue;
      ZwMonomial common = zw_monomial_common(tidy, &a->terms[i], &a->terms[j]);
      const ZwPoly* together = zw_poly_mul(tidy, zw_poly_from(tidy, &common, 1), molten);
      ZwTerms sum = {0};
      for (int32_t k = 0; k < i; k++) zw_terms_add(tidy, &sum, a->terms[k]);
      for (int32_t k = 0; together && k < together->count; k++) zw_terms_add(tidy, &sum, together->terms[k]);
      for (int32_t k = i + 1; k < a->count; k++) {
        if (k != j) zw_terms_add(tidy, &sum, a->terms[k]);
      }
      return together ? zw_terms_poly(tidy, &sum) : NULL;
    }
  }
  return a;
}

static bool has_trig(const ZwTidy* tidy, const ZwPoly* a) {
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t k = 0; k < a->terms[i].count; k++) {
      ZwOp op = tidy->graph->nodes.items[a->terms[i].factors[k].base].op;
      if (op == ZW_OP_SIN || op == ZW_OP_COS) return true;
    }
  }
  return false;
}

/* ---- fractions ---- */

/* Lexicographic by bases: an order that products keep. */
static int compare_powers(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b) {
  int32_t i = 0, j = 0;
  while (i < a->count || j < b->count) {
    int order = i == a->count   ? 1
                : j == b->count ? -1
                                : zw_poly_compare_bases(tidy, a->factors[i].base, b->factors[j].base);
    double x = order <= 0 ? a->factors[i].power : 0, y = order >= 0 ? b->factors[j].power : 0;
    if (x != y) return x < y ? -1 : 1;
    i += order <= 0;
    j += order >= 0;
  }
  return 0;
}

static const ZwMonomial* leading(ZwTidy* tidy, const ZwMonomial* terms, int32_t count) {
  const ZwMonomial* lead = &terms[0];
  for (int32_t i = 1; i < count; i++) {
    if (compare_powers(tidy, &terms[i], lead) > 0) lead = &terms[i];
  }
  tidy->work += 2 * count;
  return lead;
}

static bool is_divisible(const ZwMonomial* a, const ZwMonomial* b) {
  for (int32_t i = 0; i < b->count; i++) {
    if (b->factors[i].power > 0 && zw_monomial_power_of(a, b->factors[i].base) < b->factors[i].power) return false;
  }
  return true;
}

/* a = quotient * b + rest; `a` is used up. False when that would take too long. */
static bool divide(ZwTidy* tidy, ZwTerms* a, const ZwPoly* b, ZwTerms* quotient, ZwTerms* rest) {
  const ZwMonomial* lead = leading(tidy, b->terms, b->count);
  ZwMonomial inverse = zw_monomial_power(tidy, lead, -1);
  for (int32_t step = 0; a->list.count > 0; step++) {
    if (step > 2 * CANCEL_MAX || a->list.count > 2 * CANCEL_MAX || tidy->scratch.failed) return false;
    ZwMonomial first = *leading(tidy, a->list.items, a->list.count), away = first;
    if (is_divisible(&first, lead)) {
      ZwMonomial share = zw_monomial_mul(tidy, &first, &inverse);
      zw_terms_add(tidy, quotient, share);
      share.coef = -share.coef;
      for (int32_t i = 0; i < b->count; i++) {
        if (&b->terms[i] != lead) zw_terms_add(tidy, a, zw_monomial_mul(tidy, &share, &b->terms[i]));
      }
    } else {
      zw_terms_add(tidy, rest, first);
    }
    away.coef = -away.coef; /* exactly, whatever rounding says about the rest */
    zw_terms_add(tidy, a, away);
  }
  return true;
}

/* The summands over base^-power, divided by the base: y^2/(1 + y^2) = 1 - 1/(1 + y^2). NULL unless the whole sum is
 * shorter for it, or nothing is left over. */
static const ZwPoly* cancel_base(ZwTidy* tidy, const ZwPoly* a, uint32_t base, double power) {
  const ZwPoly* below = zw_tidy_known(tidy, base);
  if (!below || below->count < 2 || below->count > CANCEL_MAX) return NULL;
  ZwTerms above = {0}, sum = {0}, quotient = {0}, rest = {0};
  ZwFactor up = {base, -power}, same = {base, power}, down = {base, power + 1};
  ZwMonomial lift = {.coef = 1, .count = 1, .factors = &up}, keep = {.coef = 1, .count = 1, .factors = &same};
  ZwMonomial lower = {.coef = 1, .count = power + 1 != 0, .factors = &down};
  for (int32_t i = 0; i < a->count; i++) {
    ZwMonomial term = a->terms[i];
    if (zw_monomial_power_of(&term, base) != power)
      zw_terms_add(tidy, &sum, term);
    else
      zw_terms_add(tidy, &above, zw_monomial_mul(tidy, &term, &lift));
  }
  if (above.list.count > CANCEL_MAX || !divide(tidy, &above, below, &quotient, &rest)) return NULL;
  if (quotient.list.count == 0) return NULL;
  for (int32_t i = 0; i < quotient.list.count; i++) {
    zw_terms_add(tidy, &sum, zw_monomial_mul(tidy, &quotient.list.items[i], &lower));
  }
  for (int32_t i = 0; i < rest.list.count; i++)
    zw_terms_add(tidy, &sum, zw_monomial_mul(tidy, &rest.list.items[i], &keep));
  bool is_shorter = sum.list.count < a->count || (rest.list.count == 0 && sum.list.count == a->count);
  return is_shorter ? zw_terms_poly(tidy, &sum) : NULL;
}

static const ZwPoly* cancel_once(ZwTidy* tidy, const ZwPoly* a) {
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t k = 0; k < a->terms[i].count; k++) {
      ZwFactor factor = a->terms[i].factors[k];
      if (factor.power >= 0 || zw_op_arity(tidy->graph->nodes.items[factor.base].op) == 0) continue;
      const ZwPoly* less = cancel_base(tidy, a, factor.base, factor.power);
      if (less) return less;
    }
  }
  return a;
}

const ZwPoly* zw_poly_reduce(ZwTidy* tidy, const ZwPoly* a) {
  if (!a || a->is_reduced) return a;
  const ZwPoly* now = a;
  for (int round = 0; round < ROUNDS_MAX && now && now->count > 1; round++) {
    const ZwPoly* before = now;
    if (now->count <= TRIG_MAX && has_trig(tidy, now)) now = melt_once(tidy, now);
    if (now == before && now->count <= TRIG_MAX) now = cancel_once(tidy, now);
    if (now == before) break;
  }
  if (!now) return NULL;
  ((ZwPoly*)(uintptr_t)now)->is_reduced = true;
  return now;
}
