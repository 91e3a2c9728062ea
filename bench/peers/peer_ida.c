/* IDA of SUNDIALS on equations by hand, with constraints at both levels and multipliers for each (Gear, Gupta, Leimkuhler):
 * a chain of rods in Cartesian coordinates with a band matrix, and Andrews' mechanism with a dense one. Jacobians are IDA's
 * own, by differences. With equal weights for all unknowns it fails at tight tolerances: multipliers get lighter ones, and no
 * part in the error test. */
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "andrews.h"
#include "peer.h"
#include "rods.h"

enum {
  PER_ROD = 10,
  MOVING = 6,
  BAND = 19
}; /* unknowns of a rod: x y angle, their rates; two forces and two corrections of its joint */

typedef struct Scene {
  int size, rods;
  IDAResFn residual;
  double end, first_step, multiplier_weight;
  bool is_band;
} Scene;

/* ---- the chain ---- */

static int rods_residual(double t, N_Vector state, N_Vector slope, N_Vector residual, void* context) {
  (void)t;
  int rods = ((const Scene*)context)->rods;
  const double *y = N_VGetArrayPointer(state), *dy = N_VGetArrayPointer(slope);
  double* r = N_VGetArrayPointer(residual);
  double x0 = 0, y0 = 0, vx0 = 0, vy0 = 0; /* of the end of the rod before */
  static const double nothing[PER_ROD];
  for (int i = 0; i < rods; i++, y += PER_ROD, dy += PER_ROD, r += PER_ROD) {
    const double* next = i + 1 < rods ? y + PER_ROD : nothing;
    double s = sin(y[2]), c = cos(y[2]), wx = 0.5 * c * y[5], wy = 0.5 * s * y[5];
    r[0] = dy[0] - y[3] - (y[8] - next[8]);
    r[1] = dy[1] - y[4] - (y[9] - next[9]);
    r[2] = (dy[2] - y[5]) / 12 + 0.5 * (c * (y[8] + next[8]) + s * (y[9] + next[9]));
    r[3] = dy[3] - (y[6] - next[6]);
    r[4] = dy[4] + RODS_GRAVITY - (y[7] - next[7]);
    r[5] = dy[5] / 12 + 0.5 * (c * (y[6] + next[6]) + s * (y[7] + next[7]));
    r[6] = y[3] - wx - vx0;
    r[7] = y[4] - wy - vy0;
    r[8] = y[0] - 0.5 * s - x0;
    r[9] = y[1] + 0.5 * c - y0;
    x0 = y[0] + 0.5 * s, y0 = y[1] - 0.5 * c, vx0 = y[3] + wx, vy0 = y[4] + wy;
  }
  return 0;
}

/* At rest: accelerations of the centres follow from the forces of the joints. */
static void rods_start(int count, double* y, double* dy) {
  Rods rods = rods_new(count);
  double *angle = peer_numbers(3 * count), *rate = angle + count, *acceleration = rate + count;
  for (int i = 0; i < count; i++) angle[i] = RODS_ANGLE;
  rods_accelerate(&rods, angle, rate, acceleration);
  for (int i = 0; i < count; i++, y += PER_ROD, dy += PER_ROD) {
    const Rod *rod = &rods.rod[i], *next = rod + 1;
    y[0] = (i + 0.5) * sin(RODS_ANGLE), y[1] = -(i + 0.5) * cos(RODS_ANGLE), y[2] = RODS_ANGLE;
    y[6] = rod->x, y[7] = rod->y;
    dy[3] = rod->x - next->x, dy[4] = rod->y - next->y - RODS_GRAVITY, dy[5] = acceleration[i];
  }
  free(angle);
  rods_free(&rods);
}

/* ---- Andrews ---- */

enum {
  SPEEDS = ANDREWS_N,
  FORCES = 2 * ANDREWS_N,
  CORRECTIONS = FORCES + ANDREWS_M,
  ANDREWS_SIZE = CORRECTIONS + ANDREWS_M
};

static int andrews_residual(double t, N_Vector state, N_Vector slope, N_Vector residual, void* context) {
  (void)t, (void)context;
  const double *y = N_VGetArrayPointer(state), *dy = N_VGetArrayPointer(slope);
  double* r = N_VGetArrayPointer(residual);
  Andrews a;
  andrews_masses(&a, y);
  andrews_forces(&a, y, y + SPEEDS);
  andrews_loops(&a, y);
  for (int i = 0; i < ANDREWS_N; i++) {
    r[i] = dy[i] - y[SPEEDS + i];
    r[SPEEDS + i] = -a.F[i];
    for (int j = 0; j < ANDREWS_N; j++) r[SPEEDS + i] += a.M[i][j] * dy[SPEEDS + j];
    for (int k = 0; k < ANDREWS_M; k++) {
      r[i] += a.A[k][i] * y[CORRECTIONS + k];
      r[SPEEDS + i] += a.A[k][i] * y[FORCES + k];
    }
  }
  for (int k = 0; k < ANDREWS_M; k++) {
    r[FORCES + k] = 0;
    for (int j = 0; j < ANDREWS_N; j++) r[FORCES + k] += a.A[k][j] * y[SPEEDS + j];
    r[CORRECTIONS + k] = a.loop[k];
  }
  return 0;
}

/* ---- both ---- */

static bool scene_find(Scene* scene, const Question* question) {
  if (strcmp(question->scene, "rods") == 0) {
    double first = 1e-3 * pow(question->setting, 0.2);
    int rods = question->rods;
    *scene = (Scene){PER_ROD * rods, rods, rods_residual, 1, first, 1e3 * rods, true};
    return true;
  }
  *scene = (Scene){ANDREWS_SIZE, 0, andrews_residual, ANDREWS_END, 1e-6, 1e3, false};
  return strcmp(question->scene, "andrews") == 0;
}

typedef struct Numbers {
  N_Vector y, dy, id, weight;
  SUNMatrix matrix;
  SUNLinearSolver solver;
} Numbers;

static Numbers numbers_new(const Scene* scene, SUNContext sun) {
  Numbers numbers = {0};
  N_Vector* vectors[] = {&numbers.y, &numbers.dy, &numbers.id, &numbers.weight};
  for (int i = 0; i < 4; i++) *vectors[i] = N_VNew_Serial(scene->size, sun);
  if (scene->is_band) {
    numbers.matrix = SUNBandMatrix(scene->size, BAND, BAND, sun);
    numbers.solver = SUNLinSol_Band(numbers.y, numbers.matrix, sun);
  } else {
    numbers.matrix = SUNDenseMatrix(scene->size, scene->size, sun);
    numbers.solver = SUNLinSol_Dense(numbers.y, numbers.matrix, sun);
  }
  return numbers;
}

static void numbers_free(Numbers* numbers) {
  SUNLinSolFree(numbers->solver);
  SUNMatDestroy(numbers->matrix);
  N_VDestroy(numbers->y), N_VDestroy(numbers->dy), N_VDestroy(numbers->id), N_VDestroy(numbers->weight);
}

static void start(const Scene* scene, Numbers* numbers, double tolerance) {
  double *y = N_VGetArrayPointer(numbers->y), *dy = N_VGetArrayPointer(numbers->dy);
  double *id = N_VGetArrayPointer(numbers->id), *weight = N_VGetArrayPointer(numbers->weight);
  N_VConst(0, numbers->y), N_VConst(0, numbers->dy);
  for (int i = 0; i < scene->size; i++) {
    bool is_moving = scene->rods > 0 ? i % PER_ROD < MOVING : i < FORCES;
    id[i] = is_moving ? 1 : 0;
    weight[i] = is_moving ? tolerance : scene->multiplier_weight * tolerance;
  }
  if (scene->rods > 0) {
    rods_start(scene->rods, y, dy);
  } else {
    memcpy(y, andrews_start, sizeof andrews_start);
    memcpy(dy + SPEEDS, andrews_start_acceleration, sizeof andrews_start_acceleration);
    memcpy(y + FORCES, andrews_start_multiplier, sizeof andrews_start_multiplier);
  }
}

static bool move(Scene* scene, Numbers* numbers, double tolerance, SUNContext sun) {
  double t;
  void* ida = IDACreate(sun);
  bool is_fine = IDAInit(ida, scene->residual, 0, numbers->y, numbers->dy) == IDA_SUCCESS &&
                 IDASVtolerances(ida, tolerance, numbers->weight) == IDA_SUCCESS &&
                 IDASetLinearSolver(ida, numbers->solver, numbers->matrix) == IDA_SUCCESS;
  if (is_fine) {
    IDASetUserData(ida, scene);
    IDASetId(ida, numbers->id);
    IDASetSuppressAlg(ida, SUNTRUE);
    IDASetInitStep(ida, scene->first_step);
    IDASetMaxConvFails(ida, 100);
    IDASetMaxNumSteps(ida, 1000000);
    IDASetErrFile(ida, NULL);
    IDASetStopTime(ida, scene->end);
    is_fine = IDASolve(ida, scene->end, &t, numbers->y, numbers->dy, IDA_NORMAL) >= 0;
  }
  IDAFree(&ida);
  return is_fine;
}

static void answer_with_end(const Scene* scene, const Numbers* numbers, double seconds) {
  const double* y = N_VGetArrayPointer(numbers->y);
  if (scene->rods == 0) {
    peer_answer(seconds, y, ANDREWS_N);
    return;
  }
  double* centre = peer_numbers(2 * scene->rods);
  for (int i = 0; i < scene->rods; i++) centre[2 * i] = y[PER_ROD * i], centre[2 * i + 1] = y[PER_ROD * i + 1];
  peer_answer(seconds, centre, 2 * scene->rods);
  free(centre);
}

static void answer(Scene* scene, const Question* question, SUNContext sun) {
  Numbers numbers = numbers_new(scene, sun);
  double used = 0;
  int runs = 0;
  bool is_fine;
  do {
    start(scene, &numbers, question->setting);
    double begin = peer_clock();
    is_fine = move(scene, &numbers, question->setting, sun);
    used += peer_clock() - begin;
    runs++;
  } while (is_fine && used < question->least);
  if (is_fine) {
    answer_with_end(scene, &numbers, used / runs);
  } else {
    peer_refuse("IDA stops before the end");
  }
  numbers_free(&numbers);
}

int main(void) {
  SUNContext sun;
  Question question;
  if (SUNContext_Create(NULL, &sun)) return 1;
  while (peer_hear(&question)) {
    Scene scene;
    if (scene_find(&scene, &question)) {
      answer(&scene, &question, sun);
    } else {
      peer_refuse("the scene is unknown");
    }
  }
  SUNContext_Free(&sun);
  return 0;
}
