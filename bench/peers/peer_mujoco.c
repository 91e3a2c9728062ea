/* MuJoCo in its own coordinates, those of joints: a chain of rods; and a four-bar whose loop an equality closes. */
#include <mujoco/mujoco.h>

#include "four_bar.h"
#include "peer.h"
#include "rods.h"

/* A warning says that the motion was thrown away and begun anew; else it would go to where answers go. */
static bool has_warned;

static void note_warning(const char* text) {
  (void)text;
  has_warned = true;
}

enum { ROOM_PER_ROD = 700, NAME = 32 };

typedef struct Scene {
  char name[NAME];
  int rods;
  mjModel* model;
  mjData* data;
} Scene;

/* Text, written behind what is there already. */
typedef struct Text {
  char* begin;
  int size, room;
} Text;

#define WRITE(text, ...) \
  (text)->size += snprintf((text)->begin + (text)->size, (size_t)((text)->room - (text)->size), __VA_ARGS__)

/* URDF, because it lists bodies one after another: XML may not be nested for more than about 100 rods. */
static void write_rods(Text* text, int rods) {
  WRITE(text,
        "<robot name='chain'><mujoco><compiler discardvisual='true' fusestatic='false'/></mujoco><link name='b0'/>");
  for (int i = 1; i <= rods; i++) {
    WRITE(text,
          "<link name='b%d'><inertial><origin xyz='0 0 -0.5'/><mass value='1'/><inertia ixx='%.17g' iyy='%.17g' "
          "izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial></link>\n",
          i, 1.0 / 12, 1.0 / 12);
    WRITE(text,
          "<joint name='j%d' type='continuous'><parent link='b%d'/><child link='b%d'/><origin xyz='0 0 %d'/>"
          "<axis xyz='0 -1 0'/></joint>\n",
          i, i - 1, i, i == 1 ? 0 : -1);
  }
  WRITE(text, "</robot>\n");
}

static void write_link(Text* text, const char* name, double at, double length) {
  double J = length * length * length / 12;
  WRITE(text,
        "<body name='%s' pos='%.17g 0 0'><joint type='hinge' axis='0 -1 0'/>"
        "<inertial pos='%.17g 0 0' mass='%.17g' diaginertia='1e-4 %.17g %.17g'/>",
        name, at, length / 2, length, J, J);
}

static void write_four_bar(Text* text) {
  const double* l = four_bar_length;
  WRITE(text,
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81' solver='Newton' tolerance='1e-10'/><default>"
        "<equality solimp='0.9999 0.9999 0.001 0.5 1'/></default><worldbody>");
  write_link(text, "crank", 0, l[0]);
  write_link(text, "coupler", l[0], l[1]);
  WRITE(text, "</body></body>");
  write_link(text, "rocker", 1, l[2]);
  WRITE(text,
        "</body></worldbody><equality><connect body1='coupler' body2='rocker' anchor='%.17g 0 0'/></equality></mujoco>",
        l[1]);
}

static mjModel* load(const char* name, const Text* text, char* error, int room) {
  mjVFS* files = malloc(sizeof *files);
  if (!files) return NULL;
  mj_defaultVFS(files);
  mjModel* model = NULL;
  if (mj_makeEmptyFileVFS(files, name, text->size) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, name)], text->begin, (size_t)text->size);
    model = mj_loadXML(name, files, error, room);
  }
  mj_deleteVFS(files);
  free(files);
  return model;
}

/* The connection is made where the bodies are at angles 0; there the loop is open. */
static void close_loop(mjModel* model) {
  const double* l = four_bar_length;
  double anchors[6] = {l[1], 0, 0, l[2], 0, 0};
  memcpy(model->eq_data, anchors, sizeof anchors);
}

static bool scene_open(Scene* scene, const Question* question) {
  bool is_rods = strcmp(question->scene, "rods") == 0;
  int room = 2000 + ROOM_PER_ROD * question->rods;
  Text text = {malloc((size_t)room), 0, room};
  char error[500] = "not enough memory";
  if (!text.begin) return false;
  if (is_rods) {
    write_rods(&text, question->rods);
  } else {
    write_four_bar(&text);
  }
  *scene = (Scene){.rods = question->rods};
  snprintf(scene->name, sizeof scene->name, "%s", question->scene);
  scene->model = load(is_rods ? "scene.urdf" : "scene.xml", &text, error, (int)sizeof error);
  free(text.begin);
  if (!scene->model) {
    fprintf(stderr, "peer_mujoco: %s\n", error);
    return false;
  }
  if (!is_rods) close_loop(scene->model);
  scene->data = mj_makeData(scene->model);
  return scene->data != NULL;
}

static void scene_close(Scene* scene) {
  if (scene->data) mj_deleteData(scene->data);
  if (scene->model) mj_deleteModel(scene->model);
  *scene = (Scene){0};
}

/* Angles of joints are against the body before. */
static void scene_start(Scene* scene) {
  mjData* data = scene->data;
  mj_resetData(scene->model, data);
  if (strcmp(scene->name, "rods") == 0) {
    data->qpos[0] = RODS_ANGLE;
    return;
  }
  double angle[3], rate[3];
  four_bar_start(angle, rate);
  for (int i = 0; i < 3; i++) data->qpos[i] = angle[i], data->qvel[i] = rate[i];
  data->qpos[1] -= angle[0], data->qvel[1] -= rate[0];
}

/* "rk4" or "euler", and for equalities their time constant in steps: "rk4:2". */
static bool choose_method(mjModel* model, const Question* question) {
  char name[32] = "";
  double constant = 2;
  sscanf(question->method, "%31[a-z0-9]:%lf", name, &constant);
  bool is_rk4 = strcmp(name, "rk4") == 0;
  model->opt.integrator = is_rk4 ? mjINT_RK4 : mjINT_EULER;
  model->opt.timestep = 1 / question->setting;
  for (int i = 0; i < model->neq; i++) {
    model->eq_solref[mjNREF * i] = constant * model->opt.timestep;
    model->eq_solref[mjNREF * i + 1] = 1;
  }
  return is_rk4 || strcmp(name, "euler") == 0;
}

static void answer(Scene* scene, const Question* question) {
  const mjModel* model = scene->model;
  mjData* data = scene->data;
  long steps = (long)(question->setting + 0.5);
  double begin = peer_clock(), used;
  int runs = 0;
  has_warned = false;
  do {
    scene_start(scene);
    for (long i = 0; i < steps && !has_warned; i++) mj_step(model, data);
    runs++;
    used = peer_clock() - begin;
  } while (used < question->least && !has_warned);
  if (has_warned) {
    peer_refuse("unstable");
    return;
  }

  mj_forward(model, data);
  double* centre = peer_numbers(2 * scene->rods);
  for (int i = 0; i < scene->rods; i++) {
    const double* place = data->xipos + 3 * (model->nbody - scene->rods + i);
    centre[2 * i] = place[0], centre[2 * i + 1] = place[2];
  }
  peer_answer(used / runs, centre, 2 * scene->rods);
  free(centre);
}

int main(void) {
  Scene scene = {0};
  Question question;
  mju_user_warning = note_warning;
  while (peer_hear(&question)) {
    bool is_known = strcmp(question.scene, "rods") == 0 || strcmp(question.scene, "four-bar") == 0;
    bool is_same = strcmp(question.scene, scene.name) == 0 && question.rods == scene.rods;
    if (is_known && !is_same) {
      scene_close(&scene);
      is_known = scene_open(&scene, &question);
    }
    if (is_known && choose_method(scene.model, &question)) {
      answer(&scene, &question);
    } else {
      peer_refuse("the scene or the method is unknown, or does not load");
    }
  }
  scene_close(&scene);
  return 0;
}
