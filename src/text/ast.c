#include "text/ast.h"

const char* zw_ast_kind_text(ZwAstKind kind) {
  static const char* const texts[] = {
#define ZW_AST_TEXT(name, text) text,
      ZW_AST_LIST(ZW_AST_TEXT)
#undef ZW_AST_TEXT
  };
  return texts[kind];
}

static bool is_declaring_word(ZwStr word) {
  static const char* const words[] = {"param", "coord", "memory", "let", "output", "component", "part", "use", "for"};
  /* near to "part" and "for", and no slip of the pen */
  if (zw_str_equal(word, ZW_STR("start")) || zw_str_equal(word, ZW_STR("force"))) return false;
  for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
    if (zw_str_distance(word, zw_str_from(words[i]), 2) <= 2) return true; /* also when it is misspelt */
  }
  return false;
}

bool zw_ast_has_wrong_declaration(const ZwAst* tree) {
  for (const ZwAst* node = tree->first; node; node = node->next) {
    if (node->kind == ZW_AST_WRONG && is_declaring_word(node->text)) return true;
  }
  return false;
}
