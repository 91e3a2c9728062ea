#include "output/player.h"

#include <string.h>

#include "base/assert.h"
#include "output/film_data.h"
#include "output/xml.h"

static ZwStr text_of(const char* name) {
  for (const ZwLibraryText* text = zw_player_texts; text->name; text++) {
    if (strcmp(text->name, name) == 0) return (ZwStr){text->text, (int32_t)text->size};
  }
  ZW_ASSERT(false);
  return ZW_STR("");
}

static void add_source(ZwText* out, const ZwFilm* film) {
  if (!film->def.source) return;
  zw_text_addf(out, "<details>\n<summary>Model</summary>\n<pre>");
  zw_xml_add(out, zw_str_from(film->def.source));
  zw_text_addf(out, "</pre>\n</details>\n");
}

static void add_part(ZwText* out, const ZwFilm* film, ZwStr name) {
  ZwStr text = ZW_STR("");
  if (zw_str_equal(name, ZW_STR("TITLE"))) {
    zw_xml_add(out, zw_str_from(film->def.title));
  } else if (zw_str_equal(name, ZW_STR("SOURCE"))) {
    add_source(out, film);
  } else if (zw_str_equal(name, ZW_STR("DATA"))) {
    zw_film_data(out, film);
  } else if (zw_str_equal(name, ZW_STR("STYLE"))) {
    text = text_of("player_style");
  } else {
    ZW_ASSERT(zw_str_equal(name, ZW_STR("SCRIPT")));
    text = text_of("player");
  }
  zw_text_add(out, text.data, text.size);
}

/* The page with @NAME@ replaced by the part of that name. What is put in is not looked at again. */
void zw_film_page(ZwText* out, const ZwFilm* film) {
  ZwStr page = text_of("player_page");
  for (int32_t at = 0; at < page.size;) {
    const char* mark = memchr(page.data + at, '@', (size_t)(page.size - at));
    int32_t begin = mark ? (int32_t)(mark - page.data) : page.size;
    zw_text_add(out, page.data + at, begin - at);
    if (!mark) return;
    const char* end = memchr(mark + 1, '@', (size_t)(page.size - begin - 1));
    ZW_ASSERT(end);
    add_part(out, film, (ZwStr){mark + 1, (int32_t)(end - mark - 1)});
    at = (int32_t)(end + 1 - page.data);
  }
}
