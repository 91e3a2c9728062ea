/* The numbers of the explicit Runge-Kutta pair of Dormand and Prince of order 8(5,3) with its dense output of order 7:
 * E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.5, II.6 and the code
 * DOP853 of E. Hairer and G. Wanner. Numbers only; who steps with them is another file.
 *
 * Stages count from 0 here. For y' = f(t, y), a step from (t, y) of size h:
 *
 *   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j)            i = 0..11, twelve evaluations
 *   y_1 = y + h sum_i b_i k_i                               order 8
 *
 * Error. Two more sets of weights on the same stages give results of order 5 and 3. Only the differences are kept:
 *
 *   h sum_i e5_i k_i = y_1 - (result of order 5),           h sum_i e3_i k_i = y_1 - (result of order 3)
 *
 * With the norms e5, e3 of these two vectors, scaled by the tolerances, the estimate is e5^2 / sqrt(e5^2 + 0.01 e3^2):
 * it goes to zero like h^8, and e3 keeps it from being small by accident.
 *
 * Stage 12 is f at the end of the step; a_12j = b_j and c_12 = 1. Neither b nor e5 nor e3 gives it any weight. So when
 * the end state is moved by a projection, evaluate stage 12 once, at the projected end: it is stage 0 of the next step
 * and serves the dense output, and nothing is evaluated twice.
 *
 * Dense output. Stages 13, 14, 15 are evaluated only in steps that need it; row i of a uses all stages below i, number
 * 12 among them. With y_1 and k_12 those of the (projected) end and x = (time - t) / h in [0, 1]:
 *
 *   F_0 = y_1 - y,   F_1 = h k_0 - F_0,   F_2 = 2 F_0 - h (k_0 + k_12),   F_{3+r} = h sum_i d_ri k_i    r = 0..3
 *   y(x) = y + x (F_0 + (1-x) (F_1 + x (F_2 + (1-x) (F_3 + x (F_4 + (1-x) (F_5 + x F_6))))))
 *
 * is of order 7. It meets y and y_1 and has the slopes k_0 and k_12 there, so it is continuously differentiable from
 * step to step, with projected ends too.
 */
#ifndef ZW_MOTION_DOP853_H
#define ZW_MOTION_DOP853_H

enum {
  ZW_DOP853_STAGES = 12,     /* that the step itself needs */
  ZW_DOP853_STAGES_ALL = 16, /* with the end of the step and the three of the dense output */
  ZW_DOP853_DENSE = 4,       /* rows of d */
  ZW_DOP853_ORDER = 8
};

typedef struct ZwDop853 {
  double c[ZW_DOP853_STAGES_ALL];                       /* times of the stages */
  double a[ZW_DOP853_STAGES_ALL][ZW_DOP853_STAGES_ALL]; /* strictly lower triangular */
  double b[ZW_DOP853_STAGES];                           /* order 8 */
  double e5[ZW_DOP853_STAGES];                          /* order 8 minus order 5 */
  double e3[ZW_DOP853_STAGES];                          /* order 8 minus order 3 */
  double d[ZW_DOP853_DENSE][ZW_DOP853_STAGES_ALL];      /* dense output */
} ZwDop853;

extern const ZwDop853 zw_dop853;

#endif
