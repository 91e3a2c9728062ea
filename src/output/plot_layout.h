/* Where the panels of a plot stand, and their axes. */
#ifndef ZW_OUTPUT_PLOT_LAYOUT_H
#define ZW_OUTPUT_PLOT_LAYOUT_H

#include "output/page.h"
#include "output/svg.h"

typedef struct ZwPanelLayout {
  ZwPageFrame frame;
  bool has_values; /* there is something to draw, and an axis on the left */
  ZwTicks left;
  ZwTicks own;      /* the axis below, of a panel that is not over time */
  bool is_labelled; /* the axis below has labels: no panel over the same time is right below */
  bool has_marks;   /* the names of marks stand above */
} ZwPanelLayout;

typedef struct ZwPlotLayout {
  ZwPage page;
  int32_t columns, rows;
  ZwTicks time;
  ZwPanelLayout panels[ZW_SVG_PANELS];
  bool has_shades;  /* a line says what they are, */
  int32_t shades_y; /* at this height */
} ZwPlotLayout;

void zw_plot_layout_make(ZwPlotLayout* plan, const ZwSvgPlot* plot);
/* The axis below panel i. */
const ZwTicks* zw_plot_layout_below(const ZwPlotLayout* plan, const ZwSvgPlot* plot, int32_t i);

#endif
