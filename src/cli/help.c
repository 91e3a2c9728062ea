#include <string.h>

#include "cli/cli.h"
#include "kernel/native.h"
#include "motion/integrator.h"
#include "output/hdf5.h"

static int command_version(const Options* options) {
  (void)options;
  return print_version();
}

// clang-format off
#define OPTION_TEXTS_MODEL                                                                  \
  "  --set NAME=VALUE   give a parameter another value; any constant expression\n"           \
  "  --lib DIR          look for libraries in DIR before the standard ones\n"                \
  "  --allow-path DIR   let the model use files below DIR, outside of its own folder\n"      \
  "  --limit NAME=VALUE raise a limit: memory (bytes), iterations, nesting\n"

#define OPTION_TEXTS_KERNEL                                                                  \
  "  --kernel NAME      what computes the equations: auto (default: native where it can be), native\n" \
  "                     (machine code), interpret; results are the same\n"

const Command commands[] = {
    {"run", "compute the motion of a model",
     {"zwang run FILE [options]\n"
     "\n"
     "Computes the motion of the model in FILE and writes <model>.csv (t, coordinates,\n"
     "velocities as x', outputs) and <model>.svg (a panel for each 'plot' of the model, or else\n"
     "for each coordinate and output; events are marked, closed contacts shaded). The summary shows the\n"
     "evidence and the verdict: trusted, or doubtful with reason and remedy. A model\n"
     "with contacts also gives <model>.contacts.csv, a log of its impacts and of every contact that\n"
     "opens, closes, sticks or slips, and <model>.contacts.svg, a picture of it.\n"
     "\n"
     OPTION_TEXTS_MODEL
     "  --to T             end at time T instead of the model's end\n"
     "  --every D          a row every D of time (default: a 500th of the run)\n"
     "  --tolerance T      local error <= T (|y| + size); default 1e-8, at least 1e-13\n"
     "  --integrator NAME  how it moves: auto (default: explicit, and radau where it is stiff),\n"
     "                     explicit, radau, rattle (conservative models, over very long times), bdf and\n"
     "                     adams (of SUNDIALS, where installed: a second opinion)\n"
     OPTION_TEXTS_KERNEL
     "  --step H           the step of rattle, which has a fixed one\n"
     "  --formulation NAME which equations give the accelerations: auto (default),\n"
     "                     moore-penrose, inverse14, inverse1, quadratic, gibbs-appell,\n"
     "                     lagrange, geometric, bellman, gibbs-appell-quasi\n"
     "  --eliminate X,Y    accelerations that gibbs-appell eliminates, as many as the rank, all the way; the\n"
     "                     run ends where the constraints do not determine them from the others\n"
     "  --conserve energy  hold the energy of the start by projecting velocities, for long runs of\n"
     "                     conservative models; its drift then is no evidence any more\n"
     "  --forces           record the constraint forces too: reaction(pin), the multiplier of the\n"
     "                     constraint 'pin'; 'pin on x', its generalized force on x; and\n"
     "                     'constraints on x', that of all together, with its parts linear in b and in h,\n"
     "                     'constraints on x (b)' and 'constraints on x (h)'\n"
     "  --sensitivity NAMES record derivatives of all columns too, by parameters (m) and start values\n"
     "                     (start.x, start.x'), with commas between them: 'd(x)/d(m)', at fixed times; may\n"
     "                     be repeated\n"
     "  --gradient NAME    what the coordinate, velocity or output NAME at the end depends on: its\n"
     "                     derivatives by all parameters and typed start values, or by those that\n"
     "                     --sensitivity names, at the cost of a few runs however many they are\n",
     "  --format F         csv (default), h5 or csv,h5: an HDF5 file <model>.h5 at the end of the run,\n"
     "                     with forces, evidence and everything needed to make it again\n"
     "  --evidence         record the evidence of every row too: |phi|, |phi'|, the largest residuals,\n"
     "                     'total energy' and 'total work'\n"
     "  --strict           a doubtful run fails: exit status 1, rows stay in .part\n"
     "  --resume           go on with a run that was killed or interrupted, from its last checkpoint;\n"
     "                     model and options must be the same, only --to may be another\n"
     "  --checkpoint S     make a checkpoint every S seconds (default 2, less often for large models)\n"
     "  --out DIR          write the files into DIR (default: the current folder)\n"
     "  --output F, -o F   write the table into F, which ends in .csv; other files go beside it with its\n"
     "                     name, or into --out DIR\n"
     "  --record all       record all coordinates, also above 200 of them\n"
     "  --theme NAME       pictures for light or dark pages, or auto (default): light, and dark where\n"
     "                     the reader's screen is\n"
     "  --sketch           show the curves in the terminal too, behind the summary\n"
     "  --json             print the summary as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "While it runs, rows go to <model>.csv.part, which is renamed at the end (the log of contacts\n"
     "alike); a run that fails or is interrupted leaves it with whole rows, and <model>.resume to go\n"
     "on from.\n"
     "\n"
     "Exit status: 0 fine, 1 the run failed, 2 the model or the command line is wrong,\n"
     "130 interrupted.\n"},
     command_run},
    {"sweep", "compute many motions of a model, over parameters and start values",
     {"zwang sweep FILE --over NAME=VALUES ... [--draw NAME=LOW..HIGH ... --count N] [options]\n"
     "\n"
     "Runs the model once for every combination of the values given, in several threads, and writes\n"
     "one row for each of these members into <model>.sweep.csv: its number and values, ok or failed\n"
     "and why, all columns of a run at its end, the least and largest value of each output over\n"
     "the rows, the evidence and the steps. A name is that of a parameter (m), of a coordinate (x)\n"
     "or of a velocity (x'), whose start value is meant then. A member is, bit by bit, what 'zwang\n"
     "run' with the same values gives, on any number of threads.\n"
     "\n"
     "  --over NAME=VALUES these values: numbers (10,20,40), or ends and how many points (1..3:5), or\n"
     "                     both; may be repeated: every value of one with every value of the others\n"
     "  --draw NAME=A..B   draw values between A and B, all equally likely; may be repeated\n"
     "  --count N          so many draws, the same ones for every combination of --over\n"
     "  --seed S           other draws: a whole number (default 1)\n"
     "  --threads N        compute in so many threads (default: one for each processor)\n"
     "  --resume           go on with a sweep that was killed or interrupted, behind its last row;\n"
     "                     model and options must be the same\n"
     OPTION_TEXTS_MODEL
     "  --to T, --every D, --tolerance T, --integrator NAME, --step H, --formulation NAME,\n"
     "  --conserve energy  as for run\n"
     OPTION_TEXTS_KERNEL
     "  --strict           exit status 1 when a member is doubtful\n"
     "  --out DIR          write the table into DIR (default: the current folder)\n"
     "  --record all       record all coordinates, also above 200 of them\n"
     "  --json             print the summary as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "While it runs, rows go to <model>.sweep.csv.part, in the order of their numbers; it is renamed at\n"
     "the end. A sweep that is interrupted leaves it with whole rows, and <model>.sweep.resume to go on\n"
     "from. A member that fails does not end the sweep. The column 'status' is ok, doubtful or failed,\n"
     "and 'reason' says why.\n"
     "\n"
     "Exit status: 0 fine, 1 a member failed or the table could not be written, 2 the model or the\n"
     "command line is wrong, 130 interrupted.\n"},
     command_sweep},
    {"check", "look at a model without running it",
     {"zwang check FILE [options]\n"
     "\n"
     "Compiles the model and makes its start consistent. Prints degrees of freedom, rank,\n"
     "redundant constraints by name, and which typed start values would move.\n"
     "\n"
     OPTION_TEXTS_MODEL
     "  --force \"X=1, Y=0\" is this generalized force a constraint force at the start? 0 on coordinates that\n"
     "                     are not named. Yes with its multipliers, or no with the part that would move the system\n"
     "  --to T, --every D, --tolerance T, --integrator NAME, --step H   as for run\n"
     OPTION_TEXTS_KERNEL
     "  --json             print the summary as one JSON object\n"
     "  --quiet, -q        print errors only\n"},
     command_check},
    {"compare", "solve by every formulation of the theory and compare",
     {"zwang compare FILE [options]\n"
     "\n"
     "Evaluates all formulations of Gauss's principle at the start and along the motion and\n"
     "prints, for each: the largest difference in acceleration from the production solve, the\n"
     "residual of A a = b, the optimality |Z^T Qc| (the constraint force does no virtual work),\n"
     "all relative; the Gaussian at the first instant; and the cost of a solve. Formulations\n"
     "that do not apply say why.\n"
     "\n"
     OPTION_TEXTS_MODEL
     "  --at T[,T...]      at these instants (default: the start and ten more to the end)\n"
     "  --show PARTS       print quantities of the papers as tables, at every instant, in place of the\n"
     "                     comparison: data (M, h, A, b, a0, d, D), forces (a, lambda, Qc and their parts\n"
     "                     linear in b and in h, G, S), partition, bellman, gibbs (X_L, constant, G_L),\n"
     "                     inverses (X, W, gain), or all; several with commas\n"
     "  --eliminate X,Y    accelerations that the partition eliminates, as many as the rank; default: those\n"
     "                     whose columns in A are largest at the instant, counted by their inertia, which\n"
     "                     costs fewest digits. (derive has no instant, and takes those without mass,\n"
     "                     then the first ones that are independent)\n"
     "  --displacement Y=1 a virtual displacement of the others, 0 where none is stated: what follows for the\n"
     "                     eliminated ones, and its work\n"
     "  --order Y,X        columns the Bellman-Gauss recursion begins with; default: the largest, likewise\n"
     "  --possible \"X''=1, Y''=0\"   an acceleration to set beside that of the motion: residual, Gaussian,\n"
     "                     what it costs more, the nearest possible one\n"
     "  --full             matrices wider than 200 too, where size and norm are told otherwise\n"
     "  --to T, --tolerance T, --integrator NAME   as for run\n"
     OPTION_TEXTS_KERNEL
     "  --letters PAPER    in tables, name quantities as uk98, bg99, ku93, l96 or u96 does\n"
     "  --json             print the comparison as one JSON object; at every instant with all of the\n"
     "                     above, the frame of the free velocities (B, r) and the restricted\n"
     "                     Gibbs function (K, p)\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Exit status: 0 fine, 1 the motion failed, 2 the model or the command line is wrong.\n"},
     command_compare},
    {"least", "solve Gauss's principle on matrices of a file",
     {"zwang least PROBLEM.json [options]\n"
     "\n"
     "Minimises 1/2 (a - a0)^T M (a - a0), M a0 = h, subject to A a = b, for the numbers in a file, so that the\n"
     "matrices of any paper can be tried without a model. The file is a JSON object:\n"
     "\n"
     "  M, h, A, b         n x n, n, m x n and m numbers; matrices are lists of rows\n"
     "  inverse14          a {1,4}-inverse of C = A M^(-1/2), n x m, to solve with\n"
     "  inverse1           or a {1}-inverse of D = A M^-1 A^T, m x m\n"
     "  A_inverse1         or a {1}-inverse of A, n x m\n"
     "  H_inverse13        or a {1,3}-inverse of H = M^(1/2) (1 - A- A), n x n; A- is A_inverse1 or A^+\n"
     "  coordinates, rows  n and m names, for tables and options (default: q1, q2, .. and c1, c2, ..)\n"
     "\n"
     "Other keys are ignored. The conditions that define an inverse are checked; one that fails is named\n"
     "with how far it is off.\n"
     "\n"
     "  --formulation NAME solve by this one, where the file states no inverse; 'zwang help run' lists them\n"
     "  --show PARTS       tables, as for compare: data, forces (default), partition, bellman, inverses, all\n"
     "  --eliminate X,Y, --displacement Y=1, --order Y,X, --possible \"X''=1\", --full   as for compare,\n"
     "                     with the same defaults\n"
     "  --letters PAPER    in tables, name quantities as uk98, bg99, ku93, l96 or u96 does\n"
     "  --json             print everything as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Exit status: 0 fine, 1 out of memory, 2 the problem or the command line is wrong.\n"},
     command_least},
    {"paper", "walk through the equations of the five papers",
     {"zwang paper [NAME] [options]\n"
     "\n"
     "Without a name lists the papers that the program rests on, and their worked examples. With one it shows the\n"
     "equations of that paper in their order: what each says, the paper's formula in its own letters, ours, and both\n"
     "sides evaluated at the state that the example starts from, with the relative difference; the worst of these stands\n"
     "at the end. Misprints are named at their equation, and what is not shown yet is listed by number.\n"
     "\n"
     "  --model            print the models of its examples instead\n"
     "  --set NAME=VALUE   another value of a parameter; may be repeated\n"
     "  --at T             at this time of the motions; those without it are taken at their start\n"
     "  --letters PAPER    our formulas in the letters of uk98, bg99, ku93, l96 or u96\n"
     "  --random N         also at N random states near the start that satisfy the constraints\n"
     "  --latex            a LaTeX document in place of text\n"
     "  --json             one JSON object\n"
     "  --output F, -o F   write into the file F in place of standard output\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Exit status: 0 fine, 1 an equation does not hold, 2 the command line is wrong.\n"},
     command_paper},
    {"linearize", "find equilibria and steady motions, and whether they are stable",
     {"zwang linearize FILE [--equilibrium | --steady [--anywhere] | --at T] [--over NAME=A..B:N] [options]\n"
     "\n"
     "Finds an equilibrium, or a steady motion, from the start values, with the reactions there, and the\n"
     "eigenvalues of small motions around it, on the tangent space of all constraints: frequency,\n"
     "damping, time constant, and the shape of each mode by the names of the coordinates. Zeros that belong\n"
     "to symmetries are told apart from others; those of the constraints are left out. Redundant\n"
     "constraints and coordinates without mass are fine. Contacts that touch are closed, and what friction\n"
     "holds is stuck: an equilibrium is one that a run started there keeps.\n"
     "\n"
     "  --equilibrium      the equilibrium near the start (default if the start is at rest)\n"
     "  --steady           the steady motion near the start (default if it is not): one along a symmetry,\n"
     "                     such as rolling straight ahead, turning in a circle, a sleeping top. What was typed\n"
     "                     is held, velocities above all\n"
     "  --anywhere         a steady motion may move typed velocities by more than a tenth of the largest\n"
     "  --at T             the motion at time T, whatever it is; its eigenvalues hold for a moment only\n"
     "  --over NAME=VALUES follow the eigenvalues over the values of a parameter or start value (0..10:101,\n"
     "                     or 1,2,4), and find where stability or the equilibrium itself ends, and where\n"
     "                     contacts close or open: a table <model>.locus.csv and a plot <model>.locus.svg\n"
     OPTION_TEXTS_MODEL
     "  --tolerance T, --integrator NAME   as for run, on the way to --at\n"
     "  --out DIR          write the files of --over into DIR (default: the current folder)\n"
     "  --theme NAME       auto (default: as the screen is), light or dark\n"
     "  --json             print the answer as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Exit status: 0 fine, 1 there is no such state in reach, or the motion to T failed, 2 the model or\n"
     "the command line is wrong, 130 interrupted.\n"},
     command_linearize},
    {"forces", "find the forces that make a model follow a given motion",
     {"zwang forces FILE --motion TABLE.csv [--by NAME,...] [options]\n"
     "\n"
     "Finds the forces that make the model follow the motion in a table, beside its own forces and\n"
     "constraints: on all coordinates, the least ones in the metric of the masses; or on those named\n"
     "with --by, by least squares, and what these cannot provide is reported by name. Writes\n"
     "<model>.forces.csv (t, 'force on x', 'missing on x', 'reaction(pin)' of the model's constraints) and\n"
     "<model>.forces.svg, and prints the lines that feed the forces back into the model.\n"
     "\n"
     "The table is what 'zwang run' writes, or any CSV with a column t and columns by the names of\n"
     "coordinates: x, perhaps x' and x'', which are estimated from the rows where they are missing.\n"
     "Coordinates that the constraints determine may be missing. A motion that violates the\n"
     "constraints is refused, with the time and their names. Models with contacts or 'when' are refused.\n"
     "\n"
     "  --motion F         the table of the motion\n"
     "  --by NAME,...      forces on these coordinates only\n"
     "  --within D         how far the motion may be off the constraints (default 1e-6), as a part of\n"
     "                     1 + the largest value of a coordinate; it is put onto them then\n"
     "  --every D          a row every D of time (default: the rows of the table, and so many between them\n"
     "                     that 'table' gives the forces to the tolerance)\n"
     "  --tolerance T      of the forces between rows, as a part of those at work (default 1e-11)\n"
     OPTION_TEXTS_MODEL
     "  --output F, -o F   write the table into F, which ends in .csv, and the picture beside it\n"
     "  --out DIR          write the files into DIR (default: the current folder)\n"
     "  --theme NAME       auto (default: as the screen is), light or dark\n"
     "  --json             print the answer as one JSON object\n"
     "  --quiet, -q        print errors only, and what is missing\n"
     "\n"
     "Exit status: 0 fine, also where a part is missing; 1 a file could not be written; 2 the model, the\n"
     "table or the command line is wrong.\n"},
     command_forces},
    {"bench", "measure what a model costs",
     {"zwang bench FILE [options]\n"
     "\n"
     "Runs the model several times, writes nothing, and prints the least time of each part: an\n"
     "evaluation of the accelerations (kernels and solve), a projection onto the constraints, the\n"
     "whole run, and what each part has of it. The rest is what steps, dense output, events and\n"
     "rows take.\n"
     "\n"
     OPTION_TEXTS_MODEL
     "  --to T, --every D, --tolerance T, --integrator NAME, --formulation NAME   as for run\n"
     OPTION_TEXTS_KERNEL
     "  --json             print the figures as one JSON object\n"
     "\n"
     "Exit status: 0 fine, 1 the motion failed, 2 the model or the command line is wrong.\n"},
     command_bench},
    {"plot", "draw a stored result",
     {"zwang plot RESULT [options]\n"
     "\n"
     "Draws columns of a stored result over time, one panel for each, into <result>.plot.svg. RESULT\n"
     "is <model>.csv, <model>.h5, or <model>.csv.part, the journal of a run that goes on or was ended.\n"
     "Without --columns it draws coordinates and outputs, at most 12. Events are marked, and the times\n"
     "shaded during which contacts are closed, if they are in the HDF5 file or <model>.contacts.csv is\n"
     "beside the table. Of <model>.contacts.csv itself it draws the contacts over time, all of them.\n"
     "\n"
     "  --columns X,Y,...  these columns, named as in the first line of the file; '*' stands for any\n"
     "                     letters, '?' for one; may be repeated\n"
     "  --together         all of them in one panel, at most 28\n"
     "  --against X        over this column instead of t; components of one vector (P.y against P.x) have\n"
     "                     the same scale\n"
     "  --equal            the same scale for both axes, whatever they measure\n"
     "  --log x|y|xy       a logarithmic scale below (x), on the left (y), or both\n"
     "  --theme NAME       light, dark, or auto (default): light, and dark where the reader's screen is\n"
     "  --output F, -o F   write into the file F; if it ends in .png, by rsvg-convert (package\n"
     "                     librsvg2-bin)\n"
     "  --out DIR          write <result>.plot.svg into DIR (default: the current folder)\n"
     "  --open             show the picture on the screen, by xdg-open\n"
     "  --sketch           show the curves in the terminal; a file is written only if -o, --out or --open\n"
     "                     ask for it\n"
     "  --json             print what was drawn as one JSON object\n"
     "  --quiet, -q        print errors only\n"},
     command_plot},
    {"animate", "make a film of a model",
     {"zwang animate FILE [options]\n"
     "\n"
     "Runs the model and shows what its `draw` statements say, as a page <model>.html that plays in any\n"
     "browser, without a network: play, pause, scrub, speed; in space it can be turned by the mouse.\n"
     "Without `draw`, what the parts of libraries draw is shown, and points and lines that the model names.\n"
     "\n"
     "  --output F, -o F   write into the file F; its ending says what it is: .html, .svg (moves by itself,\n"
     "                     also in other pages), .mp4 or .gif (made by the program ffmpeg)\n"
     "  --still [T]        a picture of the time T (default: the end) as <model>.still.svg, with the\n"
     "                     positions before it in light ink; PNG if the name given ends in .png\n"
     "  --speed S          the model's time that passes in a second (default: 1; a round number that makes\n"
     "                     a film of 5 to 60 seconds if 1 does not)\n"
     "  --fps N            frames per second (default 30)\n"
     "  --from T           begin the film at time T\n"
     "  --view A,E         in space: see it from A degrees around the z axis, counted from x, and E degrees\n"
     "                     above the plane (default -60,22)\n"
     "  --theme NAME       auto (default: as the screen is), light or dark\n"
     "  --open             show the film on the screen, by xdg-open\n"
     OPTION_TEXTS_MODEL
     "  --to T, --tolerance T, --integrator NAME, --step H, --formulation NAME,\n"
     "  --conserve energy  as for run\n"
     OPTION_TEXTS_KERNEL
     "  --out DIR          write <model>.html into DIR (default: the current folder)\n"
     "  --json             print the summary as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Of a run that fails, the film shows what there is up to that time.\n"
     "\n"
     "Exit status: 0 fine, 1 the run failed or the film could not be written, 2 the model or the command\n"
     "line is wrong, or a program for this kind of film is missing, 130 interrupted.\n"},
     command_animate},
    {"dump", "print what each stage of the compiler hands on",
     {"zwang dump FILE --stage text|model|equations|kernel\n"
     "\n"
     "  text        the syntax tree\n"
     "  model       coordinates, parameters and terms, names resolved (default)\n"
     "  equations   elements by shape with their local M, h, A, b\n"
     "  kernel      register tapes\n"
     "\n"
     OPTION_TEXTS_MODEL},
     command_dump},
    {"derive", "print the equations of a model as on paper",
     {"zwang derive FILE [options]\n"
     "\n"
     "Prints what the program makes of the model: the Lagrangian, the mass matrix M and right\n"
     "side h of M a = h, every constraint with its row of A a = b, the Gibbs function, the\n"
     "equations of Gibbs and Appell if the model names quasi-velocities, and the Christoffel\n"
     "symbols if M is a metric. Of a model with more than 30 coordinates one term of each\n"
     "shape is shown.\n"
     "\n"
     "  --explicit         also the equations solved: multipliers, forces of the constraints,\n"
     "                     accelerations, and where they are valid\n"
     "  --partition        also the explicit equations of Gibbs and Appell\n"
     "  --eliminate LIST   the coordinates, as x,y, whose accelerations they make dependent, as\n"
     "                     many as independent constraints; default: those without mass, then\n"
     "                     the first ones that are independent\n"
     "  --bellman          also the recursion of Bellman: R, beta, kappa, and the accelerations one\n"
     "                     after the other\n"
     "  --order LIST       the columns it begins with; default: the first ones that are independent\n"
     "  --all              all of these\n"
     "  --letters PAPER    name quantities as uk98, bg99, ku93, l96 or u96 does\n"
     "  --latex            a LaTeX document in place of text\n"
     "  --json             one JSON object; its formulas are in the form of the text\n"
     "  --output F, -o F   write into the file F in place of standard output\n"
     "  --quiet, -q        print errors only, no notes\n"
     OPTION_TEXTS_MODEL},
     command_derive},
    {"export", "write the equations of a model as C",
     {"zwang export --c FILE [options]\n"
     "\n"
     "Writes <model>.c and <model>.h: one file of C99 that needs nothing but <math.h>, in fixed memory,\n"
     "for a microcontroller or a rig. It gives M, h, A and b, accelerations and constraint forces,\n"
     "outputs, the start, the parameters as a struct, a projection onto the constraints and a step of\n"
     "fixed size; all of it is described in the header. Names are those of the model: crank.phi\n"
     "becomes crank_phi. Contacts, 'when' and 'while' cannot be exported.\n"
     "\n"
     "  --name PREFIX      begin all names in C with PREFIX_ (default: the name of the model)\n"
     "  --compact          a shorter file, whose solve is several times slower\n"
     "  --output F, -o F   write F, which ends in .c, and its header beside it\n"
     "  --out DIR          write <model>.c and <model>.h into DIR (default: the current folder)\n"
     OPTION_TEXTS_MODEL
     "  --json             print the summary as one JSON object\n"
     "  --quiet, -q        print errors only\n"
     "\n"
     "Exit status: 0 fine, 1 a file could not be written, 2 the model cannot be exported or is wrong.\n"},
     command_export},
    {"fmt", "lay out the text of a model",
     {"zwang fmt FILE... [--write | --check]\n"
     "\n"
     "Prints the text of a model laid out well: spaces, indents, columns. Comments, blank lines\n"
     "and line breaks stay, and so does all that the text says. '-' is standard input.\n"
     "\n"
     "  --write, -w        rewrite the files that would change instead of printing them\n"
     "  --check            name the files that would change; exit status 1 if there are any\n"
     "\n"
     "A text that does not follow the grammar is not touched (exit status 2).\n"},
     command_fmt},
    {"examples", "list, print or copy the models that come with zwang",
     {"zwang examples [NAME]\n"
     "zwang examples --copy NAME... [--out DIR]\n"
     "\n"
     "Lists the models that are part of the program, or prints the text of one.\n"
     "\n"
     "  --copy             write NAME.zw, or all of them: --copy all; a file that exists already\n"
     "                     is never overwritten (exit status 2, nothing is written)\n"
     "  --out DIR          into this folder (default: the current one)\n"
     "  --json             print the list as one JSON object\n"},
     command_examples},
    {"complete", "tell a shell what may come next",
     {"zwang complete -- WORD...\n"
     "\n"
     "Prints what the last WORD, which may be empty, can become on the command line 'zwang WORD...':\n"
     "a word and its explanation in each line, or which files fit. The scripts that complete\n"
     "commands in bash, zsh and fish ask this.\n"},
     command_complete},
    {"help", "explain a command",
     {"zwang help [COMMAND]\n"},
     print_help},
    {"version", "print the version",
     {"zwang version, or zwang --version\n"},
     command_version},
    {NULL, NULL, {NULL}, NULL}};
// clang-format on

const Command* find_command(const char* name) {
  for (int i = 0; commands[i].name; i++) {
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  }
  return NULL;
}

int print_help(const Options* options) {
  if (options->topic) {
    const Command* command = find_command(options->topic);
    if (!command) return complain(options, ZW_ERR_ARGUMENT, "there is no command '%s'", options->topic);
    for (int i = 0; command->usage[i]; i++) fputs(command->usage[i], stdout);
    return EXIT_FINE;
  }
  zw_printf("zwang: the motion of constrained mechanical systems\n\n");
  for (int i = 0; commands[i].name; i++) zw_printf("  zwang %-9s %s\n", commands[i].name, commands[i].summary);
  zw_printf("\nTry 'zwang examples --copy pendulum' and 'zwang run pendulum.zw', or 'zwang help run'.\n");
  return EXIT_FINE;
}

int print_version(void) {
  zw_printf("zwang %s\n", zw_version());
  zw_printf("dense algebra, integrators and writers are its own, except for\n");
  if (zw_cvode_version())
    zw_printf("SUNDIALS %s: the integrators bdf and adams\n", zw_cvode_version());
  else
    zw_printf("no SUNDIALS in this build: there are no integrators bdf and adams\n");
  char about[ZW_HDF5_ABOUT];
  (void)zw_hdf5_is_there(about);
  zw_printf("%s (--format h5)\n", about);
  const char* why = zw_native_obstacle();
  zw_printf("%s%s\n", why ? "no machine code for the equations (--kernel native): " : "machine code for the equations",
            why ? why : " (--kernel native)");
  return EXIT_FINE;
}
