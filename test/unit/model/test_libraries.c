/* Used files, through the public functions: a host hands out the texts, so that no disk is needed. */
#include "../zwang/hosts.h"

#include "model/library.h"

typedef struct File {
  const char *path, *text; /* path NULL ends the list */
} File;

/* What a host saw and what it hands out. */
typedef struct Shelf {
  const File* files;
  int reads, releases;
  char last_name[200], last_path[200];
  bool last_is_library;
} Shelf;

static ZwStatus shelf_read(void* context, const char* name, const char* path, bool is_library, char** text,
                           size_t* size, const char** why) {
  Shelf* shelf = context;
  snprintf(shelf->last_name, sizeof shelf->last_name, "%s", name);
  snprintf(shelf->last_path, sizeof shelf->last_path, "%s", path);
  shelf->last_is_library = is_library;
  if (strstr(path, "..") || path[0] == '/') {
    *why = "it lies outside";
    return ZW_ERR_IO;
  }
  for (const File* file = shelf->files; file->path; file++) {
    if (strcmp(file->path, path) != 0) continue;
    *size = strlen(file->text);
    *text = malloc(*size + 1);
    memcpy(*text, file->text, *size + 1);
    shelf->reads++;
    return ZW_OK;
  }
  return ZW_ERR_NAME;
}

static void shelf_release(void* context, char* text) {
  ((Shelf*)context)->releases++;
  free(text);
}

typedef struct Use {
  Shelf shelf;
  ZwModel* model;
  ZwStatus status;
} Use;

static void open_use(Use* use, const char* name, const char* text, const File* files, const ZwSet* sets,
                     int32_t set_count) {
  *use = (Use){.shelf = {.files = files}};
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.name = name;
  def.sets = sets;
  def.set_count = set_count;
  def.keep_tree = true;
  def.reader = (ZwReader){shelf_read, shelf_release, &use->shelf};
  use->status = zw_model_compile(&def, &use->model);
  assert_int_equal(use->shelf.reads, use->shelf.releases); /* every text was given back */
}

static void close_use(Use* use) {
  zw_model_destroy(use->model);
}

static void fine(const Use* use) {
  if (use->status) show_messages(use->model, NULL);
  assert_int_equal(use->status, ZW_OK);
}

/* The stage of the model as text holds this. */
static void assert_holds(const Use* use, const char* part) {
  char* dump = zw_model_dump(use->model, ZW_STAGE_MODEL);
  if (!strstr(dump, part)) fail_msg("no '%s' in:\n%s", part, dump);
  zw_text_free(use->model, dump);
}

static const ZwDiag* find_message(const Use* use, const char* part) {
  for (int32_t i = 0; i < zw_model_diag_count(use->model); i++) {
    const ZwDiag* diag = zw_model_diag(use->model, i);
    if (strstr(diag->text, part) || strstr(diag->remedy, part)) return diag;
  }
  return NULL;
}

static void assert_says(const Use* use, ZwStatus code, const char* file, int32_t line, int32_t column,
                        const char* part) {
  const ZwDiag* diag = find_message(use, part);
  if (!diag) show_messages(use->model, NULL);
  if (!diag)
    fail_msg("nothing says '%s'", part);
  else if (diag->code != code || strcmp(diag->file, file) != 0 || diag->line != line || diag->column != column) {
    fail_msg("'%s' is said with %s at %s:%d:%d", diag->text, zw_status_name(diag->code), diag->file, (int)diag->line,
             (int)diag->column);
  }
  if (code) assert_int_equal(use->status, code);
}

#define MASS "component mass(m, at) { coord r = at; kinetic 1/2*m*r'^2; potential m*g*r.y }\n"

static const File parts[] = {
    {"parts/mass.zw", "use \"deeper/units.zw\"\nparam g = 9.81, scale = 2*unit_mass\nlet twice(u) = 2*u\n" MASS},
    {"parts/deeper/units.zw", "param unit_mass = 1\n"},
    {"other.zw", "param g = 1, other = 2\nlet twice(u) = u + u\n"},
    {"self.zw", "use \"self.zw\"\nlet a = 1\n"},
    {"a.zw", "use \"b.zw\"\nlet a = 1\n"},
    {"b.zw", "use \"a.zw\"\nlet b = 1\n"},
    {"moves.zw", "let a = 1\ncoord x\n"},
    {"wrong.zw", "let a = 1\nlet b = = 2\n"},
    {"late.zw", "let a = missing\n"},
    {"planar.zw", "let mine = 7\n"},
    {"folder/one.zw", "use \"same.zw\"\nlet one = same\n"},
    {"folder/same.zw", "let same = 1\n"},
    {"same.zw", "let same = 2\n"},
    {NULL, NULL}};

static void names_of_used_files_can_be_read(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw",
           "use \"parts/mass.zw\"\ncoord x\nkinetic g*scale*twice(x'^2)\npart p = mass(3, (1, 2))\noutput o = p.r.y\n",
           parts, NULL, 0);
  fine(&use);
  assert_int_equal(use.shelf.reads, 2);
  assert_string_equal(use.shelf.last_name, "deeper/units.zw"); /* as written, and seen from the file that asks */
  assert_string_equal(use.shelf.last_path, "parts/deeper/units.zw");
  assert_holds(&use, "coord p.r.x");
  assert_holds(&use, "kinetic: 2*g*scale*x'^2");
  assert_int_equal(zw_model_diag_count(use.model), 0); /* what a library does not use is no concern */
  close_use(&use);
}

/* Used files are below: the model hides their names, and they keep seeing their own. */
static void model_hides_names_of_used_files(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw",
           "use \"parts/mass.zw\"\nlet twice(u) = 5*u\npart p = mass(3, (0, 0))\noutput o = twice(p.r.x)\n", parts,
           NULL, 0);
  fine(&use);
  assert_holds(&use, "output o: 5*p.r.x");
  close_use(&use);
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nlet g = 100\npart p = mass(3, (0, 0))\noutput o = g\n", parts,
           NULL, 0);
  fine(&use);
  assert_holds(&use, "potential: 3*g*p.r.y");
  assert_holds(&use, "output o: 100");
  assert_null(find_message(&use, "both have"));
  close_use(&use);
}

static void shared_parameter_is_noted_unless_joined(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw", "param g = 1\nuse \"parts/mass.zw\"\npart p = mass(g, (0, 0))\n", parts, NULL, 0);
  fine(&use);
  assert_says(&use, ZW_OK, "model.zw", 1, 7, "the model and a library both have a parameter 'g'");
  close_use(&use);
  open_use(&use, "model.zw", "param g = 1\nuse \"parts/mass.zw\" with g = 2*g\npart p = mass(g, (0, 0))\n", parts, NULL,
           0);
  fine(&use);
  assert_null(find_message(&use, "both have a parameter"));
  close_use(&use);
}

static double param_of(const Use* use, const char* name) {
  char* dump = zw_model_dump(use->model, ZW_STAGE_MODEL);
  char head[100];
  snprintf(head, sizeof head, "param %s = ", name);
  const char* at = strstr(dump, head);
  double value = at ? atof(at + strlen(head)) : NAN;
  zw_text_free(use->model, dump);
  return value;
}

static void with_and_set_give_parameters_other_values(void** state) {
  (void)state;
  static const char text[] = "param h = 3\nuse \"parts/mass.zw\" with g = 4\npart p = mass(h, (0, 0))\n";
  Use use;
  open_use(&use, "model.zw", text, parts, NULL, 0);
  fine(&use);
  assert_near(param_of(&use, "g"), 4, 0);
  close_use(&use);
  open_use(&use, "model.zw", text, parts, &(ZwSet){"g", "5"}, 1); /* the command line has the last word */
  fine(&use);
  assert_near(param_of(&use, "g"), 5, 0);
  close_use(&use);
  open_use(&use, "model.zw", text, parts, (ZwSet[]){{"unit_mass", "7"}, {"h", "8"}}, 2);
  fine(&use);
  assert_near(param_of(&use, "unit_mass"), 7, 0);
  assert_near(param_of(&use, "h"), 8, 0);
  close_use(&use);
  open_use(&use, "model.zw", text, parts, &(ZwSet){"gg", "5"}, 1);
  assert_says(&use, ZW_ERR_NAME, "--set gg", 1, 1, "no parameter 'gg'");
  close_use(&use);
}

static void wrong_with_is_refused(void** state) {
  (void)state;
  static const struct {
    const char* with;
    ZwStatus code;
    int32_t column;
    const char* part;
  } table[] = {{"gg = 4", ZW_ERR_NAME, 26, "the library has no parameter 'gg'"},
               {"twice = 4", ZW_ERR_NAME, 26, "no parameter 'twice'"},
               {"unit_mass = 4", ZW_ERR_NAME, 26, "no parameter 'unit_mass'"}, /* a file it uses has it */
               {"g = (1, 2)", ZW_ERR_TYPE, 0, "is a scalar and is set to a 2-vector"},
               {"g = missing", ZW_ERR_NAME, 30, "missing"},
               {"g = t", ZW_ERR_VALUE, 30, "parameters only"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[200];
    snprintf(text, sizeof text, "use \"parts/mass.zw\" with %s\ncoord x\n", table[i].with);
    Use use;
    open_use(&use, "model.zw", text, parts, NULL, 0);
    if (table[i].column)
      assert_says(&use, table[i].code, "model.zw", 1, table[i].column, table[i].part);
    else
      assert_says(&use, table[i].code, "parts/mass.zw", 2, 7, table[i].part);
    close_use(&use);
  }
}

static void name_of_two_used_files_is_refused_where_it_is_read(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nuse \"other.zw\"\ncoord x\noutput o = other*scale\n", parts, NULL,
           0);
  fine(&use); /* nobody reads one of them */
  close_use(&use);
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nuse \"other.zw\"\ncoord x\noutput o = x*g\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "model.zw", 4, 14, "two of the used files declare 'g'");
  close_use(&use);
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nuse \"other.zw\"\ncoord x[1..g]\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "model.zw", 3, 12, "two of the used files declare 'g'");
  close_use(&use);
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nuse \"other.zw\"\ncoord x\nif g > 1 { output o = x }\n", parts,
           NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "model.zw", 4, 4, "two of the used files declare 'g'");
  close_use(&use);
  open_use(&use, "model.zw", "use \"parts/mass.zw\"\nuse \"other.zw\"\ncoord x\noutput o = twice(x)\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "model.zw", 4, 12, "two of the used files declare 'twice'");
  close_use(&use);
  open_use(&use, "model.zw",
           "use \"parts/mass.zw\"\nuse \"other.zw\"\nlet twice(u) = u\ncoord x\noutput o = twice(x)\n", parts, NULL, 0);
  fine(&use); /* the model's own */
  close_use(&use);
}

static void file_is_read_once(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw", "use \"other.zw\"\nuse \"other.zw\"\ncoord x\noutput o = g*x\n", parts, NULL, 0);
  fine(&use);
  assert_int_equal(use.shelf.reads, 1);
  close_use(&use);
  open_use(&use, "model.zw", "use \"other.zw\"\nuse \"other.zw\" with g = 3\ncoord x\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "model.zw", 2, 1, "used already");
  close_use(&use);
}

/* The same name in another folder is another file. */
static void path_counts_from_the_file_that_asks(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw", "use \"folder/one.zw\"\nuse \"same.zw\"\ncoord x\noutput o = one*x, u = same*x\n", parts,
           NULL, 0);
  fine(&use);
  assert_int_equal(use.shelf.reads, 3);
  assert_holds(&use, "output o: x\n");
  assert_holds(&use, "output u: 2*x\n");
  close_use(&use);
  open_use(&use, "folder/model.zw", "use \"same.zw\"\ncoord x\noutput u = 3*same*x\n", parts, NULL, 0);
  fine(&use);
  assert_string_equal(use.shelf.last_path, "folder/same.zw");
  assert_holds(&use, "output u: 3*x\n");
  close_use(&use);
}

static void cycles_are_refused(void** state) {
  (void)state;
  Use use;
  open_use(&use, "model.zw", "use \"self.zw\"\ncoord x\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "self.zw", 1, 1, "'self.zw' uses itself");
  close_use(&use);
  open_use(&use, "model.zw", "use \"a.zw\"\ncoord x\n", parts, NULL, 0);
  assert_says(&use, ZW_ERR_NAME, "b.zw", 1, 1, "'a.zw' uses itself");
  close_use(&use);
}

static void what_cannot_be_used_is_said_where_it_is_used(void** state) {
  (void)state;
  static const struct {
    const char* text;
    const char* file;
    ZwStatus code;
    int32_t line, column;
    const char* part;
  } table[] = {
      {"use \"missing.zw\"\ncoord x\n", "model.zw", ZW_ERR_NAME, 1, 1, "there is no file 'missing.zw'"},
      {"use missing\ncoord x\n", "model.zw", ZW_ERR_NAME, 1, 1, "there are: common, planar, spatial"},
      {"use \"../up.zw\"\ncoord x\n", "model.zw", ZW_ERR_NAME, 1, 1, "'../up.zw' cannot be used: it lies outside"},
      {"use \"/etc/passwd\"\ncoord x\n", "model.zw", ZW_ERR_NAME, 1, 1, "it lies outside"},
      {"use \"moves.zw\"\ncoord y\n", "moves.zw", ZW_ERR_SYNTAX, 2, 1, "'param', 'let', 'component' and 'use' only"},
      {"use \"wrong.zw\"\ncoord x\n", "wrong.zw", ZW_ERR_SYNTAX, 2, 9, "expected"},
      {"use \"late.zw\"\ncoord x\n", "late.zw", ZW_ERR_NAME, 1, 9, "'missing' is not declared"},
      {"coord x\nuse \"other.zw\"\n", "model.zw", ZW_ERR_SYNTAX, 2, 1, "before every other statement"},
      {"coord x\nfor i in 1..1 { use \"other.zw\" }\n", "model.zw", ZW_ERR_SYNTAX, 2, 17,
       "before every other statement"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    Use use;
    open_use(&use, "model.zw", table[i].text, parts, NULL, 0);
    assert_says(&use, table[i].code, table[i].file, table[i].line, table[i].column, table[i].part);
    close_use(&use);
  }
}

/* The host comes first: a library of its own takes the place of a standard one. */
static void standard_libraries_need_no_reader(void** state) {
  (void)state;
  static const File none[] = {{NULL, NULL}}, own[] = {{"planar", "let mine = 7\n"}, {NULL, NULL}};
  for (const ZwLibraryText* library = zw_library_texts; library->name; library++) {
    char text[200];
    snprintf(text, sizeof text, "use %s\ncoord x\nkinetic x'^2\n", library->name);
    ZwModel* model;
    assert_int_equal(compile_text(text, &model), ZW_OK); /* without a reader */
    assert_int_equal(zw_model_diag_count(model), 0);
    zw_model_destroy(model);
    Use use;
    open_use(&use, "model.zw", text, none, NULL, 0);
    fine(&use);
    close_use(&use);
  }
  Use use;
  open_use(&use, "model.zw", "use planar\ncoord x\noutput o = mine*x\n", own, NULL, 0);
  fine(&use);
  assert_true(use.shelf.last_is_library);
  assert_string_equal(use.shelf.last_name, "planar");
  close_use(&use);
  open_use(&use, "model.zw", "use planar\nuse \"planar.zw\"\ncoord x\noutput o = mine*x\n", parts, NULL, 0);
  fine(&use); /* a file of that name is another one */
  close_use(&use);
  ZwModel* model;
  assert_int_equal(compile_text("use \"other.zw\"\ncoord x\n", &model), ZW_ERR_NAME); /* and files need one */
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_used_files_can_be_read),
      cmocka_unit_test(model_hides_names_of_used_files),
      cmocka_unit_test(shared_parameter_is_noted_unless_joined),
      cmocka_unit_test(with_and_set_give_parameters_other_values),
      cmocka_unit_test(wrong_with_is_refused),
      cmocka_unit_test(name_of_two_used_files_is_refused_where_it_is_read),
      cmocka_unit_test(file_is_read_once),
      cmocka_unit_test(path_counts_from_the_file_that_asks),
      cmocka_unit_test(cycles_are_refused),
      cmocka_unit_test(what_cannot_be_used_is_said_where_it_is_used),
      cmocka_unit_test(standard_libraries_need_no_reader),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
