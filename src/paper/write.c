#include "paper/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/print.h"
#include "paper/names.h"
#include "text/letters.h"

enum { DEPTH_MAX = 2000 };
/* What may stand in one fraction or root of LaTeX, where no line breaks: nodes, and glyphs. */
enum { WHOLE_NODES = 120, WHOLE_WIDTH = 44 };

/* A place where a line may break: the mark, then how bad that would be. One stands for a space, the other for nothing. */
enum { MARK_SPACE = 1, MARK_EMPTY = 2, BADNESS_ZERO = 32, BADNESS_MAX = 120 };

typedef struct Place {
  int binding;   /* what stands around binds so strongly */
  int depth;     /* brackets around */
  int level;     /* of the recursion */
  bool is_whole; /* inside a fraction or root: no line may break */
} Place;

static void write_node(ZwWriter* w, uint32_t ref, Place place);

static void add(ZwWriter* w, const char* text) {
  zw_text_add(w->text, text, (ptrdiff_t)strlen(text));
}

static void add_mark(ZwWriter* w, int mark, int badness, Place place) {
  if (place.is_whole) {
    if (mark == MARK_SPACE) add(w, " ");
    return;
  }
  int value = BADNESS_ZERO + (badness < BADNESS_MAX - BADNESS_ZERO ? badness : BADNESS_MAX - BADNESS_ZERO);
  char bytes[2] = {(char)mark, (char)value};
  zw_text_add(w->text, bytes, 2);
}

static const ZwNode* node_of(const ZwWriter* w, uint32_t ref) {
  return &w->paper->graph.nodes.items[ref];
}

static Place inside(Place place, int binding) {
  return (Place){binding, place.depth, place.level + 1, place.is_whole};
}

static Place in_brackets(Place place, int binding) {
  return (Place){binding, place.depth + 1, place.level + 1, place.is_whole};
}

/* ---- leaves ---- */

ZwStr zw_paper_coord_name(const ZwSheet* paper, int32_t i) {
  return i < paper->n ? paper->system->coords.items[i].name : paper->quasi_names[i - paper->n];
}

void zw_write_name(ZwWriter* w, ZwStr name, int primes) {
  if (w->is_latex) {
    zw_latex_name(w->text, name, primes);
    return;
  }
  zw_text_add(w->text, name.data, name.size);
  while (primes-- > 0) add(w, "'");
}

void zw_write_share_name(ZwWriter* w, int32_t number) {
  zw_text_addf(w->text, w->is_latex ? "%s_{%d}" : "%s%d", w->share->prefix, (int)number);
}

/* 1/2, 3/4 and 1/3 as fractions, 9.81 and 0.1 as they are, unless all fractions are wanted. */
static bool is_fraction(const ZwWriter* w, double value, int64_t* p, int64_t* q) {
  if (!zw_fraction(value, 360, p, q) || *q == 1) return false;
  int64_t above = *p < 0 ? -*p : *p, below = *q;
  if (w->has_fractions && above <= 100 && below <= 100) return true; /* 9.81 was typed */
  if (below == 2 || below == 4 || below == 8) return above < 10;
  while (below % 2 == 0) below /= 2;
  while (below % 5 == 0) below /= 5;
  return below > 1 && above < 1000; /* its decimals never end */
}

/* The shortest digits; what the last bit of a product of numbers spoilt (0.010000000000000002) is not shown. */
static int32_t number_text(double value, char digits[64]) {
  char rounded[ZW_NUMBER_ROOM];
  int32_t exact = zw_number_text(value, digits);
  int32_t size = zw_number_print(value, 'g', 15, false, rounded);
  size = zw_number_text(zw_number_read(rounded, size).value, rounded);
  if (size + 3 > exact) return exact;
  memcpy(digits, rounded, (size_t)size);
  return size;
}

void zw_write_decimal(ZwWriter* w, double value) {
  char digits[64] = "";
  int32_t size = number_text(value, digits);
  digits[size] = 0;
  const char* e = w->is_latex ? memchr(digits, 'e', (size_t)size) : NULL;
  if (!e) {
    zw_text_add(w->text, digits, size);
    return;
  }
  zw_text_addf(w->text, "%.*s\\cdot 10^{%d}", (int)(e - digits), digits, atoi(e + 1));
}

void zw_write_number(ZwWriter* w, double value) {
  int64_t p, q;
  bool is_pi = fabs(value) > 0.01 && zw_fraction(value / 3.14159265358979323846, 12, &p, &q) && p * p < 10000;
  if (is_pi) {
    if (p < 0) add(w, "-");
    p = p < 0 ? -p : p;
    const char* pi = w->is_latex ? "\\pi{}" : "pi";
    if (p != 1) zw_text_addf(w->text, w->is_latex ? "%lld" : "%lld*", (long long)p);
    add(w, pi);
    if (q != 1) zw_text_addf(w->text, "/%lld", (long long)q);
  } else if (is_fraction(w, value, &p, &q)) {
    const char* sign = p < 0 ? "-" : "";
    zw_text_addf(w->text, w->is_latex ? "%s\\tfrac{%lld}{%lld}" : "%s%lld/%lld", sign, (long long)(p < 0 ? -p : p),
                 (long long)q);
  } else {
    zw_write_decimal(w, value);
  }
}

static bool is_broken_number(const ZwWriter* w, double value) {
  int64_t p, q;
  bool is_pi = fabs(value) > 0.01 && zw_fraction(value / 3.14159265358979323846, 12, &p, &q) && p * p < 10000;
  return is_pi || is_fraction(w, value, &p, &q);
}

static ZwStr param_name(const ZwSheet* paper, int32_t i) {
  int32_t count = paper->system->params.count;
  return i < count ? paper->system->params.items[i].name : paper->steps.items[i - count].name;
}

static void write_leaf(ZwWriter* w, const ZwNode* node) {
  switch (node->op) {
    case ZW_OP_CONST:
      zw_write_number(w, node->u.value);
      break;
    case ZW_OP_TIME:
      add(w, "t");
      break;
    case ZW_OP_PARAM:
      zw_write_name(w, param_name(w->paper, node->u.index), 0);
      break;
    case ZW_OP_COORD:
      zw_write_name(w, zw_paper_coord_name(w->paper, node->u.index), 0);
      break;
    case ZW_OP_VELOCITY:
      zw_write_name(w, zw_paper_coord_name(w->paper, node->u.index), node->u.index < w->paper->n ? 1 : 0);
      break;
    case ZW_OP_ACCELERATION:
      zw_write_name(w, zw_paper_coord_name(w->paper, node->u.index), node->u.index < w->paper->n ? 2 : 1);
      break;
    default:
      add(w, "?");
      break;
  }
}

/* ---- operators ---- */

static int binding_of(const ZwWriter* w, const ZwNode* node) {
  if (node->op == ZW_OP_CONST && is_broken_number(w, node->u.value)) return ZW_BIND_TERM;
  return zw_expr_binding(node);
}

/* A summand -c*x is written with a minus before it and without its sign. */
static bool is_negative(const ZwWriter* w, uint32_t ref) {
  if (w->share && w->share->number[ref]) return false;
  const ZwNode* node = node_of(w, ref);
  if (node->op == ZW_OP_MUL || node->op == ZW_OP_DIV) return is_negative(w, node->u.args[0]);
  return node->op == ZW_OP_CONST && node->u.value < 0;
}

static void write_unsigned(ZwWriter* w, uint32_t ref, Place place) {
  const ZwNode* node = node_of(w, ref);
  if (node->op == ZW_OP_CONST) {
    zw_write_number(w, -node->u.value);
    return;
  }
  /* -1*x never occurs: the folder makes it a NEG */
  write_unsigned(w, node->u.args[0], inside(place, ZW_BIND_TERM));
  if (node->op == ZW_OP_DIV) {
    add(w, "/");
    write_node(w, node->u.args[1], inside(place, ZW_BIND_UNARY));
    return;
  }
  add(w, w->is_latex ? "\\," : "*");
  write_node(w, node->u.args[1], inside(place, ZW_BIND_TERM));
}

static void write_sum(ZwWriter* w, const ZwNode* node, Place place) {
  bool is_minus = node->op == ZW_OP_SUB;
  uint32_t second = node->u.args[1];
  write_node(w, node->u.args[0], inside(place, ZW_BIND_SUM));
  bool turns = is_negative(w, second);
  if (turns) is_minus = !is_minus;
  add_mark(w, MARK_SPACE, 2 * place.depth, place);
  add(w, is_minus ? "- " : "+ ");
  if (turns)
    write_unsigned(w, second, inside(place, ZW_BIND_TERM));
  else
    write_node(w, second, inside(place, is_minus ? ZW_BIND_TERM : ZW_BIND_SUM));
}

static bool ends_in_number(const ZwWriter* w, uint32_t ref) {
  const ZwNode* node = node_of(w, ref);
  return node->op == ZW_OP_CONST;
}

static bool begins_with_number(const ZwWriter* w, uint32_t ref) {
  const ZwNode* node = node_of(w, ref);
  while (node->op == ZW_OP_MUL || node->op == ZW_OP_POW || node->op == ZW_OP_DIV) node = node_of(w, node->u.args[0]);
  return node->op == ZW_OP_CONST;
}

static void write_product(ZwWriter* w, const ZwNode* node, Place place) {
  uint32_t a = node->u.args[0], b = node->u.args[1];
  write_node(w, a, inside(place, ZW_BIND_TERM));
  if (w->is_latex) {
    bool needs_dot = begins_with_number(w, b) && !(w->share && w->share->number[b]);
    add(w, needs_dot ? " \\cdot " : ends_in_number(w, a) ? " " : "\\,");
    write_node(w, b, inside(place, ZW_BIND_TERM));
  } else {
    add_mark(w, MARK_EMPTY, 2 * place.depth + 1, place);
    add(w, "*");
    write_node(w, b, inside(place, ZW_BIND_TERM));
  }
}

/* What a subexpression looks like when nothing in it may break. */
static ZwText written_whole(ZwWriter* w, uint32_t ref, Place place) {
  ZwText part;
  zw_text_init(&part, w->text->arena);
  ZwWriter other = *w;
  other.text = &part;
  place.is_whole = true;
  write_node(&other, ref, place);
  return part;
}

/* Whether a fraction or root with this in it may stand in one line; cheap to ask of large expressions. */
static bool may_be_whole(const ZwWriter* w, uint32_t ref) {
  const ZwSheet* paper = w->paper;
  if (w->share) return w->share->cost[ref] <= WHOLE_NODES;
  return ref < (uint32_t)paper->tidy.facts.count && paper->tidy.facts.items[ref].cost <= WHOLE_NODES;
}

static bool is_wide(const ZwText* text) {
  return zw_write_width((ZwStr){zw_text_get(text), text->size}, true) > WHOLE_WIDTH;
}

static bool write_fraction(ZwWriter* w, uint32_t a, uint32_t b, Place place) {
  if (!may_be_whole(w, a) || !may_be_whole(w, b)) return false;
  ZwText above = written_whole(w, a, inside(place, ZW_BIND_SELECT)),
         below = written_whole(w, b, inside(place, ZW_BIND_SELECT));
  if (!place.is_whole && (is_wide(&above) || is_wide(&below))) return false;
  zw_text_addf(w->text, "\\frac{%s}{%s}", zw_text_get(&above), zw_text_get(&below));
  return true;
}

static void write_quotient(ZwWriter* w, const ZwNode* node, Place place) {
  uint32_t a = node->u.args[0], b = node->u.args[1];
  if (w->is_latex && write_fraction(w, a, b, place)) return;
  write_node(w, a, inside(place, ZW_BIND_TERM));
  add_mark(w, MARK_EMPTY, 2 * place.depth + 1, place);
  add(w, "/");
  write_node(w, b, inside(place, ZW_BIND_UNARY + 1)); /* a fraction below must not look like one beside */
}

/* Roots, absolute values and floors of LaTeX, which hold together what is in them. */
static void write_wrapped(ZwWriter* w, const ZwNode* node, Place place) {
  uint32_t a = node->u.args[0];
  const char* format = node->op == ZW_OP_ABS ? "\\lvert %s\\rvert " : "\\lfloor %s\\rfloor ";
  if (node->op == ZW_OP_SQRT) format = "\\sqrt{%s}";
  ZwText part = {0};
  bool is_whole = may_be_whole(w, a) || node->op != ZW_OP_SQRT;
  if (is_whole) part = written_whole(w, a, inside(place, ZW_BIND_SELECT));
  if (is_whole && (place.is_whole || node->op != ZW_OP_SQRT || !is_wide(&part))) {
    zw_text_addf(w->text, format, zw_text_get(&part));
    return;
  }
  add(w, "(");
  write_node(w, a, in_brackets(place, ZW_BIND_SELECT));
  add(w, ")^{1/2}");
}

static const char* latex_function(ZwOp op) {
  switch (op) {
    case ZW_OP_SIN:
      return "\\sin";
    case ZW_OP_COS:
      return "\\cos";
    case ZW_OP_TAN:
      return "\\tan";
    case ZW_OP_ASIN:
      return "\\arcsin";
    case ZW_OP_ACOS:
      return "\\arccos";
    case ZW_OP_ATAN:
      return "\\arctan";
    case ZW_OP_SINH:
      return "\\sinh";
    case ZW_OP_COSH:
      return "\\cosh";
    case ZW_OP_TANH:
      return "\\tanh";
    case ZW_OP_EXP:
      return "\\exp";
    case ZW_OP_LOG:
      return "\\ln";
    case ZW_OP_MIN:
      return "\\min";
    case ZW_OP_MAX:
      return "\\max";
    case ZW_OP_SIGN:
      return "\\operatorname{sign}";
    case ZW_OP_ATAN2:
      return "\\operatorname{atan2}";
    case ZW_OP_HYPOT:
      return "\\operatorname{hypot}";
    case ZW_OP_TABLE:
      return "\\operatorname{table}";
    default:
      return "\\operatorname{mod}";
  }
}

/* sin x needs no brackets, sin(angle) does. */
static bool is_one_letter(const ZwWriter* w, const ZwNode* node) {
  if (zw_op_arity(node->op) > 0 || node->op == ZW_OP_CONST) return false;
  ZwText part;
  zw_text_init(&part, w->text->arena);
  ZwWriter other = *w;
  other.text = &part;
  write_leaf(&other, node);
  return !strstr(zw_text_get(&part), "\\mathrm") && part.size > 0;
}

static void write_call(ZwWriter* w, const ZwNode* node, Place place, const char* power) {
  int count = node->op == ZW_OP_TABLE ? 1 : zw_op_arity(node->op);
  const ZwNode* first = node_of(w, node->u.args[0]);
  if (w->is_latex && (node->op == ZW_OP_SQRT || node->op == ZW_OP_ABS || node->op == ZW_OP_FLOOR)) {
    write_wrapped(w, node, place);
    return;
  }
  add(w, w->is_latex ? latex_function(node->op) : zw_op_text(node->op));
  if (power) zw_text_addf(w->text, "^{%s}", power);
  bool is_plain = w->is_latex && count == 1 && node->op <= ZW_OP_TANH && is_one_letter(w, first);
  add(w, is_plain ? " " : "(");
  for (int k = 0; k < count; k++) {
    if (k) add(w, ", ");
    write_node(w, node->u.args[k], in_brackets(place, ZW_BIND_SELECT));
  }
  if (node->op == ZW_OP_TABLE && node_of(w, node->u.args[2])->u.value > 0) {
    zw_text_addf(w->text, "; %d", (int)node_of(w, node->u.args[2])->u.value); /* which derivative */
  }
  if (!is_plain) add(w, ")");
}

static void write_power(ZwWriter* w, const ZwNode* node, Place place) {
  uint32_t base = node->u.args[0], power = node->u.args[1];
  const ZwNode* inner = node_of(w, base);
  if (!w->is_latex) {
    write_node(w, base, inside(place, ZW_BIND_LEAF));
    add(w, "^");
    write_node(w, power, inside(place, ZW_BIND_UNARY));
    return;
  }
  ZwWriter plain = *w; /* 3/2 in an exponent is small enough without a fraction */
  if (node_of(w, power)->op == ZW_OP_CONST) plain.is_latex = false;
  ZwText exponent = written_whole(&plain, power, inside(place, ZW_BIND_SELECT));
  bool is_named = w->share && w->share->number[base];
  if (!is_named && inner->op >= ZW_OP_SIN && inner->op <= ZW_OP_TANH) {
    write_call(w, inner, inside(place, ZW_BIND_LEAF), zw_text_get(&exponent));
    return;
  }
  bool is_root = !is_named && inner->op == ZW_OP_SQRT;
  if (is_root) add(w, "(");
  write_node(w, base, inside(place, ZW_BIND_LEAF));
  if (is_root) add(w, ")");
  zw_text_addf(w->text, "^{%s}", zw_text_get(&exponent));
}

static const char* operator_text(const ZwWriter* w, ZwOp op) {
  if (!w->is_latex) return zw_op_text(op);
  switch (op) {
    case ZW_OP_LESS_EQUAL:
      return "\\le{}";
    case ZW_OP_EQUAL:
      return "=";
    case ZW_OP_NOT_EQUAL:
      return "\\ne{}";
    case ZW_OP_AND:
      return "\\text{and}";
    case ZW_OP_OR:
      return "\\text{or}";
    default:
      return zw_op_text(op);
  }
}

static void write_other(ZwWriter* w, const ZwNode* node, int own, Place place) {
  if (node->op == ZW_OP_SELECT) {
    add(w, w->is_latex ? "\\text{if }" : "if ");
    write_node(w, node->u.args[0], inside(place, ZW_BIND_OR));
    add(w, w->is_latex ? "\\text{ then }" : " then ");
    write_node(w, node->u.args[1], inside(place, ZW_BIND_OR));
    add(w, w->is_latex ? "\\text{ else }" : " else ");
    write_node(w, node->u.args[2], inside(place, ZW_BIND_SELECT));
    return;
  }
  write_node(w, node->u.args[0], inside(place, own + 1));
  add(w, " ");
  add(w, operator_text(w, node->op));
  add(w, " ");
  write_node(w, node->u.args[1], inside(place, own + 1));
}

static void write_bare(ZwWriter* w, uint32_t ref, Place place) {
  const ZwNode* node = node_of(w, ref);
  if (place.level > DEPTH_MAX || w->text->arena->failed) {
    add(w, "...");
    return;
  }
  int own = binding_of(w, node);
  bool bracketed = own < place.binding;
  /* a fraction in LaTeX keeps itself together */
  if (w->is_latex && place.binding <= ZW_BIND_UNARY && node->op == ZW_OP_CONST && node->u.value >= 0) bracketed = false;
  if (w->is_latex && place.binding <= ZW_BIND_UNARY && node->op == ZW_OP_DIV) bracketed = false;
  if (bracketed) add(w, "(");
  Place here = bracketed ? in_brackets(place, ZW_BIND_SELECT) : place;
  switch (zw_op_form(node->op)) {
    case ZW_FORM_LEAF:
      write_leaf(w, node);
      break;
    case ZW_FORM_SUM:
      write_sum(w, node, here);
      break;
    case ZW_FORM_TERM:
      node->op == ZW_OP_MUL ? write_product(w, node, here) : write_quotient(w, node, here);
      break;
    case ZW_FORM_POWER:
      write_power(w, node, here);
      break;
    case ZW_FORM_TABLE:
    case ZW_FORM_CALL:
    case ZW_FORM_OWN:
      write_call(w, node, here, NULL);
      break;
    case ZW_FORM_PREFIX:
      add(w, node->op == ZW_OP_NEG ? "-" : w->is_latex ? "\\text{not }" : "not ");
      write_node(w, node->u.args[0], inside(here, node->op == ZW_OP_NEG ? ZW_BIND_TERM : own));
      break;
    case ZW_FORM_COMPARE:
    case ZW_FORM_LOGIC:
    case ZW_FORM_SELECT:
      write_other(w, node, own, here);
      break;
  }
  if (bracketed) add(w, ")");
}

static void write_node(ZwWriter* w, uint32_t ref, Place place) {
  int32_t number = w->share ? w->share->number[ref] : 0;
  if (number)
    zw_write_share_name(w, number);
  else
    write_bare(w, ref, place);
}

void zw_write_expr(ZwWriter* w, ZwExpr e) {
  if (e.ref) write_bare(w, e.ref, (Place){0});
}

void zw_write_value(ZwWriter* w, ZwExpr e) {
  if (e.ref) write_node(w, e.ref, (Place){0});
}

/* ---- lines ---- */

/* Glyphs of LaTeX, about: commands that make a sign count one, those that only arrange count nothing. */
static int32_t latex_width(ZwStr text) {
  static const char* const silent[] = {"dot",   "ddot", "mathrm",       "text",  "frac",
                                       "tfrac", "sqrt", "operatorname", "lvert", "rvert"};
  int32_t thirds = 0, depth = 0, small = 0; /* brackets around, and around the outermost subscript */
  for (int32_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == '{') depth++;
    if (c == '}' && depth-- == small) small = 0;
    if ((c == '_' || c == '^') && !small) small = depth + 1;
    if (strchr("{}^_ &\n", c) || ((unsigned char)c & 0xC0) == 0x80) continue;
    int32_t signs = 1;
    if (c == '\\') {
      int32_t begin = ++i;
      while (i < text.size && ((text.data[i] | 32) >= 'a' && (text.data[i] | 32) <= 'z')) i++;
      ZwStr word = {text.data + begin, i - begin};
      if (word.size == 0) continue; /* \\, and its like; the sign is passed over */
      i--;
      for (int k = 0; k < (int)(sizeof silent / sizeof *silent); k++) {
        if (zw_str_equal(word, zw_str_from(silent[k]))) signs = 0;
      }
      bool is_function =
          zw_str_equal(word, ZW_STR("sin")) || zw_str_equal(word, ZW_STR("cos")) || zw_str_equal(word, ZW_STR("tan"));
      if (is_function) signs = 3;
    }
    thirds += signs * (small ? 2 : 3);
  }
  return (thirds + 2) / 3;
}

int32_t zw_write_width(ZwStr text, bool is_latex) {
  if (is_latex) return latex_width(text);
  int32_t width = 0;
  for (int32_t i = 0; i < text.size; i++) width += ((unsigned char)text.data[i] & 0xC0) != 0x80;
  return width;
}

/* One stretch between two places to break at. */
typedef struct Stretch {
  int32_t begin, size, width;
  int badness; /* of a break before it */
  bool has_space;
} Stretch;

typedef struct Stretches {
  ZW_ARRAY(Stretch) list;
} Stretches;

static bool find_stretches(ZwArena* arena, ZwStr written, bool is_latex, Stretches* stretches) {
  Stretch now = {0};
  for (int32_t i = 0; i <= written.size; i++) {
    bool is_mark = i < written.size && (written.data[i] == MARK_SPACE || written.data[i] == MARK_EMPTY);
    if (i < written.size && !is_mark) continue;
    now.size = i - now.begin;
    now.width = zw_write_width((ZwStr){written.data + now.begin, now.size}, is_latex);
    if (!ZW_PUSH(arena, &stretches->list, now)) return false;
    if (is_mark)
      now = (Stretch){.begin = i + 2, .badness = written.data[i + 1], .has_space = written.data[i] == MARK_SPACE};
    i += is_mark;
  }
  return true;
}

/* The stretch the next line begins with: the one with the least bad break, late rather than early. */
static int32_t next_line(const Stretches* stretches, int32_t begin, int32_t room) {
  int32_t width = 0, best = -1, end = stretches->list.count;
  for (int32_t i = begin; i < end; i++) {
    const Stretch* stretch = &stretches->list.items[i];
    if (i > begin && width + stretch->has_space + stretch->width > room) {
      if (best < 0) best = i;
      return best;
    }
    /* a break early in the line leaves it too short, unless nothing else will do */
    const Stretch* old = best > 0 ? &stretches->list.items[best] : NULL;
    if (i > begin && (!old || (stretch->badness <= old->badness) || 3 * width < room)) best = i;
    width += stretch->width + (i > begin && stretch->has_space);
  }
  return end;
}

void zw_write_lines(ZwText* out, ZwStr written, bool is_latex, int32_t width, int32_t first, const char* turn,
                    int32_t indent) {
  Stretches stretches = {0};
  if (!find_stretches(out->arena, written, is_latex, &stretches)) return;
  int32_t room = width - first;
  for (int32_t begin = 0; begin < stretches.list.count;) {
    int32_t end = width ? next_line(&stretches, begin, room) : stretches.list.count;
    if (begin > 0) zw_text_addf(out, "%s", turn);
    for (int32_t i = begin; i < end; i++) {
      const Stretch* stretch = &stretches.list.items[i];
      if (i > begin && stretch->has_space) zw_text_add(out, " ", 1);
      zw_text_add(out, written.data + stretch->begin, stretch->size);
    }
    begin = end;
    room = width - indent;
  }
}
