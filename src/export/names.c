#include "export/names.h"

#include <string.h>

#include "text/letters.h"

/* What a declaration may not be called: the words of C and the names that <math.h> may define as macros of values. */
static const char* const reserved[] = {
    "auto",      "break",     "case",     "char",   "const",    "continue", "default",
    "do",        "double",    "else",     "enum",   "extern",   "float",    "for",
    "goto",      "if",        "inline",   "int",    "long",     "register", "restrict",
    "return",    "short",     "signed",   "sizeof", "static",   "struct",   "switch",
    "typedef",   "union",     "unsigned", "void",   "volatile", "while",    "bool",
    "true",      "false",     "NULL",     "NAN",    "INFINITY", "HUGE",     "HUGE_VAL",
    "HUGE_VALF", "class",     "delete",   "new",    "private",  "public",   "template",
    "this",      "catch",     "explicit", "export", "friend",   "mutable",  "namespace",
    "operator",  "protected", "throw",    "try",    "typename", "using",    "virtual",
    "and",       "or",        "not",      "xor",    "asm",      "DOMAIN",   "SING",
    "OVERFLOW",  "UNDERFLOW", "PLOSS",    "TLOSS",  "alignas",  "alignof",  "constexpr",
    "nullptr",   "typeof",    "unix",     "linux",  "signgam",  "errno",    "math_errhandling",
    "I",         "complex"};

/* ---- letters ---- */

static const char* greek_letter(uint32_t c) {
  static const char* const small[] = {"alpha",   "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                      "theta",   "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                      "omicron", "pi",   "rho",   "sigma",  "sigma",   "tau",  "upsilon",
                                      "phi",     "chi",  "psi",   "omega"};
  static const char* const capital[] = {"Alpha",   "Beta", "Gamma", "Delta",  "Epsilon", "Zeta", "Eta",
                                        "Theta",   "Iota", "Kappa", "Lambda", "Mu",      "Nu",   "Xi",
                                        "Omicron", "Pi",   "Rho",   "Rho",    "Sigma",   "Tau",  "Upsilon",
                                        "Phi",     "Chi",  "Psi",   "Omega"};
  if (c >= 0x3B1 && c <= 0x3C9) return small[c - 0x3B1];
  if (c >= 0x391 && c <= 0x3A9) return capital[c - 0x391];
  if (c == 0x3D1) return "theta";
  if (c == 0x3D5) return "phi";
  if (c == 0x3F5) return "epsilon";
  if (c == 0xB5) return "mu";
  return NULL;
}

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* One underscore, unless there is one or nothing yet. */
static void separate(ZwText* text, int32_t begin) {
  if (text->size > begin && text->data[text->size - 1] != '_') zw_text_add(text, "_", 1);
}

static void spell_letter(ZwText* text, uint32_t c) {
  const char* greek = greek_letter(c);
  if (greek)
    zw_text_addf(text, "%s", greek);
  else
    zw_text_addf(text, "u%04X", (unsigned)c);
}

void zw_c_spell(ZwText* text, ZwStr name) {
  int32_t begin = text->size;
  for (int32_t at = 0; at < name.size;) {
    if (is_plain(name.data[at])) {
      zw_text_add(text, name.data + at++, 1);
      continue;
    }
    uint32_t c = 0;
    int32_t size = zw_utf8_decode(name.data + at, name.size - at, &c);
    if (size > 1)
      spell_letter(text, c);
    else
      separate(text, begin); /* dots, brackets, commas, spaces */
    at += size > 0 ? size : 1;
  }
  while (text->size > begin && text->data[text->size - 1] == '_') text->data[--text->size] = 0;
  if (text->size == begin) zw_text_addf(text, "unnamed");
}

/* ---- scopes ---- */

static bool is_reserved(const char* name) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (strcmp(reserved[i], name) == 0) return true;
  }
  return false;
}

static bool is_taken(const ZwCScope* scope, const char* name) {
  if (scope->is_bare && is_reserved(name)) return true;
  for (int32_t i = 0; i < scope->taken.count; i++) {
    if (strcmp(scope->taken.items[i], name) == 0) return true;
  }
  return false;
}

const char* zw_c_name(ZwCScope* scope, ZwStr name) {
  ZwText text;
  zw_text_init(&text, scope->arena);
  if (scope->is_bare && name.size > 0 && name.data[0] >= '0' && name.data[0] <= '9') zw_text_add(&text, "n", 1);
  zw_c_spell(&text, name);
  const char* plain = zw_text_get(&text);
  const char* found = plain;
  for (int number = 2; found && is_taken(scope, found); number++) {
    found = zw_format(scope->arena, "%s_%d", plain, number);
  }
  if (scope->arena->failed || !ZW_PUSH(scope->arena, &scope->taken, found)) return NULL;
  return found;
}

bool zw_c_is_prefix(ZwStr text) {
  bool is_letter = text.size > 0 && is_plain(text.data[0]) && !(text.data[0] >= '0' && text.data[0] <= '9');
  for (int32_t i = 0; i < text.size; i++) is_letter = is_letter && (is_plain(text.data[i]) || text.data[i] == '_');
  return is_letter;
}
