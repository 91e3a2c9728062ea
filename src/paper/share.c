#include <stdio.h>
#include <string.h>

#include "paper/write.h"

/* What is shorter is easier read where it stands: nodes of what is used twice, and of what is used more often. No formula has more than the
 * last of these: its largest parts get names although they are used only once. */
enum { TWICE_FROM = 30, OFTEN_FROM = 10, FORMULA_MOST = 1500 };

/* A prefix such that no name of the user is prefix + digits and underscores. */
static bool is_taken(ZwStr name, const char* prefix) {
  int32_t size = (int32_t)strlen(prefix);
  if (name.size <= size || memcmp(name.data, prefix, (size_t)size) != 0) return false;
  for (int32_t i = size; i < name.size; i++) {
    if (name.data[i] != '_' && (name.data[i] < '0' || name.data[i] > '9')) return false;
  }
  return true;
}

bool zw_prefix_is_free_in_model(const ZwSheet* paper, const char* prefix) {
  for (int32_t i = 0; i < paper->n + paper->p; i++) {
    if (is_taken(zw_paper_coord_name(paper, i), prefix)) return false;
  }
  for (int32_t i = 0; i < paper->system->params.count; i++) {
    const ZwParam* param = &paper->system->params.items[i];
    if (!param->is_hidden && is_taken(param->name, prefix)) return false;
  }
  return true;
}

bool zw_prefix_is_free(const ZwSheet* paper, const char* prefix) {
  for (int32_t i = 0; i < paper->steps.count; i++) {
    if (is_taken(paper->steps.items[i].name, prefix)) return false;
  }
  return zw_prefix_is_free_in_model(paper, prefix);
}

static const char* free_prefix(const ZwSheet* paper) {
  static const char* const prefixes[] = {"s", "k", "w", "S", "K", "share"};
  for (int i = 0; i < (int)(sizeof prefixes / sizeof *prefixes); i++) {
    if (zw_prefix_is_free(paper, prefixes[i])) return prefixes[i];
  }
  return "shared";
}

static bool give_name(ZwPaperShare* share, const ZwSheet* paper, uint32_t ref) {
  ZwExpr e = {ref};
  if (!ZW_PUSH(paper->arena, &share->named, e)) return false;
  share->number[ref] = share->named.count;
  return true;
}

/* Nodes to be written for a node, an argument with a name counting as one; *largest is the argument that takes most. */
static double cost_of(const ZwPaperShare* share, const ZwNode* node, uint32_t* largest) {
  double cost = 1, most = 1;
  *largest = 0;
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    uint32_t argument = node->u.args[k];
    double own = share->number[argument] ? 1 : share->cost[argument];
    cost += own;
    if (own <= most) continue;
    most = own;
    *largest = argument;
  }
  return cost;
}

/* From arguments to users: names what is large although its own parts are named, and the parts of what is too large to be read. */
static bool name_all(ZwPaperShare* share, const ZwSheet* paper, const int32_t* uses) {
  for (int32_t ref = 1; ref < share->node_count; ref++) {
    const ZwNode* node = &paper->graph.nodes.items[ref];
    uint32_t largest;
    share->cost[ref] = cost_of(share, node, &largest);
    while (uses[ref] && largest && share->cost[ref] > FORMULA_MOST) {
      if (!give_name(share, paper, largest)) return false;
      share->cost[ref] = cost_of(share, node, &largest);
    }
    if (uses[ref] < 2 || share->cost[ref] < (uses[ref] == 2 ? TWICE_FROM : OFTEN_FROM)) continue;
    if (!give_name(share, paper, (uint32_t)ref)) return false;
  }
  return true;
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
  return name_all(share, paper, uses);
}
