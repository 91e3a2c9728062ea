/* Light and dark pictures. */
#ifndef ZW_OUTPUT_THEME_H
#define ZW_OUTPUT_THEME_H

typedef enum ZwTheme { ZW_THEME_AUTO, ZW_THEME_LIGHT, ZW_THEME_DARK } ZwTheme;

#endif
