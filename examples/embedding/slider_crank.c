/* A slider-crank driven by a motor that this program computes: a speed controller with a limit, asked for more speed half-way.
 *   cc slider_crank.c $(pkg-config --cflags --libs zwang) -lm -o slider_crank && ./slider_crank slider-crank-parts.zw */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zwang/zwang.h>

typedef struct Motor {
  int crank;          /* number of the coordinate that it turns */
  double speed, most; /* asked for; torque */
} Motor;

static bool push(void* context, double t, const double* q, const double* v, double* Q) {
  const Motor* motor = context;
  (void)t, (void)q;
  Q[motor->crank] += motor->most * tanh(5 * (motor->speed - v[motor->crank]) / motor->most);
  return true;
}

static int column(const ZwModel* model, const char* name) {
  int i = 0;
  while (i < zw_model_column_count(model) && strcmp(zw_model_column(model, i), name) != 0) i++;
  return i;
}

int main(int argc, char** argv) {
  static char text[100000];
  FILE* file = fopen(argc > 1 ? argv[1] : "slider-crank-parts.zw", "rb");
  if (!file) return perror("slider_crank"), 2;
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = fread(text, 1, sizeof text, file);
  fclose(file);
  ZwModel* model = NULL;
  ZwRun* run = NULL;
  ZwStatus status = zw_model_compile(&def, &model);
  if (status == ZW_OK) {
    Motor motor = {.crank = column(model, "crank.phi") - 1, .speed = 4, .most = 20}; /* coordinates come behind t */
    int speed = column(model, "crank.phi'"), slider = column(model, "slider"), guide = column(model, "guide");
    ZwRunDef how = zw_default_run_def();
    how.force = push;
    how.context = &motor;
    status = zw_run_create(model, &how, &run);
    for (int i = 0; i <= 10 && status == ZW_OK; i++) {
      double row[64];
      if (i == 5) motor.speed = 8;
      status = zw_run_to(run, 0.5 * i);
      if (status == ZW_OK) status = zw_run_read(run, row);
      if (status) break;
      printf("t = %3.1f  crank %7.4f rad/s  slider %7.4f  guide %8.3f N\n", row[0], row[speed], row[slider],
             row[guide]);
    }
    if (status == ZW_OK) printf("energy balance: off by %.1e of its size\n", zw_run_report(run)->energy_drift);
  }
  if (status) fprintf(stderr, "slider_crank: %s\n", zw_status_text(status));
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status != ZW_OK;
}
