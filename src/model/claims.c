/* `claim "shape": x^2 + y^2 = l^2 within 1e-6`: what the user says of the motion, to be checked at every row. Its numbers are computed as
 * outputs are, and stand in no column. */
#include "model/builder.h"
#include "text/lexer.h"

static void add_value(ZwBuild* build, const ZwClaim* claim, ZwExpr value) {
  ZwTerm term = {.kind = ZW_TERM_CLAIM, .span = claim->span, .name = claim->name, .value = value};
  if (zw_build_add_term(build, term)) build->system->claim_value_count++;
}

static void add_claim(ZwBuild* build, ZwClaim claim) {
  claim.first = build->system->claim_value_count;
  add_value(build, &claim, claim.left);
  add_value(build, &claim, claim.right);
  if (claim.within.ref) add_value(build, &claim, claim.within);
  (void)ZW_PUSH(build->arena, &build->system->claims, claim);
}

static ZwRelation relation_of(const ZwAst* node) {
  if (node->op == (int32_t)ZW_TOKEN_LE) return ZW_RELATION_AT_MOST;
  return node->op == (int32_t)ZW_TOKEN_GE ? ZW_RELATION_AT_LEAST : ZW_RELATION_EQUAL;
}

static bool are_comparable(ZwBuild* build, const ZwAst* node, ZwValue* left, ZwValue* right) {
  ZwSpan sides = zw_span_join(node->a->span, node->b->span);
  if (!zw_value_match(&build->system->graph, left, right)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, sides, "the left side is %s, the right side %s", zw_value_type(left),
                  zw_value_type(right));
    zw_diag_remedy(build->diags, "compare components, as in: claim P.x = 1");
    return false;
  }
  if (left->dim == 1 || relation_of(node) == ZW_RELATION_EQUAL) return true;
  zw_diag_error(build->diags, ZW_ERR_TYPE, sides, "no %s is more or less than another", zw_value_type(left) + 2);
  zw_diag_remedy(build->diags, "compare components or lengths, as in: claim norm(P) <= 1");
  return false;
}

/* What `within` allows; ref 0: nothing is stated. */
static ZwExpr read_within(ZwBuild* build, const ZwAst* node) {
  if (!node->c) return (ZwExpr){0};
  ZwExpr within = zw_build_checked_scalar(build, node->c, ZW_MAY_READ_PARAMS, "what 'within' allows");
  if (!within.ref) return within;
  const ZwNode* value = zw_graph_node(&build->system->graph, within);
  if (value->op == ZW_OP_CONST && !(value->u.value >= 0)) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->c->span, "'within' says how far the sides may be apart: not %.9g",
                  value->u.value);
    zw_diag_remedy(build->diags, "write a small number from 0 on, as in: within 1e-6");
  }
  return within;
}

void zw_build_claim(ZwBuild* build, const ZwAst* node) {
  int32_t errors = build->diags->errors;
  ZwValue left = zw_build_checked(build, node->a, ZW_MAY_READ_QUANTITY, "a claim");
  ZwValue right = zw_build_checked(build, node->b, ZW_MAY_READ_QUANTITY, "a claim");
  ZwClaim claim = {.span = node->span, .relation = relation_of(node), .within = read_within(build, node)};
  ZwStr name;
  if (build->diags->errors > errors || build->arena->failed) return;
  if (!are_comparable(build, node, &left, &right) || !zw_build_label(build, node, &name)) return;
  if (node->label) { /* not a constraint's name */
    ZwStr key = zw_str_from(zw_format(build->arena, "claim %.*s", ZW_STR_ARGS(name)));
    if (!key.data) return;
    ZwEntity label = {.kind = ZW_ENTITY_OUTPUT};
    if (!zw_build_take_label(build, key, name, node->label, label, "a claim")) return;
  }
  for (int32_t k = 0; k < left.dim; k++) {
    claim.name = zw_build_component_name(build, name, left.dim, k);
    claim.component = k;
    claim.dim = left.dim;
    claim.left = left.c[k];
    claim.right = right.c[k];
    add_claim(build, claim);
  }
}
