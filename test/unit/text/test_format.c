#include "text/format.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "text/lexer.h"
#include "zwang/zwang.h"

/* ---- one text ---- */

typedef struct Formatted {
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
  ZwStatus status;
  ZwText text;
} Formatted;

static void format(Formatted* f, const char* text, int32_t size) {
  ZwAllocator allocator = zw_allocator_default();
  *f = (Formatted){0};
  zw_arena_init(&f->arena, &allocator);
  zw_diag_init(&f->diags, &f->arena, &f->sources);
  zw_text_init(&f->text, &f->arena);
  int32_t file = zw_sources_add(&f->sources, &f->arena, ZW_STR("test"), (ZwStr){text, size});
  assert_int_not_equal(file, 0);
  f->status = zw_format_text(&f->arena, &f->diags, file, &f->text);
}

static void done(Formatted* f) {
  zw_arena_destroy(&f->arena);
}

static void assert_format(const char* before, const char* after) {
  Formatted f;
  format(&f, before, (int32_t)strlen(before));
  if (f.status) print_error("refused: %s\n%s\n", f.diags.list.items[0].text, before);
  assert_int_equal(f.status, ZW_OK);
  assert_string_equal(zw_text_get(&f.text), after);
  done(&f);
  /* what is laid out well stays as it is */
  format(&f, after, (int32_t)strlen(after));
  assert_int_equal(f.status, ZW_OK);
  assert_string_equal(zw_text_get(&f.text), after);
  done(&f);
}

typedef struct Case {
  const char *before, *after;
} Case;

static void assert_cases(const Case* cases, size_t count) {
  for (size_t i = 0; i < count; i++) assert_format(cases[i].before, cases[i].after);
}

#define ASSERT_CASES(cases) assert_cases(cases, sizeof(cases) / sizeof *(cases))

/* ---- spaces ---- */

static void test_spaces(void** state) {
  (void)state;
  static const Case cases[] = {
      {"", ""},
      {"\n \n\t\n", ""},
      {"param a=1,b =2 , c= 3", "param a = 1, b = 2, c = 3\n"},
      {"param   m = 1;param g=2 ;", "param m = 1; param g = 2;\n"},
      /* sums are wide, products and powers are not */
      {"kinetic 1 / 2 * m*( x'^ 2+y' ^2 )", "kinetic 1/2*m*(x'^2 + y'^2)\n"},
      {"let a=b-c+d", "let a = b - c + d\n"},
      {"let a = x . y . z", "let a = x.y.z\n"},
      {"let f ( x,y )=norm ( x-y )", "let f(x, y) = norm(x - y)\n"},
      {"let a = sum (i in 1 .. 3 :x [ i ])", "let a = sum(i in 1..3: x[i])\n"},
      /* signs belong to what follows, also behind words */
      {"potential - m*g", "potential -m*g\n"},
      {"let a = - x^ - 2 - - 3*+ y", "let a = -x^-2 - -3*+y\n"},
      {"run - 1..+ 2 every -x tolerance 1e-8", "run -1 .. +2 every -x tolerance 1e-8\n"},
      {"start exactly-x = 1", "start exactly -x = 1\n"},
      {"stop when-x>0", "stop when -x > 0\n"},
      {"draw line(0,0)->-P color -1", "draw line (0, 0) -> -P color -1\n"},
      {"contact f : y>=0,restitution(1),slip - x while- y<1",
       "contact f: y >= 0, restitution (1), slip -x while -y < 1\n"},
      /* a name may be called like a word */
      {"param force=1, every=2, exactly=3\nlet a = force-every",
       "param force = 1, every = 2, exactly = 3\nlet a = force - every\n"},
      {"output slip=-friction", "output slip = -friction\n"},
      /* ranges and indices are tight, the time of a run is not */
      {"coord r[1 .. N , 1..M - 1],q", "coord r[1..N, 1..M-1], q\n"},
      {"let a = r[i - 1 , j+1]' - p[ q[ k ] ]", "let a = r[i-1,j+1]' - p[q[k]]\n"},
      {"run 0..2*pi", "run 0 .. 2*pi\n"},
      {"param a=[1,[2,3] ,-4]", "param a = [1, [2, 3], -4]\n"},
      /* a loop index and its neighbour, but only where the name is one */
      {"for i in 1..N-1,j in i + 1..N { let a=f(i - 1,(j + 1)/2, N - 1, 2*i - 1) }\nlet b = f(i-1)",
       "for i in 1..N-1, j in i+1..N { let a = f(i-1, (j+1)/2, N - 1, 2*i - 1) }\nlet b = f(i - 1)\n"},
      {"let a = sum(i in 1..3: f(i + 1)) + f(i+1)", "let a = sum(i in 1..3: f(i+1)) + f(i + 1)\n"},
      /* relations, words and strings */
      {"let a=if x<=1 and not(y!=2)or z then-1 else(2)", "let a = if x <= 1 and not (y != 2) or z then -1 else (2)\n"},
      {"use  \"a  b.zw\"with g=1", "use \"a  b.zw\" with g = 1\n"},
      {"when x>1 :y=2,z = 3", "when x > 1: y = 2, z = 3\n"},
      {"constraint link [ i ] :x=y", "constraint link[i]: x = y\n"},
      {"param \xC3\xA4=\xCF\x80r+1", "param \xC3\xA4 = \xCF\x80r + 1\n"},
  };
  ASSERT_CASES(cases);
}

/* ---- lines ---- */

static void test_lines(void** state) {
  (void)state;
  static const Case cases[] = {
      {"\xEF\xBB\xBFparam a = 1\r\n\r\n\r\nparam b = 2\r\n", "param a = 1\n\nparam b = 2\n"},
      {"\n\nparam a = 1\n\n\n\nparam b = 2\n\n", "param a = 1\n\nparam b = 2\n"},
      /* blocks */
      {"for i in 1..2 {\nlet a = i\n      let b = i\n}", "for i in 1..2 {\n  let a = i\n  let b = i\n}\n"},
      {"for i in 1..2\n{\n\nlet a = i\n\n}", "for i in 1..2 {\n  let a = i\n}\n"},
      {"for i in 1..2 {let a = i}", "for i in 1..2 { let a = i }\n"},
      {"for i in 1..2 { let a = i\n}", "for i in 1..2 {\n  let a = i\n}\n"},
      {"for i in 1..2 {\nlet a = i }", "for i in 1..2 {\n  let a = i\n}\n"},
      {"if a==1 {\nlet b = 1\n}\nelse if a == 2 {\nlet b = 2\n}\nelse\n{\nlet b = 3\n}",
       "if a == 1 {\n  let b = 1\n} else if a == 2 {\n  let b = 2\n} else {\n  let b = 3\n}\n"},
      {"component c() {\n\n}", "component c() {}\n"},
      {"component c(){for i in 1..2{if i<2{let a=i}}}", "component c() { for i in 1..2 { if i < 2 { let a = i } } }\n"},
      {"component c() {\nfor i in 1..2 {\nlet a = i\n}\n}",
       "component c() {\n  for i in 1..2 {\n    let a = i\n  }\n}\n"},
      /* breaks within a statement stay and are indented */
      {"let a = b +\nc\n- d", "let a = b +\n    c\n    - d\n"},
      {"param a = [\n1,\n2\n]", "param a = [\n    1,\n    2\n]\n"},
      {"for i in 1..2 {\nlet a = f(1,\ng(2,\n3))\n}", "for i in 1..2 {\n  let a = f(1,\n      g(2,\n        3))\n}\n"},
  };
  ASSERT_CASES(cases);
}

#define TEN "aaaaaaaaaa"
#define FORTY TEN TEN TEN TEN

static void test_long_blocks_are_opened(void** state) {
  (void)state;
  /* 120 columns stay, 121 do not; a block within that fits again stays on its line */
  static const Case cases[] = {
      {"for i in 1..22 { let a = " FORTY FORTY "aaaa + aaaaaa }",
       "for i in 1..22 { let a = " FORTY FORTY "aaaa + aaaaaa }\n"},
      {"for i in 1..22 { let a = " FORTY FORTY "aaaaa+aaaaaa }",
       "for i in 1..22 {\n  let a = " FORTY FORTY "aaaaa + aaaaaa\n}\n"},
      {"for i in 1..2 { let a = " FORTY "; let b = " FORTY "; if i < 2 { let c = i } }  # c",
       "for i in 1..2 {\n  let a = " FORTY ";\n  let b = " FORTY ";\n  if i < 2 { let c = i }\n}  # c\n"},
      /* a long line without blocks is left alone */
      {"let a = " FORTY FORTY FORTY "+" TEN, "let a = " FORTY FORTY FORTY " + " TEN "\n"},
  };
  ASSERT_CASES(cases);
}

/* ---- columns ---- */

static void test_columns(void** state) {
  (void)state;
  static const Case cases[] = {
      /* the author's columns stay, whatever else changes */
      {"kinetic   1/2*m*v^2\npotential m*g*y", "kinetic   1/2*m*v^2\npotential m*g*y\n"},
      {"kinetic      1/2\npotential    m*g", "kinetic   1/2\npotential m*g\n"},
      {"part crank   = rod(1,1)\npart coupler = rod(2,3)", "part crank   = rod(1, 1)\npart coupler = rod(2, 3)\n"},
      {"constraint cone:  x=y\nconstraint again: x=y", "constraint cone:  x = y\nconstraint again: x = y\n"},
      {"let x1=l1*sin(a),      y1=1\nlet x2=x1 + l2*sin(b), y2=2",
       "let x1 = l1*sin(a),      y1 = 1\nlet x2 = x1 + l2*sin(b), y2 = 2\n"},
      {"component a(p, q) { let b = 1 }\ncomponent a(p)    { let b = 1 }",
       "component a(p, q) { let b = 1 }\ncomponent a(p)    { let b = 1 }\n"},
      /* two columns */
      {"let a   = (1,   2)\nlet bbb = (100, 2)", "let a   = (1,   2)\nlet bbb = (100, 2)\n"},
      /* no column was there, and none is made */
      {"kinetic 1/2\npotential m*g", "kinetic 1/2\npotential m*g\n"},
      {"kinetic   1/2\n\npotential m*g", "kinetic 1/2\n\npotential m*g\n"},
      {"kinetic    1/2\npotential m*g", "kinetic 1/2\npotential m*g\n"},
      {"param m = 1\nkinetic   x", "param m = 1\nkinetic x\n"}, /* 1 and x stand below each other by chance */
      {"let a =   1", "let a = 1\n"},
  };
  ASSERT_CASES(cases);
}

/* ---- comments ---- */

static void test_comments(void** state) {
  (void)state;
  static const Case cases[] = {
      {"#a  \n# b\r\n", "#a\n# b\n"},
      {"  # alone\nparam a = 1", "# alone\nparam a = 1\n"},
      {"param a = 1# b", "param a = 1  # b\n"},
      {"param a=1 # \"no string\" { } ;", "param a = 1  # \"no string\" { } ;\n"},
      {"use \"a # b\"  # c", "use \"a # b\"  # c\n"},
      /* a column that has room stays, alone and in a block */
      {"param a = 1         # b", "param a = 1         # b\n"},
      {"param a=1         # b\nparam ab=1        # c", "param a = 1       # b\nparam ab = 1      # c\n"},
      {"param a = 1 # b\nparam abc = 1 # c", "param a = 1    # b\nparam abc = 1  # c\n"},
      /* blank lines and other blocks part the columns */
      {"param a = 1 # b\n\nparam abc = 1 # c", "param a = 1  # b\n\nparam abc = 1  # c\n"},
      {"for i in 1..2 { # b\nlet a = i # c\n}# d", "for i in 1..2 {  # b\n  let a = i  # c\n}  # d\n"},
      /* lines of very different length too, and lines that would become too long */
      {"param a = 1 # b\nparam " FORTY " = " FORTY " # c", "param a = 1  # b\nparam " FORTY " = " FORTY "  # c\n"},
      {"param a = 1  # " FORTY FORTY "\nparam " FORTY " = 1  # c",
       "param a = 1  # " FORTY FORTY "\nparam " FORTY " = 1  # c\n"},
      /* a comment that goes on below itself */
      {"param a=1       # b\n                # c\nparam b=1",
       "param a = 1     # b\n                # c\nparam b = 1\n"},
      {"param a=1   # b\n            # c\nparam abcdef=1#d",
       "param a = 1       # b\n                  # c\nparam abcdef = 1  #d\n"},
      {"param a = 1  # b\n    # c", "param a = 1  # b\n# c\n"},
      /* inside statements and blocks */
      {"let a = b + # c\n# d\ne", "let a = b +  # c\n    # d\n    e\n"},
      {"param a = [1, # c\n2] # d", "param a = [1,  # c\n    2]         # d\n"},
      {"for i in 1..2 {\n# b\nlet a = i\n# c\n}\n# d", "for i in 1..2 {\n  # b\n  let a = i\n  # c\n}\n# d\n"},
      {"component c() {\n# b\n}", "component c() {\n  # b\n}\n"},
      {"component c() { # b\n}", "component c() {  # b\n}\n"},
      {"for i in 1..2 # b\n{ let a = i }", "for i in 1..2  # b\n{ let a = i }\n"},
      {"if a == 1 { let b = 1 }\n# c\nelse { let b = 2 }", "if a == 1 { let b = 1 }\n# c\nelse { let b = 2 }\n"},
      {"# a\n\n\n# b\n\nparam a = 1\n\n\n# c\n\n", "# a\n\n# b\n\nparam a = 1\n\n# c\n"},
  };
  ASSERT_CASES(cases);
}

/* ---- wrong texts ---- */

static void test_wrong_texts_are_refused(void** state) {
  (void)state;
  static const char* const wrong[] = {"kinetic 2x",   "param a = ",   "for i in 1..2 { let a = i",
                                      "let a = x '",  "nonsense",     "}",
                                      "param a = (1", "let a = \x01", "let a = \xFF"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Formatted f;
    format(&f, wrong[i], (int32_t)strlen(wrong[i]));
    assert_int_equal(f.status, ZW_ERR_SYNTAX);
    assert_int_equal(f.text.size, 0);
    assert_true(f.diags.errors > 0);
    assert_int_equal(f.diags.list.items[0].line, 1);
    done(&f);
  }
}

/* ---- all models ---- */

static char* read_file(const char* path, int32_t* size) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  long length = ftell(file);
  rewind(file);
  char* text = calloc((size_t)length + 1, 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)length, file), length);
  fclose(file);
  *size = (int32_t)length;
  return text;
}

static void lex(Formatted* f, const char* text, int32_t size, ZwTokens* tokens) {
  int32_t file = zw_sources_add(&f->sources, &f->arena, ZW_STR("again"), (ZwStr){text, size});
  assert_int_equal(zw_lex(&f->arena, &f->diags, file, tokens), ZW_OK);
}

/* The same tokens with the same characters, and primes still at their operands. */
static void assert_same_tokens(Formatted* f, const char* a, int32_t a_size, const char* b, int32_t b_size) {
  ZwTokens x = {0}, y = {0};
  lex(f, a, a_size, &x);
  lex(f, b, b_size, &y);
  assert_int_equal(x.list.count, y.list.count);
  for (int32_t i = 0; i + 1 < x.list.count; i++) {
    const ZwToken *p = &x.list.items[i], *q = &y.list.items[i];
    assert_int_equal(p->kind, q->kind);
    assert_int_equal(p->end - p->begin, q->end - q->begin);
    assert_memory_equal(a + p->begin, b + q->begin, (size_t)(p->end - p->begin));
    if (q->kind == ZW_TOKEN_PRIME) assert_false(q->after_space);
  }
}

/* Comments in order, without the space around them; strings that hold a # are not among the models. */
static void collect_comments(ZwText* out, const char* text) {
  for (const char* line = text; *line;) {
    size_t size = strcspn(line, "\n");
    const char* hash = memchr(line, '#', size);
    if (hash) {
      size_t comment = size - (size_t)(hash - line);
      while (comment > 0 && hash[comment - 1] == ' ') comment--;
      zw_text_add(out, hash, (ptrdiff_t)comment);
      zw_text_add(out, "\n", 1);
    }
    line += size + (line[size] == '\n');
  }
}

static void assert_same_comments(Formatted* f, const char* a, const char* b) {
  ZwText x, y;
  zw_text_init(&x, &f->arena);
  zw_text_init(&y, &f->arena);
  collect_comments(&x, a);
  collect_comments(&y, b);
  assert_string_equal(zw_text_get(&x), zw_text_get(&y));
}

static void check_model(const char* path) {
  int32_t size;
  char* text = read_file(path, &size);
  Formatted once, twice;
  format(&once, text, size);
  if (once.status) print_error("%s: %s\n", path, once.diags.list.items[0].text);
  assert_int_equal(once.status, ZW_OK);
  format(&twice, once.text.data, once.text.size);
  assert_int_equal(twice.status, ZW_OK);
  assert_string_equal(zw_text_get(&twice.text), zw_text_get(&once.text));
  assert_same_tokens(&once, text, size, once.text.data, once.text.size);
  assert_same_comments(&once, text, zw_text_get(&once.text));
  done(&once);
  done(&twice);
  free(text);
}

/* The model as a careless typist would leave it: its spaces doubled or, around signs, gone. */
static void check_spoiled_model(const char* path, bool is_wide) {
  int32_t size, at = 0;
  char* text = read_file(path, &size);
  char* spoiled = calloc(2 * (size_t)size + 2, 1);
  assert_non_null(spoiled);
  bool in_comment = false, in_string = false;
  for (int32_t i = 0; i < size; i++) {
    in_comment = text[i] == '#' || (in_comment && text[i] != '\n');
    if (text[i] == '"' && !in_comment) in_string = !in_string;
    bool is_code_space = text[i] == ' ' && !in_comment && !in_string && i > 0;
    bool is_by_sign = is_code_space && (strchr("+-=<>,", text[i - 1]) || strchr("+-=<>,", text[i + 1]));
    if (is_code_space && !is_wide && is_by_sign) continue;
    spoiled[at++] = text[i];
    if (is_code_space && is_wide) spoiled[at++] = ' ';
  }
  Formatted once, twice;
  format(&once, spoiled, at);
  assert_int_equal(once.status, ZW_OK);
  format(&twice, once.text.data, once.text.size);
  assert_string_equal(zw_text_get(&twice.text), zw_text_get(&once.text));
  assert_same_tokens(&once, text, size, once.text.data, once.text.size);
  assert_same_comments(&once, text, zw_text_get(&once.text));
  done(&once);
  done(&twice);
  free(spoiled);
  free(text);
}

static int check_folder(const char* folder) {
  char path[1024];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", folder);
  DIR* files = opendir(path);
  assert_non_null(files);
  int count = 0;
  for (struct dirent* entry = readdir(files); entry; entry = readdir(files)) {
    size_t size = strlen(entry->d_name);
    if (size < 4 || strcmp(entry->d_name + size - 3, ".zw") != 0) continue;
    char file[2048];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    check_model(file);
    check_spoiled_model(file, true);
    check_spoiled_model(file, false);
    count++;
  }
  closedir(files);
  return count;
}

static void test_models_keep_their_tokens(void** state) {
  (void)state;
  assert_true(check_folder("examples") >= 20);
  assert_true(check_folder("lib") >= 3);
  assert_true(check_folder("test/models") >= 30);
}

/* ---- the public function, and memory ---- */

typedef struct Stingy {
  int left; /* requests that are still met */
} Stingy;

static void* stingy_alloc(void* context, size_t size) {
  Stingy* stingy = context;
  return stingy->left-- > 0 ? calloc(1, size) : NULL;
}

static void stingy_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

static void test_memory_may_run_out_anywhere(void** state) {
  (void)state;
  static const char text[] = "for i in 1..3 {kinetic   x[i]'^2 # a\npotential x[i]\n}\n# b\n";
  ZwStatus status = ZW_ERR_MEMORY;
  int failures = 0;
  for (int n = 0; status != ZW_OK && n < 1000; n++) {
    Stingy stingy = {n};
    ZwCompileDef def = zw_default_compile_def();
    def.text = text;
    def.size = strlen(text);
    def.allocator = (ZwAllocator){stingy_alloc, stingy_release, &stingy};
    ZwModel* model;
    char* result;
    size_t size;
    status = zw_model_format(&def, &model, &result, &size);
    assert_true(status == ZW_OK || status == ZW_ERR_MEMORY);
    assert_true((status == ZW_OK) == (result != NULL));
    failures += status != ZW_OK;
    if (result) {
      assert_string_equal(result, "for i in 1..3 {\n  kinetic x[i]'^2  # a\n  potential x[i]\n}\n# b\n");
      assert_int_equal(size, strlen(result));
      zw_text_free(model, result);
    }
    zw_model_destroy(model);
  }
  assert_int_equal(status, ZW_OK);
  assert_true(failures >= 3);
}

static void test_a_formatted_model_cannot_run(void** state) {
  (void)state;
  ZwCompileDef def = zw_default_compile_def();
  def.text = "coord x\nkinetic x'^2\nrun 0..1";
  def.size = strlen(def.text);
  ZwModel* model;
  char* text;
  size_t size;
  assert_int_equal(zw_model_format(&def, &model, &text, &size), ZW_OK);
  assert_string_equal(text, "coord x\nkinetic x'^2\nrun 0 .. 1\n");
  ZwRunDef how = zw_default_run_def();
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_ARGUMENT);
  assert_null(run);
  zw_text_free(model, text);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spaces),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_long_blocks_are_opened),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_wrong_texts_are_refused),
      cmocka_unit_test(test_models_keep_their_tokens),
      cmocka_unit_test(test_memory_may_run_out_anywhere),
      cmocka_unit_test(test_a_formatted_model_cannot_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
