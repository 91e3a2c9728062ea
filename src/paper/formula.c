#include "paper/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "paper/names.h"

typedef struct Setting {
  ZwText* out;
  const char *at, *end;
  bool is_calculated;
  bool is_operand; /* what was set last can be a factor */
  bool is_raised;  /* it ends with something above the line */
  bool is_text;    /* it was a word */
} Setting;

static void set_all(ZwText* out, ZwStr formula, bool is_calculated);

/* ---- characters ---- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

/* The character after `ahead` others; 0 at the end. */
static char peek(const Setting* s, int32_t ahead) {
  return s->end - s->at > ahead ? s->at[ahead] : 0;
}

static bool begins(const Setting* s, const char* text) {
  size_t size = strlen(text);
  return (size_t)(s->end - s->at) >= size && memcmp(s->at, text, size) == 0;
}

static void add(Setting* s, const char* text) {
  zw_text_add(s->out, text, (ptrdiff_t)strlen(text));
}

/* The text inside of the bracket that begins here; what follows it is next. Without its other end all of the rest is inside. */
static ZwStr take_bracket(Setting* s) {
  const char *begin = s->at + 1, *at = s->at;
  int32_t depth = 0;
  for (; at < s->end; at++) {
    depth += *at == '(' || *at == '[' || *at == '{';
    depth -= *at == ')' || *at == ']' || *at == '}';
    if (depth == 0) break;
  }
  s->at = at < s->end ? at + 1 : at;
  return (ZwStr){begin, (int32_t)(at - begin)};
}

/* ---- above and below the line ---- */

/* What is above: T, +, -1/2, {1,4}, (1/2), ij. Powers of the calculator are single numbers: x^2/5 is x^2 over 5. */
static void set_power(Setting* s) {
  add(s, s->is_raised ? "{}^{" : "^{");
  bool is_set = peek(s, 0) == '{', is_group = peek(s, 0) == '(';
  if (is_set || is_group) {
    ZwStr inside = take_bracket(s);
    bool is_number = is_group && inside.size > 0 && (is_digit(*inside.data) || *inside.data == '-');
    add(s, is_set ? "\\{" : is_number ? "" : "(");
    set_all(s->out, inside, s->is_calculated);
    add(s, is_set ? "\\}" : is_number ? "" : ")");
  } else {
    if (strchr("+-", peek(s, 0))) zw_text_add(s->out, s->at++, 1);
    const char* begin = s->at;
    while (is_letter(peek(s, 0)) || is_digit(peek(s, 0))) s->at++;
    if (!s->is_calculated && s->at == begin + 1 && *begin == '1' && begins(s, "/2")) s->at += 2;
    ZwStr power = {begin, (int32_t)(s->at - begin)};
    zw_text_addf(s->out, zw_str_equal(power, ZW_STR("T")) ? "\\mathsf{%.*s}" : "%.*s", ZW_STR_ARGS(power));
  }
  add(s, "}");
  s->is_raised = s->is_operand = true;
}

/* A ^ that is no power is a hat: b^, A^_e, x^''. */
static bool is_hat(const Setting* s, int32_t ahead) {
  char next = peek(s, ahead + 1);
  return peek(s, ahead) == '^' && (!next || strchr(" _'),;]", next));
}

/* A- is an inverse of A, A+ its Moore-Penrose inverse: no operation, which has blanks around it. */
static bool is_inverse_sign(const Setting* s) {
  char next = peek(s, 1);
  return !s->is_calculated && (peek(s, 0) == '-' || peek(s, 0) == '+') && (!next || strchr(" ),;]", next));
}

/* ---- names ---- */

static bool is_one_of(ZwStr word, const char* const* words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (zw_str_equal(word, zw_str_from(words[i]))) return true;
  }
  return false;
}

static bool is_function(ZwStr word) {
  static const char* const names[] = {"sin", "cos", "tan", "exp", "log", "det", "max", "min", "sum"};
  return is_one_of(word, names, sizeof names / sizeof *names);
}

static bool is_greek(ZwStr word) {
  static const char* const names[] = {"alpha", "beta", "gamma", "delta", "kappa", "lambda", "mu",
                                      "nu",    "xi",   "pi",    "rho",   "sigma", "tau",    "phi",
                                      "chi",   "psi",  "omega", "Gamma", "theta"};
  return is_one_of(word, names, sizeof names / sizeof *names);
}

/* A word of a sentence: letters only, three small ones or more, or a short word of English. */
static bool is_word(ZwStr word) {
  static const char* const small[] = {"is", "of", "as", "or", "by", "if", "in", "on",
                                      "at", "to", "no", "so", "we", "it", "an", "Min"};
  if (is_greek(word) || is_function(word)) return false;
  if (is_one_of(word, small, sizeof small / sizeof *small)) return true;
  for (int32_t i = 0; i < word.size; i++) {
    if (word.data[i] < 'a' || word.data[i] > 'z') return false;
  }
  return word.size >= 3;
}

/* How many letters a name begins with that are its own; the others are its index: M of Mee, a of a0e, nu of nu2. */
static int32_t head_size(ZwStr word) {
  int32_t letters = 0;
  while (letters < word.size && is_letter(word.data[letters])) letters++;
  ZwStr head = {word.data, letters};
  if (is_greek(head) || letters < 2) return letters;
  bool is_part = letters == 2 || (letters == 3 && is_capital(*word.data));
  return is_part ? 1 : letters;
}

static void set_index(ZwText* subs, ZwStr index) {
  if (index.size == 0) return;
  if (subs->size) zw_text_add(subs, ",", 1);
  bool is_long = index.size > 2 && is_word(index);
  if (is_greek(index))
    zw_latex_name(subs, index, 0);
  else
    zw_text_addf(subs, is_long ? "\\mathrm{%.*s}" : "%.*s", ZW_STR_ARGS(index));
}

/* What is below the line: _e, _(k-1); more than one follow after commas. */
static void take_indices(Setting* s, ZwText* subs) {
  while (peek(s, 0) == '_') {
    s->at++;
    if (peek(s, 0) == '(') {
      if (subs->size) zw_text_add(subs, ",", 1);
      set_all(subs, take_bracket(s), s->is_calculated);
      continue;
    }
    const char* begin = s->at;
    while (is_letter(peek(s, 0)) || is_digit(peek(s, 0))) s->at++;
    set_index(subs, (ZwStr){begin, (int32_t)(s->at - begin)});
    if (s->at == begin) return;
  }
}

static void add_indices(Setting* s, ZwText* subs) {
  if (subs->size) zw_text_addf(s->out, "_{%s}", zw_text_get(subs));
}

/* Indices of what is set already: (b - A a)_k, Gamma^j_kl, sum_j. */
static void set_below(Setting* s) {
  ZwText subs;
  zw_text_init(&subs, s->out->arena);
  take_indices(s, &subs);
  add_indices(s, &subs);
}

/* Marks on a letter, in the order in which they are typed. */
static const char* take_mark(Setting* s) {
  static const char* const marks[][2] = {{"~", "\\tilde{"}, {"-hat", "\\hat{"}, {"-bar", "\\bar{"}};
  if (is_hat(s, 0)) {
    s->at++;
    return "\\hat{";
  }
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!begins(s, marks[i][0])) continue;
    s->at += strlen(marks[i][0]);
    return marks[i][1];
  }
  return NULL;
}

/* Two primes of a velocity are dots; those of other letters, as Q', stay. */
static void set_letter(Setting* s, ZwStr head, const char* mark, int32_t primes) {
  bool is_dotted = primes > 0 && primes <= 2 && !is_capital(*head.data);
  if (primes > 0) add(s, is_dotted ? (primes == 2 ? "\\ddot{" : "\\dot{") : "{");
  if (mark) add(s, mark);
  zw_latex_name(s->out, head, 0);
  if (mark) add(s, "}");
  for (int32_t i = 0; i < primes && !is_dotted; i++) add(s, "'");
  if (primes > 0) add(s, "}");
}

/* Qc is the one letter of ours whose second is above. */
static void set_name(Setting* s, ZwStr word) {
  ZwText subs;
  zw_text_init(&subs, s->out->arena);
  int32_t head = head_size(word), primes = 0;
  bool is_force = zw_str_equal(word, ZW_STR("Qc"));
  if (!is_force) set_index(&subs, (ZwStr){word.data + head, word.size - head});
  const char* mark = take_mark(s);
  if (zw_str_equal(word, ZW_STR("betahat"))) mark = "\\hat{", head = 4;
  take_indices(s, &subs); /* nu_1' and x'_1 are both typed */
  while (peek(s, 0) == '\'') s->at++, primes++;
  take_indices(s, &subs);
  if (is_force) add(s, "{");
  set_letter(s, (ZwStr){word.data, is_force ? 1 : head}, mark, primes);
  if (is_force) add(s, "^{c}}");
  add_indices(s, &subs);
  s->is_operand = true;
  s->is_raised = begins(s, "-lift");
  if (s->is_raised) {
    add(s, "^{\\mathrm{lift}}");
    s->at += 5;
  } else if (is_inverse_sign(s)) {
    zw_text_addf(s->out, "^{%c}", *s->at++);
    s->is_raised = true;
  }
}

/* dt, dx'', dnu1, d2L: the d of a derivative and what it is of; 0: no such. The size is that of "d" or "d2". */
static int32_t differential_size(ZwStr word) {
  if (word.size < 2 || *word.data != 'd') return 0;
  int32_t mark = word.data[1] == '2' && word.size > 2 ? 2 : 1, letters = mark;
  while (letters < word.size && is_letter(word.data[letters])) letters++;
  ZwStr rest = {word.data + mark, letters - mark};
  return rest.size == 1 || is_greek(rest) ? mark : 0;
}

/* ---- functions of the calculator ---- */

/* Where the argument that begins here ends: at a comma outside of brackets, or at the end. */
static ZwStr take_argument(ZwStr* rest) {
  int32_t size = 0, depth = 0;
  for (; size < rest->size; size++) {
    char c = rest->data[size];
    if (c == ',' && depth == 0) break;
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
  }
  ZwStr argument = {rest->data, size};
  size += size < rest->size;
  while (size < rest->size && rest->data[size] == ' ') size++;
  *rest = (ZwStr){rest->data + size, rest->size - size};
  return argument;
}

static bool is_simple(ZwStr argument) {
  for (int32_t i = 0; i < argument.size; i++) {
    if (!is_letter(argument.data[i]) && !is_digit(argument.data[i]) && argument.data[i] != '_') return false;
  }
  return argument.size > 0;
}

/* An argument as a factor: in brackets unless it is one name. */
static void set_factor(Setting* s, ZwStr argument) {
  bool is_bare = is_simple(argument) || (argument.size > 0 && *argument.data == '[');
  add(s, is_bare ? "" : "(");
  set_all(s->out, argument, true);
  add(s, is_bare ? "" : ")");
}

/* inv(X) and the like; false: it is none of them. */
static bool set_call(Setting* s, ZwStr word) {
  static const char* const calls[][3] = {/* name, before, after its argument; a factor if nothing is before */
                                         {"inv", "", "^{-1}"},
                                         {"pinv", "", "^{+}"},
                                         {"tr", "", "^{\\mathsf{T}}"},
                                         {"root", "", "^{1/2}"},
                                         {"norm", "\\lVert ", "\\rVert "},
                                         {"abs", "\\lvert ", "\\rvert "},
                                         {"sqrt", "\\sqrt{", "}"},
                                         {"eye", "1_{", "}"}};
  if (peek(s, 0) != '(') return false;
  if (zw_str_equal(word, ZW_STR("dot"))) {
    ZwStr rest = take_bracket(s), first = take_argument(&rest);
    add(s, "\\langle ");
    set_all(s->out, first, true);
    add(s, ",\\ ");
    set_all(s->out, rest, true);
    add(s, "\\rangle ");
    return true;
  }
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (!zw_str_equal(word, zw_str_from(calls[i][0]))) continue;
    ZwStr inside = take_bracket(s);
    zw_text_addf(s->out, "{%s", calls[i][1]);
    if (*calls[i][1])
      set_all(s->out, inside, s->is_calculated);
    else
      set_factor(s, inside);
    zw_text_addf(s->out, "%s}", calls[i][2]);
    return true;
  }
  return false;
}

/* [1, 2; 3, 4] is a matrix, [1, 2] a column. */
static void set_matrix(Setting* s) {
  ZwStr inside = take_bracket(s);
  bool has_rows = false;
  for (int32_t i = 0; i < inside.size; i++) has_rows = has_rows || inside.data[i] == ';';
  add(s, "\\begin{pmatrix}");
  const char *at = inside.data, *end = inside.data + inside.size;
  while (at < end) {
    const char* stop = has_rows ? memchr(at, ';', (size_t)(end - at)) : NULL;
    ZwStr row = {at, (int32_t)((stop ? stop : end) - at)};
    for (bool is_first = true; row.size > 0; is_first = false) {
      ZwStr entry = take_argument(&row);
      if (!is_first) add(s, has_rows ? " & " : " \\\\ ");
      set_all(s->out, entry, true);
    }
    if (stop) add(s, " \\\\ ");
    at = stop ? stop + 1 : end;
  }
  add(s, "\\end{pmatrix}");
  s->is_operand = true;
  s->is_raised = false;
}

/* ---- the parts of a formula ---- */

static void set_word(Setting* s) {
  const char* begin = s->at;
  while (is_letter(peek(s, 0)) || is_digit(peek(s, 0))) s->at++;
  ZwStr word = {begin, (int32_t)(s->at - begin)};
  int32_t differential = differential_size(word);
  bool is_owner = begins(s, "'s "); /* one's own */
  bool is_named = peek(s, 0) == '_' || (peek(s, 0) == '\'' && !is_owner);
  bool is_call = s->is_calculated || zw_str_equal(word, ZW_STR("sqrt"));
  s->is_operand = true;
  s->is_raised = false;
  if (is_call && set_call(s, word)) return;
  if (is_function(word)) {
    zw_text_addf(s->out, "\\%.*s", ZW_STR_ARGS(word));
    set_below(s);
    add(s, " ");
    s->is_operand = false;
  } else if (differential > 0) {
    add(s, differential == 2 ? "d^{2}" : "d");
    set_name(s, (ZwStr){word.data + differential, word.size - differential});
  } else if (is_word(word) && !is_named && !s->is_calculated) {
    if (is_owner) s->at += 2, word.size += 2;
    zw_text_addf(s->out, "\\text{%.*s}", ZW_STR_ARGS(word));
    s->is_operand = false;
    s->is_text = true;
  } else {
    set_name(s, word);
  }
}

/* 2, 0.5, 1e-3; "1.." is the number 1 and dots. */
static void set_digits(Setting* s) {
  const char* begin = s->at;
  while (is_digit(peek(s, 0)) || (peek(s, 0) == '.' && is_digit(peek(s, 1)))) s->at++;
  zw_text_add(s->out, begin, s->at - begin);
  s->is_operand = true;
  s->is_raised = false;
  bool is_signed = peek(s, 1) == '-' || peek(s, 1) == '+';
  if (peek(s, 0) != 'e' || !is_digit(peek(s, is_signed ? 2 : 1))) return;
  begin = s->at + 1;
  s->at += is_signed ? 3 : 2;
  while (is_digit(peek(s, 0))) s->at++;
  zw_text_addf(s->out, "\\cdot 10^{%.*s}", (int)(s->at - begin), begin);
  s->is_raised = true;
}

/* Signs of more than one character before those of one. */
static void set_sign(Setting* s) {
  static const char* const signs[][2] = {{"<=>", "\\Leftrightarrow "},
                                         {"==", "="},
                                         {">=", "\\ge "},
                                         {"<=", "\\le "},
                                         {"!=", "\\ne "},
                                         {"->", "\\to "},
                                         {"<-", "\\leftarrow "},
                                         {":=", "\\mathrel{:=}"},
                                         {"..", "\\ldots "},
                                         {"||", "\\Vert "},
                                         {"|", "\\vert "},
                                         {"*", "\\,"},
                                         {"~", "\\sim "},
                                         {"#", "^{\\sharp}"},
                                         {"{", "\\{"},
                                         {"}", "\\}"},
                                         {"%", "\\%"},
                                         {"&", "\\&"},
                                         {"$", "\\$"},
                                         {"\\", "\\backslash "},
                                         {"_", "\\_"},
                                         {"\"", "''"}};
  s->is_operand = strchr(")]}#|", *s->at) != NULL;
  s->is_raised = *s->at == '#';
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (!begins(s, signs[i][0])) continue;
    s->at += strlen(signs[i][0]);
    add(s, signs[i][1]);
    return;
  }
  bool is_listed = (*s->at == ',' || *s->at == ';') && peek(s, 1) == ' ';
  zw_text_add(s->out, s->at++, 1);
  if (!is_listed) return;
  while (peek(s, 0) == ' ') s->at++;
  add(s, "\\ ");
}

/* Blanks between factors are thin, those beside words are blanks; elsewhere LaTeX knows better. */
static void set_blank(Setting* s) {
  while (peek(s, 0) == ' ') s->at++;
  char next = peek(s, 0);
  bool is_factor = is_letter(next) || is_digit(next) || strchr("([{", next);
  const char* begin = s->at;
  const char* stop = begin;
  while (stop < s->end && (is_letter(*stop) || is_digit(*stop))) stop++;
  ZwStr word = {begin, (int32_t)(stop - begin)};
  bool is_before_word = word.size > 0 && !s->is_calculated && is_word(word);
  if (is_before_word || s->is_text)
    add(s, "\\ ");
  else if (s->is_operand && is_factor)
    add(s, "\\,");
  else
    add(s, " ");
}

/* After a bracket: (b - A a)_k, (I - D- D)+ */
static void set_after_bracket(Setting* s) {
  set_below(s);
  if (!is_inverse_sign(s)) return;
  zw_text_addf(s->out, "^{%c}", *s->at++);
  s->is_raised = true;
}

static void set_part(Setting* s) {
  char c = *s->at;
  if (c == ' ') {
    set_blank(s);
    return;
  }
  s->is_text = false;
  if (is_letter(c)) {
    set_word(s);
  } else if (is_digit(c)) {
    set_digits(s);
  } else if (c == '^') {
    s->at++;
    set_power(s);
  } else if (c == '_' && (is_letter(peek(s, 1)) || is_digit(peek(s, 1)) || peek(s, 1) == '(')) {
    set_below(s);
  } else if (c == '[' && s->is_calculated) {
    set_matrix(s);
  } else {
    set_sign(s);
    if (c == ')' || c == ']' || c == '>') set_after_bracket(s);
  }
}

static void set_all(ZwText* out, ZwStr formula, bool is_calculated) {
  Setting s = {out, formula.data, formula.data + formula.size, is_calculated, false, false, false};
  while (s.at < s.end && !out->arena->failed) set_part(&s);
}

void zw_latex_formula(ZwText* text, ZwStr formula, bool is_calculated) {
  set_all(text, formula, is_calculated);
}

void zw_latex_number(ZwText* text, double value, int digits) {
  char written[64];
  zw_snprintf(written, sizeof written, "%.*g", digits, value + 0.0);
  const char* e = strchr(written, 'e');
  if (e)
    zw_text_addf(text, "%.*s\\cdot 10^{%d}", (int)(e - written), written, atoi(e + 1));
  else
    zw_text_addf(text, "%s", isfinite(value) ? written : "\\text{no finite number}");
}
