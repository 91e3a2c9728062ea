/* Every formulation along motions: beside the others at the same states, and as the one that carries the motion. */
#include "../reference/trajectory.h"

/* Every constraint of the slider-crank twice, the second time with another factor. */
static const char doubled[] =
    "param g = 9.81\n"
    "component rod(m, l) {\n"
    "  coord x, y, phi\n"
    "  kinetic   1/2*m*(x'^2 + y'^2) + 1/2*(m*l^2/12)*phi'^2\n"
    "  potential m*g*y\n"
    "  let at(s) = (x + s*l*cos(phi), y + s*l*sin(phi))\n"
    "}\n"
    "part crank   = rod(1, 1)\n"
    "part coupler = rod(2, 3)\n"
    "constraint ground:  crank.at(-1/2) = (0, 0)\n"
    "constraint pin:     crank.at(1/2) = coupler.at(-1/2)\n"
    "constraint slide:   coupler.at(1/2).y = 0\n"
    "constraint ground2: 3*crank.at(-1/2) = (0, 0)\n"
    "constraint pin2:    -2*crank.at(1/2) = -2*coupler.at(-1/2)\n"
    "constraint slide2:  0.1*coupler.at(1/2).y = 0\n"
    "start crank.phi = pi/4, coupler.phi = -0.2, crank.phi' = 2\n"
    "force crank.phi = 0.5*cos(t)\n"
    "run 0 .. 2\n";

/* A massless rod end: M has a zero row, the constraints determine it. */
static const char massless[] =
    "param g = 9.81, l = 1\n"
    "coord x = 1, y = 0, u = 2, w = 0\n"
    "kinetic   1/2*(u'^2 + w'^2)\n"
    "potential g*w\n"
    "constraint first:  x^2 + y^2 = l^2\n"
    "constraint across: x*w = y*u\n"
    "constraint second: (u - x)^2 + (w - y)^2 = l^2\n"
    "run 0 .. 1\n";

/* Quasi-velocities beside a holonomic constraint, and beside one that moves with time. */
static const char swinging[] =
    "coord x = 0.6, y = -0.8\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    "quasi turn = x*y' - y*x'\nrun 0 .. 3\n";
static const char driven[] =
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nforce x = 1 - x\nforce y = -y' + cos(t)\n"
    "constraint drive: x' - t*y' = sin(2*t)\nquasi up = y' + t\nstart y' = 1\nrun 0 .. 3\n";

typedef struct Motion {
  const char* name;
  const char* text; /* NULL: an example */
  double to;        /* NaN: as the model says */
} Motion;

static const Motion motions[] = {
    {"andrews", NULL, NAN},      {"doubled slider-crank", doubled, NAN},
    {"heavy-top", NULL, 0.1},    {"appell", NULL, NAN},
    {"massless", massless, NAN}, {"chaplygin-sleigh", NULL, 2},
    {"relativistic", NULL, NAN}, {"nonholonomic-particle", NULL, NAN},
    {"swinging", swinging, NAN}, {"driven", driven, NAN},
};

enum { MOTIONS = sizeof motions / sizeof *motions, INSTANTS = 50, FORMULATIONS = 10 };

static bool has_quasi(const Motion* motion) {
  char* text = motion->text ? NULL : read_example(motion->name);
  bool has = strstr(motion->text ? motion->text : text, "quasi ") != NULL;
  free(text);
  return has;
}

static ZwModel* compile_motion(const Motion* motion) {
  char* text = motion->text ? NULL : read_example(motion->name);
  ZwModel* model = compile_text(motion->name, motion->text ? motion->text : text);
  free(text);
  return model;
}

static void need(ZwStatus status, const char* name, const ZwRun* run) {
  if (status == ZW_OK) return;
  for (int32_t i = 0; run && i < zw_run_diag_count(run); i++) print_message("%s\n", zw_run_diag(run, i)->text);
  fail_msg("%s: %s", name, zw_status_text(status));
}

static double tick(void) {
  static double now;
  return now += 1;
}

/* The bound: below 1e-9 at 50 instants. */
static void formulations_agree_along_motions(void** state) {
  (void)state;
  for (int i = 0; i < MOTIONS; i++) {
    ZwModel* model = compile_motion(&motions[i]);
    ZwRunDef how = zw_default_run_def();
    how.to = motions[i].to;
    ZwRun* run = NULL;
    need(zw_run_create(model, &how, &run), motions[i].name, run);
    double from = zw_run_report(run)->from, to = zw_run_report(run)->to, times[INSTANTS];
    for (int k = 0; k < INSTANTS; k++) times[k] = from + (to - from) * k / (INSTANTS - 1);
    ZwCompareDef def = zw_default_compare_def();
    def.times = times;
    def.count = INSTANTS;
    def.clock = tick;
    ZwFormulationReport reports[FORMULATIONS];
    int32_t instants = 0;
    need(zw_run_compare(run, &def, reports, &instants), motions[i].name, run);
    assert_int_equal(instants, INSTANTS);
    double worst = 0;
    for (int32_t k = 0; zw_formulation_text(k); k++) {
      const ZwFormulationReport* r = &reports[k];
      assert_string_equal(r->name, zw_formulation_text(k));
      bool is_quasi = strcmp(r->name, "gibbs-appell-quasi") == 0;
      assert_int_equal(r->applies, !is_quasi || has_quasi(&motions[i]));
      assert_int_equal(r->reason[0] != 0, !r->applies);
      if (!r->applies) continue;
      if (!(r->difference < 1e-9)) fail_msg("%s by %s is off by %g", motions[i].name, r->name, r->difference);
      assert_near(r->residual, 0, 1e-9);
      assert_near(r->optimality, 0, 1e-9);
      /* one tick passes between the two questions about the time; the frame of quasi-velocities asks four times */
      assert_near(r->seconds, is_quasi ? 2 : 1, 1e-12);
      bool is_massless = motions[i].text == massless;
      assert_int_equal(isnan(r->gaussian), is_massless);
      if (!is_massless) assert_near(r->gaussian, reports[0].gaussian, 1e-9 * (1 + reports[0].gaussian));
      worst = fmax(worst, r->difference);
    }
    print_message("%-22s largest difference %.1e at %d instants\n", motions[i].name, worst, (int)instants);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

typedef struct Last {
  double values[64];
  int32_t count;
} Last;

static ZwStatus keep_last(void* context, const double* values) {
  Last* last = context;
  memcpy(last->values, values, (size_t)last->count * sizeof(double));
  return ZW_OK;
}

static void run_by(const Motion* motion, const char* formulation, Last* last, ZwReport* report) {
  ZwModel* model = compile_motion(motion);
  last->count = 1 + 2 * zw_model_coordinate_count(model);
  assert_true(last->count <= 64);
  ZwRunDef how = zw_default_run_def();
  how.to = motion->to;
  how.tolerance = 1e-10;
  how.formulation = formulation;
  how.row = keep_last;
  how.context = last;
  ZwRun* run = NULL;
  need(zw_run_create(model, &how, &run), motion->name, run);
  need(zw_run_go(run), formulation, run);
  *report = *zw_run_report(run);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* A motion carried by any of them ends where the production solve's ends, in as many steps. */
static void motions_end_alike(void** state) {
  (void)state;
  for (int i = 0; i < MOTIONS; i++) {
    Last reference;
    ZwReport report;
    run_by(&motions[i], "auto", &reference, &report);
    int64_t steps = report.steps;
    for (int32_t k = 1; zw_formulation_text(k); k++) {
      const char* name = zw_formulation_text(k);
      bool is_quasi = strcmp(name, "gibbs-appell-quasi") == 0;
      if (is_quasi && !has_quasi(&motions[i])) continue;
      Last last;
      run_by(&motions[i], name, &last, &report);
      assert_string_equal(report.formulation, name);
      for (int32_t c = 0; c < last.count; c++) {
        double bound = 1e-7 * (1 + fabs(reference.values[c]));
        if (fabs(last.values[c] - reference.values[c]) <= bound) continue;
        fail_msg("%s by %s: number %d ends at %.12g instead of %.12g", motions[i].name, name, (int)c, last.values[c],
                 reference.values[c]);
      }
      assert_true(report.steps <= steps + steps / 10 + 1);
      assert_near(report.phi_max, 0, 1e-10);
      assert_near(report.phidot_max, 0, is_quasi ? 1e-14 : 1e-9); /* no drift by construction */
    }
  }
}

static void wrong_names_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *name, *words;
  } wrong[] = {{"newton", "there is no formulation 'newton'"},
               {"gibbs-appell-quasi", "needs quasi-velocities, and the model states none"}};
  for (int i = 0; i < 2; i++) {
    ZwModel* model = compile_motion(&motions[3]);
    ZwRunDef how = zw_default_run_def();
    how.formulation = wrong[i].name;
    ZwRun* run = NULL;
    assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_ARGUMENT);
    assert_non_null(strstr(zw_run_diag(run, 0)->text, wrong[i].words));
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* Lagrangian of two masses of opposite sign on a line that a constraint ties together: no minimum, yet a motion. */
static void formulations_that_need_a_minimum_say_so(void** state) {
  (void)state;
  static const char text[] =
      "coord x = 1, y, z\nlagrangian 1/2*x'^2 - y'^2 + 1/2*z'^2 - x - y\nconstraint tie: x' + z' = 0\nstart x' = 1\n"
      "run 0 .. 1\n";
  ZwModel* model = compile_text("indefinite", text);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  need(zw_run_create(model, &how, &run), "indefinite", run);
  ZwCompareDef def = zw_default_compare_def();
  ZwFormulationReport reports[FORMULATIONS];
  int32_t instants = 0;
  need(zw_run_compare(run, &def, reports, &instants), "indefinite", run);
  static const bool applies[] = {true, false, false, false, false, true, true, true, false, false};
  for (int32_t k = 0; zw_formulation_text(k); k++) {
    assert_int_equal(reports[k].applies, applies[k]);
    if (k > 0 && k < 9 && !applies[k]) assert_non_null(strstr(reports[k].reason, "minimum"));
    if (applies[k]) assert_near(reports[k].difference, 0, 1e-12);
  }
  zw_run_destroy(run);
  /* and a run by one of them is refused with the same words */
  how.formulation = "bellman";
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_UNSUPPORTED);
  bool is_said = false;
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) {
    is_said =
        is_said || strstr(zw_run_diag(run, i)->text, "the formulation 'bellman' has no answer at t = 0: it needs");
  }
  assert_true(is_said);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* ---- frames ---- */

typedef struct Frames {
  int count;
  double worst;
} Frames;

/* K nu' = p; a = B nu' + c; with the carried frame B^T B = 1, and it turns little between instants. */
static ZwStatus look_at_frame(void* context, const ZwFrameReport* frame) {
  Frames* frames = context;
  frames->count++;
  /* p is P without what the frame itself accelerates; S is what the restricted Gibbs function is made of: for c = 0 they
   * are P = p and S = 1/2 nu'^T K nu' */
  double least = 0, c_size = 0;
  for (int32_t i = 0; i < frame->n; i++) c_size = fmax(c_size, fabs(frame->c[i]));
  for (int32_t i = 0; i < frame->f; i++) {
    for (int32_t j = 0; j < frame->f; j++)
      least += 0.5 * frame->nu_rate[i] * frame->K[i * frame->f + j] * frame->nu_rate[j];
    if (c_size == 0) frames->worst = fmax(frames->worst, fabs(frame->P[i] - frame->p[i]) / (1 + fabs(frame->P[i])));
  }
  if (c_size == 0) frames->worst = fmax(frames->worst, fabs(frame->S - least) / (1 + least));
  for (int32_t i = 0; i < frame->f; i++) {
    double sum = -frame->p[i], size = fabs(frame->p[i]) + 1;
    for (int32_t j = 0; j < frame->f; j++) sum += frame->K[i * frame->f + j] * frame->nu_rate[j];
    frames->worst = fmax(frames->worst, fabs(sum) / size);
    for (int32_t j = 0; j < frame->f && !frame->is_stated; j++) {
      double product = i == j ? -1 : 0;
      for (int32_t k = 0; k < frame->n; k++) product += frame->B[k * frame->f + i] * frame->B[k * frame->f + j];
      frames->worst = fmax(frames->worst, fabs(product));
    }
  }
  return ZW_OK;
}

static void frames_give_the_restricted_equations(void** state) {
  (void)state;
  for (int i = 0; i < MOTIONS; i++) {
    ZwModel* model = compile_motion(&motions[i]);
    ZwRunDef how = zw_default_run_def();
    how.to = motions[i].to;
    ZwRun* run = NULL;
    need(zw_run_create(model, &how, &run), motions[i].name, run);
    Frames frames = {0};
    ZwCompareDef def = zw_default_compare_def();
    def.frame = look_at_frame;
    def.context = &frames;
    ZwFormulationReport reports[FORMULATIONS];
    int32_t instants = 0;
    need(zw_run_compare(run, &def, reports, &instants), motions[i].name, run);
    assert_int_equal(frames.count, 11);
    assert_near(frames.worst, 0, 1e-9);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* Vectors of the last frame, and what is there beside them. */
typedef struct Kept {
  double a[160], Qc[160], a0[160], lambda[80], G;
  int32_t n, m;
  bool has_matrices;
} Kept;

static ZwStatus keep_frame(void* context, const ZwFrameReport* frame) {
  Kept* kept = context;
  const ZwLeastDetail* d = frame->detail;
  *kept = (Kept){.n = d->n, .m = d->m, .G = d->G, .has_matrices = d->D && d->X && d->W && d->gain};
  if (!kept->has_matrices) assert_true(!d->D && !d->X && !d->W && !d->gain);
  for (int32_t i = 0; i < d->n; i++) kept->a[i] = d->a[i], kept->Qc[i] = d->Qc[i], kept->a0[i] = d->a0[i];
  for (int32_t i = 0; i < d->m; i++) kept->lambda[i] = d->lambda[i];
  return ZW_OK;
}

static Kept compare_chain(ZwModel* model, bool is_brief, ZwFormulationReport* reports) {
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  Kept kept;
  need(zw_run_create(model, &how, &run), "chain", run);
  assert_true(zw_run_report(run)->is_sparse);
  zw_run_destroy(run);
  how.dense = true;
  need(zw_run_create(model, &how, &run), "chain", run);
  assert_false(zw_run_report(run)->is_sparse);
  assert_string_equal(zw_run_report(run)->formulation, "auto");
  double at = 0.1;
  ZwCompareDef def = zw_default_compare_def();
  def.times = &at;
  def.count = 1;
  def.frame = keep_frame;
  def.context = &kept;
  def.detail.parts = ZW_DETAIL_FORCES;
  def.detail.vectors_only = def.frames_only = is_brief;
  int32_t instants = 0;
  need(zw_run_compare(run, &def, reports, &instants), "chain", run);
  assert_int_equal(instants, 1);
  zw_run_destroy(run);
  return kept;
}

/* Frames alone are the same, bit by bit, without what is not asked for. */
static void frames_alone_cost_no_formulations(void** state) {
  (void)state;
  static const char text[] =
      "coord x[1..80], y[1..80]\nfor i in 1..80 { kinetic 1/2*(x[i]'^2 + y[i]'^2); potential 9.81*y[i]; start x[i] = i "
      "}\n"
      "constraint pin: x[1]^2 + y[1]^2 = 1\nfor i in 2..80 { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 "
      "= 1 }\n"
      "run 0 .. 1\n";
  ZwModel* model = compile_text("chain", text);
  ZwFormulationReport reports[FORMULATIONS], alone[FORMULATIONS];
  Kept whole = compare_chain(model, false, reports), brief = compare_chain(model, true, alone);
  assert_true(whole.has_matrices && !brief.has_matrices);
  assert_memory_equal(whole.a, brief.a, (size_t)whole.n * sizeof(double));
  assert_memory_equal(whole.Qc, brief.Qc, (size_t)whole.n * sizeof(double));
  assert_memory_equal(whole.a0, brief.a0, (size_t)whole.n * sizeof(double));
  assert_memory_equal(whole.lambda, brief.lambda, (size_t)whole.m * sizeof(double));
  assert_true(whole.G == brief.G);
  assert_true(reports[1].applies && alone[0].applies);
  for (int32_t k = 1; k < 9; k++) {
    assert_false(alone[k].applies);
    assert_string_equal(alone[k].reason, "it was not asked for");
  }
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulations_agree_along_motions),
      cmocka_unit_test(motions_end_alike),
      cmocka_unit_test(wrong_names_are_refused),
      cmocka_unit_test(formulations_that_need_a_minimum_say_so),
      cmocka_unit_test(frames_give_the_restricted_equations),
      cmocka_unit_test(frames_alone_cost_no_formulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
