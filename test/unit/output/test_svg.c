#include "output/svg.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/xml.h"
#include "scratch.h"
#include "svg_reader.h"

static Svg svg;

static ZwSeries* new_series(void) {
  return zw_series_init(malloc(zw_series_size(ZW_SERIES_BUCKETS)), ZW_SERIES_BUCKETS);
}

static ZwSeries* sine(int samples) {
  ZwSeries* series = new_series();
  for (int i = 0; i <= samples; i++) zw_series_add(series, 10.0 * i / samples, sin(10.0 * i / samples));
  return series;
}

static ZwTrace* new_trace(void) {
  return zw_trace_init(malloc(zw_trace_size(ZW_TRACE_POINTS)), ZW_TRACE_POINTS);
}

/* An ellipse around (3, 4), 2 wide and 1 high each way. */
static ZwTrace* ellipse(void) {
  ZwTrace* trace = new_trace();
  for (int i = 0; i <= 1000; i++) zw_trace_add(trace, 3 + 2 * cos(0.01 * i), 4 + sin(0.01 * i));
  zw_trace_flush(trace);
  return trace;
}

static int occurrences(const char* text, const char* what) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, what)); at += strlen(what)) count++;
  return count;
}

/* The plot as text, in an arena of its own; read back into `svg`, so it is well-formed. */
static const char* draw(ZwArena* arena, const ZwSvgPlot* plot) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(arena, &allocator);
  ZwText text;
  zw_text_init(&text, arena);
  zw_svg_text(&text, plot);
  assert_false(arena->failed);
  const char* got = zw_text_get(&text);
  svg_read(&svg, got);
  assert_string_equal(svg.elements[0].name, "svg");
  assert_null(strstr(got, "nan"));
  assert_null(strstr(got, "922337203685477"));
  return got;
}

/* ---- what there is on the page ---- */

/* The frame of panel i: the path that ends with its outline. */
static SvgBox frame_of(int i) {
  for (int k = 0; k < svg.count; k++) {
    char colour[SVG_VALUE];
    const SvgElement* element = &svg.elements[k];
    if (strcmp(element->name, "path") != 0 || !svg_attribute(element, "stroke", colour)) continue;
    if (strcmp(colour, "#7a7a7a") != 0 || i-- > 0) continue;
    const char* data = strstr(element->attributes, " d=\"") + 4;
    const char* end = strchr(data, '"');
    const char* outline = end;
    while (*outline != 'M') outline--;
    double x, y, width, height;
    assert_int_equal(sscanf(outline, "M%lf %lfh%lfv%lf", &x, &y, &width, &height), 4);
    return (SvgBox){.left = x, .right = x + width, .top = y, .bottom = y + height};
  }
  fail_msg("there is no frame");
  return (SvgBox){0};
}

/* Curves in the order in which they are drawn. */
static const SvgElement* curve_of(int i) {
  const SvgElement* curve = svg_find(&svg, "path", "stroke-width", "1.5", i);
  assert_non_null(curve);
  return curve;
}

/* px of a number on the left axis, or below, from two ticks with these labels. */
typedef struct Scale {
  double origin, unit;
} Scale;

static Scale scale_of(const char* axis, const char* low, const char* high) {
  const SvgElement *a = svg_text(&svg, low), *b = svg_text(&svg, high);
  assert_non_null(a);
  assert_non_null(b);
  double at = svg_number(a, axis), unit = (svg_number(b, axis) - at) / (strtod(high, NULL) - strtod(low, NULL));
  return (Scale){at - unit * strtod(low, NULL) - (axis[0] == 'y' ? 4 : 0), unit};
}

static void assert_about(double got, double want, double tol) {
  if (!(fabs(got - want) <= tol)) fail_msg("%.9g, not %.9g", got, want);
}

static void test_panels(void** state) {
  (void)state;
  ZwSeries* series = sine(500);
  ZwSvgCurve curve = {.name = "coupler.at.x'", .series = series};
  ZwSvgPanel panels[ZW_SVG_PANELS];
  for (int i = 0; i < ZW_SVG_PANELS; i++) panels[i] = (ZwSvgPanel){.curves = &curve, .curve_count = 1};
  for (int count = 1; count <= ZW_SVG_PANELS; count++) {
    ZwSvgPlot plot = {.title = "four-bar", .panels = panels, .panel_count = count};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(occurrences(text, ">coupler.at.x'<"), count);
    assert_int_equal(occurrences(text, ">four-bar<"), 2); /* drawn, and the document's title */
    assert_int_equal(svg_count(&svg, "path", "stroke-width", "1.5"), count);
    assert_int_equal(svg_count(&svg, "path", "stroke", "#0072b2"), count);
    assert_int_equal(occurrences(text, ">t</text>"), count > 3 ? 2 : 1); /* one time axis per column */
    assert_true(strlen(text) < (size_t)count * 5000 + 3000);
    zw_arena_destroy(&arena);
  }
  free(series);
}

/* The curve is where the ticks say. */
static void test_ranges(void** state) {
  (void)state;
  ZwSeries* series = sine(500);
  ZwSvgCurve curve = {.name = "y", .series = series};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
  ZwArena arena;
  draw(&arena, &plot);
  SvgBox box = svg_box(curve_of(0)), frame = frame_of(0);
  Scale time = scale_of("x", "4", "8"), up = scale_of("y", "0.2", "0.8");
  assert_about(box.left, time.origin, 0.02);
  assert_about(box.right, time.origin + 10 * time.unit, 0.02);
  assert_about(box.top, up.origin + up.unit, 0.06);
  assert_about(box.bottom, up.origin - up.unit, 0.06);
  assert_true(box.left >= frame.left && box.right <= frame.right);
  assert_true(box.top > frame.top && box.bottom < frame.bottom);
  zw_arena_destroy(&arena);
  free(series);
}

static void test_texts_are_escaped(void** state) {
  (void)state;
  ZwSeries* series = sine(10);
  ZwTrace* trace = ellipse();
  static const char name[] = "a<b & \"c\"\x01\xFF";
  ZwMarks* marks = calloc(1, sizeof *marks);
  zw_marks_add(marks, 5, "y < 0 & <b>");
  ZwSvgCurve curves[] = {{.name = name, .series = series}, {.name = "]]>ωφ-->", .series = series}};
  ZwSvgCurve phase = {.name = "x", .trace = trace};
  ZwSvgPanel panels[] = {{.curves = curves, .curve_count = 2}, {.curves = &phase, .curve_count = 1, .against = name}};
  ZwSvgPlot plot = {
      .title = "<script>", .panels = panels, .panel_count = 2, .footnote = "1 & 2", .time = "<t>", .marks = marks};
  ZwArena arena;
  const char* text = draw(&arena, &plot);
  assert_int_equal(occurrences(text, ">a&lt;b &amp; &quot;c&quot;\uFFFD\uFFFD<"), 2);
  assert_int_equal(occurrences(text, ">]]&gt;ωφ--&gt;<"), 1);
  assert_int_equal(occurrences(text, ">&lt;t&gt;<"), 1);
  assert_int_equal(occurrences(text, ">y &lt; 0 &amp; &lt;b&gt;<"), 1);
  assert_int_equal(occurrences(text, "&lt;script&gt;"), 2);
  assert_null(strstr(text, "<script>"));
  assert_non_null(strstr(text, ">1 &amp; 2<"));
  zw_arena_destroy(&arena);
  free(marks);
  free(trace);
  free(series);
}

static void test_long_texts_are_clipped_or_wrapped(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_xml_add_clipped(&text, ZW_STR("αβγδεζηθ"), 5);
  zw_xml_add_clipped(&text, ZW_STR(" 12345"), 6);
  assert_string_equal(zw_text_get(&text), "αβ…ηθ 12345");
  zw_arena_destroy(&arena);

  ZwSeries* series = sine(10);
  char name[400], footnote[600];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  for (size_t i = 0; i + 1 < sizeof footnote; i++) footnote[i] = i % 8 == 7 ? ' ' : 'w';
  footnote[sizeof footnote - 1] = 0;
  ZwSvgCurve curve = {.name = name, .series = series};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.title = name, .panels = &panel, .panel_count = 1, .footnote = footnote};
  const char* got = draw(&arena, &plot);
  assert_int_equal(occurrences(got, "nnn…nnn"), 2);
  assert_int_equal(occurrences(got, "wwwwwww"), 75); /* no word is lost or cut */
  assert_in_range(occurrences(got, ">wwwwwww "), 4, 8);
  zw_arena_destroy(&arena);
  free(series);
}

/* Several curves: each has its own colour and dashes, and a sample above the frame, in rows that never reach into it. */
static void test_legend(void** state) {
  (void)state;
  ZwSeries* series = sine(50);
  ZwSvgCurve curves[ZW_SVG_CURVES];
  for (int i = 0; i < ZW_SVG_CURVES; i++) curves[i] = (ZwSvgCurve){.name = "link[7].angle", .series = series};
  for (int count = 2; count <= ZW_SVG_CURVES; count++) {
    ZwSvgPanel panels[] = {{.curves = curves, .curve_count = count},
                           {.curves = curves, .curve_count = count / 2},
                           {.curves = curves, .curve_count = 1},
                           {.curves = curves, .curve_count = count}};
    ZwSvgPlot plot = {.title = "m", .panels = panels, .panel_count = count % 2 ? 4 : 1};
    ZwArena arena;
    draw(&arena, &plot);
    SvgBox frame = frame_of(0);
    double last_x = 0, last_y = 0;
    for (int i = 0; i < count; i++) {
      const SvgElement* sample = svg_find(&svg, "path", "stroke-width", "2", i);
      double x, y;
      assert_int_equal(sscanf(strstr(sample->attributes, " d=\"") + 4, "M%lf %lfh26", &x, &y), 2);
      assert_true(x >= frame.left && x + 26 + 6 + 13 * 6 <= frame.right);
      assert_true(y < frame.top - 8 && y > 44); /* below the title */
      assert_true(i == 0 || (y == last_y ? x >= last_x + 26 + 6 + 13 * 8 : y > last_y + 14 && x == frame.left));
      last_x = x, last_y = y;
      /* no other curve looks the same */
      char colour[SVG_VALUE], dashes[SVG_VALUE], other[SVG_VALUE], others[SVG_VALUE];
      svg_attribute(sample, "stroke", colour);
      if (!svg_attribute(sample, "stroke-dasharray", dashes)) dashes[0] = 0;
      assert_true(svg_is(curve_of(i), "path", "stroke", colour));
      for (int k = 0; k < i; k++) {
        svg_attribute(curve_of(k), "stroke", other);
        if (!svg_attribute(curve_of(k), "stroke-dasharray", others)) others[0] = 0;
        assert_true(strcmp(colour, other) != 0 || strcmp(dashes, others) != 0);
        if (i < ZW_INK_CURVES) assert_string_not_equal(dashes, others); /* also in black and white */
      }
    }
    zw_arena_destroy(&arena);
  }
  free(series);
}

/* Against another quantity: an axis of its own, one scale for both if that is asked for, and a curve that is not cut. */
static void test_against(void** state) {
  (void)state;
  ZwTrace* trace = ellipse();
  ZwSvgCurve curve = {.name = "P.y", .trace = trace};
  for (int is_equal = 0; is_equal < 2; is_equal++) {
    ZwSvgPanel panel = {.curves = &curve, .curve_count = 1, .against = "P.x", .is_equal = is_equal};
    ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(occurrences(text, "font-style=\"italic\">P.x</text>"), 1);
    SvgBox box = svg_box(curve_of(0)), frame = frame_of(0);
    Scale across = scale_of("x", "1.5", "2.5"); /* labels that the left axis has not */
    Scale up = scale_of("y", is_equal ? "3.5" : "3.4", is_equal ? "4.5" : "4.6");
    assert_about((box.left - across.origin) / across.unit, 1, 0.001);
    assert_about((box.right - across.origin) / across.unit, 5, 0.001);
    assert_about((box.bottom - up.origin) / up.unit, 3, 0.001);
    assert_about((box.top - up.origin) / up.unit, 5, 0.001);
    assert_true(box.left > frame.left && box.right < frame.right && box.top > frame.top && box.bottom < frame.bottom);
    if (is_equal) assert_about(across.unit, -up.unit, 0.02);
    if (!is_equal) assert_true(fabs(across.unit + up.unit) > 10);
    zw_arena_destroy(&arena);
  }
  free(trace);
}

/* Equal scales of a curve that varies in one direction only, or in none. */
static void test_equal_scales_of_flat_curves(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    ZwTrace* trace = new_trace();
    for (int i = 0; i <= 10; i++) zw_trace_add(trace, kind == 0 ? 1e-3 * i : 7, kind == 1 ? 1e-3 * i : -2);
    zw_trace_flush(trace);
    ZwSvgCurve curve = {.name = "y", .trace = trace};
    ZwSvgPanel panel = {.curves = &curve, .curve_count = 1, .against = "x", .is_equal = true};
    ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
    ZwArena arena;
    draw(&arena, &plot);
    SvgBox frame = frame_of(0);
    if (kind < 2) {
      SvgBox box = svg_box(curve_of(0));
      double part = kind == 0 ? (box.right - box.left) / (frame.right - frame.left)
                              : (box.bottom - box.top) / (frame.bottom - frame.top);
      assert_true(part > 0.8); /* what varies fills its frame */
    }
    zw_arena_destroy(&arena);
    free(trace);
  }
}

/* Panels over time and others: a time axis below each group of the former, and one of its own below each of the latter. */
static void test_mixed_panels(void** state) {
  (void)state;
  ZwSeries* series = sine(100);
  ZwTrace* trace = ellipse();
  ZwSvgCurve over = {.name = "a", .series = series}, against = {.name = "b", .trace = trace};
  ZwSvgPanel t = {.curves = &over, .curve_count = 1}, p = {.curves = &against, .curve_count = 1, .against = "q"};
  const struct {
    ZwSvgPanel panels[5];
    int count, times, others;
  } cases[] = {{{t, p}, 2, 1, 1},    {{p, t}, 2, 1, 1},       {{t, p, t}, 3, 2, 1},
               {{p, p, p}, 3, 0, 3}, {{t, t, t, p}, 4, 2, 1}, {{t, p, t, p, t}, 5, 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ZwSvgPlot plot = {.panels = cases[i].panels, .panel_count = cases[i].count};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(occurrences(text, "italic\">t</text>"), cases[i].times);
    assert_int_equal(occurrences(text, "italic\">q</text>"), cases[i].others);
    double height = svg_number(&svg.elements[0], "height"), width = svg_number(&svg.elements[0], "width");
    for (int k = 0; k < cases[i].count; k++) {
      SvgBox frame = frame_of(k);
      assert_true(frame.bottom + 40 <= height && frame.right < width);
      for (int m = 0; m < k; m++) { /* they are apart, with room for names */
        SvgBox other = frame_of(m);
        assert_true(frame.left > other.right || frame.top > other.bottom + 30);
      }
    }
    zw_arena_destroy(&arena);
  }
  free(series);
  free(trace);
}

static void test_odd_data(void** state) {
  (void)state;
  enum { COUNT = 10 };
  const double values[COUNT][3] = {{NAN, NAN, NAN},
                                   {3, 3, 3},
                                   {1, NAN, NAN},
                                   {1e300, -1e300, 1.7e308},
                                   {1e-300, 3e-300, 2e-300},
                                   {1e9, 1e9 + 1e-3, 1e9},
                                   {0, 0, 0},
                                   {-1.7976931348623157e308, 0, 1.7976931348623157e308},
                                   {0, 1e-12, 5e-13},
                                   {0, 1e12, -1e12}};
  for (int i = 0; i < 2 * COUNT; i++) {
    bool is_trace = i >= COUNT;
    const double* y = values[i % COUNT];
    ZwSeries* series = new_series();
    ZwTrace* trace = new_trace();
    for (int k = 0; k < 3; k++) zw_series_add(series, k, y[k]), zw_trace_add(trace, k, y[k]);
    zw_trace_flush(trace);
    ZwSvgCurve curve = {.name = "y", .series = series, .trace = trace};
    ZwSvgPanel panel = {.curves = &curve, .curve_count = 1, .against = is_trace ? "x" : NULL};
    ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(occurrences(text, "no finite values"), i % COUNT == 0);
    assert_int_equal(svg_count(&svg, "path", "stroke-width", "1.5"), i % COUNT != 0 && i % COUNT != 2);
    assert_int_equal(svg_count(&svg, "path", "stroke-width", "5"), i % COUNT == 2); /* a single point is a dot */
    if (i % COUNT != 0 && i % COUNT != 2) {
      SvgBox box = svg_box(curve_of(0)), frame = frame_of(0);
      assert_true(box.left >= frame.left && box.right <= frame.right);
      assert_true(box.top >= frame.top && box.bottom <= frame.bottom);
      bool is_flat = i % COUNT == 1 || i % COUNT == 6;
      assert_true(is_flat ? box.top == box.bottom : box.bottom - box.top > 0.8 * (frame.bottom - frame.top));
    }
    zw_arena_destroy(&arena);
    free(series);
    free(trace);
  }
  ZwSeries* empty = new_series();
  ZwSvgCurve curve = {.name = "y", .series = empty};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
  ZwArena arena;
  assert_int_equal(occurrences(draw(&arena, &plot), "no finite values"), 1);
  zw_arena_destroy(&arena);
  free(empty);
}

/* A gap is a gap: the line is in two pieces. */
static void test_gaps(void** state) {
  (void)state;
  ZwSeries* series = new_series();
  for (int i = 0; i <= 100; i++) zw_series_add(series, i, i >= 40 && i <= 60 ? NAN : sin(i));
  ZwSvgCurve curve = {.name = "y", .series = series};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
  ZwArena arena;
  draw(&arena, &plot);
  SvgBox box = svg_box(curve_of(0)), frame = frame_of(0);
  assert_int_equal(box.pieces, 2);
  assert_about(box.left, frame.left, 0.01);
  assert_about(box.right, frame.right, 0.01);
  zw_arena_destroy(&arena);
  free(series);
}

/* Logarithms are labelled as what they are of. */
static void test_logarithmic(void** state) {
  (void)state;
  ZwSeries* series = new_series();
  for (int i = -3; i <= 3; i++) zw_series_add(series, i, 2 * i);
  ZwSvgCurve curve = {.name = "y", .series = series};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1, .is_log_across = true, .is_log_up = true};
  ZwArena arena;
  draw(&arena, &plot);
  SvgBox box = svg_box(curve_of(0));
  assert_about(svg_number(svg_text(&svg, "0.001"), "x"), box.left, 0.01);
  assert_about(svg_number(svg_text(&svg, "1000"), "x"), box.right, 0.01);
  assert_about(svg_number(svg_text(&svg, "10⁻⁶"), "y") - 4, box.bottom, 0.01);
  assert_about(svg_number(svg_text(&svg, "10⁶"), "y") - 4, box.top, 0.01);
  zw_arena_destroy(&arena);
  free(series);
}

static void test_themes(void** state) {
  (void)state;
  ZwSeries* series = sine(10);
  ZwSvgCurve curves[] = {{.name = "x", .series = series}, {.name = "y", .series = series}};
  ZwSvgPanel panel = {.curves = curves, .curve_count = 2};
  for (int theme = ZW_THEME_AUTO; theme <= ZW_THEME_DARK; theme++) {
    ZwSvgPlot plot = {.title = "m", .panels = &panel, .panel_count = 1, .theme = (ZwTheme)theme};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    bool is_dark = theme == ZW_THEME_DARK;
    assert_int_equal(occurrences(text, "<style>@media screen and (prefers-color-scheme:dark){"),
                     theme == ZW_THEME_AUTO);
    assert_int_equal(occurrences(text, " class=\"") > 0, theme == ZW_THEME_AUTO);
    const SvgElement* page = svg_find(&svg, "rect", "fill", is_dark ? "#161616" : "#ffffff", 0);
    assert_non_null(page);
    assert_true(svg_number(page, "width") == svg_number(&svg.elements[0], "width"));
    assert_int_equal(svg_count(&svg, "path", "stroke", is_dark ? "#56a8e0" : "#0072b2"), 2); /* with its sample */
    assert_int_equal(occurrences(text, "#0072b2") > 0, !is_dark);
    /* every class has its rule */
    for (int i = 0; i < svg.count && theme == ZW_THEME_AUTO; i++) {
      char name[SVG_VALUE], rule[SVG_VALUE + 2];
      if (!svg_attribute(&svg.elements[i], "class", name)) continue;
      snprintf(rule, sizeof rule, ".%s{", name);
      assert_int_equal(occurrences(text, rule), 1);
    }
    zw_arena_destroy(&arena);
  }
  free(series);
}

static void become(ZwLanes* lanes, double t, int32_t contact, ZwContactWhat what) {
  assert_int_equal(zw_lanes_add(lanes, &(ZwContactEvent){.t = t, .contact = contact, .what = what}), ZW_OK);
}

/* Bands over the time closed, in panels over time; the line below names them. */
static void test_shades(void** state) {
  (void)state;
  static const char* const names[] = {"floor", "wall<", "a", "b", "c", "d"};
  ZwSeries* series = sine(100);
  ZwTrace* trace = ellipse();
  ZwSvgCurve over = {.name = "a", .series = series}, against = {.name = "b", .trace = trace};
  ZwSvgPanel panels[] = {{.curves = &over, .curve_count = 1},
                         {.curves = &against, .curve_count = 1, .against = "q"},
                         {.curves = &over, .curve_count = 1}};
  for (int count = 0; count <= 6; count++) {
    ZwLanes* lanes = calloc(1, sizeof *lanes);
    lanes->allocator = zw_allocator_default();
    for (int i = 0; i < 6; i++) become(lanes, 0, i, ZW_CONTACT_OPEN);
    for (int i = 0; i < count; i++) {
      become(lanes, 2, i, ZW_CONTACT_CLOSED);
      become(lanes, 4, i, i % 2 ? ZW_CONTACT_SLIPS : ZW_CONTACT_STICKS);
      become(lanes, 5, i, ZW_CONTACT_OPEN);
    }
    ZwSvgPlot plot = {.panels = panels, .panel_count = 3, .shades = {lanes, names}};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    bool are_own = count <= 4;
    assert_int_equal(svg_count(&svg, "path", "fill-opacity", ".16"), 2 * (count > 0));
    assert_int_equal(occurrences(text, "<pattern "), are_own && count > 1 ? count - 1 : 0);
    assert_int_equal(occurrences(text, ">floor closed<"), count > 0 && are_own);
    assert_int_equal(occurrences(text, ">wall&lt; closed<"), count > 1 && are_own);
    if (!are_own) assert_non_null(strstr(text, ">one or more closed: floor, wall&lt;, a, b, c"));
    if (count > 0) {
      const SvgElement* band = svg_find(&svg, "path", "fill-opacity", ".16", 0);
      SvgBox frame = frame_of(0);
      double x, y, width, height;
      assert_int_equal(sscanf(strstr(band->attributes, " d=\"") + 4, "M%lf %lfh%lfv%lf", &x, &y, &width, &height), 4);
      assert_about(x, frame.left + 0.2 * (frame.right - frame.left), 0.5);
      assert_about(width, 0.3 * (frame.right - frame.left), 1);
      assert_about(y, frame.top, 0);
      assert_about(height, frame.bottom - frame.top, 0);
    }
    zw_arena_destroy(&arena);
    zw_lanes_free(lanes);
    free(lanes);
  }
  free(series);
  free(trace);
}

/* A million samples of whatever kind make a small file. */
static void test_small_whatever_comes(void** state) {
  (void)state;
  enum { SAMPLES = 1000000 };
  for (int kind = 0; kind < 4; kind++) {
    ZwSeries* series = new_series();
    ZwTrace* trace = new_trace();
    ZwMarks* marks = calloc(1, sizeof *marks);
    uint32_t noise = 1;
    for (int i = 0; i < SAMPLES; i++) {
      noise = noise * 1664525u + 1013904223u;
      double t = i * 1e-4, y = kind == 0 ? sin(t) : kind == 1 ? noise / 4e9 : kind == 2 ? sin(777 * t) : noise % 3;
      zw_series_add(series, t, y);
      zw_trace_add(trace, kind == 1 ? (noise >> 8 & 0xFFFF) / 65536.0 : cos(sqrt(5) * t), y);
      if (i % 7 == 0) zw_marks_add(marks, t, "kick");
    }
    zw_trace_flush(trace);
    ZwSvgCurve over = {.name = "y", .series = series}, against = {.name = "y", .trace = trace};
    ZwSvgPanel panels[] = {{.curves = &over, .curve_count = 1}, {.curves = &against, .curve_count = 1, .against = "x"}};
    for (int i = 0; i < 2; i++) {
      ZwSvgPlot plot = {.title = "m", .panels = &panels[i], .panel_count = 1, .marks = marks};
      ZwArena arena;
      size_t size = strlen(draw(&arena, &plot));
      if (size >= 300000) fail_msg("kind %d: %zu bytes", kind, size);
      zw_arena_destroy(&arena);
    }
    free(series);
    free(trace);
    free(marks);
  }
}

static void test_file(void** state) {
  (void)state;
  ZwSeries* series = sine(100);
  ZwSvgCurve curve = {.name = "x", .series = series};
  ZwSvgPanel panel = {.curves = &curve, .curve_count = 1};
  ZwSvgPlot plot = {.title = "m", .panels = &panel, .panel_count = 1};
  ZwAllocator allocator = zw_allocator_default();
  char path[SCRATCH_PATH], part[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  int next_fd = scratch_next_fd();
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_path(path, "m.svg"), error), ZW_OK);
  assert_string_equal(error, "");
  char* got = scratch_read(path);
  ZwArena arena;
  assert_string_equal(got, draw(&arena, &plot));
  zw_arena_destroy(&arena);
  free(got);
  assert_int_not_equal(access(scratch_path(part, "m.svg.part"), F_OK), 0);
  /* and where it cannot be written */
  assert_int_equal(zw_svg_plot(&plot, &allocator, "/dev/full", error), ZW_ERR_IO);
  assert_non_null(strstr(error, "/dev/full"));
  assert_non_null(strstr(error, strerror(ENOSPC)));
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_folder, error), ZW_ERR_IO);
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_path(path, "none/m.svg"), error), ZW_ERR_IO);
  assert_non_null(strstr(error, "none/m.svg.part"));
  assert_int_equal(scratch_next_fd(), next_fd);
  free(series);
}

typedef struct Counting {
  int calls, fail_at, live;
} Counting;

static void* counting_alloc(void* context, size_t size) {
  Counting* counting = context;
  if (++counting->calls == counting->fail_at) return NULL;
  counting->live++;
  return malloc(size);
}

static void counting_release(void* context, void* memory) {
  ((Counting*)context)->live--;
  free(memory);
}

static void test_memory(void** state) {
  (void)state;
  ZwSeries* series = sine(2000);
  ZwMarks* marks = calloc(1, sizeof *marks);
  for (int i = 0; i < 100; i++) zw_marks_add(marks, 0.1 * i, "kick");
  ZwSvgCurve curves[] = {{.name = "x", .series = series}, {.name = "y", .series = series}};
  ZwSvgPanel panel = {.curves = curves, .curve_count = 2};
  ZwSvgPlot plot = {.title = "m", .panels = &panel, .panel_count = 1, .marks = marks};
  char path[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  scratch_path(path, "memory.svg");
  ZwStatus status = ZW_ERR_MEMORY;
  for (int n = 1; status; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    status = zw_svg_plot(&plot, &allocator, path, error);
    assert_int_equal(counting.live, 0);
    assert_int_equal(status, counting.calls < n ? ZW_OK : ZW_ERR_MEMORY);
    assert_int_equal(access(path, F_OK) == 0, status == ZW_OK);
  }
  free(series);
  free(marks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_panels),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_texts_are_escaped),
      cmocka_unit_test(test_long_texts_are_clipped_or_wrapped),
      cmocka_unit_test(test_legend),
      cmocka_unit_test(test_against),
      cmocka_unit_test(test_equal_scales_of_flat_curves),
      cmocka_unit_test(test_mixed_panels),
      cmocka_unit_test(test_odd_data),
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_logarithmic),
      cmocka_unit_test(test_themes),
      cmocka_unit_test(test_shades),
      cmocka_unit_test(test_small_whatever_comes),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
