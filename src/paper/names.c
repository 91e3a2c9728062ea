#include "paper/names.h"

#include <string.h>

#include "text/letters.h"

enum { PARTS_MAX = 32 };

/* ---- letters ---- */

static const char* const greek_names[] = {
    "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta",     "theta", "iota", "kappa", "lambda", "mu",
    "nu",    "xi",    "pi",     "rho",   "sigma",   "tau",   "upsilon", "phi",   "chi",  "psi",   "omega",  "Gamma",
    "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Upsilon", "Phi",   "Psi",  "Omega"};

static bool is_greek_name(ZwStr word) {
  for (int i = 0; i < (int)(sizeof greek_names / sizeof *greek_names); i++) {
    if (zw_str_equal(word, zw_str_from(greek_names[i]))) return true;
  }
  return false;
}

static void add_greek_name(ZwText* text, ZwStr word) {
  bool is_variant = zw_str_equal(word, ZW_STR("phi")) || zw_str_equal(word, ZW_STR("epsilon"));
  zw_text_addf(text, "\\%s%.*s{}", is_variant ? "var" : "", ZW_STR_ARGS(word));
}

/* The command of a Greek letter, NULL for all others. */
static const char* greek_letter(uint32_t c) {
  static const char* const small[] = {"alpha",  "beta", "gamma", "delta",    "varepsilon", "zeta", "eta",
                                      "theta",  "iota", "kappa", "lambda",   "mu",         "nu",   "xi",
                                      NULL,     "pi",   "rho",   "varsigma", "sigma",      "tau",  "upsilon",
                                      "varphi", "chi",  "psi",   "omega"};
  static const char* const capital[] = {NULL,    NULL,     "Gamma",   "Delta", NULL, NULL,  NULL,   "Theta", NULL,
                                        NULL,    "Lambda", NULL,      NULL,    "Xi", NULL,  "Pi",   NULL,    NULL,
                                        "Sigma", NULL,     "Upsilon", "Phi",   NULL, "Psi", "Omega"};
  if (c >= 0x3B1 && c <= 0x3C9) return small[c - 0x3B1];
  if (c >= 0x391 && c <= 0x3A9) return capital[c - 0x391];
  if (c == 0x3D1) return "vartheta";
  if (c == 0x3D5) return "phi";
  if (c == 0xB5) return "mu";
  return NULL;
}

/* Letters that the plain Latin fonts of LaTeX have or compose. */
static bool is_latin(uint32_t c) {
  return c >= 0xC0 && c <= 0xFF && c != 0xD0 && c != 0xD7 && c != 0xDE && c != 0xF0 && c != 0xF7 && c != 0xFE;
}

/* One character beyond ASCII, in a formula. */
static void add_letter(ZwText* text, uint32_t c, const char* bytes, int32_t size) {
  const char* greek = greek_letter(c);
  if (greek)
    zw_text_addf(text, "\\%s{}", greek);
  else if (is_latin(c))
    zw_text_addf(text, "\\text{%.*s}", (int)size, bytes);
  else
    zw_text_addf(text, "\\mathrm{u%04X}", (unsigned)c); /* always compiles, and can be looked up */
}

static bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A word without digits at its end and without underscores. */
static void add_word(ZwText* text, ZwStr word) {
  if (is_greek_name(word)) {
    add_greek_name(text, word);
    return;
  }
  for (int32_t at = 0; at < word.size;) {
    int32_t run = at;
    while (run < word.size && is_ascii_letter(word.data[run])) run++;
    if (run > at) {
      bool is_single = run - at == 1 && word.size == 1;
      zw_text_addf(text, is_single ? "%.*s" : "\\mathrm{%.*s}", (int)(run - at), word.data + at);
      at = run;
      continue;
    }
    uint32_t c = 0;
    int32_t size = zw_utf8_decode(word.data + at, word.size - at, &c);
    if (size > 0 && c > 0x7F) add_letter(text, c, word.data + at, size);
    at += size > 0 ? size : 1;
  }
}

/* ---- names ---- */

/* A member with its index: `rod[2,1]`. */
typedef struct Member {
  ZwStr word, index;
} Member;

typedef struct Parts {
  Member members[PARTS_MAX];
  int count;
} Parts;

static void split_members(ZwStr name, Parts* parts) {
  int32_t at = 0;
  while (at < name.size && parts->count < PARTS_MAX) {
    Member* member = &parts->members[parts->count++];
    member->word.data = name.data + at;
    while (at < name.size && name.data[at] != '.' && name.data[at] != '[') at++, member->word.size++;
    if (at < name.size && name.data[at] == '[') {
      member->index.data = name.data + ++at;
      while (at < name.size && name.data[at] != ']') at++, member->index.size++;
      at++;
    }
    if (at < name.size && name.data[at] == '.') at++;
  }
}

/* The letters a word begins with: x of x1, tip of tip_x. */
static ZwStr head_of(ZwStr word) {
  int32_t size = 0;
  while (size < word.size && word.data[size] != '_') size++;
  ZwStr head = {word.data, size};
  while (head.size > 1 && head.data[head.size - 1] >= '0' && head.data[head.size - 1] <= '9') head.size--;
  return head;
}

static bool is_short(ZwStr word) {
  ZwStr head = head_of(word);
  uint32_t c;
  return is_greek_name(head) || head.size == 1 || zw_utf8_decode(head.data, head.size, &c) == head.size;
}

static void add_comma(ZwText* subs) {
  if (subs->size) zw_text_add(subs, ",", 1);
}

/* What follows the head: digits and words after underscores, each a subscript. */
static void add_tail(ZwText* subs, ZwStr word) {
  int32_t at = head_of(word).size;
  while (at < word.size) {
    if (word.data[at] == '_') {
      at++;
      continue;
    }
    int32_t end = at;
    while (end < word.size && word.data[end] != '_') end++;
    ZwStr part = {word.data + at, end - at};
    bool is_digits = true;
    for (int32_t i = 0; i < part.size; i++) is_digits = is_digits && part.data[i] >= '0' && part.data[i] <= '9';
    add_comma(subs);
    if (is_digits)
      zw_text_add(subs, part.data, part.size);
    else
      add_word(subs, part);
    at = end;
  }
}

static void add_index(ZwText* subs, ZwStr index) {
  if (!index.size) return;
  add_comma(subs);
  zw_text_add(subs, index.data, index.size);
}

static bool is_component(ZwStr word) {
  return word.size == 1 && word.data[0] >= 'x' && word.data[0] <= 'z';
}

void zw_latex_name(ZwText* text, ZwStr name, int dots) {
  Parts parts = {.count = 0};
  split_members(name, &parts);
  if (parts.count == 0) return;
  /* P.x is a component of P; crank.phi and crank.x belong to a part */
  int main = parts.count - 1;
  bool has_component = main > 0 && is_component(parts.members[main].word) && is_short(parts.members[main - 1].word);
  if (has_component) main--;
  ZwText subs;
  zw_text_init(&subs, text->arena);
  for (int i = 0; i < main; i++) {
    add_comma(&subs);
    add_word(&subs, head_of(parts.members[i].word));
    ZwText own;
    zw_text_init(&own, text->arena);
    add_tail(&own, parts.members[i].word);
    add_index(&own, parts.members[i].index);
    if (own.size) zw_text_addf(&subs, "_{%s}", zw_text_get(&own));
  }
  add_tail(&subs, parts.members[main].word);
  add_index(&subs, parts.members[main].index);
  if (has_component) {
    add_comma(&subs);
    zw_text_add(&subs, parts.members[main + 1].word.data, 1);
  }
  static const char* const marks[] = {"%s", "\\dot{", "\\ddot{"};
  if (dots) zw_text_addf(text, "%s", marks[dots]);
  add_word(text, head_of(parts.members[main].word));
  if (dots) zw_text_add(text, "}", 1);
  if (subs.size) zw_text_addf(text, "_{%s}", zw_text_get(&subs));
}

void zw_latex_words(ZwText* text, ZwStr words) {
  for (int32_t at = 0; at < words.size;) {
    unsigned char c = (unsigned char)words.data[at];
    if (c < 0x80) {
      if (strchr("_#$%&{}", c))
        zw_text_addf(text, "\\%c", c);
      else if (c == '\\')
        zw_text_addf(text, "\\textbackslash{}");
      else if (c == '~' || c == '^')
        zw_text_addf(text, "\\%c{}", c);
      else if (c == '<' || c == '>')
        zw_text_addf(text, "$%c$", c);
      else if (c >= 0x20)
        zw_text_add(text, &words.data[at], 1);
      at++;
      continue;
    }
    uint32_t letter = 0;
    int32_t size = zw_utf8_decode(words.data + at, words.size - at, &letter);
    if (size > 0) {
      zw_text_add(text, "$", 1);
      add_letter(text, letter, words.data + at, size);
      zw_text_add(text, "$", 1);
    }
    at += size > 0 ? size : 1;
  }
}
