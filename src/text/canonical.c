#include "text/canonical.h"

#include "text/layout.h"
#include "text/nfc.h"

/* An expression needs something before it: a sign at its begin would belong to that. */
static const ZwToken before = {.kind = ZW_TOKEN_ASSIGN};

static bool lex_after(ZwArena* arena, ZwStr text, ZwTokens* tokens) {
  ZwSources sources = {0};
  ZwDiagList messages;
  zw_diag_init(&messages, arena, &sources);
  int32_t file = zw_sources_add(&sources, arena, ZW_STR(""), text);
  ZwTokens found = {0};
  if (!file || zw_lex(arena, &messages, file, &found) || messages.errors > 0) return false;
  if (!ZW_PUSH(arena, &tokens->list, before)) return false;
  for (int32_t i = 0; i < found.list.count; i++) {
    if (!ZW_PUSH(arena, &tokens->list, found.list.items[i])) return false;
  }
  return true;
}

ZwStr zw_canonical(ZwArena* arena, ZwStr text) {
  ZwTokens tokens = {0};
  ZwStr as_typed = zw_nfc(arena, text);
  if (!lex_after(arena, text, &tokens)) return as_typed;
  ZwAst nothing = {.kind = ZW_AST_FILE};
  ZwLayout layout = {.arena = arena, .text = text, .tokens = tokens.list.items, .count = tokens.list.count};
  layout.pieces = ZW_NEW(arena, layout.count, ZwPiece);
  if (!layout.pieces || zw_layout_spaces(&layout, &nothing)) return as_typed;
  ZwText out;
  zw_text_init(&out, arena);
  for (int32_t i = 1; i < layout.count - 1; i++) {
    if (i > 1 && layout.pieces[i].space > 0) zw_text_add(&out, " ", 1);
    ZwStr token = zw_token_str(text.data, &layout.tokens[i]);
    zw_text_add(&out, token.data, token.size);
  }
  return arena->failed ? as_typed : (ZwStr){zw_text_get(&out), out.size};
}
