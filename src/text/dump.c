#include "text/dump.h"

#include "text/lexer.h"

static void dump(ZwText* text, const ZwSources* sources, const ZwAst* node, int depth, const char* role);

static void dump_children(ZwText* text, const ZwSources* sources, const ZwAst* node, int depth) {
  if (node->label) dump(text, sources, node->label, depth, "label ");
  if (node->a) dump(text, sources, node->a, depth, "a ");
  if (node->b) dump(text, sources, node->b, depth, "b ");
  if (node->c) dump(text, sources, node->c, depth, "c ");
  for (const ZwAst* child = node->first; child; child = child->next) dump(text, sources, child, depth, "");
}

static void dump(ZwText* text, const ZwSources* sources, const ZwAst* node, int depth, const char* role) {
  ZwPlace place = zw_sources_place(sources, node->span);
  zw_text_addf(text, "%*s%s", 2 * depth, "", role);
  if (node->lead) zw_text_addf(text, "%s ", zw_token_text((ZwTokenKind)node->lead));
  zw_text_addf(text, "%s", zw_ast_kind_text(node->kind));
  if (node->op) zw_text_addf(text, " %s", zw_token_text((ZwTokenKind)node->op));
  if (node->is_exact) zw_text_addf(text, node->kind == ZW_AST_START ? " exactly" : " (bracketed)");
  if (node->text.size) zw_text_addf(text, " \"%.*s\"", ZW_STR_ARGS(node->text));
  if (node->kind == ZW_AST_NUMBER) {
    zw_text_add(text, " ", 1);
    zw_text_add_number(text, node->number);
  }
  if (node->kind == ZW_AST_PRIMED) zw_text_addf(text, " %d", (int)node->count);
  zw_text_addf(text, "  @%d:%d\n", (int)place.line, (int)place.column);
  dump_children(text, sources, node, depth + 1);
}

void zw_ast_dump(ZwText* text, const ZwSources* sources, const ZwAst* tree) {
  dump(text, sources, tree, 0, "");
}
