# What is compiled, in the order of the pipeline (src/LAYERS). test/layers/check_sources.sh finds forgotten files.
set(ZW_SOURCES
  src/base/alloc.c
  src/base/arena.c
  src/base/str.c
  src/base/source.c
  src/base/diag.c

  src/expr/op.c
  src/expr/table.c
  src/expr/fold.c
  src/expr/graph.c
  src/expr/walk.c
  src/expr/rebuild.c
  src/expr/diff.c
  src/expr/eval.c
  src/expr/print.c

  src/text/unicode_table.c
  src/text/letters.c
  src/text/nfc.c
  src/text/lexer.c
  src/text/ast.c
  src/text/parser.c
  src/text/dump.c
  src/text/spacing.c
  src/text/lines.c
  src/text/align.c
  src/text/format.c

  src/model/system.c
  src/model/value.c
  src/model/names.c
  src/model/expression.c
  src/model/number.c
  src/model/table.c
  src/model/declare.c
  src/model/terms.c
  src/model/later.c
  src/model/loops.c
  src/model/component.c
  src/model/elaborate.c

  src/equations/split.c
  src/equations/shape.c
  src/equations/local.c
  src/equations/pattern.c
  src/equations/conserve.c
  src/equations/derive.c
  src/equations/dump.c

  src/kernel/lower.c
  src/kernel/tape.c
  src/kernel/compile.c
  src/kernel/interpret.c
  src/kernel/dump.c

  src/least/cholesky.c
  src/least/qr.c
  src/least/svd.c
  src/least/lu.c
  src/least/rank.c
  src/least/least_definite.c
  src/least/least_null.c
  src/least/least.c

  src/motion/dop853.c
  src/motion/sim.c
  src/motion/evaluate.c
  src/motion/rows.c
  src/motion/reactions.c
  src/motion/project.c
  src/motion/fault.c
  src/motion/assemble.c
  src/motion/start.c
  src/motion/explicit.c
  src/motion/run.c

  src/output/utf8.c
  src/output/draft.c
  src/output/csv.c
  src/output/json.c
  src/output/xml.c
  src/output/path.c
  src/output/series.c
  src/output/ticks.c
  src/output/svg.c

  src/zwang.c
)

# The program: one file per command.
set(ZW_CLI_SOURCES
  src/cli/options.c
  src/cli/files.c
  src/cli/reader.c
  src/cli/messages.c
  src/cli/results.c
  src/cli/progress.c
  src/cli/summary.c
  src/cli/run.c
  src/cli/check.c
  src/cli/dump.c
  src/cli/fmt.c
  src/cli/examples.c
  src/cli/help.c
  src/cli/main.c
)

# The standard libraries, compiled into the program.
set(ZW_LIBRARIES
  lib/common.zw
  lib/planar.zw
  lib/spatial.zw
)

# The models of `zwang examples`, compiled into the program too.
set(ZW_EXAMPLES
  examples/andrews.zw
  examples/appell-hamel.zw
  examples/appell.zw
  examples/arevalo.zw
  examples/bennett.zw
  examples/car-axis-vectors.zw
  examples/car-axis.zw
  examples/chaplygin-sleigh.zw
  examples/charged-particle.zw
  examples/cyclotron.zw
  examples/double-pendulum.zw
  examples/euler-top.zw
  examples/foucault.zw
  examples/heavy-top-angles.zw
  examples/heavy-top.zw
  examples/iftomm-a01.zw
  examples/kepler.zw
  examples/knife-edge.zw
  examples/ku93-free.zw
  examples/ku93-plane.zw
  examples/n-body.zw
  examples/n-four-bar.zw
  examples/n-pendulum-angles.zw
  examples/n-pendulum.zw
  examples/net.zw
  examples/nonholonomic-particle.zw
  examples/peaucellier.zw
  examples/pendulum-sundials.zw
  examples/pendulum.zw
  examples/pleiades.zw
  examples/rattleback.zw
  examples/relativistic-wire.zw
  examples/relativistic.zw
  examples/robot-arm.zw
  examples/rolling-coin.zw
  examples/rotating-hoop.zw
  examples/rssr.zw
  examples/slider-crank-parts.zw
  examples/slider-crank.zw
  examples/spherical-pendulum.zw
  examples/stewart.zw
  examples/torus-geodesic.zw
  examples/uk98.zw
)
