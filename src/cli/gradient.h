/* A gradient on the command line: what one number at the end of a run depends on. */
#ifndef ZW_CLI_GRADIENT_H
#define ZW_CLI_GRADIENT_H

#include "output/json.h"
#include "zwang/zwang.h"

/* What matters most first. */
void print_gradient(const ZwGradient* gradient);
/* "gradient" of the JSON object. */
void json_gradient(ZwJson* json, const ZwGradient* gradient);

#endif
