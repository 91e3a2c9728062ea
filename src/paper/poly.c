#include "paper/poly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  EXPANDED_MAX = 256, /* summands a product may have when multiplied out */
  TERMS_MAX = 600,    /* summands of any sum; beyond, its parts stay in brackets */
  FACTORS_MAX = 64,
  POWER_MAX = 4 /* of a sum that is multiplied out */
};

static const double rounding = 8e-16; /* relative: coefficients that differ by less are the same number */

void zw_tidy_init(ZwTidy* tidy, ZwGraph* graph, ZwArena* arena) {
  *tidy = (ZwTidy){.arena = arena, .graph = graph};
  zw_walk_init(&tidy->walk, arena);
}

/* ---- facts about nodes ---- */

static ZwFacts facts_of_node(const ZwTidy* tidy, const ZwNode* node) {
  switch (node->op) {
    case ZW_OP_PARAM:
      return (ZwFacts){.reads = ZW_READS_PARAM, .cost = 1};
    case ZW_OP_TIME:
      return (ZwFacts){.reads = ZW_READS_TIME, .cost = 1};
    case ZW_OP_COORD:
      return (ZwFacts){.reads = ZW_READS_COORD, .cost = 1};
    case ZW_OP_VELOCITY:
      return (ZwFacts){.reads = ZW_READS_VELOCITY, .cost = 1};
    case ZW_OP_ACCELERATION:
      return (ZwFacts){.reads = ZW_READS_ACCELERATION, .cost = 1};
    default:
      break;
  }
  ZwFacts facts = {.cost = 1};
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    const ZwFacts* argument = &tidy->facts.items[node->u.args[k]];
    facts.reads |= argument->reads;
    facts.cost += argument->cost;
  }
  return facts;
}

/* Arguments come first, so a plain loop knows all it needs. */
ZwFacts* zw_tidy_facts(ZwTidy* tidy, uint32_t ref) {
  while ((uint32_t)tidy->facts.count <= ref && tidy->facts.count < tidy->graph->nodes.count) {
    ZwFacts facts = facts_of_node(tidy, &tidy->graph->nodes.items[tidy->facts.count]);
    if (!ZW_PUSH(tidy->arena, &tidy->facts, facts)) break;
  }
  if (ref < (uint32_t)tidy->facts.count) return &tidy->facts.items[ref];
  tidy->none = (ZwFacts){0};
  return &tidy->none;
}

const ZwPoly* zw_tidy_known(ZwTidy* tidy, uint32_t ref) {
  const ZwFacts* facts = zw_tidy_facts(tidy, ref);
  return facts->epoch == tidy->epoch ? facts->poly : NULL;
}

void zw_tidy_know(ZwTidy* tidy, uint32_t ref, const ZwPoly* poly) {
  ZwFacts* facts = zw_tidy_facts(tidy, ref);
  facts->epoch = tidy->epoch;
  facts->poly = poly;
}

static int rank_of(ZwTidy* tidy, uint32_t ref) {
  const ZwNode* node = &tidy->graph->nodes.items[ref];
  switch (node->op) {
    case ZW_OP_PARAM:
      return 1;
    case ZW_OP_TIME:
      return 2;
    case ZW_OP_COORD:
      return 3;
    case ZW_OP_VELOCITY:
      return 5;
    case ZW_OP_ACCELERATION:
      return 6;
    default:
      break;
  }
  uint8_t reads = zw_tidy_facts(tidy, ref)->reads;
  if (zw_op_form(node->op) == ZW_FORM_SUM) return reads & ~ZW_READS_PARAM ? 7 : 0;
  return reads & (ZW_READS_VELOCITY | ZW_READS_ACCELERATION) ? 7 : 4;
}

int zw_poly_compare_bases(ZwTidy* tidy, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  int x = rank_of(tidy, a), y = rank_of(tidy, b);
  if (x != y) return x - y;
  const ZwNode *m = &tidy->graph->nodes.items[a], *n = &tidy->graph->nodes.items[b];
  if (zw_op_arity(m->op) == 0 && m->op == n->op && m->op != ZW_OP_CONST) return m->u.index < n->u.index ? -1 : 1;
  return a < b ? -1 : 1;
}

/* ---- monomials ---- */

static uint64_t hash_factors(const ZwFactor* factors, int32_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int32_t i = 0; i < count; i++) {
    uint64_t bits;
    double power = factors[i].power;
    memcpy(&bits, &power, sizeof bits);
    hash = (hash ^ factors[i].base) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 32) ^ bits) * 0x94D049BB133111EBu;
  }
  return hash;
}

static ZwMonomial monomial(ZwTidy* tidy, double coef, const ZwFactor* factors, int32_t count) {
  ZwMonomial result = {.coef = coef, .count = count, .hash = hash_factors(factors, count)};
  if (count == 0) return result;
  ZwFactor* copy = ZW_NEW(&tidy->scratch, count, ZwFactor);
  if (!copy) return (ZwMonomial){0}; /* the arena stays failed */
  memcpy(copy, factors, (size_t)count * sizeof *copy);
  result.factors = copy;
  return result;
}

bool zw_monomial_alike(const ZwMonomial* a, const ZwMonomial* b) {
  if (a->hash != b->hash || a->count != b->count) return false;
  for (int32_t i = 0; i < a->count; i++) {
    if (a->factors[i].base != b->factors[i].base || a->factors[i].power != b->factors[i].power) return false;
  }
  return true;
}

double zw_monomial_power_of(const ZwMonomial* a, uint32_t base) {
  for (int32_t i = 0; i < a->count; i++) {
    if (a->factors[i].base == base) return a->factors[i].power;
  }
  return 0;
}

ZwMonomial zw_monomial_mul(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b) {
  ZwFactor factors[2 * FACTORS_MAX];
  int32_t count = 0, i = 0, j = 0;
  tidy->work += a->count + b->count + 4;
  while (i < a->count || j < b->count) {
    int order = i == a->count   ? 1
                : j == b->count ? -1
                                : zw_poly_compare_bases(tidy, a->factors[i].base, b->factors[j].base);
    ZwFactor factor = order <= 0 ? a->factors[i] : b->factors[j];
    if (order == 0) factor.power += b->factors[j].power;
    i += order <= 0;
    j += order >= 0;
    if (factor.power != 0) factors[count++] = factor;
  }
  return monomial(tidy, a->coef * b->coef, factors, count);
}

ZwMonomial zw_monomial_power(ZwTidy* tidy, const ZwMonomial* a, double power) {
  ZwFactor factors[2 * FACTORS_MAX];
  for (int32_t i = 0; i < a->count; i++) factors[i] = (ZwFactor){a->factors[i].base, a->factors[i].power * power};
  return monomial(tidy, pow(a->coef, power), factors, a->count);
}

ZwMonomial zw_monomial_common(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b) {
  ZwFactor factors[2 * FACTORS_MAX];
  int32_t count = 0;
  tidy->work += a->count + b->count + 4;
  for (int32_t i = 0; i < a->count; i++) {
    double x = a->factors[i].power, y = zw_monomial_power_of(b, a->factors[i].base);
    if (x > 0 && y > 0) factors[count++] = (ZwFactor){a->factors[i].base, fmin(x, y)};
    if (x < 0 && y < 0) factors[count++] = (ZwFactor){a->factors[i].base, fmax(x, y)};
  }
  return monomial(tidy, 1, factors, count);
}

/* ---- sums ---- */

const ZwPoly* zw_poly_from(ZwTidy* tidy, const ZwMonomial* terms, int32_t count) {
  ZwPoly* poly = ZW_NEW(&tidy->scratch, 1, ZwPoly);
  ZwMonomial* copy = ZW_NEW(&tidy->scratch, count + 1, ZwMonomial);
  if (!poly || !copy || tidy->scratch.failed) return NULL;
  if (count) memcpy(copy, terms, (size_t)count * sizeof *copy);
  poly->count = count;
  poly->terms = copy;
  poly->is_reduced = count < 2;
  return poly;
}

const ZwPoly* zw_poly_number(ZwTidy* tidy, double value) {
  ZwMonomial term = monomial(tidy, value, NULL, 0);
  return zw_poly_from(tidy, &term, value != 0);
}

const ZwPoly* zw_poly_atom(ZwTidy* tidy, ZwExpr e) {
  if (!e.ref) return NULL;
  const ZwNode* node = zw_graph_node(tidy->graph, e);
  if (node->op == ZW_OP_CONST && isfinite(node->u.value)) return zw_poly_number(tidy, node->u.value);
  ZwFactor factor = {e.ref, 1};
  ZwMonomial term = monomial(tidy, 1, &factor, 1);
  return zw_poly_from(tidy, &term, 1);
}

const ZwPoly* zw_poly_of(ZwTidy* tidy, ZwExpr e) {
  if (!e.ref) return NULL;
  const ZwPoly* known = zw_tidy_known(tidy, e.ref);
  return known ? known : zw_poly_atom(tidy, e);
}

static ZwMonomial* find_alike(ZwMonomial* terms, int32_t count, const ZwMonomial* wanted) {
  for (int32_t i = 0; i < count; i++) {
    if (zw_monomial_alike(&terms[i], wanted)) return &terms[i];
  }
  return NULL;
}

void zw_terms_add(ZwTidy* tidy, ZwTerms* terms, ZwMonomial term) {
  if (term.coef == 0) return;
  tidy->work += 1 + terms->list.count / 8;
  ZwMonomial* old = find_alike(terms->list.items, terms->list.count, &term);
  if (!old) {
    (void)ZW_PUSH(&tidy->scratch, &terms->list, term); /* a failure stays in the arena */
    return;
  }
  double sum = old->coef + term.coef;
  if (fabs(sum) > rounding * (fabs(old->coef) + fabs(term.coef))) {
    old->coef = sum;
    return;
  }
  ZwMonomial* end = terms->list.items + terms->list.count--;
  memmove(old, old + 1, (size_t)(end - (old + 1)) * sizeof *old);
}

const ZwPoly* zw_terms_poly(ZwTidy* tidy, const ZwTerms* terms) {
  ZwPoly* poly = ZW_NEW(&tidy->scratch, 1, ZwPoly);
  if (!poly || tidy->scratch.failed) return NULL;
  *poly = (ZwPoly){terms->list.count, terms->list.items, terms->list.count < 2};
  return poly;
}

static void add_all(ZwTidy* tidy, ZwTerms* terms, const ZwPoly* a, double sign) {
  for (int32_t i = 0; i < a->count; i++) {
    ZwMonomial term = a->terms[i];
    term.coef *= sign;
    zw_terms_add(tidy, terms, term);
  }
}

static bool has_root(const ZwMonomial* term) {
  for (int32_t i = 0; i < term->count; i++) {
    if (fmod(term->factors[i].power, 2) != 0) return false;
  }
  int64_t p, q;
  return term->coef > 0 && zw_fraction(sqrt(term->coef), 12, &p, &q);
}

const ZwPoly* zw_poly_square_root(ZwTidy* tidy, const ZwMonomial* terms, int32_t count) {
  for (int32_t mixed = 0; count == 3 && mixed < 3; mixed++) {
    const ZwMonomial *a = &terms[mixed == 0 ? 1 : 0], *b = &terms[mixed == 2 ? 1 : 2];
    if (!has_root(a) || !has_root(b)) continue;
    ZwMonomial roots[2] = {zw_monomial_power(tidy, a, 0.5), zw_monomial_power(tidy, b, 0.5)};
    ZwMonomial both = zw_monomial_mul(tidy, &roots[0], &roots[1]);
    if (!zw_monomial_alike(&both, &terms[mixed])) continue;
    if (fabs(fabs(terms[mixed].coef) - 2 * both.coef) > rounding * fabs(terms[mixed].coef)) continue;
    if (terms[mixed].coef < 0) roots[1].coef = -roots[1].coef;
    return zw_poly_from(tidy, roots, 2);
  }
  return NULL;
}

/* A sum that is taken as one thing from now on. */
static const ZwPoly* in_brackets(ZwTidy* tidy, const ZwPoly* a, double power) {
  a = zw_poly_reduce(tidy, a);
  if (!a || a->count < 2) return zw_poly_power(tidy, a, power);
  ZwMonomial content;
  const ZwPoly* primitive = zw_poly_primitive(tidy, a, &content);
  if (!primitive) return NULL;
  const ZwPoly* root = zw_poly_square_root(tidy, primitive->terms, primitive->count);
  if (root) {
    ZwMonomial none;
    primitive = zw_poly_primitive(tidy, root, &none); /* sorted; its sign is lost in the square */
    if (!primitive) return NULL;
  }
  ZwExpr e = zw_poly_thing(tidy, primitive);
  if (!e.ref) return NULL;
  ZwFactor factor = {e.ref, root ? 2 * power : power};
  ZwMonomial one = monomial(tidy, 1, &factor, 1), outside = zw_monomial_power(tidy, &content, power);
  ZwMonomial term = zw_monomial_mul(tidy, &outside, &one);
  return zw_poly_from(tidy, &term, 1);
}

const ZwPoly* zw_poly_add(ZwTidy* tidy, const ZwPoly* a, const ZwPoly* b, double sign) {
  if (!a || !b) return NULL;
  if (a->count + b->count > TERMS_MAX) {
    if (a->count > 1) a = in_brackets(tidy, a, 1);
    if (b->count > 1) b = in_brackets(tidy, b, 1);
    if (!a || !b) return NULL;
  }
  ZwTerms sum = {0};
  if (a->count > 0) { /* these are all different already */
    sum.list.capacity = a->count + b->count;
    sum.list.items = ZW_NEW(&tidy->scratch, sum.list.capacity, ZwMonomial);
    if (!sum.list.items) return NULL;
    memcpy(sum.list.items, a->terms, (size_t)a->count * sizeof *a->terms);
    sum.list.count = a->count;
  }
  add_all(tidy, &sum, b, sign);
  return zw_terms_poly(tidy, &sum);
}

/* ---- products ---- */

static bool is_whole(double power) {
  return power == floor(power);
}

/* A root that met another and became whole, sqrt(u) sqrt(u) = u, is what it stands for again. NULL: there is none. */
static const ZwPoly* unfold(ZwTidy* tidy, const ZwMonomial* term, const ZwMonomial* a, const ZwMonomial* b) {
  for (int32_t i = 0; i < term->count; i++) {
    ZwFactor factor = term->factors[i];
    if (factor.power < 1 || !is_whole(factor.power)) continue;
    double x = zw_monomial_power_of(a, factor.base), y = zw_monomial_power_of(b, factor.base);
    if (is_whole(x) && is_whole(y)) continue;
    const ZwPoly* inside = zw_tidy_known(tidy, factor.base);
    if (!inside || (inside->count > 1 && !tidy->expand)) continue;
    ZwFactor away = {factor.base, -factor.power};
    ZwMonomial inverse = monomial(tidy, 1, &away, 1), rest = zw_monomial_mul(tidy, term, &inverse);
    return zw_poly_mul(tidy, zw_poly_from(tidy, &rest, 1), zw_poly_power(tidy, inside, factor.power));
  }
  return NULL;
}

/* Coefficients that would leave the range of numbers stay two. */
static bool may_overflow(const ZwPoly* a, const ZwPoly* b) {
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t j = 0; j < b->count; j++) {
      if (!isnormal(a->terms[i].coef * b->terms[j].coef)) return true;
    }
  }
  return false;
}

static int32_t most_factors(const ZwPoly* a) {
  int32_t most = 0;
  for (int32_t i = 0; i < a->count; i++) most = a->terms[i].count > most ? a->terms[i].count : most;
  return most;
}

const ZwPoly* zw_poly_mul(ZwTidy* tidy, const ZwPoly* a, const ZwPoly* b) {
  if (!a || !b) return NULL;
  if (a->count == 0) return a;
  if (b->count == 0) return b;
  a = zw_poly_reduce(tidy, a);
  b = zw_poly_reduce(tidy, b);
  if (!a || !b) return NULL;
  if (a->count == 0 || b->count == 0) return zw_poly_number(tidy, 0);
  if (most_factors(a) + most_factors(b) > FACTORS_MAX || may_overflow(a, b)) {
    return zw_poly_atom(tidy, zw_expr_mul(tidy->graph, zw_poly_expr(tidy, a), zw_poly_expr(tidy, b)));
  }
  /* what is short enough is multiplied out, all else stays in brackets */
  bool is_short = tidy->expand && (int64_t)a->count * b->count <= EXPANDED_MAX;
  if (!is_short && a->count > 1) a = in_brackets(tidy, a, 1);
  if (!is_short && b && b->count > 1) b = in_brackets(tidy, b, 1);
  if (!a || !b) return NULL;
  ZwTerms sum = {0};
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t j = 0; j < b->count; j++) {
      const ZwMonomial *x = &a->terms[i], *y = &b->terms[j];
      ZwMonomial term = zw_monomial_mul(tidy, x, y);
      const ZwPoly* unfolded = unfold(tidy, &term, x, y);
      if (unfolded)
        add_all(tidy, &sum, unfolded, 1);
      else
        zw_terms_add(tidy, &sum, term);
      if (tidy->scratch.failed) return NULL;
    }
  }
  return zw_terms_poly(tidy, &sum);
}

static const ZwPoly* power_of_one_term(ZwTidy* tidy, const ZwPoly* a, double power) {
  const ZwMonomial* term = &a->terms[0];
  if (is_whole(power)) {
    ZwMonomial result = zw_monomial_power(tidy, term, power), nothing = {0};
    if (isnormal(result.coef)) {
      const ZwPoly* unfolded = unfold(tidy, &result, term, &nothing);
      return unfolded ? unfolded : zw_poly_from(tidy, &result, 1);
    }
  } else if (term->count == 0 && term->coef > 0) {
    return zw_poly_number(tidy, pow(term->coef, power));
  }
  /* no root of a product is taken apart: the signs of its factors are not known */
  ZwExpr e = zw_poly_expr(tidy, a);
  if (!e.ref) return NULL;
  bool is_plain = term->coef == 1 && term->count == 1 && term->factors[0].power == 1;
  if (!is_plain) zw_tidy_know(tidy, e.ref, a);
  ZwFactor factor = {e.ref, power};
  ZwMonomial result = monomial(tidy, 1, &factor, 1);
  return zw_poly_from(tidy, &result, 1);
}

const ZwPoly* zw_poly_power(ZwTidy* tidy, const ZwPoly* a, double power) {
  if (!a) return NULL;
  if (power == 0) return zw_poly_number(tidy, 1);
  if (power == 1) return a;
  a = zw_poly_reduce(tidy, a);
  if (!a) return NULL;
  if (a->count == 0) {
    if (power > 0) return a;
    ZwExpr zero = zw_expr_const(tidy->graph, 0); /* the fault is the user's and is shown as it is */
    return zw_poly_atom(tidy, zw_expr_binary(tidy->graph, ZW_OP_POW, zero, zw_expr_const(tidy->graph, power)));
  }
  if (a->count == 1) return power_of_one_term(tidy, a, power);
  if (is_whole(power)) {
    double length = pow(a->count, power);
    if (!tidy->expand || power < 2 || power > POWER_MAX || length > EXPANDED_MAX) return in_brackets(tidy, a, power);
    const ZwPoly* product = a;
    for (int k = 1; k < (int)power; k++) product = zw_poly_mul(tidy, product, a);
    return product;
  }
  /* of a root nothing is pulled out, but its sum is put in order, so that equal roots are seen to be equal */
  ZwMonomial content;
  const ZwPoly* primitive = zw_poly_primitive(tidy, a, &content);
  if (!primitive) return NULL;
  ZwMonomial* terms = ZW_NEW(&tidy->scratch, a->count, ZwMonomial);
  if (!terms) return NULL;
  for (int32_t i = 0; i < a->count; i++) terms[i] = zw_monomial_mul(tidy, &content, &primitive->terms[i]);
  const ZwPoly* sorted = zw_poly_from(tidy, terms, a->count);
  ZwExpr e = zw_poly_thing(tidy, sorted);
  if (!e.ref) return NULL;
  ZwFactor factor = {e.ref, power};
  ZwMonomial result = monomial(tidy, 1, &factor, 1);
  return zw_poly_from(tidy, &result, 1);
}

/* ---- the content of a sum ---- */

bool zw_fraction(double value, int32_t most, int64_t* p, int64_t* q) {
  double size = fabs(value);
  if (!(size < 1e9) || size < 1e-9) return false;
  for (int32_t k = 1; k <= most; k++) {
    double whole = nearbyint(size * k);
    if (whole < 1 || fabs(whole / k - size) > rounding / 2 * size) continue;
    *p = value < 0 ? -(int64_t)whole : (int64_t)whole;
    *q = k;
    return true;
  }
  return false;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* The largest number that leaves whole coefficients; 1 when there is none that is simple. */
static double common_number(const ZwPoly* a) {
  int64_t above = 0, below = 1;
  bool are_equal = true;
  for (int32_t i = 0; i < a->count; i++) are_equal = are_equal && fabs(a->terms[i].coef) == fabs(a->terms[0].coef);
  if (are_equal) return fabs(a->terms[0].coef);
  for (int32_t i = 0; i < a->count; i++) {
    int64_t p, q;
    if (!zw_fraction(a->terms[i].coef, 360, &p, &q)) return 1;
    above = gcd(above, p);
    below = below / gcd(below, q) * q;
    if (below > 100000) return 1;
  }
  return (double)above / (double)below;
}

static int class_of(ZwTidy* tidy, const ZwMonomial* term) {
  if (term->count == 0) return 0;
  for (int32_t i = 0; i < term->count; i++) {
    if (zw_tidy_facts(tidy, term->factors[i].base)->reads & ~ZW_READS_PARAM) return 1;
  }
  return 2;
}

static int compare_terms(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b) {
  int x = class_of(tidy, a), y = class_of(tidy, b);
  if (x != y) return x - y;
  /* the last factors are what a summand is about: cos(phi) x' + sin(phi) y' */
  for (int32_t i = a->count - 1, j = b->count - 1; i >= 0 && j >= 0; i--, j--) {
    int order = zw_poly_compare_bases(tidy, a->factors[i].base, b->factors[j].base);
    if (order) return order;
    if (a->factors[i].power != b->factors[j].power) return a->factors[i].power > b->factors[j].power ? -1 : 1;
  }
  return b->count - a->count;
}

void zw_poly_sort(ZwTidy* tidy, ZwMonomial* terms, int32_t count) {
  for (int32_t i = 1; i < count; i++) { /* insertion: sums are short, and mostly in order */
    ZwMonomial term = terms[i];
    int32_t k = i;
    for (; k > 0 && compare_terms(tidy, &terms[k - 1], &term) > 0; k--) terms[k] = terms[k - 1];
    tidy->work += i - k + 1;
    terms[k] = term;
  }
}

const ZwPoly* zw_poly_primitive(ZwTidy* tidy, const ZwPoly* a, ZwMonomial* content) {
  ZwMonomial* terms = ZW_NEW(&tidy->scratch, a->count + 1, ZwMonomial);
  if (!terms) return NULL;
  *content = a->count ? a->terms[0] : monomial(tidy, 1, NULL, 0);
  for (int32_t i = 1; i < a->count; i++) *content = zw_monomial_common(tidy, content, &a->terms[i]);
  content->coef = a->count ? common_number(a) : 1;
  ZwMonomial inverse = zw_monomial_power(tidy, content, -1);
  for (int32_t i = 0; i < a->count; i++) {
    terms[i] = zw_monomial_mul(tidy, &a->terms[i], &inverse);
    int64_t p, q; /* whole coefficients shall be whole */
    if (zw_fraction(terms[i].coef, 1, &p, &q)) terms[i].coef = (double)p;
  }
  zw_poly_sort(tidy, terms, a->count);
  if (a->count && terms[0].coef < 0) {
    content->coef = -content->coef;
    for (int32_t i = 0; i < a->count; i++) terms[i].coef = -terms[i].coef;
  }
  ZwPoly* primitive = (ZwPoly*)(uintptr_t)zw_poly_from(tidy, terms, a->count);
  if (primitive) primitive->is_reduced = a->is_reduced;
  return primitive;
}
