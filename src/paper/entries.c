#include "paper/entries.h"

#include "expr/eval.h"

enum { PLAIN_MAX = 400, WRITTEN_MAX = 1500 }; /* nodes: written out without names; written at all */

/* ---- collecting ---- */

static void push(ZwSheet* paper, ZwPaperEntries* entries, ZwPaperEntry entry) {
  if (entry.kind != ZW_PAPER_EQUATION && zw_expr_is_const(&paper->graph, entry.value, 0)) {
    bool stands_alone = entry.kind == ZW_PAPER_L || entry.kind == ZW_PAPER_VALUE || entry.kind == ZW_PAPER_B ||
                        entry.kind == ZW_PAPER_V || entry.kind == ZW_PAPER_G || entry.kind == ZW_PAPER_G_QUASI ||
                        entry.kind == ZW_PAPER_G_CONSTANT;
    if (!stands_alone) return;
  }
  (void)ZW_PUSH(paper->arena, &entries->list, entry);
}

static void push_system(ZwSheet* paper, ZwPaperEntries* entries) {
  int32_t n = paper->n;
  push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_L, .value = paper->L});
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = i; j < n; j++) {
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_M, .i = i, .j = j, .value = paper->M[i * n + j]});
    }
  }
  for (int32_t i = 0; i < n; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_H, .i = i, .value = paper->h[i]});
  for (int32_t i = 0; i < n; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_Q, .i = i, .value = paper->Q[i]});
  for (int32_t k = 0; k < paper->m; k++) {
    const ZwPaperRow* row = &paper->rows[k];
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_VALUE, .k = k, .value = row->value});
    for (int32_t j = 0; j < n; j++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_A, .k = k, .j = j, .value = row->A[j]});
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_B, .k = k, .value = row->b});
  }
  push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_G, .value = paper->G});
  if (paper->G_constant.ref)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_G_CONSTANT, .value = paper->G_constant});
}

/* v = B nu + r; M_r nu' + g_r = F_r */
static void push_quasi(ZwSheet* paper, ZwPaperEntries* entries) {
  ZwGraph* graph = &paper->graph;
  const ZwQuasi* quasi = &paper->quasi;
  int32_t n = paper->n, p = paper->p;
  for (int32_t i = 0; i < n; i++) {
    ZwExpr v = quasi->r[i];
    for (int32_t k = 0; k < p; k++) {
      v = zw_expr_add(graph, v, zw_expr_mul(graph, quasi->B[i * p + k], zw_expr_leaf(graph, ZW_OP_VELOCITY, n + k)));
    }
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_V, .i = i, .value = zw_tidy(&paper->tidy, v)});
  }
  push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_G_QUASI, .value = quasi->G});
  for (int32_t k = 0; k < p; k++) {
    ZwExpr left = zw_expr_const(graph, 0);
    for (int32_t l = 0; l < p; l++) {
      left = zw_expr_add(graph, left,
                         zw_expr_mul(graph, quasi->M[k * p + l], zw_expr_leaf(graph, ZW_OP_ACCELERATION, n + l)));
    }
    left = zw_expr_add(graph, left, quasi->g[k]);
    push(paper, entries,
         (ZwPaperEntry){
             .kind = ZW_PAPER_EQUATION, .k = k, .value = zw_tidy_energy(&paper->tidy, left), .right = quasi->F[k]});
  }
}

static void push_metric(ZwSheet* paper, ZwPaperEntries* entries) {
  int32_t n = paper->n;
  if (paper->metric < ZW_METRIC_FIRST) return;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      for (int32_t k = j; k < n; k++) {
        push(
            paper, entries,
            (ZwPaperEntry){.kind = ZW_PAPER_GAMMA, .i = i, .j = j, .k = k, .value = paper->gamma[(i * n + j) * n + k]});
      }
    }
  }
}

/* What the user typed is written out, unless it is very long. */
static bool is_plain(const ZwSheet* paper, const ZwPaperEntry* entry) {
  if (entry->kind != ZW_PAPER_L && entry->kind != ZW_PAPER_VALUE && entry->kind != ZW_PAPER_TERM) return false;
  if (entry->value.ref >= (uint32_t)paper->tidy.facts.count) return false;
  return paper->tidy.facts.items[entry->value.ref].cost < PLAIN_MAX;
}

bool zw_paper_name_shared(ZwSheet* paper, ZwPaperEntries* entries) {
  ZW_ARRAY(ZwExpr) roots = {0};
  for (int32_t i = 0; i < entries->list.count; i++) {
    const ZwPaperEntry* entry = &entries->list.items[i];
    (void)zw_tidy_facts(&paper->tidy, entry->value.ref);
    if (is_plain(paper, entry)) continue;
    if (!ZW_PUSH(paper->arena, &roots, entry->value)) return false;
    if (entry->right.ref && !ZW_PUSH(paper->arena, &roots, entry->right)) return false;
  }
  if (!zw_share_find(&entries->share, paper, roots.items, roots.count)) return false;
  for (int32_t i = 0; i < entries->share.named.count; i++) {
    ZwPaperEntry entry = {.kind = ZW_PAPER_SHARED, .k = i + 1, .value = entries->share.named.items[i]};
    if (!ZW_PUSH(paper->arena, &entries->list, entry)) return false;
  }
  return true;
}

bool zw_paper_entries(ZwSheet* paper, ZwPaperEntries* entries) {
  *entries = (ZwPaperEntries){0};
  if (paper->arena->failed) return false;
  push_system(paper, entries);
  if (paper->p > 0 && !paper->quasi_why) push_quasi(paper, entries);
  push_metric(paper, entries);
  return !paper->arena->failed && zw_paper_name_shared(paper, entries) && !paper->arena->failed;
}

/* ---- writing ---- */

static void write_coord(ZwWriter* w, int32_t i) {
  zw_write_name(w, zw_paper_coord_name(w->paper, i), 0);
}

static void write_row(ZwWriter* w, int32_t k) {
  ZwStr name = w->paper->rows[k].name;
  if (!w->is_latex) {
    zw_text_add(w->text, name.data, name.size);
    return;
  }
  zw_text_addf(w->text, "\\text{");
  zw_latex_words(w->text, name);
  zw_text_addf(w->text, "}");
}

static void write_gamma(ZwWriter* w, const ZwPaperEntry* entry) {
  bool is_second = w->paper->metric == ZW_METRIC_SECOND;
  const char* const text[] = {is_second ? "Gamma^" : "[", is_second ? "_(" : " ", is_second ? " " : ", ",
                              is_second ? ")" : "]"};
  const char* const latex[] = {is_second ? "\\Gamma^{" : "\\left[", is_second ? "}_{" : "\\,",
                               is_second ? "\\," : ",\\,", is_second ? "}" : "\\right]"};
  const char* const* marks = w->is_latex ? latex : text;
  int32_t order[3] = {entry->i, entry->j, entry->k};
  if (!is_second) order[0] = entry->j, order[1] = entry->k, order[2] = entry->i;
  for (int at = 0; at < 3; at++) {
    zw_text_addf(w->text, "%s", marks[at]);
    write_coord(w, order[at]);
  }
  zw_text_addf(w->text, "%s", marks[3]);
}

/* M[x, y] or M_{x,y} */
static void write_indexed(ZwWriter* w, const char* letter, const ZwPaperEntry* entry) {
  zw_text_addf(w->text, w->is_latex ? "%s_{" : "%s[", letter);
  if (entry->kind == ZW_PAPER_A || entry->kind == ZW_PAPER_B)
    write_row(w, entry->k);
  else
    write_coord(w, entry->i);
  if (entry->kind == ZW_PAPER_M || entry->kind == ZW_PAPER_A) {
    zw_text_addf(w->text, w->is_latex ? ",\\," : ", ");
    write_coord(w, entry->j);
  }
  zw_text_addf(w->text, w->is_latex ? "}" : "]");
}

void zw_entry_left(ZwWriter* w, const ZwPaperEntry* entry) {
  switch (entry->kind) {
    case ZW_PAPER_L:
      zw_text_addf(w->text, "L");
      break;
    case ZW_PAPER_M: {
      write_indexed(w, "M", entry);
      ZwPaperEntry other = {.kind = ZW_PAPER_M, .i = entry->j, .j = entry->i};
      if (entry->i == entry->j) break;
      zw_text_addf(w->text, " = ");
      write_indexed(w, "M", &other);
      break;
    }
    case ZW_PAPER_H:
      write_indexed(w, "h", entry);
      break;
    case ZW_PAPER_Q:
      write_indexed(w, "Q", entry);
      break;
    case ZW_PAPER_A:
      write_indexed(w, "A", entry);
      break;
    case ZW_PAPER_B:
      write_indexed(w, "b", entry);
      break;
    case ZW_PAPER_G:
    case ZW_PAPER_G_QUASI:
      zw_text_addf(w->text, "G");
      break;
    case ZW_PAPER_G_CONSTANT:
      zw_text_addf(w->text, w->is_latex ? "G_0" : "G0");
      break;
    case ZW_PAPER_V:
      zw_write_name(w, zw_paper_coord_name(w->paper, entry->i), 1);
      break;
    case ZW_PAPER_GAMMA:
      write_gamma(w, entry);
      break;
    case ZW_PAPER_SHARED:
      zw_write_share_name(w, entry->k);
      break;
    case ZW_PAPER_VALUE:
    case ZW_PAPER_TERM:
    case ZW_PAPER_EQUATION:
      break;
  }
}

bool zw_entry_right(ZwWriter* writer, const ZwPaperEntries* entries, const ZwPaperEntry* entry) {
  ZwWriter w = *writer;
  bool writes_out = is_plain(writer->paper, entry);
  w.share = writes_out ? NULL : &entries->share;
  double cost = writes_out ? 0 : zw_share_cost(&entries->share, entry->value);
  if (entry->right.ref) cost += zw_share_cost(&entries->share, entry->right);
  if (cost > WRITTEN_MAX) {
    zw_text_addf(w.text, w.is_latex ? "\\text{(%.0f operations)}" : "(%.0f operations)", cost);
    return false;
  }
  if (entry->kind == ZW_PAPER_SHARED)
    zw_write_expr(&w, entry->value);
  else
    zw_write_value(&w, entry->value);
  if (entry->kind == ZW_PAPER_VALUE) zw_text_addf(w.text, " = 0");
  if (entry->kind == ZW_PAPER_G) zw_text_addf(w.text, w.is_latex ? " + G_0" : " + G0");
  if (entry->right.ref) {
    const char* works = w.is_latex ? "\\quad\\text{working on}\\quad " : "  working on  ";
    zw_text_addf(w.text, "%s", entry->kind == ZW_PAPER_EQUATION ? " = " : works);
    zw_write_value(&w, entry->right);
  }
  return true;
}

const double* zw_paper_params(const ZwSheet* paper) {
  const ZwSystem* system = paper->system;
  double* values = ZW_NEW(paper->arena, system->params.count + 1, double);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, paper->arena);
  evaluator.tables = &system->tables;
  ZwEnvironment environment = {.params = values};
  for (int32_t i = 0; values && i < system->params.count; i++) {
    values[i] = zw_expr_eval(&evaluator, &system->graph, system->params.items[i].value, &environment);
  }
  return paper->arena->failed ? NULL : values;
}
