/* The page as fields of a JSON object; formulas are strings in the form of the text. */
#include "paper/entries.h"
#include "paper/explicit.h"
#include "paper/recursion.h"

typedef struct Fields {
  ZwJson* json;
  const ZwSheet* paper;
  const ZwPaperEntries* entries;
} Fields;

static void put_formula(const Fields* f, const ZwPaperEntry* entry) {
  ZwText marked, line;
  zw_text_init(&marked, f->paper->arena);
  zw_text_init(&line, f->paper->arena);
  ZwWriter w = {&marked, f->paper, &f->entries->share, false, false};
  zw_entry_right(&w, f->entries, entry);
  zw_write_lines(&line, (ZwStr){zw_text_get(&marked), marked.size}, false, 0, 0, "", 0);
  zw_json_string(f->json, zw_text_get(&line));
}

static void put_number(const Fields* f, const char* key, int32_t value) {
  zw_json_key(f->json, key);
  zw_json_integer(f->json, value);
}

static void put_row_name(const Fields* f, const char* key, int32_t row) {
  if (key) zw_json_key(f->json, key);
  zw_json_str(f->json, f->paper->rows[row].name);
}

static void put_name(const Fields* f, const char* key, int32_t coord) {
  if (key) zw_json_key(f->json, key);
  zw_json_str(f->json, zw_paper_coord_name(f->paper, coord));
}

static void put_value(const Fields* f, const ZwPaperEntry* entry) {
  zw_json_key(f->json, "value");
  put_formula(f, entry);
}

/* One object of a list: where it stands and what it is. */
static void put_entry(const Fields* f, const ZwPaperEntry* entry) {
  ZwJson* json = f->json;
  zw_json_begin_object(json);
  switch (entry->kind) {
    case ZW_PAPER_M:
      put_name(f, "row", entry->i), put_name(f, "column", entry->j);
      break;
    case ZW_PAPER_A:
    case ZW_PAPER_CONTACT_A:
      put_name(f, "column", entry->j);
      break;
    case ZW_PAPER_GAMMA:
      put_name(f, "index", entry->i);
      zw_json_key(json, "lower");
      zw_json_begin_array(json);
      put_name(f, NULL, entry->j);
      put_name(f, NULL, entry->k);
      zw_json_end_array(json);
      break;
    case ZW_PAPER_SHARED: {
      zw_json_key(json, "name");
      zw_json_string(json, zw_format(f->paper->arena, "%s%d", f->entries->share.prefix, (int)entry->k));
      break;
    }
    case ZW_PAPER_STEP:
      zw_json_key(json, "name");
      zw_json_str(json, f->paper->steps.items[entry->k].name);
      break;
    case ZW_PAPER_E:
    case ZW_PAPER_D:
    case ZW_PAPER_W:
      put_row_name(f, "row", entry->k), put_row_name(f, "column", entry->j);
      break;
    case ZW_PAPER_D_PART:
    case ZW_PAPER_LAMBDA:
      put_row_name(f, "row", entry->k);
      break;
    case ZW_PAPER_GAIN:
      put_name(f, "row", entry->i), put_row_name(f, "column", entry->k);
      break;
    case ZW_PAPER_R:
    case ZW_PAPER_K:
      put_name(f, "row", entry->i), put_name(f, "column", entry->j);
      break;
    case ZW_PAPER_BELLMAN_R:
      put_number(f, "k", entry->i);
      put_row_name(f, "row", entry->k), put_row_name(f, "column", entry->j);
      break;
    case ZW_PAPER_BETA:
    case ZW_PAPER_KAPPA:
      put_number(f, "k", entry->i);
      put_row_name(f, "row", entry->k);
      break;
    case ZW_PAPER_COST:
      put_number(f, "k", entry->i);
      break;
    case ZW_PAPER_EQUATION:
      break;
    default:
      put_name(f, "row", entry->i);
      break;
  }
  put_value(f, entry);
  zw_json_end_object(json);
}

static void put_list(const Fields* f, const char* key, ZwPaperKind kind, int32_t begin, int32_t end) {
  zw_json_key(f->json, key);
  zw_json_begin_array(f->json);
  for (int32_t i = begin; i < end; i++) {
    if (f->entries->list.items[i].kind == kind) put_entry(f, &f->entries->list.items[i]);
  }
  zw_json_end_array(f->json);
}

static void put_all(const Fields* f, const char* key, ZwPaperKind kind) {
  put_list(f, key, kind, 0, f->entries->list.count);
}

static void put_one(const Fields* f, const char* key, ZwPaperKind kind) {
  for (int32_t i = 0; i < f->entries->list.count; i++) {
    if (f->entries->list.items[i].kind != kind) continue;
    zw_json_key(f->json, key);
    put_formula(f, &f->entries->list.items[i]);
    return;
  }
}

static void put_word(const Fields* f, const char* key, const char* why) {
  zw_json_key(f->json, key);
  zw_json_string(f->json, why);
}

static void put_names(const Fields* f, const char* key, int32_t begin, int32_t end) {
  zw_json_key(f->json, key);
  zw_json_begin_array(f->json);
  for (int32_t i = begin; i < end; i++) put_name(f, NULL, i);
  zw_json_end_array(f->json);
}

static void put_params(const Fields* f) {
  const ZwSystem* system = f->paper->system;
  const double* values = zw_paper_params(f->paper);
  zw_json_key(f->json, "parameters");
  zw_json_begin_array(f->json);
  for (int32_t i = 0; values && i < system->params.count; i++) {
    if (system->params.items[i].is_hidden) continue;
    zw_json_begin_object(f->json);
    zw_json_key(f->json, "name");
    zw_json_str(f->json, system->params.items[i].name);
    zw_json_key(f->json, "value");
    zw_json_number(f->json, values[i]);
    zw_json_end_object(f->json);
  }
  zw_json_end_array(f->json);
}

/* The entries of a constraint follow each other: its value, A, b. */
static void put_row(const Fields* f, int32_t begin, int32_t end) {
  static const char* const levels[] = {"position", "velocity", "acceleration"}; /* ORDER LEVEL */
  const ZwPaperEntry* head = &f->entries->list.items[begin];
  const ZwPaperRow* row = &f->paper->rows[head->k];
  zw_json_key(f->json, "name");
  zw_json_str(f->json, row->name);
  zw_json_key(f->json, "level");
  zw_json_string(f->json, levels[row->level]);
  zw_json_key(f->json, "differentiations");
  zw_json_integer(f->json, ZW_LEVEL_ACCELERATION - row->level);
  zw_json_key(f->json, "equation");
  put_formula(f, head);
  put_list(f, "row", ZW_PAPER_A, begin, end);
  bool has_b = false;
  zw_json_key(f->json, "b");
  for (int32_t i = begin; i < end && !has_b; i++) {
    has_b = f->entries->list.items[i].kind == ZW_PAPER_B;
    if (has_b) put_formula(f, &f->entries->list.items[i]);
  }
  if (!has_b) zw_json_string(f->json, "0");
}

static void put_rows(const Fields* f) {
  zw_json_key(f->json, "constraints");
  zw_json_begin_array(f->json);
  int32_t count = f->entries->list.count;
  for (int32_t i = 0; i < count; i++) {
    if (f->entries->list.items[i].kind != ZW_PAPER_VALUE) continue;
    int32_t end = i + 1;
    while (end < count &&
           (f->entries->list.items[end].kind == ZW_PAPER_A || f->entries->list.items[end].kind == ZW_PAPER_B))
      end++;
    zw_json_begin_object(f->json);
    put_row(f, i, end);
    zw_json_end_object(f->json);
  }
  zw_json_end_array(f->json);
}

static void put_contact_row(const Fields* f, const ZwPaperEntry* head, int32_t begin, int32_t end) {
  zw_json_begin_object(f->json);
  put_row_name(f, "name", head->k);
  zw_json_key(f->json, head->kind == ZW_PAPER_GAP ? "gap" : "slip");
  put_formula(f, head);
  put_list(f, "row", ZW_PAPER_CONTACT_A, begin, end);
  for (int32_t i = begin; i < end; i++) {
    const ZwPaperEntry* entry = &f->entries->list.items[i];
    const char* key = entry->kind == ZW_PAPER_CONTACT_B     ? "b"
                      : entry->kind == ZW_PAPER_RESTITUTION ? "restitution"
                      : entry->kind == ZW_PAPER_FRICTION    ? "friction"
                                                            : NULL;
    if (!key) continue;
    zw_json_key(f->json, key);
    put_formula(f, entry);
  }
  zw_json_end_object(f->json);
}

/* Gaps and slips of contacts, each with what follows it. */
static void put_contacts(const Fields* f) {
  int32_t count = f->entries->list.count;
  if (f->paper->contact_rows == 0) return;
  zw_json_key(f->json, "contacts");
  zw_json_begin_array(f->json);
  for (int32_t i = 0; i < count; i++) {
    const ZwPaperEntry* head = &f->entries->list.items[i];
    if (head->kind != ZW_PAPER_GAP && head->kind != ZW_PAPER_SLIP) continue;
    int32_t end = i + 1;
    while (end < count && f->entries->list.items[end].kind >= ZW_PAPER_CONTACT_A &&
           f->entries->list.items[end].kind <= ZW_PAPER_FRICTION)
      end++;
    put_contact_row(f, head, i, end);
  }
  zw_json_end_array(f->json);
}

static void put_quasi(const Fields* f) {
  if (f->paper->p == 0) return;
  zw_json_key(f->json, "quasi");
  zw_json_begin_object(f->json);
  put_names(f, "names", f->paper->n, f->paper->n + f->paper->p);
  if (f->paper->quasi_why) {
    zw_json_key(f->json, "missing");
    zw_json_string(f->json, f->paper->quasi_why);
  } else {
    put_all(f, "velocities", ZW_PAPER_V);
    put_one(f, "G", ZW_PAPER_G_QUASI);
    put_all(f, "equations", ZW_PAPER_EQUATION);
  }
  zw_json_end_object(f->json);
}

static void put_metric(const Fields* f) {
  static const char* const kinds[] = {NULL, "flat", "first", "second"}; /* ZwMetric */
  if (f->paper->metric == ZW_METRIC_NONE) return;
  zw_json_key(f->json, "christoffel");
  zw_json_begin_object(f->json);
  zw_json_key(f->json, "kind");
  zw_json_string(f->json, kinds[f->paper->metric]);
  put_all(f, "symbols", ZW_PAPER_GAMMA);
  zw_json_end_object(f->json);
}

/* Strings in a list: what may not be 0. */
static void put_valid(const Fields* f, ZwPaperKind kind) {
  bool has_any = false;
  zw_json_key(f->json, "valid");
  zw_json_begin_array(f->json);
  for (int32_t i = 0; i < f->entries->list.count; i++) {
    if (f->entries->list.items[i].kind != kind) continue;
    put_formula(f, &f->entries->list.items[i]);
    has_any = true;
  }
  if (!has_any) zw_json_string(f->json, "1"); /* everywhere */
  zw_json_end_array(f->json);
}

/* Every name that formulas of this object may read. */
static void put_where(const Fields* f) {
  zw_json_key(f->json, "where");
  zw_json_begin_array(f->json);
  for (int32_t i = 0; i < f->entries->list.count; i++) {
    const ZwPaperEntry* entry = &f->entries->list.items[i];
    if (entry->kind == ZW_PAPER_STEP || entry->kind == ZW_PAPER_SHARED) put_entry(f, entry);
  }
  zw_json_end_array(f->json);
}

/* The same of what does not belong to a part that was asked for. */
static void put_common_where(const Fields* f) {
  zw_json_key(f->json, "where");
  zw_json_begin_array(f->json);
  for (int32_t i = 0; i < f->entries->list.count; i++) {
    const ZwPaperEntry* entry = &f->entries->list.items[i];
    bool is_of_G = entry->kind == ZW_PAPER_STEP && entry->k < f->paper->G_steps;
    if (is_of_G || entry->kind == ZW_PAPER_SHARED) put_entry(f, entry);
  }
  zw_json_end_array(f->json);
}

static void put_explicit(const Fields* f) {
  const ZwExplicit* x = f->paper->explicit_;
  zw_json_key(f->json, "explicit");
  zw_json_begin_object(f->json);
  if (x->why) {
    put_word(f, "missing", x->why);
  } else {
    zw_json_key(f->json, "rows");
    zw_json_begin_array(f->json);
    for (int32_t k = 0; k < x->rows.r; k++) put_row_name(f, NULL, x->rows.J[k]);
    zw_json_end_array(f->json);
    if (x->rows.r < x->rows.m && x->rows.is_known) {
      put_all(f, "E", ZW_PAPER_E);
      put_all(f, "W", ZW_PAPER_W);
    }
    if (x->rows.r < x->rows.m && !x->rows.is_known) put_word(f, "E_missing", ZW_INDEPENDENT_WHY);
    if (x->added_count > 0) {
      zw_json_key(f->json, "rows_added");
      zw_json_begin_array(f->json);
      for (int32_t k = 0; k < x->added_count; k++) put_row_name(f, NULL, x->added[k]);
      zw_json_end_array(f->json);
    }
    if (!x->is_singular) {
      put_all(f, "D", ZW_PAPER_D);
      put_all(f, "d", ZW_PAPER_D_PART);
    }
    put_all(f, "lambda", ZW_PAPER_LAMBDA);
    put_all(f, "Qc", ZW_PAPER_QC);
    put_all(f, "a", ZW_PAPER_ACCELERATION);
    if (x->gain)
      put_all(f, "gain", ZW_PAPER_GAIN);
    else if (f->paper->m > 0)
      put_word(f, "gain_missing", x->gain_why);
    put_valid(f, ZW_PAPER_VALID);
    put_where(f);
  }
  zw_json_end_object(f->json);
}

static void put_coordinates(const Fields* f, const char* key, const int32_t* list, int32_t count) {
  zw_json_key(f->json, key);
  zw_json_begin_array(f->json);
  for (int32_t i = 0; i < count; i++) put_name(f, NULL, list[i]);
  zw_json_end_array(f->json);
}

static void put_partition(const Fields* f) {
  const ZwPaperPartition* p = f->paper->partition;
  zw_json_key(f->json, "partition");
  zw_json_begin_object(f->json);
  if (p->why) {
    put_word(f, "missing", p->why);
  } else {
    put_coordinates(f, "e", p->order, p->r);
    put_coordinates(f, "i", p->order + p->r, p->f);
    put_all(f, "R", ZW_PAPER_R);
    put_all(f, "c", ZW_PAPER_C);
    put_all(f, "K", ZW_PAPER_K);
    put_all(f, "P", ZW_PAPER_P);
    put_all(f, "right", ZW_PAPER_RIGHT);
    if (p->has_steps) put_all(f, "ae", ZW_PAPER_DEPENDING);
    put_one(f, "S", ZW_PAPER_S);
    zw_json_key(f->json, "uncoupled");
    zw_json_bool(f->json, p->is_uncoupled);
    put_valid(f, ZW_PAPER_PIVOT);
    put_where(f);
  }
  zw_json_end_object(f->json);
}

static void put_bellman(const Fields* f) {
  const ZwPaperRecursion* x = f->paper->bellman;
  zw_json_key(f->json, "bellman");
  zw_json_begin_object(f->json);
  if (x->why) {
    put_word(f, "missing", x->why);
  } else {
    put_coordinates(f, "order", x->order, x->n);
    put_word(f, "root", x->is_diagonal ? "diagonal" : "cholesky");
    put_all(f, "R", ZW_PAPER_BELLMAN_R);
    put_all(f, "beta", ZW_PAPER_BETA);
    put_all(f, "kappa", ZW_PAPER_KAPPA);
    put_all(f, "g", ZW_PAPER_COST);
    put_all(f, "a", ZW_PAPER_LINK);
    put_valid(f, ZW_PAPER_BELLMAN_VALID);
    put_where(f);
  }
  zw_json_end_object(f->json);
}

static void put_shapes(const Fields* f, const ZwPaperShapes* shapes) {
  static const char* const kinds[] = {"energy", "dissipation", "force", "gibbs", "constraint"}; /* as ZwShapeKind */
  zw_json_key(f->json, "shapes");
  zw_json_begin_array(f->json);
  for (int32_t s = 0; s < shapes->list.count; s++) {
    const ZwPaperShape* shape = &shapes->list.items[s];
    zw_json_begin_object(f->json);
    zw_json_key(f->json, "kind");
    zw_json_string(f->json, kinds[shape->shape->kind]);
    zw_json_key(f->json, "count");
    zw_json_integer(f->json, shape->shape->count);
    if (shape->shape->kind == ZW_SHAPE_CONSTRAINT) {
      put_row(f, shape->begin, shape->end);
    } else {
      zw_json_key(f->json, "first");
      put_formula(f, &f->entries->list.items[shape->begin]);
      put_list(f, "M", ZW_PAPER_M, shape->begin, shape->end);
      put_list(f, "h", ZW_PAPER_H, shape->begin, shape->end);
      put_list(f, "Q", ZW_PAPER_Q, shape->begin, shape->end);
    }
    zw_json_end_object(f->json);
  }
  zw_json_end_array(f->json);
}

void zw_paper_json(ZwJson* json, ZwArena* arena, const ZwEquations* equations, ZwPaperWish* wish) {
  ZwSheet paper;
  ZwPaperEntries entries;
  ZwPaperShapes shapes;
  bool is_large = !zw_paper_is_whole(equations->n, wish);
  if (is_large) {
    if (!zw_paper_shapes(&paper, arena, equations, &entries, &shapes)) return;
  } else {
    zw_paper_derive(&paper, arena, equations->system, wish);
    if (!zw_paper_entries(&paper, &entries)) return;
  }
  Fields f = {json, &paper, &entries};
  zw_json_key(json, "n");
  zw_json_integer(json, equations->n);
  zw_json_key(json, "m");
  zw_json_integer(json, equations->m);
  put_params(&f);
  if (is_large) {
    put_shapes(&f, &shapes);
  } else {
    put_names(&f, "coordinates", 0, paper.n);
    put_one(&f, "L", ZW_PAPER_L);
    put_all(&f, "M", ZW_PAPER_M);
    put_all(&f, "h", ZW_PAPER_H);
    if (paper.p0) {
      put_all(&f, "p0", ZW_PAPER_P0);
      put_one(&f, "T0", ZW_PAPER_T0);
    }
    put_all(&f, "Q", ZW_PAPER_Q);
    put_rows(&f);
    put_contacts(&f);
    put_one(&f, "G", ZW_PAPER_G);
    if (paper.G_constant.ref)
      put_one(&f, "G0", ZW_PAPER_G_CONSTANT);
    else
      put_word(&f, "G0_missing", paper.G_why);
    put_quasi(&f);
    put_metric(&f);
    if (paper.explicit_) put_explicit(&f);
    if (paper.partition) put_partition(&f);
    if (paper.bellman) put_bellman(&f);
  }
  put_common_where(&f);
}
