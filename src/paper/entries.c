#include "paper/entries.h"

#include <string.h>

#include "expr/eval.h"
#include "paper/explicit.h"
#include "paper/recursion.h"

enum { PLAIN_MAX = 400 }; /* nodes: written out without names */

/* ---- collecting ---- */

/* Said although it is zero. */
static bool stands_alone(ZwPaperKind kind) {
  switch (kind) {
    case ZW_PAPER_L:
    case ZW_PAPER_VALUE:
    case ZW_PAPER_B:
    case ZW_PAPER_G:
    case ZW_PAPER_G_CONSTANT:
    case ZW_PAPER_V:
    case ZW_PAPER_G_QUASI:
    case ZW_PAPER_EQUATION:
    case ZW_PAPER_LAMBDA:
    case ZW_PAPER_QC:
    case ZW_PAPER_ACCELERATION:
    case ZW_PAPER_DEPENDING:
    case ZW_PAPER_LINK:
    case ZW_PAPER_COST:
    case ZW_PAPER_RIGHT:
    case ZW_PAPER_S:
    case ZW_PAPER_GAP:
    case ZW_PAPER_SLIP:
    case ZW_PAPER_CONTACT_B:
    case ZW_PAPER_RESTITUTION:
      return true;
    default:
      return false;
  }
}

static void push(ZwSheet* paper, ZwPaperEntries* entries, ZwPaperEntry entry) {
  if (!entry.value.ref) return;
  if (zw_expr_is_const(&paper->graph, entry.value, 0) && !stands_alone(entry.kind)) return;
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
  for (int32_t i = 0; i < n && paper->p0; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_P0, .i = i, .value = paper->p0[i]});
  if (paper->p0) push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_T0, .value = paper->T0});
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

static void push_matrix(ZwSheet* paper, ZwPaperEntries* entries, ZwPaperKind kind, int32_t rows, const int32_t* J,
                        const ZwExpr* values, bool is_symmetric) {
  for (int32_t k = 0; k < rows; k++) {
    for (int32_t l = is_symmetric ? k : 0; l < rows; l++)
      push(paper, entries,
           (ZwPaperEntry){.kind = kind, .k = J ? J[k] : k, .j = J ? J[l] : l, .value = values[k * rows + l]});
  }
}

static void push_explicit(ZwSheet* paper, ZwPaperEntries* entries) {
  const ZwExplicit* x = paper->explicit_;
  const ZwIndependent* rows = &x->rows;
  int32_t n = paper->n, m = paper->m, r = rows->r;
  if (x->why) return;
  for (int32_t k = 0; k < m && r < m && rows->is_known; k++) {
    for (int32_t l = 0; l < r; l++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_E, .k = k, .j = rows->J[l], .value = rows->E[k * r + l]});
  }
  if (rows->W) push_matrix(paper, entries, ZW_PAPER_W, m, NULL, rows->W, true);
  if (!x->is_singular) push_matrix(paper, entries, ZW_PAPER_D, r, rows->J, x->D, true);
  for (int32_t k = 0; k < r && !x->is_singular; k++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_D_PART, .k = rows->J[k], .value = x->d[k]});
  for (int32_t k = 0; k < m; k++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_LAMBDA, .k = k, .value = x->lambda[k]});
  for (int32_t i = 0; i < n && m > 0; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_QC, .i = i, .value = x->Qc[i]});
  for (int32_t i = 0; i < n; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_ACCELERATION, .i = i, .value = x->a[i]});
  for (int32_t i = 0; i < n && x->gain; i++) {
    for (int32_t k = 0; k < m; k++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_GAIN, .i = i, .k = k, .value = x->gain[i * m + k]});
  }
  for (int32_t i = 0; i < x->valid.list.count; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_VALID, .value = x->valid.list.items[i]});
}

static void push_partition(ZwSheet* paper, ZwPaperEntries* entries) {
  const ZwPaperPartition* p = paper->partition;
  const int32_t *e = p->order, *free = p->order + p->r;
  if (p->why) return;
  for (int32_t k = 0; k < p->r; k++) {
    for (int32_t j = 0; j < p->f; j++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_R, .i = e[k], .j = free[j], .value = p->R[k * p->f + j]});
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_C, .i = e[k], .value = p->c[k]});
  }
  for (int32_t i = 0; i < p->f; i++) {
    for (int32_t j = i; j < p->f; j++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_K, .i = free[i], .j = free[j], .value = p->K[i * p->f + j]});
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_P, .i = free[i], .value = p->P[i]});
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_RIGHT, .i = free[i], .value = p->right[i]});
  }
  for (int32_t k = 0; k < p->r && p->has_steps; k++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_DEPENDING, .i = e[k], .value = p->depending[k]});
  push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_S, .value = p->S});
  for (int32_t i = 0; i < p->valid.list.count; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_PIVOT, .value = p->valid.list.items[i]});
}

static void push_bellman(ZwSheet* paper, ZwPaperEntries* entries) {
  const ZwPaperRecursion* x = paper->bellman;
  int32_t m = x->m, r = x->r;
  if (x->why) return;
  for (int32_t at = 0; at <= x->n - r; at++) {
    for (int32_t i = 0; i < m && at > 0; i++) {
      int32_t from = (at - 1) * m + i;
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_BETA, .i = r + at, .k = i, .value = x->beta[from]});
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_KAPPA, .i = r + at, .k = i, .value = x->kappa[from]});
    }
    for (int32_t i = 0; i < m; i++) {
      for (int32_t j = i; j < m; j++)
        push(paper, entries,
             (ZwPaperEntry){
                 .kind = ZW_PAPER_BELLMAN_R, .i = r + at, .k = i, .j = j, .value = x->R[(at * m + i) * m + j]});
    }
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_COST, .i = r + at, .value = x->g[at]});
  }
  for (int32_t k = x->n - 1; k >= 0; k--)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_LINK, .i = x->order[k], .value = x->a[k]});
  for (int32_t i = 0; i < x->valid.list.count; i++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_BELLMAN_VALID, .value = x->valid.list.items[i]});
}

/* Rows of contacts: the gap with its restitution and friction, then the slips. */
static void push_contacts(ZwSheet* paper, ZwPaperEntries* entries) {
  for (int32_t k = paper->m; k < paper->m + paper->contact_rows; k++) {
    const ZwPaperRow* row = &paper->rows[k];
    const ZwContact* contact = &paper->system->contacts.items[row->contact - 1];
    bool is_gap = k == paper->m || paper->rows[k - 1].contact != row->contact;
    push(paper, entries, (ZwPaperEntry){.kind = is_gap ? ZW_PAPER_GAP : ZW_PAPER_SLIP, .k = k, .value = row->value});
    for (int32_t j = 0; j < paper->n; j++)
      push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_CONTACT_A, .k = k, .j = j, .value = row->A[j]});
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_CONTACT_B, .k = k, .value = row->b});
    if (!is_gap) continue;
    ZwExpr restitution = zw_paper_event_value(paper, contact->restitution);
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_RESTITUTION, .k = k, .value = restitution});
    if (contact->slip_dim == 0) continue;
    ZwExpr friction = zw_paper_event_value(paper, contact->friction);
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_FRICTION, .k = k, .value = friction});
  }
}

static void push_steps(ZwSheet* paper, ZwPaperEntries* entries) {
  for (int32_t k = 0; k < paper->steps.count; k++)
    push(paper, entries, (ZwPaperEntry){.kind = ZW_PAPER_STEP, .k = k, .value = paper->steps.items[k].value});
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
  push_contacts(paper, entries);
  push_metric(paper, entries);
  if (paper->explicit_) push_explicit(paper, entries);
  if (paper->partition) push_partition(paper, entries);
  if (paper->bellman) push_bellman(paper, entries);
  push_steps(paper, entries);
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

/* What an entry is called, and what its indices are. */
typedef enum Index { NO_INDEX, OF_I, OF_J, OF_ROW_K, OF_ROW_J } Index;

typedef struct Mark {
  const char *text, *latex;
  Index first, second;
} Mark;

static const Mark marks[] = {
    [ZW_PAPER_L] = {"L", "L", NO_INDEX, NO_INDEX},
    [ZW_PAPER_M] = {"M", "M", OF_I, OF_J},
    [ZW_PAPER_H] = {"h", "h", OF_I, NO_INDEX},
    [ZW_PAPER_Q] = {"Q", "Q", OF_I, NO_INDEX},
    [ZW_PAPER_P0] = {"p0", "p_0", OF_I, NO_INDEX},
    [ZW_PAPER_T0] = {"T0", "T_0", NO_INDEX, NO_INDEX},
    [ZW_PAPER_A] = {"A", "A", OF_ROW_K, OF_J},
    [ZW_PAPER_B] = {"b", "b", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_G] = {"G", "G", NO_INDEX, NO_INDEX},
    [ZW_PAPER_G_QUASI] = {"G", "G", NO_INDEX, NO_INDEX},
    [ZW_PAPER_G_CONSTANT] = {"G0", "G_0", NO_INDEX, NO_INDEX},
    [ZW_PAPER_E] = {"E", "E", OF_ROW_K, OF_ROW_J},
    [ZW_PAPER_D] = {"D", "D", OF_ROW_K, OF_ROW_J},
    [ZW_PAPER_D_PART] = {"d", "d", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_LAMBDA] = {"lambda", "\\lambda", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_QC] = {"Qc", "Q^c", OF_I, NO_INDEX},
    [ZW_PAPER_GAIN] = {"gain", "\\mathrm{gain}", OF_I, OF_ROW_K},
    [ZW_PAPER_W] = {"W", "W", OF_ROW_K, OF_ROW_J},
    [ZW_PAPER_R] = {"R", "R", OF_I, OF_J},
    [ZW_PAPER_C] = {"c", "c", OF_I, NO_INDEX},
    [ZW_PAPER_K] = {"K", "K", OF_I, OF_J},
    [ZW_PAPER_P] = {"P", "P", OF_I, NO_INDEX},
    [ZW_PAPER_RIGHT] = {"right", "\\mathrm{right}", OF_I, NO_INDEX},
    [ZW_PAPER_S] = {"S", "S", NO_INDEX, NO_INDEX},
    [ZW_PAPER_CONTACT_A] = {"A", "A", OF_ROW_K, OF_J},
    [ZW_PAPER_CONTACT_B] = {"b", "b", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_RESTITUTION] = {"restitution", "\\mathrm{restitution}", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_FRICTION] = {"friction", "\\mathrm{friction}", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_BELLMAN_R] = {"R", "R", OF_ROW_K, OF_ROW_J},
    [ZW_PAPER_BETA] = {"beta", "\\beta", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_KAPPA] = {"kappa", "\\kappa", OF_ROW_K, NO_INDEX},
    [ZW_PAPER_COST] = {"g", "g", NO_INDEX, NO_INDEX},
};

/* The part of the Gibbs function without accelerations: G0, unless the model calls something so. */
static const char* rest_of_gibbs(const ZwWriter* w) {
  if (w->is_latex) return marks[ZW_PAPER_G_CONSTANT].latex;
  return zw_prefix_is_free_in_model(w->paper, "G") ? marks[ZW_PAPER_G_CONSTANT].text : "G_rest";
}

static void write_index(ZwWriter* w, Index index, const ZwPaperEntry* entry) {
  switch (index) {
    case NO_INDEX:
      break;
    case OF_I:
      write_coord(w, entry->i);
      break;
    case OF_J:
      write_coord(w, entry->j);
      break;
    case OF_ROW_K:
      write_row(w, entry->k);
      break;
    case OF_ROW_J:
      write_row(w, entry->j);
      break;
  }
}

/* M[x, y] or M_{x,y} */
static void write_indexed(ZwWriter* w, const ZwPaperEntry* entry) {
  const Mark* mark = &marks[entry->kind];
  bool is_counted = entry->kind >= ZW_PAPER_BELLMAN_R && entry->kind <= ZW_PAPER_COST;
  ZwLetters letters = w->paper->letters;
  const char* ours = entry->kind == ZW_PAPER_G_CONSTANT ? rest_of_gibbs(w) : mark->text;
  const char* theirs = zw_letter(letters, w->is_latex ? mark->text : ours);
  bool is_ours = strcmp(theirs, w->is_latex ? mark->text : ours) == 0;
  const char* letter = !w->is_latex ? theirs : is_ours ? mark->latex : zw_letter_latex(letters, mark->text);
  if (is_counted)
    zw_text_addf(w->text, w->is_latex ? "%s_{%d}" : "%s_%d", letter, (int)entry->i);
  else
    zw_text_addf(w->text, "%s", letter);
  if (mark->first == NO_INDEX) return;
  zw_text_addf(w->text, !w->is_latex ? "[" : is_counted ? "\\,[" : "_{");
  write_index(w, mark->first, entry);
  if (mark->second != NO_INDEX) {
    zw_text_addf(w->text, w->is_latex ? ",\\," : ", ");
    write_index(w, mark->second, entry);
  }
  zw_text_addf(w->text, w->is_latex && !is_counted ? "}" : "]");
}

/* Symmetric matrices: the entry on the other side of the diagonal stands before the equals sign too. */
static void write_mirrored(ZwWriter* w, const ZwPaperEntry* entry) {
  ZwPaperEntry other = *entry;
  switch (entry->kind) {
    case ZW_PAPER_M:
    case ZW_PAPER_K:
      other.i = entry->j, other.j = entry->i;
      break;
    case ZW_PAPER_D:
    case ZW_PAPER_W:
    case ZW_PAPER_BELLMAN_R:
      other.k = entry->j, other.j = entry->k;
      break;
    default:
      return;
  }
  if (other.i == entry->i && other.j == entry->j && other.k == entry->k) return;
  zw_text_addf(w->text, " = ");
  write_indexed(w, &other);
}

void zw_entry_left(ZwWriter* w, const ZwPaperEntry* entry) {
  switch (entry->kind) {
    case ZW_PAPER_V:
      zw_write_name(w, zw_paper_coord_name(w->paper, entry->i), 1);
      break;
    case ZW_PAPER_ACCELERATION:
    case ZW_PAPER_DEPENDING:
    case ZW_PAPER_LINK:
      zw_write_name(w, zw_paper_coord_name(w->paper, entry->i), 2);
      break;
    case ZW_PAPER_GAMMA:
      write_gamma(w, entry);
      break;
    case ZW_PAPER_SHARED:
      zw_write_share_name(w, entry->k);
      break;
    case ZW_PAPER_STEP:
      zw_write_name(w, w->paper->steps.items[entry->k].name, 0);
      break;
    case ZW_PAPER_VALUE:
    case ZW_PAPER_TERM:
    case ZW_PAPER_EQUATION:
    case ZW_PAPER_VALID:
    case ZW_PAPER_PIVOT:
    case ZW_PAPER_BELLMAN_VALID:
    case ZW_PAPER_GAP:
      break;
    case ZW_PAPER_SLIP:
      zw_text_addf(w->text, w->is_latex ? "\\mathrm{slip}" : "slip");
      break;
    default:
      write_indexed(w, entry);
      write_mirrored(w, entry);
      break;
  }
}

/* How rows repeat others gives fractions: 4/5, where 0.8 is only what it comes to. */
static bool is_of_repeated_rows(const ZwSheet* paper, ZwPaperKind kind) {
  if (kind == ZW_PAPER_LAMBDA) return paper->explicit_ && paper->explicit_->rows.r < paper->explicit_->rows.m;
  return kind == ZW_PAPER_E || kind == ZW_PAPER_W;
}

void zw_entry_right(ZwWriter* writer, const ZwPaperEntries* entries, const ZwPaperEntry* entry) {
  ZwWriter w = *writer;
  w.share = is_plain(writer->paper, entry) ? NULL : &entries->share;
  w.has_fractions = is_of_repeated_rows(writer->paper, entry->kind);
  if (entry->kind == ZW_PAPER_SHARED)
    zw_write_expr(&w, entry->value);
  else
    zw_write_value(&w, entry->value);
  if (entry->kind == ZW_PAPER_VALUE) zw_text_addf(w.text, " = 0");
  if (entry->kind == ZW_PAPER_GAP) zw_text_addf(w.text, w.is_latex ? " \\ge 0" : " >= 0");
  if (entry->kind == ZW_PAPER_G) zw_text_addf(w.text, " + %s", rest_of_gibbs(&w));
  if (entry->right.ref) {
    const char* works = w.is_latex ? "\\quad\\text{working on}\\quad " : "  working on  ";
    zw_text_addf(w.text, "%s", entry->kind == ZW_PAPER_EQUATION ? " = " : works);
    zw_write_value(&w, entry->right);
  }
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
