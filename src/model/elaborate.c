#include "model/elaborate.h"

#include "model/builder.h"

static void build_statement(ZwBuild* build, const ZwAst* node) {
  switch (node->kind) {
    case ZW_AST_PARAM:
      zw_build_params(build, node);
      break;
    case ZW_AST_COORD:
      zw_build_coords(build, node);
      break;
    case ZW_AST_MEMORY:
      zw_build_memory(build, node);
      break;
    case ZW_AST_LET:
      zw_build_lets(build, node);
      break;
    case ZW_AST_ENERGY:
      zw_build_energy(build, node);
      break;
    case ZW_AST_FORCE:
      zw_build_force(build, node);
      break;
    case ZW_AST_CONSTRAINT:
      zw_build_constraint(build, node);
      break;
    case ZW_AST_CONTACT:
      zw_build_contact(build, node);
      break;
    case ZW_AST_QUASI:
      zw_build_quasi(build, node);
      break;
    case ZW_AST_START:
      zw_build_start(build, node);
      break;
    case ZW_AST_WHEN:
      zw_build_when(build, node);
      break;
    case ZW_AST_STOP:
      zw_build_stop(build, node);
      break;
    case ZW_AST_OUTPUT:
      zw_build_outputs(build, node);
      break;
    case ZW_AST_CLAIM:
      zw_build_claim(build, node);
      break;
    case ZW_AST_PLOT:
      zw_build_plot(build, node);
      break;
    case ZW_AST_DRAW:
      zw_build_draw(build, node);
      break;
    case ZW_AST_FOR:
      zw_build_for(build, node);
      break;
    case ZW_AST_IF:
      zw_build_if(build, node);
      break;
    case ZW_AST_COMPONENT:
      zw_build_component(build, node);
      break;
    case ZW_AST_PART:
      zw_build_part(build, node);
      break;
    case ZW_AST_USE:
      zw_build_use(build, node);
      break;
    case ZW_AST_RUN:
      zw_build_run(build, node);
      break;
    default:
      break; /* WRONG: the parser has reported it */
  }
  if (node->kind != ZW_AST_PARAM && node->kind != ZW_AST_USE) build->has_other_statements = true;
}

void zw_build_statements(ZwBuild* build, const ZwAst* block) {
  if (!zw_build_enter(build, block->span)) return;
  for (const ZwAst* node = block->first; node && !zw_build_is_out_of_memory(build); node = node->next) {
    if (build->depth > 0 && build->diags->errors > ZW_LIMIT_ERRORS) break; /* parts would only repeat them */
    build_statement(build, node);
  }
  zw_build_leave(build);
}

/* ---- the whole ---- */

static void check_settings(ZwBuild* build) {
  for (int32_t i = 0; i < build->def->setting_count; i++) {
    const ZwSetting* setting = &build->def->settings[i];
    if (setting->is_used) continue;
    bool is_repeated = false;
    for (int32_t k = i + 1; k < build->def->setting_count; k++) {
      is_repeated = is_repeated || zw_str_equal(build->def->settings[k].name, setting->name);
    }
    if (is_repeated) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, setting->span, "the model has no parameter '%.*s' to set",
                  ZW_STR_ARGS(setting->name));
    if (zw_scope_find(build->scope, setting->name)) {
      zw_diag_remedy(build->diags, "it is not a parameter; --set changes values declared with 'param'");
      continue;
    }
    ZwStr nearest = zw_scope_suggest(build->scope, setting->name, NULL);
    if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  }
}

static void note_unused(ZwBuild* build) {
  if (build->diags->errors > 0) return; /* what was wrong may have used it */
  const ZwParam* params = build->system->params.items;
  for (int32_t i = 0, next; i < build->system->params.count; i = next) {
    bool is_used = false; /* of an array or vector, any element */
    for (next = i; next < build->system->params.count && params[next].span.begin == params[i].span.begin; next++) {
      is_used |= params[next].is_used || params[next].is_hidden;
    }
    if (is_used) continue;
    ZwStr name = zw_build_quote(build, params[i].span);
    zw_diag_note(build->diags, params[i].span, "the parameter '%.*s' is never used", ZW_STR_ARGS(name));
  }
}

/* Two different gravities are the classic silent mistake. */
static void note_shared_params(ZwBuild* build) {
  for (int32_t i = 0; i < build->scope->entities.count; i++) {
    const ZwEntity* own = &build->scope->entities.items[i];
    const ZwEntity* other = zw_scope_find_here(build->used, own->name);
    if (own->kind != ZW_ENTITY_PARAM || !other || other->kind != ZW_ENTITY_PARAM) continue;
    if (build->system->params.items[other->first].is_joined) continue;
    zw_diag_note(build->diags, own->span,
                 "the model and a library both have a parameter '%.*s'; the library goes on with its own",
                 ZW_STR_ARGS(own->name));
    zw_diag_remedy(build->diags, "join them: use ... with %.*s = %.*s", ZW_STR_ARGS(own->name), ZW_STR_ARGS(own->name));
  }
}

static void check_whole(ZwBuild* build, const ZwAst* tree) {
  if (build->diags->errors > 0 || build->system->coords.count > 0) return;
  zw_diag_error(build->diags, ZW_ERR_VALUE, tree->span,
                tree->count == 0 ? "the model is empty" : "the model has no coordinates: nothing can move");
  zw_diag_remedy(build->diags, "declare coordinates with 'coord', as in: coord x = 1, y");
}

ZwStatus zw_elaborate(ZwArena* arena, ZwDiagList* diags, const ZwAst* tree, const ZwElaborateDef* def,
                      ZwSystem* system) {
  *system = (ZwSystem){.arena = arena};
  zw_graph_init(&system->graph, arena);
  ZwScope scope, used;
  zw_scope_init(&used, def->trees, NULL);
  zw_scope_init(&scope, def->trees, &used);
  ZwBuild build = {.arena = arena,
                   .scratch = def->trees,
                   .diags = diags,
                   .system = system,
                   .def = def,
                   .scope = &scope,
                   .indexed_scope = &scope,
                   .used = &used,
                   .prefix = ""};
  zw_walk_init(&build.walk, def->trees);
  zw_walk_init(&build.hold_walk, def->trees);
  zw_evaluator_init(&build.evaluator, def->trees);
  zw_evaluator_share(&build.evaluator, &build.walk);
  build.evaluator.tables = &system->tables;
  zw_scope_init(&build.labels, def->trees, NULL);
  ZwSpan nowhere = {0};
  if (!ZW_PUSH(arena, &system->marks, nowhere)) return ZW_ERR_MEMORY; /* mark 0 */
  for (int32_t i = 0; i < def->setting_count; i++) {
    if (!zw_build_open_file(&build, def->settings[i].file_tree)) return ZW_ERR_MEMORY;
  }
  if (!zw_build_open_file(&build, tree)) return ZW_ERR_MEMORY;
  zw_build_statements(&build, tree);
  if (zw_build_is_out_of_memory(&build)) return ZW_ERR_MEMORY;
  check_settings(&build);
  check_whole(&build, tree);
  note_unused(&build);
  note_shared_params(&build);
  zw_build_host_rows(&build);
  if (diags->errors == 0) {
    zw_build_choose_shapes(&build);
    zw_build_draw_noticed(&build);
    zw_build_pictures(&build);
    zw_build_relate_modes(&build);
    zw_build_margins(&build);
  }
  if (diags->errors == 0 && !zw_build_spread_structural(&build)) return ZW_ERR_MEMORY;
  if (zw_build_is_out_of_memory(&build)) return ZW_ERR_MEMORY;
  return diags->errors > 0 ? diags->first_error : ZW_OK;
}
