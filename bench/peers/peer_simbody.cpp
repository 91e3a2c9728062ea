/* Simbody in its own coordinates, those of joints: a chain of rods on pins; and a four-bar on three pins whose loop two
 * constraints close. */
#include <Simbody.h>

#include <memory>
#include <string>
#include <vector>

#include "four_bar.h"
#include "peer.h"
#include "rods.h"

using namespace SimTK;

namespace {

/* A mechanism of thin rods in the plane. */
struct Scene {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::UniformGravity gravity{forces, matter, Vec3(0, -9.81, 0)};
  std::vector<MobilizedBody> rods;
  std::vector<Vec3> centres; /* of the rods, in their own axes */
  State start;
  bool has_loop = false;

  MobilizedBody add(MobilizedBody& parent, Vec3 at, double mass, Vec3 centre) {
    double length = 2 * centre.norm(), J = mass * length * length / 12;
    Vec3 moments = centre[0] != 0 ? Vec3(1e-6, J, J) : Vec3(J, 1e-6, J);
    Inertia inertia = Inertia(moments).shiftFromMassCenter(centre, mass);
    Body::Rigid body(MassProperties(mass, centre, inertia));
    MobilizedBody::Pin pin(parent, Transform(at), body, Transform(Vec3(0)));
    rods.push_back(pin);
    centres.push_back(centre);
    return pin;
  }
};

void make_rods(Scene& scene, int count) {
  MobilizedBody parent = scene.matter.Ground();
  for (int i = 0; i < count; i++) parent = scene.add(parent, Vec3(0, i == 0 ? 0 : -1, 0), 1, Vec3(0, -0.5, 0));
  scene.start = scene.system.realizeTopology();
  scene.rods[0].setOneQ(scene.start, 0, RODS_ANGLE);
}

void make_four_bar(Scene& scene) {
  const double* l = four_bar_length;
  double angle[3], rate[3];
  MobilizedBody ground = scene.matter.Ground();
  MobilizedBody crank = scene.add(ground, Vec3(0), l[0], Vec3(l[0] / 2, 0, 0));
  MobilizedBody coupler = scene.add(crank, Vec3(l[0], 0, 0), l[1], Vec3(l[1] / 2, 0, 0));
  MobilizedBody rocker = scene.add(ground, Vec3(1, 0, 0), l[2], Vec3(l[2] / 2, 0, 0));
  Constraint::PointInPlane(rocker, UnitVec3(1, 0, 0), l[2], coupler, Vec3(l[1], 0, 0));
  Constraint::PointInPlane(rocker, UnitVec3(0, 1, 0), 0, coupler, Vec3(l[1], 0, 0));
  scene.has_loop = true;
  scene.start = scene.system.realizeTopology();
  four_bar_start(angle, rate);
  angle[1] -= angle[0], rate[1] -= rate[0]; /* against the crank */
  for (int i = 0; i < 3; i++) {
    scene.rods[i].setOneQ(scene.start, 0, angle[i]);
    scene.rods[i].setOneU(scene.start, 0, rate[i]);
  }
}

std::unique_ptr<Scene> make_scene(const Question& question) {
  std::unique_ptr<Scene> scene(new Scene);
  if (strcmp(question.scene, "rods") == 0) {
    make_rods(*scene, question.rods);
  } else if (strcmp(question.scene, "four-bar") == 0) {
    make_four_bar(*scene);
  } else {
    return nullptr;
  }
  scene->system.realizeModel(scene->start);
  return scene;
}

std::unique_ptr<Integrator> make_integrator(const Scene& scene, const std::string& method, double accuracy) {
  std::unique_ptr<Integrator> integrator;
  if (method == "merson") integrator.reset(new RungeKuttaMersonIntegrator(scene.system));
  if (method == "fehlberg") integrator.reset(new RungeKuttaFeldbergIntegrator(scene.system));
  if (method == "cpodes") integrator.reset(new CPodesIntegrator(scene.system, CPodes::BDF));
  if (!integrator) return integrator;
  integrator->setAccuracy(accuracy);
  if (scene.has_loop) integrator->setConstraintTolerance(0.1 * accuracy);
  integrator->setInternalStepLimit(1000000);
  integrator->setFinalTime(1);
  return integrator;
}

void answer(const Scene& scene, const Question& question) {
  std::unique_ptr<Integrator> integrator;
  double begin = peer_clock(), used;
  int runs = 0;
  do {
    integrator = make_integrator(scene, question.method, question.setting);
    if (!integrator) return peer_refuse("the method is unknown");
    integrator->initialize(scene.start);
    while (integrator->getTime() < 1 && integrator->stepTo(1) != Integrator::EndOfSimulation) continue;
    runs++;
    used = peer_clock() - begin;
  } while (used < question.least);

  State state = integrator->getState();
  scene.system.realize(state, Stage::Position);
  std::vector<double> places;
  for (size_t i = 0; i < scene.rods.size(); i++) {
    Vec3 place = scene.rods[i].findStationLocationInGround(state, scene.centres[i]);
    places.push_back(place[0]);
    places.push_back(place[1]);
  }
  peer_answer(used / runs, places.data(), (int)places.size());
}

}  // namespace

int main() {
  std::unique_ptr<Scene> scene;
  std::string name;
  Question question;
  while (peer_hear(&question)) {
    std::string asked = std::string(question.scene) + " " + std::to_string(question.rods);
    try {
      if (asked != name) scene = make_scene(question);
      name = asked;
      if (scene) {
        answer(*scene, question);
      } else {
        peer_refuse("the scene is unknown");
      }
    } catch (const std::exception& problem) {
      fprintf(stderr, "peer_simbody: %s\n", problem.what());
      peer_refuse("an exception");
    }
  }
  return 0;
}
