/* Panel by panel: updates by earlier panels, then the panel itself. All work is done in tiles of 4 x 4 numbers that
 * stay in registers while the columns of a panel go by. */
#include "sparse/ldl.h"

enum { TILE = 4 };

/* The columns of a panel, in memory. */
typedef struct Panel {
  int32_t columns, rows;
  const int32_t* row;
  double* value; /* column by column */
} Panel;

static Panel panel_at(const ZwLdl* ldl, int32_t s) {
  const ZwPanels* panels = &ldl->plan->panels;
  return (Panel){.columns = panels->begin[s + 1] - panels->begin[s],
                 .rows = panels->row_begin[s + 1] - panels->row_begin[s],
                 .row = panels->row + panels->row_begin[s],
                 .value = ldl->L + panels->value_begin[s]};
}

/* sum[4 j + i] = sum over k of x[i + k stride] y[j + 4 k]. Written out, so that compilers keep all sixteen in
 * registers. */
static void multiply_tile(int32_t columns, const double* restrict x, ptrdiff_t stride, const double* restrict y,
                          double* restrict sum) {
  double s00 = 0, s01 = 0, s02 = 0, s03 = 0;
  double s10 = 0, s11 = 0, s12 = 0, s13 = 0;
  double s20 = 0, s21 = 0, s22 = 0, s23 = 0;
  double s30 = 0, s31 = 0, s32 = 0, s33 = 0;
  for (int32_t k = 0; k < columns; k++) {
    double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    s00 += x0 * y0;
    s01 += x1 * y0;
    s02 += x2 * y0;
    s03 += x3 * y0;
    s10 += x0 * y1;
    s11 += x1 * y1;
    s12 += x2 * y1;
    s13 += x3 * y1;
    s20 += x0 * y2;
    s21 += x1 * y2;
    s22 += x2 * y2;
    s23 += x3 * y2;
    s30 += x0 * y3;
    s31 += x1 * y3;
    s32 += x2 * y3;
    s33 += x3 * y3;
    x += stride;
    y += TILE;
  }
  sum[0] = s00;
  sum[1] = s01;
  sum[2] = s02;
  sum[3] = s03;
  sum[4] = s10;
  sum[5] = s11;
  sum[6] = s12;
  sum[7] = s13;
  sum[8] = s20;
  sum[9] = s21;
  sum[10] = s22;
  sum[11] = s23;
  sum[12] = s30;
  sum[13] = s31;
  sum[14] = s32;
  sum[15] = s33;
}

/* y[j + 4 k] = D_k L[first + j, k] for up to four rows of a panel and its first columns; the rest is zero. */
static void weigh_rows(const Panel* panel, int32_t columns, const double* D, int32_t first, int32_t count, double* y) {
  for (int32_t k = 0; k < columns; k++) {
    const double* column = panel->value + (ptrdiff_t)k * panel->rows + first;
    for (int32_t j = 0; j < TILE; j++) y[TILE * k + j] = j < count ? column[j] * D[k] : 0;
  }
}

/* ---- update by an earlier panel ---- */

static void subtract_tile(const double* sum, int32_t i, int32_t rows, int32_t j, int32_t columns, const int32_t* map,
                          const int32_t* row, const Panel* to) {
  int32_t j_end = columns - j < TILE ? columns - j : TILE, i_end = rows - i < TILE ? rows - i : TILE;
  for (int32_t b = 0; b < j_end; b++) {
    double* column = to->value + (ptrdiff_t)map[row[j + b]] * to->rows;
    for (int32_t a = i == j ? b : 0; a < i_end; a++) column[map[row[i + a]]] -= sum[TILE * b + a];
  }
}

/* to -= L_from D L_from^T, where the rows of `from` meet those of `to`. */
static void update(const ZwLdl* ldl, const ZwPanelUpdate* update, const Panel* to) {
  Panel from = panel_at(ldl, update->from);
  const double* D = ldl->D + ldl->plan->panels.begin[update->from];
  const int32_t* row = from.row + update->first;
  const double* x = from.value + update->first;
  int32_t rows = from.rows - update->first;
  double sum[TILE * TILE];
  for (int32_t j = 0; j < update->count; j += TILE) {
    weigh_rows(&from, from.columns, D, update->first + j, update->count - j, ldl->work);
    for (int32_t i = j; i < rows; i += TILE) {
      multiply_tile(from.columns, x + i, from.rows, ldl->work, sum);
      subtract_tile(sum, i, rows, j, update->count, ldl->map, row, to);
    }
  }
}

/* ---- the panel itself ---- */

/* Columns first to first + count - 1, once all columns before them have been taken off. */
static void factor_columns(ZwLdl* ldl, const Panel* panel, int32_t place, int32_t first, int32_t count) {
  ptrdiff_t rows = panel->rows;
  for (int32_t c = first; c < first + count; c++) {
    double* restrict column = panel->value + c * rows;
    double pivot = zw_ldl_pivot(ldl, place + c, column[c]), inverse = 1 / pivot;
    ldl->D[place + c] = pivot;
    ldl->D_inverse[place + c] = inverse;
    double weighed[TILE];
    for (int32_t other = c + 1; other < first + count; other++) weighed[other - first] = column[other];
    for (ptrdiff_t i = c + 1; i < rows; i++) column[i] *= inverse;
    for (int32_t other = c + 1; other < first + count; other++) {
      double* restrict target = panel->value + other * rows;
      double factor = weighed[other - first];
      for (ptrdiff_t i = other; i < rows; i++) target[i] -= column[i] * factor;
    }
  }
}

static void take_off(const ZwLdl* ldl, const Panel* panel, int32_t place, int32_t first, int32_t count) {
  double sum[TILE * TILE];
  weigh_rows(panel, first, ldl->D + place, first, count, ldl->work);
  for (int32_t i = first; i < panel->rows; i += TILE) {
    multiply_tile(first, panel->value + i, panel->rows, ldl->work, sum);
    int32_t i_end = panel->rows - i < TILE ? panel->rows - i : TILE;
    for (int32_t b = 0; b < count; b++) {
      double* column = panel->value + (ptrdiff_t)(first + b) * panel->rows + i;
      for (int32_t a = i == first ? b : 0; a < i_end; a++) column[a] -= sum[TILE * b + a];
    }
  }
}

static void factor_panel(ZwLdl* ldl, const Panel* panel, int32_t place) {
  for (int32_t first = 0; first < panel->columns; first += TILE) {
    int32_t count = panel->columns - first < TILE ? panel->columns - first : TILE;
    if (first > 0) take_off(ldl, panel, place, first, count);
    factor_columns(ldl, panel, place, first, count);
  }
}

void zw_ldl_factor_panels(ZwLdl* ldl) {
  const ZwPanels* panels = &ldl->plan->panels;
  for (int32_t s = 0; s < panels->count; s++) {
    Panel panel = panel_at(ldl, s);
    for (int32_t i = 0; i < panel.rows; i++) ldl->map[panel.row[i]] = i;
    for (int32_t u = panels->update_begin[s]; u < panels->update_begin[s + 1]; u++)
      update(ldl, &panels->updates[u], &panel);
    factor_panel(ldl, &panel, panels->begin[s]);
  }
}

/* ---- solve ---- */

/* x = L\x of one panel: its own columns, then what they do to the rows below. */
static void solve_forward(const Panel* panel, double* x, double* restrict work) {
  int32_t w = panel->columns, below = panel->rows - w;
  double* own = x + panel->row[0];
  for (int32_t i = 0; i < below; i++) work[i] = 0;
  for (int32_t c = 0; c < w; c++) {
    const double* restrict column = panel->value + (ptrdiff_t)c * panel->rows;
    double xc = own[c];
    for (int32_t i = c + 1; i < w; i++) own[i] -= column[i] * xc;
    column += w;
    for (int32_t i = 0; i < below; i++) work[i] += column[i] * xc;
  }
  for (int32_t i = 0; i < below; i++) x[panel->row[w + i]] -= work[i];
}

static double dot(int32_t count, const double* x, const double* y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < count; i++) s0 += x[i] * y[i];
  return (s0 + s2) + (s1 + s3);
}

/* x = L'\x of one panel. */
static void solve_backward(const Panel* panel, double* x, double* restrict work) {
  int32_t w = panel->columns, below = panel->rows - w;
  double* own = x + panel->row[0];
  for (int32_t i = 0; i < below; i++) work[i] = x[panel->row[w + i]];
  for (int32_t c = w - 1; c >= 0; c--) {
    const double* column = panel->value + (ptrdiff_t)c * panel->rows;
    own[c] -= dot(w - c - 1, column + c + 1, own + c + 1) + dot(below, column + w, work);
  }
}

void zw_ldl_solve_lower_panels(const ZwLdl* ldl, double* x) {
  for (int32_t s = 0; s < ldl->plan->panels.count; s++) {
    Panel panel = panel_at(ldl, s);
    solve_forward(&panel, x, ldl->work);
  }
}

void zw_ldl_solve_upper_panels(const ZwLdl* ldl, double* x) {
  for (int32_t s = ldl->plan->panels.count - 1; s >= 0; s--) {
    Panel panel = panel_at(ldl, s);
    solve_backward(&panel, x, ldl->work);
  }
}
