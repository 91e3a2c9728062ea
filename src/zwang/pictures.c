/* What a model shows, by the columns of its rows. */
#include "zwang/handles.h"

static int32_t column_of(const ZwModel* model, const ZwShown* shown) {
  int32_t n = model->equations.n;
  switch (shown->kind) {
    case ZW_SHOWN_TIME:
      return 0;
    case ZW_SHOWN_COORD:
      return 1 + shown->index;
    case ZW_SHOWN_VELOCITY:
      return 1 + n + shown->index;
    case ZW_SHOWN_OUTPUT:
      return 1 + 2 * n + shown->index;
    default:
      return -1;
  }
}

static void name_plot(ZwModel* model, const ZwPlotSpec* spec, ZwPlot* plot) {
  const ZwShown* curves = &model->system.curves.items[spec->first];
  int32_t* columns = ZW_NEW(&model->arena, spec->count, int32_t);
  const char** names = ZW_NEW(&model->arena, spec->count, const char*);
  if (!columns || !names) return;
  for (int32_t i = 0; i < spec->count; i++) {
    columns[i] = column_of(model, &curves[i]);
    names[i] = zw_str_copy(&model->arena, curves[i].name);
  }
  *plot = (ZwPlot){.columns = columns, .names = names, .count = spec->count, .against_name = "t"};
  if (!spec->has_against) return;
  plot->against = column_of(model, &curves[spec->count]);
  plot->against_name = zw_str_copy(&model->arena, curves[spec->count].name);
  plot->is_equal = spec->is_equal;
}

static void name_draw(ZwModel* model, const ZwDrawSpec* spec, ZwDraw* draw) {
  const ZwShown* drawn = &model->system.drawn.items[spec->first];
  ZwDrawNumber* numbers = ZW_NEW(&model->arena, spec->count, ZwDrawNumber);
  if (!numbers) return;
  for (int32_t i = 0; i < spec->count; i++) {
    numbers[i] = (ZwDrawNumber){column_of(model, &drawn[i]), drawn[i].value};
  }
  *draw = (ZwDraw){.kind = spec->kind,
                   .dim = spec->dim,
                   .point_count = spec->point_count,
                   .numbers = numbers,
                   .count = spec->count,
                   .text = zw_str_copy(&model->arena, spec->text),
                   .colour = spec->colour.size ? zw_str_copy(&model->arena, spec->colour) : NULL,
                   .colour_number = spec->colour_number};
}

ZwStatus zw_model_name_pictures(ZwModel* model) {
  const ZwSystem* system = &model->system;
  model->plots = ZW_NEW(&model->arena, system->plots.count, ZwPlot);
  model->draws = ZW_NEW(&model->arena, system->shapes.count, ZwDraw);
  for (int32_t i = 0; model->plots && i < system->plots.count; i++) {
    name_plot(model, &system->plots.items[i], &model->plots[i]);
  }
  for (int32_t i = 0; model->draws && i < system->shapes.count; i++) {
    name_draw(model, &system->shapes.items[i], &model->draws[i]);
  }
  return model->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

int32_t zw_model_plot_count(const ZwModel* model) {
  return model && model->plots ? model->system.plots.count : 0;
}

const ZwPlot* zw_model_plot(const ZwModel* model, int32_t i) {
  return zw_index_is_inside(i, zw_model_plot_count(model)) ? &model->plots[i] : NULL;
}

int32_t zw_model_draw_count(const ZwModel* model) {
  return model && model->draws ? model->system.shapes.count : 0;
}

const ZwDraw* zw_model_draw(const ZwModel* model, int32_t i) {
  return zw_index_is_inside(i, zw_model_draw_count(model)) ? &model->draws[i] : NULL;
}
