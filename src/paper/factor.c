/* From a sum of products back to an expression: common factors go in front of brackets, denominators below a line, a
 * summand that is not negative comes first. */
#include <math.h>
#include <string.h>

#include "paper/poly.h"

enum { GROUP_MAX = 48, DEPTH_MAX = 12 }; /* summands among which groups are sought; brackets within brackets */

static ZwExpr sum_expr(ZwTidy* tidy, ZwMonomial* terms, int32_t count, int depth);

/* ---- one product ---- */

static ZwExpr power_expr(ZwGraph* graph, uint32_t base, double power) {
  ZwExpr e = {base};
  if (power == 1) return e;
  if (power == 0.5) return zw_expr_unary(graph, ZW_OP_SQRT, e);
  return zw_expr_binary(graph, ZW_OP_POW, e, zw_expr_const(graph, power));
}

static void multiply(ZwGraph* graph, ZwExpr* product, ZwExpr factor) {
  *product = product->ref ? zw_expr_mul(graph, *product, factor) : factor;
}

/* The product without the sign of its coefficient. */
static ZwExpr product_expr(ZwTidy* tidy, const ZwMonomial* term) {
  ZwGraph* graph = tidy->graph;
  ZwExpr above = {0}, below = {0};
  double coef = fabs(term->coef), under = 1;
  bool has_below = false;
  for (int32_t i = 0; i < term->count; i++) has_below = has_below || term->factors[i].power < 0;
  /* 1/2 m/(1 + y^2) is m/(2 (1 + y^2)) */
  int64_t p, q;
  if (has_below && zw_fraction(coef, 360, &p, &q)) coef = (double)p, under = (double)q;
  if (under != 1) below = zw_expr_const(graph, under);
  for (int32_t i = 0; i < term->count; i++) {
    ZwFactor factor = term->factors[i];
    if (factor.power > 0)
      multiply(graph, &above, power_expr(graph, factor.base, factor.power));
    else
      multiply(graph, &below, power_expr(graph, factor.base, -factor.power));
  }
  if (!above.ref)
    above = zw_expr_const(graph, coef);
  else if (coef != 1)
    above = zw_expr_mul(graph, zw_expr_const(graph, coef), above);
  return below.ref ? zw_expr_div(graph, above, below) : above;
}

/* ---- groups ---- */

/* What summands have in common, and how good it is to write it once. */
typedef struct Group {
  ZwMonomial common;
  double gain;
} Group;

static bool divides(const ZwMonomial* part, const ZwMonomial* whole) {
  for (int32_t i = 0; i < part->count; i++) {
    double x = part->factors[i].power, y = zw_monomial_power_of(whole, part->factors[i].base);
    if (x > 0 ? y < x : y > x) return false;
  }
  return true;
}

static double weight(ZwTidy* tidy, const ZwMonomial* common) {
  double sum = 0;
  for (int32_t i = 0; i < common->count; i++) {
    sum += fmin(20, zw_tidy_facts(tidy, common->factors[i].base)->cost) + (common->factors[i].power != 1 ? 1 : 0);
  }
  return sum;
}

static bool is_param_only(ZwTidy* tidy, const ZwMonomial* term) {
  for (int32_t i = 0; i < term->count; i++) {
    if (zw_tidy_facts(tidy, term->factors[i].base)->reads & ~ZW_READS_PARAM) return false;
  }
  return true;
}

static bool is_param_free(ZwTidy* tidy, const ZwMonomial* term) {
  for (int32_t i = 0; i < term->count; i++) {
    if (zw_tidy_facts(tidy, term->factors[i].base)->reads == ZW_READS_PARAM) return false;
  }
  return true;
}

/* In an energy only like summands go together: equal up to parameters, 1/2 (m1 + m2) l^2 th'^2, or equal in them,
 * 1/2 m (x'^2 + y'^2). It stays a sum of its energies otherwise. */
static bool may_join(ZwTidy* tidy, const ZwMonomial* common, const ZwMonomial* a, const ZwMonomial* b) {
  if (!tidy->is_energy) return true;
  ZwMonomial inverse = zw_monomial_power(tidy, common, -1);
  ZwMonomial x = zw_monomial_mul(tidy, a, &inverse), y = zw_monomial_mul(tidy, b, &inverse);
  if (is_param_only(tidy, &x) && is_param_only(tidy, &y)) return true;
  return is_param_free(tidy, &x) && is_param_free(tidy, &y) && fabs(a->coef) == fabs(b->coef) && x.count && y.count &&
         is_param_only(tidy, common);
}

static Group best_group(ZwTidy* tidy, const ZwMonomial* terms, int32_t count) {
  Group best = {.gain = 0};
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = i + 1; j < count; j++) {
      ZwMonomial common = zw_monomial_common(tidy, &terms[i], &terms[j]);
      if (common.count == 0 || !may_join(tidy, &common, &terms[i], &terms[j])) continue;
      int32_t members = 0;
      for (int32_t k = 0; k < count; k++) {
        members += divides(&common, &terms[k]) && (k == i || may_join(tidy, &common, &terms[i], &terms[k]));
      }
      tidy->work += 4 * count;
      double gain = (members - 1) * weight(tidy, &common);
      if (gain > best.gain) best = (Group){common, gain};
    }
  }
  return best;
}

/* The number all coefficients have in common, with the sign of the first: brackets begin with a plus. */
static double common_number(const ZwMonomial* terms, int32_t count) {
  double least = fabs(terms[0].coef), sign = 1;
  bool has_plus = false;
  for (int32_t i = 0; i < count; i++) {
    least = fmin(least, fabs(terms[i].coef));
    has_plus = has_plus || terms[i].coef > 0;
  }
  if (!has_plus) sign = -1;
  bool are_equal = true;
  for (int32_t i = 0; i < count; i++) {
    double ratio = fabs(terms[i].coef) / least;
    are_equal = are_equal && ratio == 1;
    if (ratio != nearbyint(ratio) || ratio > 1000) return sign;
  }
  return least >= 1 || are_equal ? sign * least : sign;
}

/* Joins the members of a group: they become one summand, in the place of the first. */
static int32_t join(ZwTidy* tidy, ZwMonomial* terms, int32_t count, const ZwMonomial* common, int depth) {
  ZwMonomial* inside = ZW_NEW(&tidy->scratch, count, ZwMonomial);
  ZwMonomial inverse = zw_monomial_power(tidy, common, -1);
  if (!inside) return 0;
  int32_t members = 0, kept = 0, place = -1;
  ZwMonomial first = {0};
  for (int32_t i = 0; i < count; i++) {
    bool is_member = divides(common, &terms[i]) && (place < 0 || may_join(tidy, common, &first, &terms[i]));
    if (is_member && place < 0) {
      /* in an energy the first that divides may not be the one the group was found with */
      bool has_partner = !tidy->is_energy;
      for (int32_t k = i + 1; k < count && !has_partner; k++) {
        has_partner = divides(common, &terms[k]) && may_join(tidy, common, &terms[i], &terms[k]);
      }
      is_member = has_partner;
    }
    if (is_member) {
      if (place < 0) {
        place = kept++;
        first = terms[i];
      }
      inside[members++] = zw_monomial_mul(tidy, &terms[i], &inverse);
    } else {
      terms[kept++] = terms[i];
    }
  }
  if (place < 0) return count;
  double number = common_number(inside, members);
  for (int32_t i = 0; i < members; i++) inside[i].coef /= number;
  zw_poly_sort(tidy, inside, members);
  ZwExpr e = sum_expr(tidy, inside, members, depth + 1);
  if (!e.ref) return 0;
  ZwFactor factor = {e.ref, 1};
  ZwMonomial bracket = {.coef = number, .count = 1, .factors = &factor};
  terms[place] = zw_monomial_mul(tidy, common, &bracket);
  return kept;
}

/* -2 (a - b) is 2 (b - a) */
static ZwMonomial without_minus(ZwTidy* tidy, ZwMonomial term) {
  for (int32_t i = 0; i < term.count && term.coef < 0; i++) {
    ZwNode node = tidy->graph->nodes.items[term.factors[i].base];
    if (node.op != ZW_OP_SUB || fmod(fabs(term.factors[i].power), 2) != 1) continue;
    if (zw_op_form(tidy->graph->nodes.items[node.u.args[0]].op) == ZW_FORM_SUM) continue;
    ZwFactor* factors = ZW_NEW(&tidy->scratch, term.count, ZwFactor);
    ZwExpr turned = zw_expr_sub(tidy->graph, (ZwExpr){node.u.args[1]}, (ZwExpr){node.u.args[0]});
    if (!factors || !turned.ref) break;
    memcpy(factors, term.factors, (size_t)term.count * sizeof *factors);
    factors[i].base = turned.ref;
    term.factors = factors;
    term.coef = -term.coef;
  }
  return term;
}

static ZwExpr sum_expr(ZwTidy* tidy, ZwMonomial* terms, int32_t count, int depth) {
  ZwGraph* graph = tidy->graph;
  const ZwPoly* root = depth < DEPTH_MAX ? zw_poly_square_root(tidy, terms, count) : NULL;
  if (root) {
    zw_poly_sort(tidy, root->terms, root->count);
    ZwExpr e = sum_expr(tidy, root->terms, root->count, depth + 1);
    return e.ref ? power_expr(graph, e.ref, 2) : e;
  }
  for (int32_t before = 0; count > 1 && count != before && count <= GROUP_MAX && depth < DEPTH_MAX;) {
    Group group = best_group(tidy, terms, count);
    if (group.gain <= 0) break;
    before = count;
    count = join(tidy, terms, count, &group.common, depth);
  }
  if (tidy->scratch.failed) return (ZwExpr){0};
  if (count == 0) return zw_expr_const(graph, 0);
  /* a number that all have in common */
  double number = count > 1 && !tidy->is_energy ? common_number(terms, count) : 1;
  if (number == -1) number = 1; /* -a - b, not -(a + b) */
  for (int32_t i = 0; i < count; i++) terms[i] = without_minus(tidy, terms[i]);
  int32_t first = 0;
  while (first < count && terms[first].coef < 0) first++;
  if (first == count) first = 0;
  ZwExpr sum = {0};
  for (int32_t k = 0; k < count; k++) {
    int32_t i = k == 0 ? first : k <= first ? k - 1 : k;
    ZwMonomial term = terms[i];
    term.coef /= number;
    ZwExpr e = product_expr(tidy, &term);
    if (k == 0)
      sum = term.coef < 0 ? zw_expr_neg(graph, e) : e;
    else
      sum = zw_expr_binary(graph, term.coef < 0 ? ZW_OP_SUB : ZW_OP_ADD, sum, e);
  }
  return number == 1 ? sum : zw_expr_mul(graph, zw_expr_const(graph, number), sum);
}

ZwExpr zw_poly_expr(ZwTidy* tidy, const ZwPoly* a) {
  a = zw_poly_reduce(tidy, a);
  ZwMonomial* terms = a ? ZW_NEW(&tidy->scratch, a->count + 1, ZwMonomial) : NULL;
  if (!terms) return (ZwExpr){0};
  if (a->count) memcpy(terms, a->terms, (size_t)a->count * sizeof *terms);
  return sum_expr(tidy, terms, a->count, 0);
}

ZwExpr zw_poly_thing(ZwTidy* tidy, const ZwPoly* a) {
  a = zw_poly_reduce(tidy, a);
  ZwExpr e = a ? zw_poly_expr(tidy, a) : (ZwExpr){0};
  if (e.ref && a->count > 1) zw_tidy_know(tidy, e.ref, a);
  return e;
}
