#include <stdio.h>
#include <string.h>

#include "paper/write.h"

/* What is shorter is easier read where it stands: nodes of what is used twice, and of what is used more often. */
enum { TWICE_FROM = 30, OFTEN_FROM = 10 };

/* A prefix such that no name of the user is prefix + digits and underscores. */
static bool is_taken(ZwStr name, const char* prefix) {
  int32_t size = (int32_t)strlen(prefix);
  if (name.size <= size || memcmp(name.data, prefix, (size_t)size) != 0) return false;
  for (int32_t i = size; i < name.size; i++) {
    if (name.data[i] != '_' && (name.data[i] < '0' || name.data[i] > '9')) return false;
  }
  return true;
}

bool zw_prefix_is_free(const ZwSheet* paper, const char* prefix) {
  for (int32_t i = 0; i < paper->n + paper->p; i++) {
    if (is_taken(zw_paper_coord_name(paper, i), prefix)) return false;
  }
  for (int32_t i = 0; i < paper->system->params.count; i++) {
    const ZwParam* param = &paper->system->params.items[i];
    if (!param->is_hidden && is_taken(param->name, prefix)) return false;
  }
  for (int32_t i = 0; i < paper->steps.count; i++) {
    if (is_taken(paper->steps.items[i].name, prefix)) return false;
  }
  return true;
}

static const char* free_prefix(const ZwSheet* paper) {
  static const char* const prefixes[] = {"s", "k", "w", "S", "K", "share"};
  for (int i = 0; i < (int)(sizeof prefixes / sizeof *prefixes); i++) {
    if (zw_prefix_is_free(paper, prefixes[i])) return prefixes[i];
  }
  return "shared";
}

bool zw_share_find(ZwPaperShare* share, const ZwSheet* paper, const ZwExpr* roots, int32_t count) {
  const ZwGraph* graph = &paper->graph;
  int32_t nodes = graph->nodes.count;
  *share = (ZwPaperShare){.prefix = free_prefix(paper), .node_count = nodes};
  share->number = ZW_NEW(paper->arena, nodes, int32_t);
  share->cost = ZW_NEW(paper->arena, nodes, double);
  int32_t* uses = ZW_NEW(paper->arena, nodes, int32_t);
  if (!share->number || !share->cost || !uses) return false;
  for (int32_t i = 0; i < count; i++) uses[roots[i].ref]++;
  /* from users to arguments: every node that is used counts each of its arguments once */
  for (int32_t ref = nodes - 1; ref > 0; ref--) {
    const ZwNode* node = &graph->nodes.items[ref];
    for (int k = 0; uses[ref] && k < zw_op_arity(node->op); k++) uses[node->u.args[k]]++;
  }
  /* from arguments to users: what is large although its own parts are named */
  for (int32_t ref = 1; ref < nodes; ref++) {
    const ZwNode* node = &graph->nodes.items[ref];
    share->cost[ref] = 1;
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      uint32_t argument = node->u.args[k];
      share->cost[ref] += share->number[argument] ? 1 : share->cost[argument];
    }
    if (uses[ref] < 2 || share->cost[ref] < (uses[ref] == 2 ? TWICE_FROM : OFTEN_FROM)) continue;
    ZwExpr e = {(uint32_t)ref};
    if (!ZW_PUSH(paper->arena, &share->named, e)) return false;
    share->number[ref] = share->named.count;
  }
  return true;
}

double zw_share_cost(const ZwPaperShare* share, ZwExpr e) {
  return e.ref < (uint32_t)share->node_count ? share->cost[e.ref] : 0;
}
