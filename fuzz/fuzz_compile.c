/* Fuzzes the way from a text to kernels: whatever stands in it, compiling ends soon, with a model or with messages.
 *
 * Built with clang -fsanitize=fuzzer (`make fuzz`) it is a libFuzzer target. Built with -DZW_FUZZ_ALONE it is a program of
 * its own that needs no libFuzzer:
 *
 *   fuzz_compile FOLDER [COUNT [SEED [SECONDS]]]   all files of FOLDER, then COUNT mutations of them, or as many as SECONDS allow
 *   fuzz_compile FILE                              that file alone, and how long it took
 *
 * A text whose last line is "#set N=3" is compiled with that setting, so that the fuzzer reaches `--set` as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/zwang.h"

/* Small, so that what grows is refused soon: the limits themselves are what is tested. */
enum { MEMORY_LIMIT = 128 * 1024 * 1024, ITERATION_LIMIT = 200 * 1000 };

/* ---- the files a text may use ---- */

static const struct {
  const char* name;
  const char* text;
} files[] = {
    {"a.zw", "param k = 2\nlet twice(x) = 2*x\ncomponent ball(m, p = (0, 0)) {\n coord r = p\n kinetic 1/2*m*r'^2\n}\n"},
    {"b.zw", "use \"a.zw\" with k = 3\nlet twice(x) = x + x, b = k\n"},
    {"cycle.zw", "use \"cycle.zw\"\nparam c = 1\n"},
    {"wrong.zw", "param w =\nlet q = nowhere\n"},
    {"model.zw", "coord x\n"},
    {"cam.csv", "x,lift,other\n0,0,1\n1,2,3\n2,1,-1\n3.5,0,0\n"},
    {"bad.csv", "x,y\n0,1\n1,one\n"},
    {"empty.csv", ""},
};

static ZwStatus read_tiny(void* context, const char* name, const char* path, bool is_library, char** text, size_t* size,
                          const char** why) {
  (void)context;
  (void)path;
  if (strcmp(name, "secret.zw") == 0) {
    *why = "it may not be read";
    return ZW_ERR_IO;
  }
  for (int i = 0; i < (int)(sizeof files / sizeof *files); i++) {
    size_t length = strlen(files[i].name) - (is_library ? 3 : 0); /* `use a` */
    if (strlen(name) != length || strncmp(name, files[i].name, length) != 0) continue;
    *size = strlen(files[i].text);
    *text = malloc(*size + 1);
    if (!*text) return ZW_ERR_MEMORY;
    memcpy(*text, files[i].text, *size + 1);
    return ZW_OK;
  }
  return ZW_ERR_NAME;
}

static void release_tiny(void* context, char* text) {
  (void)context;
  free(text);
}

/* ---- one text ---- */

static void promise(bool is_kept, const char* what) {
  if (is_kept) return;
  fprintf(stderr, "fuzz_compile: %s\n", what);
  abort();
}

/* What every message promises. Reads every byte of it, so that the sanitizers see them. */
static void check_messages(const ZwModel* model, ZwStatus status) {
  int32_t errors = 0;
  for (int32_t i = 0; i < zw_model_diag_count(model); i++) {
    const ZwDiag* diag = zw_model_diag(model, i);
    errors += diag->severity == ZW_SEVERITY_ERROR;
    size_t size = strlen(diag->text) + strlen(diag->remedy);
    promise(diag->text[0] != 0 && size < 5000, "a message is empty or endless");
    promise((diag->line > 0) == (diag->file[0] != 0), "a message has a line without a file, or a file without a line");
    promise(diag->offset >= 0 && diag->offset <= diag->source_line_size, "a message points outside its line");
    for (int32_t k = 0; k < diag->source_line_size; k++) {
      promise(diag->source_line[k] != '\n', "the line of a message goes on in the next one");
    }
  }
  bool is_silent = status == ZW_ERR_MEMORY || status == ZW_ERR_LIMIT;
  promise(status == ZW_OK ? errors == 0 : errors > 0 || is_silent, "the status and the errors disagree");
}

static char* setting_of(const char* text, size_t size, ZwSet* set) {
  static const char mark[] = "\n#set ";
  size_t length = sizeof mark - 1, at = size;
  while (at > 0 && text[at - 1] != '\n') at--;
  if (at == 0 || size - at < length || memcmp(text + at - 1, mark, length) != 0) return NULL;
  size_t begin = at - 1 + length;
  char* copy = calloc(size - begin + 1, 1);
  if (!copy) return NULL;
  memcpy(copy, text + begin, size - begin);
  char* equals = strchr(copy, '=');
  if (!equals) {
    free(copy);
    return NULL;
  }
  *equals = 0;
  *set = (ZwSet){copy, equals + 1};
  return copy;
}

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  ZwCompileDef def = zw_default_compile_def();
  ZwSet set;
  char* setting = setting_of((const char*)data, size, &set);
  def.text = (const char*)data;
  def.size = size;
  def.name = "model.zw";
  def.sets = &set;
  def.set_count = setting ? 1 : 0;
  def.reader = (ZwReader){read_tiny, release_tiny, NULL};
  def.limits.memory = MEMORY_LIMIT;
  def.limits.iterations = ITERATION_LIMIT;
  ZwModel* model = NULL;
  ZwStatus status = zw_model_compile(&def, &model);
  if (model) {
    check_messages(model, status);
    for (int32_t i = 0; i < zw_model_column_count(model) && status == ZW_OK; i++) {
      promise(zw_model_column(model, i)[0] != 0, "a column has no name");
    }
  }
  zw_model_destroy(model);
  free(setting);
  return 0;
}

#ifdef ZW_FUZZ_ALONE

/* ---- without libFuzzer ---- */

#include <dirent.h>
#include <time.h>
#include <unistd.h>

/* A text that takes so many seconds of the processor hangs. The slowest of the corpus takes 0.6, with sanitizers 2.4, and beside other
 * processes, with which it shares caches and memory, two to three times as many: this is a net and measures nothing. */
enum { HANG_SECONDS = 60 };

enum { SEEDS_MAX = 4096, TEXT_MAX = 16384 };

typedef struct Seed {
  char* name;
  unsigned char* text;
  size_t size;
} Seed;

static uint64_t state;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static size_t below(size_t n) {
  return n ? (size_t)(next_random() % n) : 0;
}

/* Of the processor: a busy machine needs no more of them. */
static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool read_seed(const char* path, const char* name, Seed* seed) {
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  size_t capacity = 1 << 20;
  *seed = (Seed){malloc(strlen(name) + 1), malloc(capacity), 0};
  if (seed->text) seed->size = fread(seed->text, 1, capacity, file);
  if (seed->name) memcpy(seed->name, name, strlen(name) + 1);
  fclose(file);
  return seed->name && seed->text;
}

static int compare_seeds(const void* a, const void* b) {
  return strcmp(((const Seed*)a)->name, ((const Seed*)b)->name);
}

static int read_seeds(const char* folder, Seed* seeds) {
  DIR* directory = opendir(folder);
  int count = 0;
  if (!directory) return 0;
  for (struct dirent* entry; (entry = readdir(directory)) && count < SEEDS_MAX;) {
    char path[1024];
    if (entry->d_name[0] == '.') continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) continue;
    count += read_seed(path, entry->d_name, &seeds[count]);
  }
  closedir(directory);
  qsort(seeds, (size_t)count, sizeof *seeds, compare_seeds);
  return count;
}

static const char* const words[] = {
    "coord ", "param ", "let ", "for i in 1..3 {", "}\n", "sum(i in 1..3: ", ")", "(", "'", "''", "[", "]", "[1]", "^2", ".x",
    "component c(a, b = 1) {\n", "part p = c(1)\n", "constraint c: ", " = ", ", ", "start exactly ", "reaction(c)", "diff(", "cross(",
    "dot(", "norm(", "unit(", "if 1 < 2 then ", " else ", "use planar\n", "use \"a.zw\"\n", "table(\"cam.csv\", t)", "kinetic ",
    "potential ", "gibbs ", "quasi u = ", "memory ", "when ", "while ", "contact ", "output ", "force ", "run 0 .. 1\n", "0", "1e9",
    "-", "+", "*", "/", " and ", "not ", "\n", ";", "#", "\"", "\xc3\xa4", "1..0", "N", "x", "P", "t", "pi", "\n#set N=3"};

static void put_in(unsigned char* text, size_t* size, size_t at, const void* piece, size_t length) {
  if (*size + length > TEXT_MAX) return;
  memmove(text + at + length, text + at, *size - at);
  memcpy(text + at, piece, length);
  *size += length;
}

static void take_out(unsigned char* text, size_t* size, size_t at, size_t length) {
  if (length > *size - at) length = *size - at;
  memmove(text + at, text + at + length, *size - at - length);
  *size -= length;
}

static void mutate(const Seed* seeds, int count, unsigned char* text, size_t* size) {
  const Seed* other = &seeds[below((size_t)count)];
  size_t at = below(*size + 1), from = below(other->size), length = 1 + below(below(8) ? 24 : 400);
  if (length > other->size - from) length = other->size - from;
  const char* word = words[below(sizeof words / sizeof *words)];
  unsigned char byte = (unsigned char)next_random();
  switch (below(8)) {
    case 0: put_in(text, size, at, other->text + from, length); break;
    case 1: take_out(text, size, at, length); break;
    case 2:
    case 3:
    case 4: put_in(text, size, at, word, strlen(word)); break;
    case 5: /* one piece for another */
      take_out(text, size, at, 1 + below(12));
      put_in(text, size, at < *size ? at : *size, other->text + from, length);
      break;
    case 6:
      if (at < *size) text[at] = byte;
      break;
    default: /* twice the same */
      if (at < *size) {
        unsigned char piece[400];
        if (length > *size - at) length = *size - at;
        memcpy(piece, text + at, length);
        put_in(text, size, at, piece, length);
      }
      break;
  }
}

/* Whoever dies leaves what it died of. The file stays open: to empty it each time would wait for the disk. */
static bool run_one(const unsigned char* text, size_t size, const char* name) {
  static const char last[] = "fuzz_last.zw";
  static FILE* file;
  if (!file) file = fopen(last, "wb");
  if (file) {
    rewind(file);
    fwrite(text, 1, size, file);
    fflush(file);
    if (ftruncate(fileno(file), (off_t)size)) return false;
  }
  double begun = seconds_now();
  LLVMFuzzerTestOneInput(text, size);
  double seconds = seconds_now() - begun;
  if (seconds < HANG_SECONDS) return true;
  printf("%s: %.1f s for %zu bytes; it is in %s\n", name, seconds, size, last);
  return false;
}

int main(int argc, char** argv) {
  static Seed seeds[SEEDS_MAX];
  static unsigned char text[TEXT_MAX];
  if (argc < 2) return 2;
  long wanted = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  state = argc > 3 ? strtoull(argv[3], NULL, 10) * 2685821657736338717u + 1 : 88172645463325252u;
  double limit = argc > 4 ? strtod(argv[4], NULL) : 1e9, begun = seconds_now();
  int count = read_seeds(argv[1], seeds);
  if (count == 0) {
    Seed seed;
    if (!read_seed(argv[1], argv[1], &seed)) return 2;
    LLVMFuzzerTestOneInput(seed.text, seed.size);
    printf("%s: %.3f s\n", argv[1], seconds_now() - begun);
    free(seed.name);
    free(seed.text);
    return 0;
  }
  bool is_fine = true;
  for (int i = 0; i < count && is_fine; i++) is_fine = run_one(seeds[i].text, seeds[i].size, seeds[i].name);
  long done = 0;
  for (; done < wanted && is_fine && seconds_now() - begun < limit; done++) {
    const Seed* seed = &seeds[below((size_t)count)];
    size_t size = seed->size < TEXT_MAX ? seed->size : TEXT_MAX;
    memcpy(text, seed->text, size);
    for (size_t k = 1 + below(6); k > 0; k--) mutate(seeds, count, text, &size);
    is_fine = run_one(text, size, seed->name);
  }
  printf("%d texts, %ld mutations, %.1f s\n", count, done, seconds_now() - begun);
  for (int i = 0; i < count; i++) {
    free(seeds[i].name);
    free(seeds[i].text);
  }
  return is_fine ? 0 : 1;
}

#endif
