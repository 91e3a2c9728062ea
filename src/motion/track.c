#include "motion/track.h"

#include <math.h>

#include "motion/start_sizes.h"

enum {
  NUMBERS_MOST = 15,                /* that a polynomial goes through */
  WINDOW_BARE = 11,                 /* times, where positions alone are given, */
  WINDOW_RATES = 7,                 /* with velocities, */
  WINDOW_BOTH = 5,                  /* with accelerations too */
  PAIRS_MOST = 1 + WINDOW_BARE / 2, /* of places, the first one by itself; */
  PAIRS_LEAST = 3                   /* so many are used in any case */
};

/* What moves by less than this part of its size hardly moves. */
#define HARDLY 1e-6

/* ---- derivatives at the times ---- */

static int32_t numbers_of(const ZwTrackColumn* column) {
  return column->a ? 3 : column->v ? 2 : 1;
}

static int32_t window_of(const ZwTrackColumn* column) {
  return column->a ? WINDOW_BOTH : column->v ? WINDOW_RATES : WINDOW_BARE;
}

/* The times nearest to number i, nearest first; of two that are alike the later one. */
static int32_t find_nearest(const ZwTrack* track, int32_t i, int32_t most, int32_t* nearest) {
  int32_t count = 0, low = i - 1, high = i + 1;
  nearest[count++] = i;
  while (count < most && (low >= 0 || high < track->count)) {
    bool is_low = high >= track->count || (low >= 0 && track->t[i] - track->t[low] < track->t[high] - track->t[i]);
    nearest[count++] = is_low ? low-- : high++;
  }
  return count;
}

typedef struct Points {
  int32_t count;
  double x[NUMBERS_MOST];    /* places, each as often as numbers are given there, */
  int32_t row[NUMBERS_MOST]; /* and which they are */
  double scale;              /* x counts in units of this time */
} Points;

/* The k-th derivative over k! of what is given at a row, in the unit of time. */
static double given(const ZwTrackColumn* column, int32_t row, int32_t k, double scale) {
  if (k == 0) return column->q[row];
  return k == 1 ? column->v[row] * scale : column->a[row] * scale * scale / 2;
}

/* Coefficients of Newton's form by divided differences, where equal places stand together. */
static void divide(const ZwTrackColumn* column, const Points* points, double* c) {
  for (int32_t i = 0; i < points->count; i++) c[i] = given(column, points->row[i], 0, points->scale);
  for (int32_t k = 1; k < points->count; k++) {
    for (int32_t i = points->count - 1; i >= k; i--) {
      double width = points->x[i] - points->x[i - k];
      c[i] = width != 0 ? (c[i] - c[i - 1]) / width : given(column, points->row[i], k, points->scale);
    }
  }
}

/* The first terms of the polynomial through the first `pairs` pairs of places, in powers of x, around 0. The first place is a pair by
 * itself. added[p] grows by the square of what pair p adds to the acceleration; NULL: nobody asks. Gives what the last one adds. */
static double expand(const Points* points, const double* c, int32_t pairs, double* jet, double* added) {
  double product[ZW_TRACK_JET] = {1}, sum = 0; /* (x - x_0) (x - x_1) ... */
  double last = 0;
  int32_t places = 0, pair = 0;
  for (int k = 0; k < ZW_TRACK_JET; k++) jet[k] = 0;
  for (int32_t i = 0; i < points->count && pair < pairs; i++) {
    for (int k = 0; k < ZW_TRACK_JET; k++) jet[k] += c[i] * product[k];
    sum += fabs(c[i] * product[2]);
    for (int k = ZW_TRACK_JET - 1; k >= 0; k--) {
      product[k] = (k > 0 ? product[k - 1] : 0) - points->x[i] * product[k];
    }
    bool is_last = i + 1 == points->count;
    if (!is_last && points->row[i + 1] == points->row[i]) continue;
    places++;
    if (places % 2 == 0 && !is_last) continue;
    sum /= points->scale * points->scale;
    if (added) added[pair] += sum * sum;
    last = sum;
    sum = 0;
    pair++;
  }
  return 2 * last;
}

static double find_jet(const ZwTrack* track, const ZwTrackColumn* column, int32_t i, int32_t pairs, double* jet,
                       double* added) {
  int32_t nearest[WINDOW_BARE], numbers = numbers_of(column);
  int32_t rows = find_nearest(track, i, window_of(column), nearest);
  Points points = {.scale = fabs(track->t[nearest[rows - 1]] - track->t[i]) / rows};
  for (int32_t r = 0; r < rows; r++) {
    for (int32_t k = 0; k < numbers; k++) {
      points.x[points.count] = (track->t[nearest[r]] - track->t[i]) / points.scale;
      points.row[points.count++] = nearest[r];
    }
  }
  double c[NUMBERS_MOST], unit = 1;
  divide(column, &points, c);
  double last = expand(&points, c, pairs, jet, added);
  for (int k = 0; k < ZW_TRACK_JET; k++, unit *= points.scale) jet[k] /= unit;
  for (int32_t k = 0; k < numbers; k++) jet[k] = given(column, i, k, 1); /* to the last bit */
  return last;
}

/* ---- how many places ---- */

/* Near the ends places stand on one side, and errors of the values grow more. */
static bool is_near_end(const ZwTrack* track, const ZwTrackColumn* column, int32_t i) {
  int32_t half = window_of(column) / 2;
  return i < half || i >= track->count - half;
}

/* What pairs of places add to the accelerations becomes less from pair to pair, until it is nothing but the errors of the values,
 * which become more. There, over all rows of a kind, the polynomials end: so they are as good as the table is. */
static int32_t choose_pairs(const double* added, int32_t count) {
  int32_t best = count - 1;
  for (int32_t p = count - 1; p >= PAIRS_LEAST - 1; p--) {
    if (added[p] < added[best]) best = p;
  }
  return best + 1;
}

/* What accelerations are measured by beside themselves: the way that is gone, within the time of the table, and for what hardly moves a
 * small part of its size. */
static double size_of_accelerations(const ZwTrack* track, const ZwTrackColumn* column, double size) {
  double low = column->q[0], high = low, time = track->t[track->count - 1] - track->t[0];
  for (int32_t i = 1; i < track->count; i++) {
    low = fmin(low, column->q[i]);
    high = fmax(high, column->q[i]);
  }
  return (high - low) / (time * time) + HARDLY * size;
}

static void find_jets(ZwTrack* track, int32_t coordinate, double given_size) {
  const ZwTrackColumn* column = &track->columns[coordinate];
  double* jets = track->jets + (ptrdiff_t)coordinate * track->count * ZW_TRACK_JET;
  double added[2][PAIRS_MOST] = {{0}}, size = size_of_accelerations(track, column, given_size), largest = size,
         doubt = 0, at = 0;
  int32_t places = window_of(column) < track->count ? window_of(column) : track->count;
  int32_t pairs = 1 + places / 2;
  for (int32_t i = 0; i < track->count; i++) {
    find_jet(track, column, i, pairs, jets + (ptrdiff_t)i * ZW_TRACK_JET, added[is_near_end(track, column, i)]);
  }
  int32_t chosen[2] = {choose_pairs(added[0], pairs), choose_pairs(added[1], pairs)};
  for (int32_t i = 0; i < track->count; i++) {
    double* jet = jets + (ptrdiff_t)i * ZW_TRACK_JET;
    double last = find_jet(track, column, i, chosen[is_near_end(track, column, i)], jet, NULL);
    largest = fmax(largest, zw_size_at(size, 2 * jet[2]));
    if (!(last > doubt)) continue;
    doubt = last;
    at = track->t[i];
  }
  if (column->a || (track->doubtful >= 0 && !(doubt / largest > track->doubt))) return;
  track->doubt = doubt / largest;
  track->t_doubt = at;
  track->doubtful = coordinate;
}

ZwStatus zw_track_build(ZwTrack* track, ZwArena* arena, int32_t count, const double* t, int32_t n,
                        const ZwTrackColumn* columns, const double* size) {
  *track = (ZwTrack){.count = count, .n = n, .t = t, .columns = columns, .doubtful = -1};
  track->jets = ZW_NEW(arena, (ptrdiff_t)n * count * ZW_TRACK_JET, double);
  if (!track->jets) return ZW_ERR_MEMORY;
  for (int32_t j = 0; j < n; j++) {
    if (columns[j].q) find_jets(track, j, size[j]);
  }
  return ZW_OK;
}

/* ---- between them ---- */

int32_t zw_track_interval(const ZwTrack* track, double t) {
  int32_t low = 0, high = track->count - 1;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (track->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The polynomial of degree 9 in u = (t - t_i)/h: five terms from the left, and five that make up for what they lack on the
 * right. */
static void find_terms(const double* left, const double* right, double h, double c[2 * ZW_TRACK_JET]) {
  static const double chosen[ZW_TRACK_JET][ZW_TRACK_JET] = {/* i over k */
                                                            {1, 1, 1, 1, 1},
                                                            {0, 1, 2, 3, 4},
                                                            {0, 0, 1, 3, 6},
                                                            {0, 0, 0, 1, 4},
                                                            {0, 0, 0, 0, 1}};
  static const double answer[ZW_TRACK_JET][ZW_TRACK_JET] = {/* to a lack of one in each term on the right */
                                                            {126, -56, 21, -6, 1},
                                                            {-420, 196, -77, 23, -4},
                                                            {540, -260, 106, -33, 6},
                                                            {-315, 155, -65, 21, -4},
                                                            {70, -35, 15, -5, 1}};
  double unit = 1, lack[ZW_TRACK_JET];
  for (int k = 0; k < ZW_TRACK_JET; k++, unit *= h) {
    c[k] = left[k] * unit;
    lack[k] = right[k] * unit;
  }
  for (int k = 1; k < ZW_TRACK_JET; k++) {
    for (int i = k; i < ZW_TRACK_JET; i++) lack[k] -= chosen[k][i] * c[i];
  }
  lack[0] = (right[0] - left[0]) - c[1] - c[2] - c[3] - c[4]; /* large values do not cost digits of small changes */
  for (int k = 0; k < ZW_TRACK_JET; k++) {
    c[ZW_TRACK_JET + k] = 0;
    for (int i = 0; i < ZW_TRACK_JET; i++) c[ZW_TRACK_JET + k] += answer[k][i] * lack[i];
  }
}

void zw_track_at(const ZwTrack* track, int32_t coordinate, double t, double* q, double* v, double* a) {
  int32_t i = zw_track_interval(track, t);
  const double* left = track->jets + ((ptrdiff_t)coordinate * track->count + i) * ZW_TRACK_JET;
  double h = track->t[i + 1] - track->t[i], c[2 * ZW_TRACK_JET];
  bool is_right = t == track->t[i + 1];
  if (is_right || t == track->t[i]) { /* what is given */
    if (is_right) left += ZW_TRACK_JET;
    *q = left[0];
    *v = left[1];
    *a = 2 * left[2];
    return;
  }
  find_terms(left, left + ZW_TRACK_JET, h, c);
  double u = (t - track->t[i]) / h, p = 0, p1 = 0, p2 = 0; /* the value and its derivatives over 0!, 1!, 2! */
  for (int k = 2 * ZW_TRACK_JET - 1; k >= 0; k--) {
    p2 = p2 * u + p1;
    p1 = p1 * u + p;
    p = p * u + c[k];
  }
  *q = p;
  *v = p1 / h;
  *a = 2 * p2 / (h * h);
}
