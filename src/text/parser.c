/* Recursive descent over the grammar of docs/language.md. Each function opens with its rule.
 *
 * Newlines need no rule of their own: an operator at the end or at the beginning of a line continues the statement
 * because the parser is looking for it there. Only what could go on either way looks at `after_newline`: the postfix
 * brackets, the optional clauses, and the end of a statement.
 *
 * After a mistake the parser is `lost`: it reports nothing more and builds WRONG nodes until the next statement. */
#include "text/parser.h"

#include "text/lexer.h"

const char* const zw_statement_words[] = {
    "param", "coord", "memory", "let",  "kinetic",   "potential", "lagrangian", "dissipation", "gibbs",
    "force", "start", "when",   "stop", "output",    "plot",      "draw",       "constraint",  "contact",
    "quasi", "claim", "for",    "if",   "component", "part",      "use",        "run",         NULL};

typedef struct Parser {
  ZwArena* arena;
  ZwDiagList* diags;
  const ZwToken* tokens;
  const char* text;
  int32_t file, at;
  int32_t nesting, nesting_limit; /* of expressions and blocks */
  int32_t node_count;
  int32_t brackets; /* open ( and [ : newlines do not count inside */
  bool lost;
  ZwAst spare; /* handed out when memory is out; never read after that */
} Parser;

static ZwAst* parse_expr(Parser* p);
static ZwAst* parse_sum(Parser* p);
static ZwAst* parse_cond(Parser* p);
static ZwAst* parse_unary(Parser* p);
static ZwAst* parse_block(Parser* p);
static ZwAst* parse_statement(Parser* p);

/* ---- tokens ---- */

static const ZwToken* here(const Parser* p) {
  return &p->tokens[p->at];
}

static bool is_at(const Parser* p, ZwTokenKind kind) {
  return here(p)->kind == kind;
}

static bool is_next(const Parser* p, ZwTokenKind kind) {
  return !is_at(p, ZW_TOKEN_END) && p->tokens[p->at + 1].kind == kind;
}

static ZwSpan token_span(const Parser* p, const ZwToken* token) {
  return (ZwSpan){p->file, token->begin, token->end};
}

static ZwStr token_str(const Parser* p, const ZwToken* token) {
  return zw_token_str(p->text, token);
}

static bool is_word(const Parser* p, const char* word) {
  return is_at(p, ZW_TOKEN_NAME) && zw_str_equal(token_str(p, here(p)), zw_str_from(word));
}

/* A word on the same line that goes on with the statement. */
static bool is_clause(const Parser* p, const char* word) {
  return is_word(p, word) && !(here(p)->after_newline && p->brackets == 0);
}

static bool accept(Parser* p, ZwTokenKind kind) {
  if (p->lost || !is_at(p, kind)) return false;
  p->at++;
  return true;
}

static bool accept_clause(Parser* p, const char* word) {
  if (p->lost || !is_clause(p, word)) return false;
  p->at++;
  return true;
}

/* ---- mistakes ---- */

/* Reports at most one mistake until the parser has found its way again; true if this one was reported. */
__attribute__((format(printf, 3, 4))) static bool mistake(Parser* p, ZwSpan span, const char* format, ...) {
  if (p->lost) return false;
  p->lost = true;
  va_list args;
  va_start(args, format);
  ZwText text;
  zw_text_init(&text, p->arena);
  zw_text_addv(&text, format, args);
  va_end(args);
  zw_diag_error(p->diags, ZW_ERR_SYNTAX, span, "%s", zw_text_get(&text));
  return true;
}

static void expected_here(Parser* p, const char* what) {
  const ZwToken* token = here(p);
  if (token->kind == ZW_TOKEN_WRONG) p->lost = true; /* the lexer has said what is wrong */
  bool quote = token->kind == ZW_TOKEN_NAME || token->kind == ZW_TOKEN_NUMBER;
  ZwStr text = token_str(p, token);
  if (text.size > 40) text.size = 40;
  if (quote) {
    mistake(p, token_span(p, token), "expected %s, found '%.*s'", what, ZW_STR_ARGS(text));
  } else {
    mistake(p, token_span(p, token), "expected %s, found %s", what, zw_token_text(token->kind));
  }
}

/* Where the line has ended, what is missing is missed at its end, not in the next one. */
static void expected(Parser* p, const char* what) {
  const ZwToken* token = here(p);
  if (p->at == 0 || p->brackets > 0 || !token->after_newline || token->kind == ZW_TOKEN_WRONG) {
    expected_here(p, what);
    return;
  }
  int32_t end = token[-1].end;
  mistake(p, (ZwSpan){p->file, end, end + 1}, "expected %s, found the end of the line", what);
}

static bool expect(Parser* p, ZwTokenKind kind, const char* what) {
  if (p->lost) return false;
  if (accept(p, kind)) return true;
  expected(p, what);
  return false;
}

/* An opening bracket's other half; the message points at the bracket that was never closed. */
static void expect_close(Parser* p, ZwTokenKind kind, ZwSpan open) {
  if (p->lost || accept(p, kind)) return;
  const ZwToken* token = here(p);
  if (token->kind == ZW_TOKEN_END || token->after_newline) {
    mistake(p, open, "this bracket is not closed");
  } else {
    expected(p, zw_token_text(kind));
  }
}

/* ---- nodes ---- */

static ZwAst* node_at(Parser* p, ZwAstKind kind, ZwSpan span) {
  ZwAst* node = ZW_NEW(p->arena, 1, ZwAst);
  if (!node) node = &p->spare;
  *node = (ZwAst){.kind = kind, .id = ++p->node_count, .span = span};
  return node;
}

static ZwAst* node_here(Parser* p, ZwAstKind kind) {
  return node_at(p, kind, token_span(p, here(p)));
}

static ZwAst* wrong(Parser* p) {
  return node_here(p, ZW_AST_WRONG);
}

static void append(ZwAst* parent, ZwAst* child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->count++;
  parent->span = zw_span_join(parent->span, child->span);
}

static ZwAst* cover(ZwAst* node, const ZwAst* child) {
  if (child) node->span = zw_span_join(node->span, child->span);
  return node;
}

/* The node now ends where the token read last ends. */
static ZwAst* finish(Parser* p, ZwAst* node) {
  if (p->at > 0 && p->tokens[p->at - 1].end > node->span.end) node->span.end = p->tokens[p->at - 1].end;
  return node;
}

static bool enter(Parser* p) {
  if (p->nesting++ < p->nesting_limit) return true;
  if (!p->lost) {
    p->lost = true;
    zw_diag_error(p->diags, ZW_ERR_LIMIT, token_span(p, here(p)),
                  "nested more than %d levels deep: the limit for brackets, blocks and operators within each other",
                  (int)p->nesting_limit);
    zw_diag_remedy(p->diags, "name parts of it with 'let', or raise the limit with --limit nesting=%d",
                   (int)ZW_LIMIT_NESTING_MOST);
  }
  return false;
}

static void leave(Parser* p) {
  p->nesting--;
}

/* ---- expressions ---- */

/* "[" or "(" item {"," item} close, into the list of `parent`; empty lists only where allowed */
static void parse_list(Parser* p, ZwAst* parent, ZwTokenKind close, bool may_be_empty, ZwAst* (*item)(Parser*)) {
  ZwSpan open = token_span(p, here(p));
  p->at++;
  p->brackets++;
  if (!(may_be_empty && is_at(p, close))) {
    do append(parent, item(p));
    while (accept(p, ZW_TOKEN_COMMA));
  }
  expect_close(p, close, open);
  p->brackets--;
  finish(p, parent);
}

/* range = sum ".." sum */
static ZwAst* parse_range(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_RANGE);
  node->a = parse_sum(p);
  expect(p, ZW_TOKEN_DOTS, "'..' between begin and end, as in 0 .. 10");
  node->b = parse_sum(p);
  return cover(node, node->b);
}

static bool is_reserved(ZwTokenKind kind) {
  return kind >= ZW_TOKEN_IF && kind <= ZW_TOKEN_DEG;
}

static ZwStr parse_name(Parser* p, const char* what) {
  ZwStr name = {"", 0};
  if (p->lost) return name;
  const ZwToken* token = here(p);
  if (token->kind == ZW_TOKEN_NAME) {
    name = token_str(p, token);
    p->at++;
  } else if (is_reserved(token->kind)) {
    ZwStr word = token_str(p, token);
    if (mistake(p, token_span(p, token), "'%.*s' is a reserved word and cannot be a name", ZW_STR_ARGS(word))) {
      zw_diag_remedy(p->diags,
                     token->kind == ZW_TOKEN_T ? "t is the time; choose another name" : "choose another name");
    }
  } else {
    expected(p, what);
  }
  return name;
}

/* iter = name "in" range */
static ZwAst* parse_iter(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_ITER);
  node->text = parse_name(p, "the name of a loop index");
  expect(p, ZW_TOKEN_IN, "'in'");
  node->a = parse_range(p);
  return cover(node, node->a);
}

/* actual = [name "="] expr */
static ZwAst* parse_actual(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_ARGUMENT);
  if (is_at(p, ZW_TOKEN_NAME) && is_next(p, ZW_TOKEN_ASSIGN)) {
    node->text = parse_name(p, "a name");
    p->at++;
  }
  node->a = parse_expr(p);
  return cover(node, node->a);
}

/* "sum" "(" iter {"," iter} ":" expr ")" */
static ZwAst* parse_sum_over(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_SUM_OVER);
  p->at++;
  ZwSpan open = token_span(p, here(p));
  if (!expect(p, ZW_TOKEN_LPAREN, "'(' (as in sum(i in 1..N: x[i]))")) return node;
  p->brackets++;
  do append(node, parse_iter(p));
  while (accept(p, ZW_TOKEN_COMMA));
  expect(p, ZW_TOKEN_COLON, "':' before the summand");
  node->a = parse_expr(p);
  expect_close(p, ZW_TOKEN_RPAREN, open);
  p->brackets--;
  return finish(p, node);
}

/* "(" expr ")" | "(" expr "," expr ["," expr] ")" */
static ZwAst* parse_brackets(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_VECTOR);
  parse_list(p, node, ZW_TOKEN_RPAREN, false, parse_expr);
  if (node->count > 3)
    mistake(p, node->span, "a vector has two or three components, this one has %d", (int)node->count);
  if (node->count != 1) return node;
  ZwAst* inner = node->first;
  inner->is_exact = true;
  inner->span = node->span;
  return inner;
}

static ZwAst* parse_primary(Parser* p) {
  if (p->lost) return wrong(p);
  const ZwToken* token = here(p);
  switch (token->kind) {
    case ZW_TOKEN_NUMBER: {
      ZwAst* node = node_here(p, ZW_AST_NUMBER);
      node->number = token->number;
      p->at++;
      return node;
    }
    case ZW_TOKEN_STRING: {
      ZwAst* node = node_here(p, ZW_AST_STRING);
      ZwStr quoted = token_str(p, token);
      node->text = (ZwStr){quoted.data + 1, quoted.size >= 2 ? quoted.size - 2 : 0};
      p->at++;
      return node;
    }
    case ZW_TOKEN_NAME: {
      ZwAst* node = node_here(p, ZW_AST_NAME);
      node->text = token_str(p, token);
      p->at++;
      return node;
    }
    case ZW_TOKEN_T:
    case ZW_TOKEN_PI:
    case ZW_TOKEN_DEG: {
      /* ORDER RESERVED: TIME, PI, DEG follow each other in both lists */
      ZwAst* node = node_here(p, (ZwAstKind)(ZW_AST_TIME + (int)(token->kind - ZW_TOKEN_T)));
      p->at++;
      return node;
    }
    case ZW_TOKEN_SUM:
      return parse_sum_over(p);
    case ZW_TOKEN_LPAREN:
      return parse_brackets(p);
    case ZW_TOKEN_IF:
      if (mistake(p, token_span(p, token), "an 'if' inside a sum or product needs brackets around it")) {
        zw_diag_remedy(p->diags, "write (if ... then ... else ...)");
      }
      return wrong(p);
    case ZW_TOKEN_DOT:
      if (is_next(p, ZW_TOKEN_NUMBER) &&
          mistake(p, token_span(p, token), "a decimal point needs a digit on both sides")) {
        zw_diag_remedy(p->diags, "write 0.%.*s", ZW_STR_ARGS(token_str(p, token + 1)));
      }
      break;
    default:
      break;
  }
  expected(p, "a value");
  return wrong(p);
}

/* Calls follow names, members and indexed names only; the remedy tells what was probably meant. */
static bool may_be_called(Parser* p, const ZwAst* node, ZwSpan open) {
  if ((node->kind == ZW_AST_NAME || node->kind == ZW_AST_MEMBER || node->kind == ZW_AST_INDEX) && !node->is_exact) {
    return true;
  }
  if (node->kind == ZW_AST_PRIMED && !node->is_exact) {
    if (mistake(p, zw_span_join(node->span, open), "the derivative of a function is not written with a prime")) {
      zw_diag_remedy(p->diags, "write f(x)' for the time derivative, or diff(e, x) for a partial one");
    }
  } else if (mistake(p, zw_span_join(node->span, open), "only a function can be followed by '('")) {
    zw_diag_remedy(p->diags, "write * between two factors");
  }
  return false;
}

static ZwAst* parse_call(Parser* p, ZwAst* called) {
  if (!may_be_called(p, called, token_span(p, here(p)))) return wrong(p);
  ZwAst* node = node_at(p, ZW_AST_CALL, called->span);
  node->a = called;
  parse_list(p, node, ZW_TOKEN_RPAREN, true, parse_actual);
  return node;
}

static ZwAst* parse_index(Parser* p, ZwAst* indexed) {
  ZwAst* node = node_at(p, ZW_AST_INDEX, indexed->span);
  node->a = indexed;
  parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_expr);
  return node;
}

static ZwAst* parse_member(Parser* p, ZwAst* owner) {
  p->at++;
  ZwAst* node = node_at(p, ZW_AST_MEMBER, owner->span);
  node->a = owner;
  node->text = parse_name(p, "the name of a member");
  return finish(p, node);
}

static ZwAst* parse_primes(Parser* p, ZwAst* operand) {
  if (here(p)->after_space) {
    if (mistake(p, token_span(p, here(p)), "a prime must follow its operand without a space")) {
      zw_diag_remedy(p->diags, "write x' for the time derivative of x");
    }
    return wrong(p);
  }
  ZwAst* node = node_at(p, ZW_AST_PRIMED, operand->span);
  node->a = operand;
  while (is_at(p, ZW_TOKEN_PRIME) && !here(p)->after_space) {
    node->count++;
    p->at++;
  }
  return finish(p, node);
}

/* postfix = primary { "'" | "[" expr {"," expr} "]" | "." name | "(" [actual {"," actual}] ")" } */
static ZwAst* parse_postfix(Parser* p) {
  ZwAst* node = parse_primary(p);
  int32_t links = 0;
  while (!p->lost) {
    bool line_ended = here(p)->after_newline && p->brackets == 0;
    if (is_at(p, ZW_TOKEN_PRIME)) {
      node = parse_primes(p, node);
    } else if (line_ended) {
      break;
    } else if (is_at(p, ZW_TOKEN_LBRACKET)) {
      node = parse_index(p, node);
    } else if (is_at(p, ZW_TOKEN_DOT)) {
      node = parse_member(p, node);
    } else if (is_at(p, ZW_TOKEN_LPAREN)) {
      node = parse_call(p, node);
    } else {
      break;
    }
    links++;
    if (!enter(p)) break;
  }
  p->nesting -= links;
  return node;
}

/* power = postfix ["^" unary] */
static ZwAst* parse_power(Parser* p) {
  ZwAst* base = parse_postfix(p);
  if (!accept(p, ZW_TOKEN_CARET)) return base;
  ZwAst* node = node_at(p, ZW_AST_POWER, base->span);
  node->a = base;
  node->b = parse_unary(p);
  return cover(node, node->b);
}

/* unary = ("-"|"+") unary | power */
static ZwAst* parse_unary(Parser* p) {
  if (!enter(p)) {
    leave(p);
    return wrong(p);
  }
  ZwAst* node;
  if (is_at(p, ZW_TOKEN_MINUS)) {
    node = node_here(p, ZW_AST_NEGATE);
    p->at++;
    node->a = parse_unary(p);
    cover(node, node->a);
  } else if (accept(p, ZW_TOKEN_PLUS)) {
    node = parse_unary(p);
  } else {
    node = parse_power(p);
  }
  leave(p);
  return node;
}

/* A chain: member {operator member}; a single member stands for itself. */
static ZwAst* parse_chain(Parser* p, ZwAstKind kind, ZwTokenKind one, ZwTokenKind other, ZwAst* (*member)(Parser*)) {
  ZwAst* first = member(p);
  if (p->lost || !(is_at(p, one) || is_at(p, other))) return first;
  ZwAst* node = node_at(p, kind, first->span);
  append(node, first);
  while (!p->lost && (is_at(p, one) || is_at(p, other))) {
    int32_t lead = (int32_t)here(p)->kind;
    p->at++;
    ZwAst* next = member(p);
    next->lead = lead;
    append(node, next);
  }
  return node;
}

/* term = unary {("*"|"/") unary} */
static ZwAst* parse_term(Parser* p) {
  return parse_chain(p, ZW_AST_TERM, ZW_TOKEN_STAR, ZW_TOKEN_SLASH, parse_unary);
}

/* sum = term {("+"|"-") term} */
static ZwAst* parse_sum(Parser* p) {
  return parse_chain(p, ZW_AST_SUM, ZW_TOKEN_PLUS, ZW_TOKEN_MINUS, parse_term);
}

static bool is_comparison(ZwTokenKind kind) {
  return kind == ZW_TOKEN_EQ || kind == ZW_TOKEN_NE || kind == ZW_TOKEN_LT || kind == ZW_TOKEN_GT ||
         kind == ZW_TOKEN_LE || kind == ZW_TOKEN_GE;
}

/* compare = sum [("=="|"!="|"<"|">"|"<="|">=") sum] */
static ZwAst* parse_compare(Parser* p) {
  ZwAst* left = parse_sum(p);
  if (p->lost || !is_comparison(here(p)->kind)) return left;
  ZwAst* node = node_at(p, ZW_AST_COMPARE, left->span);
  node->op = (int32_t)here(p)->kind;
  p->at++;
  node->a = left;
  node->b = parse_sum(p);
  cover(node, node->b);
  if (!p->lost && is_comparison(here(p)->kind) && mistake(p, token_span(p, here(p)), "comparisons do not chain")) {
    zw_diag_remedy(p->diags, "join two of them with 'and', as in 0 <= x and x <= 1");
  }
  return node;
}

/* not = "not" not | compare */
static ZwAst* parse_not(Parser* p) {
  if (!is_at(p, ZW_TOKEN_NOT)) return parse_compare(p);
  if (!enter(p)) {
    leave(p);
    return wrong(p);
  }
  ZwAst* node = node_here(p, ZW_AST_NOT);
  p->at++;
  node->a = parse_not(p);
  leave(p);
  return cover(node, node->a);
}

/* and = not {"and" not} */
static ZwAst* parse_and(Parser* p) {
  return parse_chain(p, ZW_AST_AND, ZW_TOKEN_AND, ZW_TOKEN_AND, parse_not);
}

/* cond = and {"or" and} */
static ZwAst* parse_cond(Parser* p) {
  return parse_chain(p, ZW_AST_OR, ZW_TOKEN_OR, ZW_TOKEN_OR, parse_and);
}

/* A condition that a statement goes on after; `=` here is the classic slip. */
static ZwAst* parse_condition(Parser* p) {
  ZwAst* node = parse_cond(p);
  if (!p->lost && is_at(p, ZW_TOKEN_ASSIGN) && mistake(p, token_span(p, here(p)), "a condition compares with '=='")) {
    zw_diag_remedy(p->diags, "write == for numbers that stay; < or > for what moves");
  }
  return node;
}

/* expr = "if" cond "then" expr "else" expr | cond */
static ZwAst* parse_expr(Parser* p) {
  if (!enter(p)) {
    leave(p);
    return wrong(p);
  }
  ZwAst* node;
  if (is_at(p, ZW_TOKEN_IF)) {
    node = node_here(p, ZW_AST_CHOOSE);
    p->at++;
    node->c = parse_condition(p);
    expect(p, ZW_TOKEN_THEN, "'then'");
    node->a = parse_expr(p);
    expect(p, ZW_TOKEN_ELSE, "'else'");
    node->b = parse_expr(p);
    cover(node, node->b);
  } else {
    node = parse_cond(p);
  }
  leave(p);
  return node;
}

/* ---- pieces of statements ---- */

/* init = expr | "[" init {"," init} "]" */
static ZwAst* parse_init(Parser* p) {
  if (!is_at(p, ZW_TOKEN_LBRACKET)) return parse_expr(p);
  if (!enter(p)) {
    leave(p);
    return wrong(p);
  }
  ZwAst* node = node_here(p, ZW_AST_ARRAY);
  parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_init);
  leave(p);
  return node;
}

static bool opens_index(const Parser* p) {
  return !p->lost && is_at(p, ZW_TOKEN_LBRACKET) && !(here(p)->after_newline && p->brackets == 0);
}

/* decl = name ["[" range {"," range} "]"] ["=" init] */
static ZwAst* parse_decl(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_DECL);
  node->text = parse_name(p, "a name");
  finish(p, node);
  if (opens_index(p)) parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_range);
  if (accept(p, ZW_TOKEN_ASSIGN)) node->a = parse_init(p);
  return cover(node, node->a);
}

/* coord = decl ["scale" expr] */
static ZwAst* parse_coord(Parser* p) {
  ZwAst* node = parse_decl(p);
  if (accept_clause(p, "scale")) node->b = parse_expr(p);
  return cover(node, node->b);
}

static ZwAst* parse_argument_name(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_ARGUMENT);
  node->text = parse_name(p, "the name of an argument");
  return node;
}

/* arg = name ["=" expr] */
static ZwAst* parse_argument(Parser* p) {
  ZwAst* node = parse_argument_name(p);
  if (accept(p, ZW_TOKEN_ASSIGN)) node->a = parse_expr(p);
  return cover(node, node->a);
}

/* letdecl = name [index] "=" expr | name "(" [name {"," name}] ")" "=" expr */
static ZwAst* parse_letdecl(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_DECL);
  node->text = parse_name(p, "a name");
  if (opens_index(p)) {
    parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_expr);
  } else if (is_at(p, ZW_TOKEN_LPAREN)) {
    node->kind = ZW_AST_LET_FUNCTION;
    parse_list(p, node, ZW_TOKEN_RPAREN, true, parse_argument_name);
  }
  expect(p, ZW_TOKEN_ASSIGN, "'='");
  node->a = parse_expr(p);
  return cover(node, node->a);
}

/* What goes on with a formula where a name stands: output free(x''), output x + y. */
static bool is_in_formula(const Parser* p) {
  ZwTokenKind kind = here(p)->kind;
  return !here(p)->after_newline && (kind == ZW_TOKEN_LPAREN || (kind >= ZW_TOKEN_PLUS && kind <= ZW_TOKEN_CARET));
}

/* The formula that begins at byte `begin`, as it was typed, up to the end of its statement or the next comma; "..." where that is long. */
static ZwStr formula_from(const Parser* p, int32_t begin) {
  enum { LONG = 40 };
  int32_t at = p->at, depth = 0;
  for (; p->tokens[at].kind != ZW_TOKEN_END && !p->tokens[at].after_newline; at++) {
    ZwTokenKind kind = p->tokens[at].kind;
    depth += kind == ZW_TOKEN_LPAREN || kind == ZW_TOKEN_LBRACKET;
    depth -= kind == ZW_TOKEN_RPAREN || kind == ZW_TOKEN_RBRACKET;
    if (kind == ZW_TOKEN_SEMICOLON || kind == ZW_TOKEN_RBRACE || (kind == ZW_TOKEN_COMMA && depth == 0)) break;
  }
  int32_t size = p->tokens[at - 1].end - begin;
  return size > LONG ? ZW_STR("...") : (ZwStr){p->text + begin, size};
}

/* item = name [index] ["=" expr] */
static ZwAst* parse_item(Parser* p, const char* statement) {
  ZwAst* node = node_here(p, ZW_AST_ITEM);
  node->text = parse_name(p, "a name");
  finish(p, node);
  if (opens_index(p)) parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_expr);
  while (is_at(p, ZW_TOKEN_PRIME) && !here(p)->after_space && !p->lost) { /* output x' records a velocity */
    node->number++;
    p->at++;
    finish(p, node);
  }
  if (accept(p, ZW_TOKEN_ASSIGN)) {
    node->a = parse_expr(p);
  } else if (!p->lost && is_in_formula(p)) {
    ZwStr formula = formula_from(p, node->span.begin);
    if (mistake(p, token_span(p, here(p)), "'%s' needs a name for what is computed", statement))
      zw_diag_remedy(p->diags, "give it a name, as in '%s f = %.*s'", statement, ZW_STR_ARGS(formula));
  }
  return cover(node, node->a);
}

static ZwAst* parse_output(Parser* p) {
  return parse_item(p, "output");
}

static ZwAst* parse_quasi(Parser* p) {
  return parse_item(p, "quasi");
}

/* Is there "name [index] :" ahead? A reserved word may be meant for a name, too. */
static bool is_label(const Parser* p) {
  if (!is_at(p, ZW_TOKEN_NAME) && !is_reserved(here(p)->kind)) return false;
  int32_t at = p->at + 1;
  if (p->tokens[at].kind == ZW_TOKEN_LBRACKET) {
    for (int32_t depth = 0; p->tokens[at].kind != ZW_TOKEN_END; at++) {
      depth += p->tokens[at].kind == ZW_TOKEN_LBRACKET;
      depth -= p->tokens[at].kind == ZW_TOKEN_RBRACKET;
      if (depth == 0) break;
    }
    if (p->tokens[at].kind == ZW_TOKEN_END) return false;
    at++;
  }
  return p->tokens[at].kind == ZW_TOKEN_COLON;
}

/* label = name [index] ":" */
static ZwAst* parse_label(Parser* p) {
  if (!is_label(p)) return NULL;
  ZwAst* node = node_here(p, ZW_AST_LABEL);
  node->text = parse_name(p, "a name");
  if (opens_index(p)) parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_expr);
  p->at++; /* the colon */
  return node;
}

static void expect_equals(Parser* p, const char* statement) {
  if (is_at(p, ZW_TOKEN_EQ)) {
    if (mistake(p, token_span(p, here(p)), "a %s is written with one '='", statement)) {
      zw_diag_remedy(p->diags, "write = instead of ==");
    }
    return;
  }
  expect(p, ZW_TOKEN_ASSIGN, "'='");
}

/* sum "=" expr */
static ZwAst* parse_equation(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_ASSIGN);
  node->a = parse_sum(p);
  expect_equals(p, "start value");
  node->b = parse_expr(p);
  return cover(node, node->b);
}

/* postfix "=" expr */
static ZwAst* parse_change(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_ASSIGN);
  node->a = parse_postfix(p);
  expect_equals(p, "change of state");
  node->b = parse_expr(p);
  return cover(node, node->b);
}

/* [ "while" cond ] */
static ZwAst* parse_while(Parser* p) {
  return accept_clause(p, "while") ? parse_condition(p) : NULL;
}

/* ---- statements ---- */

static void parse_members(Parser* p, ZwAst* node, ZwAst* (*member)(Parser*)) {
  do append(node, member(p));
  while (accept(p, ZW_TOKEN_COMMA));
}

static void parse_constraint(Parser* p, ZwAst* node) {
  node->label = parse_label(p);
  node->a = parse_sum(p);
  if (!p->lost && (is_at(p, ZW_TOKEN_GE) || is_at(p, ZW_TOKEN_LE))) {
    if (mistake(p, token_span(p, here(p)), "a constraint is an equation")) {
      zw_diag_remedy(p->diags, "write 'contact' instead of 'constraint' for a one-sided condition");
    }
  }
  expect_equals(p, "constraint");
  node->b = parse_expr(p);
  node->c = parse_while(p);
}

static void parse_contact(Parser* p, ZwAst* node) {
  node->label = parse_label(p);
  node->a = parse_sum(p);
  node->op = (int32_t)here(p)->kind;
  if (!p->lost && is_comparison(here(p)->kind) && !is_at(p, ZW_TOKEN_GE) && !is_at(p, ZW_TOKEN_LE)) {
    if (mistake(p, token_span(p, here(p)), "a contact is an inequality with >= or <=")) {
      zw_diag_remedy(p->diags, "it holds at the limit too; an equation is a 'constraint'");
    }
  }
  if (!accept(p, ZW_TOKEN_GE) && !accept(p, ZW_TOKEN_LE)) expected(p, "'>=' or '<='");
  node->b = parse_sum(p);
  if (!p->lost && is_comparison(here(p)->kind) && mistake(p, token_span(p, here(p)), "comparisons do not chain")) {
    zw_diag_remedy(p->diags, "write two contacts, one for each bound");
  }
  bool has_option = is_word(p, "restitution") || is_word(p, "friction") || is_word(p, "slip");
  if (!p->lost && has_option && mistake(p, token_span(p, here(p)), "a comma is missing here")) {
    zw_diag_remedy(p->diags, "as in: contact floor: y >= 0, restitution 0.8, friction 0.3, slip x");
  }
  while (accept(p, ZW_TOKEN_COMMA)) {
    ZwAst* option = node_here(p, ZW_AST_OPTION);
    if (!is_word(p, "restitution") && !is_word(p, "friction") && !is_word(p, "slip")) {
      expected(p, "'restitution', 'friction' or 'slip'");
      break;
    }
    option->text = token_str(p, here(p));
    p->at++;
    option->a = parse_expr(p);
    append(node, cover(option, option->a));
  }
  node->c = parse_while(p);
}

/* text [index] ":" */
static ZwAst* parse_quoted_label(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_LABEL);
  node->text = parse_primary(p)->text;
  if (node->text.size == 0 && mistake(p, node->span, "the name of a claim is empty")) {
    zw_diag_remedy(p->diags, "write what it says between the quotes, or leave the quotes and the ':' out");
  }
  if (opens_index(p)) parse_list(p, node, ZW_TOKEN_RBRACKET, false, parse_expr);
  expect(p, ZW_TOKEN_COLON, "':' after the name of the claim");
  return node;
}

/* What stands in the place of =, <= or >=. */
static void no_relation(Parser* p, const ZwAst* left) {
  ZwSpan span = token_span(p, here(p));
  if (p->lost) return;
  if (is_at(p, ZW_TOKEN_EQ)) {
    if (mistake(p, span, "a claim is written with one '='")) zw_diag_remedy(p->diags, "write = instead of ==");
  } else if (is_comparison(here(p)->kind)) {
    if (!mistake(p, span, "a claim is an equation, or an inequality with <= or >=")) return;
    zw_diag_remedy(p->diags, is_at(p, ZW_TOKEN_NE)   ? "say what it is instead, with =, <= or >="
                             : is_at(p, ZW_TOKEN_LT) ? "write <= instead of <"
                                                     : "write >= instead of >");
  } else if (is_at(p, ZW_TOKEN_WRONG)) {
    p->lost = true; /* the lexer has said what is wrong */
  } else if (is_at(p, ZW_TOKEN_END) || here(p)->after_newline) {
    if (mistake(p, left->span, "a claim compares two expressions with =, <= or >=, and here is one"))
      zw_diag_remedy(p->diags, "as in: claim E <= 3");
  } else {
    bool may_be_name = left->kind == ZW_AST_NAME && is_at(p, ZW_TOKEN_NAME);
    expected(p, "'=', '<=' or '>='");
    zw_diag_remedy(p->diags, may_be_name ? "a name is followed by ':', as in: claim conserved: E = E0"
                                         : "a claim compares two expressions, as in: claim E <= 3");
  }
}

/* A side, which may be an `if`, but no comparison. */
static ZwAst* parse_side(Parser* p) {
  return is_at(p, ZW_TOKEN_IF) ? parse_expr(p) : parse_sum(p);
}

/* What a claim does not have: a third side, and clauses of other statements. */
static void end_of_claim(Parser* p) {
  ZwSpan span = token_span(p, here(p));
  bool has_third_side = is_at(p, ZW_TOKEN_ASSIGN) || is_comparison(here(p)->kind);
  if (p->lost) return;
  if (has_third_side) {
    mistake(p, span, "a claim has two sides");
    zw_diag_remedy(p->diags, "write two claims, one for each sign");
  } else if (is_clause(p, "tolerance")) {
    mistake(p, span, "how far the sides may be apart is said with 'within'");
    zw_diag_remedy(p->diags, "as in: claim x^2 + y^2 = l^2 within 1e-6");
  } else if (is_clause(p, "while") || is_clause(p, "when")) {
    mistake(p, span, "a claim holds all the time");
    zw_diag_remedy(p->diags, "claim what is trivial otherwise, as in: claim x = (if t < 1 then 0 else x)");
  }
}

/* [label | text [index] ":"] side ("=" | "<=" | ">=") side ["within" sum] */
static void parse_claim(Parser* p, ZwAst* node) {
  node->label = is_at(p, ZW_TOKEN_STRING) ? parse_quoted_label(p) : parse_label(p);
  node->a = parse_side(p);
  node->op = (int32_t)here(p)->kind;
  if (!accept(p, ZW_TOKEN_ASSIGN) && !accept(p, ZW_TOKEN_LE) && !accept(p, ZW_TOKEN_GE)) no_relation(p, node->a);
  node->b = parse_side(p);
  end_of_claim(p);
  if (!accept_clause(p, "within")) return;
  node->c = parse_sum(p);
  end_of_claim(p);
}

static void parse_plot(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_expr);
  if (accept_clause(p, "against")) node->a = parse_expr(p);
}

static void parse_draw(Parser* p, ZwAst* node) {
  static const char* const shapes[] = {"line", "spring", "point", "circle", "box", "arrow", "trail", "ground", "text"};
  for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
    if (is_word(p, shapes[i])) node->text = token_str(p, here(p));
  }
  if (!node->text.size) {
    expected(p, "a shape: line, spring, point, circle, box, arrow, trail, ground or text");
    return;
  }
  p->at++;
  do append(node, parse_expr(p));
  while (accept(p, ZW_TOKEN_ARROW) || accept(p, ZW_TOKEN_COMMA));
  if (accept_clause(p, "color")) node->a = parse_expr(p);
}

static void parse_for(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_iter);
  node->b = parse_block(p);
}

static void parse_if(Parser* p, ZwAst* node) {
  node->c = parse_condition(p);
  node->a = parse_block(p);
  if (!accept(p, ZW_TOKEN_ELSE)) return;
  if (!is_at(p, ZW_TOKEN_IF)) {
    node->b = parse_block(p);
    return;
  }
  if (enter(p)) {
    node->b = node_here(p, ZW_AST_IF);
    p->at++;
    parse_if(p, node->b);
  }
  leave(p);
}

static void parse_component(Parser* p, ZwAst* node) {
  node->text = parse_name(p, "the name of a component");
  if (!is_at(p, ZW_TOKEN_LPAREN)) {
    expected(p, "'(' and the arguments");
    return;
  }
  parse_list(p, node, ZW_TOKEN_RPAREN, true, parse_argument);
  node->b = parse_block(p);
}

static void parse_part(Parser* p, ZwAst* node) {
  node->label = node_here(p, ZW_AST_LABEL);
  node->label->text = node->text = parse_name(p, "the name of a part");
  if (opens_index(p)) parse_list(p, node->label, ZW_TOKEN_RBRACKET, false, parse_expr);
  expect(p, ZW_TOKEN_ASSIGN, "'='");
  node->a = parse_postfix(p);
  if (!p->lost && node->a->kind != ZW_AST_CALL) {
    mistake(p, node->a->span, "a part is made by a component, as in part arm = rod(1, 2)");
  }
}

static ZwAst* parse_setting(Parser* p) {
  ZwAst* node = parse_argument_name(p);
  expect(p, ZW_TOKEN_ASSIGN, "'='");
  node->a = parse_expr(p);
  return cover(node, node->a);
}

static void parse_use(Parser* p, ZwAst* node) {
  if (is_at(p, ZW_TOKEN_STRING))
    node->a = parse_primary(p);
  else
    node->text = parse_name(p, "the name of a library, or a file name in quotes");
  if (accept_clause(p, "with")) parse_members(p, node, parse_setting);
}

static void parse_run(Parser* p, ZwAst* node) {
  ZwAst* range = parse_range(p);
  node->a = range->a;
  node->b = range->b;
  while (!p->lost) {
    ZwAst* option = node_here(p, ZW_AST_OPTION);
    option->text = token_str(p, here(p));
    if (accept_clause(p, "every") || accept_clause(p, "tolerance") || accept_clause(p, "step")) {
      option->a = parse_sum(p);
    } else if (accept_clause(p, "integrator")) {
      option->label = node_here(p, ZW_AST_NAME);
      option->label->text = parse_name(p, "the name of an integrator");
    } else {
      break;
    }
    append(node, finish(p, option));
  }
}

/* "when y < 0: stop" */
static void refuse_stop(Parser* p, const ZwAst* condition) {
  bool is_stop = is_clause(p, "stop") && !is_next(p, ZW_TOKEN_ASSIGN) && !is_next(p, ZW_TOKEN_PRIME);
  if (!is_stop || !mistake(p, token_span(p, here(p)), "the end of a run is a statement of its own")) return;
  ZwStr text = {p->text + condition->span.begin, condition->span.end - condition->span.begin};
  zw_diag_remedy(p->diags, "write: stop when %.*s", ZW_STR_ARGS(text));
}

static void parse_when(Parser* p, ZwAst* node) {
  node->c = parse_condition(p);
  refuse_stop(p, node->c);
  expect(p, ZW_TOKEN_COLON, "':' and what changes");
  refuse_stop(p, node->c);
  parse_members(p, node, parse_change);
}

static void parse_declarations(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_decl);
}

static void parse_coords(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_coord);
}

static void parse_lets(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_letdecl);
}

static void parse_outputs(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_output);
}

static void parse_quasis(Parser* p, ZwAst* node) {
  parse_members(p, node, parse_quasi);
}

static void parse_energy(Parser* p, ZwAst* node) {
  node->a = parse_expr(p);
}

static void parse_force(Parser* p, ZwAst* node) {
  node->a = parse_sum(p);
  expect_equals(p, "force");
  node->b = parse_expr(p);
  node->c = parse_while(p);
}

static void parse_start(Parser* p, ZwAst* node) {
  node->is_exact = accept_clause(p, "exactly");
  parse_members(p, node, parse_equation);
}

static void parse_stop(Parser* p, ZwAst* node) {
  if (!accept_clause(p, "when")) expected(p, "'when'");
  node->c = parse_condition(p);
}

typedef struct Statement {
  const char* word;
  ZwAstKind kind;
  void (*parse)(Parser* p, ZwAst* node);
} Statement;

static const Statement statements[] = {
    {"param", ZW_AST_PARAM, parse_declarations},
    {"coord", ZW_AST_COORD, parse_coords},
    {"memory", ZW_AST_MEMORY, parse_declarations},
    {"let", ZW_AST_LET, parse_lets},
    {"kinetic", ZW_AST_ENERGY, parse_energy},
    {"potential", ZW_AST_ENERGY, parse_energy},
    {"lagrangian", ZW_AST_ENERGY, parse_energy},
    {"dissipation", ZW_AST_ENERGY, parse_energy},
    {"gibbs", ZW_AST_ENERGY, parse_energy},
    {"force", ZW_AST_FORCE, parse_force},
    {"constraint", ZW_AST_CONSTRAINT, parse_constraint},
    {"contact", ZW_AST_CONTACT, parse_contact},
    {"quasi", ZW_AST_QUASI, parse_quasis},
    {"start", ZW_AST_START, parse_start},
    {"when", ZW_AST_WHEN, parse_when},
    {"stop", ZW_AST_STOP, parse_stop},
    {"output", ZW_AST_OUTPUT, parse_outputs},
    {"claim", ZW_AST_CLAIM, parse_claim},
    {"plot", ZW_AST_PLOT, parse_plot},
    {"draw", ZW_AST_DRAW, parse_draw},
    {"for", ZW_AST_FOR, parse_for},
    {"component", ZW_AST_COMPONENT, parse_component},
    {"part", ZW_AST_PART, parse_part},
    {"use", ZW_AST_USE, parse_use},
    {"run", ZW_AST_RUN, parse_run},
};

static const Statement* find_statement(const Parser* p, const ZwToken* token) {
  if (token->kind != ZW_TOKEN_NAME) return NULL;
  for (int i = 0; i < (int)(sizeof statements / sizeof *statements); i++) {
    if (zw_str_equal(token_str(p, token), zw_str_from(statements[i].word))) return &statements[i];
  }
  return NULL;
}

static void unknown_statement(Parser* p) {
  const ZwToken* token = here(p);
  if (token->kind != ZW_TOKEN_NAME) {
    expected_here(p, "a statement");
    return;
  }
  ZwStr word = token_str(p, token);
  const char* nearest = NULL;
  int32_t least = 3;
  for (int i = 0; zw_statement_words[i]; i++) {
    int32_t distance = zw_str_distance(word, zw_str_from(zw_statement_words[i]), 2);
    if (distance < least) {
      least = distance;
      nearest = zw_statement_words[i];
    }
  }
  ZwStr shown = {word.data, word.size > 40 ? 40 : word.size};
  mistake(p, token_span(p, token), "no statement begins with '%.*s'", ZW_STR_ARGS(shown));
  if (is_next(p, ZW_TOKEN_ASSIGN)) {
    zw_diag_remedy(p->diags, "write 'let %.*s = ...' to name an expression", ZW_STR_ARGS(shown));
  } else if (nearest) {
    zw_diag_remedy(p->diags, "did you mean '%s'?", nearest);
  }
}

/* Tokens after which a line does not end a statement. */
static bool goes_on(ZwTokenKind kind) {
  return (kind >= ZW_TOKEN_IF && kind <= ZW_TOKEN_SUM) || (kind >= ZW_TOKEN_ARROW && kind <= ZW_TOKEN_LPAREN) ||
         kind == ZW_TOKEN_LBRACKET || kind == ZW_TOKEN_COMMA || kind == ZW_TOKEN_COLON || kind == ZW_TOKEN_ASSIGN ||
         kind == ZW_TOKEN_LT || kind == ZW_TOKEN_GT;
}

/* After a mistake: on to the next line that begins a statement, over whole blocks. */
static void recover(Parser* p, int32_t begin) {
  int32_t braces = 0, brackets = 0;
  for (int32_t i = begin; i < p->at; i++) { /* a block may have been opened, and not entered */
    braces += p->tokens[i].kind == ZW_TOKEN_LBRACE;
    braces -= p->tokens[i].kind == ZW_TOKEN_RBRACE && braces > 0;
  }
  for (; !is_at(p, ZW_TOKEN_END); p->at++) {
    const ZwToken* token = here(p);
    brackets += token->kind == ZW_TOKEN_LPAREN || token->kind == ZW_TOKEN_LBRACKET;
    brackets -= (token->kind == ZW_TOKEN_RPAREN || token->kind == ZW_TOKEN_RBRACKET) && brackets > 0;
    if (p->at > begin && braces == 0) {
      /* a line that begins with a name where nothing asks to go on: a statement, be its word misspelt */
      if (token->after_newline && token->kind == ZW_TOKEN_NAME && brackets == 0 && !goes_on(token[-1].kind)) break;
      if (token->kind == ZW_TOKEN_SEMICOLON || token->kind == ZW_TOKEN_RBRACE) break;
      if (token->after_newline && (find_statement(p, token) || token->kind == ZW_TOKEN_IF)) break;
    }
    braces += token->kind == ZW_TOKEN_LBRACE;
    braces -= token->kind == ZW_TOKEN_RBRACE && braces > 0;
  }
  p->lost = false;
  p->brackets = 0;
}

static void expect_end(Parser* p) {
  if (p->lost || is_at(p, ZW_TOKEN_END) || is_at(p, ZW_TOKEN_RBRACE) || here(p)->after_newline) return;
  if (accept(p, ZW_TOKEN_SEMICOLON)) return;
  const ZwToken* token = here(p);
  bool operand = token->kind == ZW_TOKEN_NAME || token->kind == ZW_TOKEN_NUMBER || token->kind == ZW_TOKEN_LPAREN;
  expected(p, "the end of the statement");
  if (!operand) return;
  zw_diag_remedy(
      p->diags, "an operator or brackets are missing (2*x, sin(x)), or the next statement needs its own line or a ';'");
}

/* block = "{" { statement } "}" */
static void parse_statements(Parser* p, ZwAst* node) {
  while (!is_at(p, ZW_TOKEN_END) && !p->arena->failed && p->diags->errors <= ZW_LIMIT_ERRORS) {
    if (accept(p, ZW_TOKEN_SEMICOLON)) continue;
    if (is_at(p, ZW_TOKEN_RBRACE) && node->kind == ZW_AST_BLOCK) break;
    append(node, parse_statement(p));
  }
}

static ZwAst* parse_block(Parser* p) {
  ZwAst* node = node_here(p, ZW_AST_BLOCK);
  ZwSpan open = node->span;
  if (!expect(p, ZW_TOKEN_LBRACE, "'{'")) return node;
  int32_t brackets = p->brackets;
  p->brackets = 0;
  if (enter(p)) parse_statements(p, node);
  leave(p);
  p->brackets = brackets;
  expect_close(p, ZW_TOKEN_RBRACE, open);
  return finish(p, node);
}

static ZwAst* parse_statement(Parser* p) {
  int32_t begin = p->at;
  ZwAst* node = node_here(p, ZW_AST_WRONG);
  const Statement* statement = find_statement(p, here(p));
  p->brackets = 0;
  if (is_at(p, ZW_TOKEN_IF)) {
    node->kind = ZW_AST_IF;
    p->at++;
    parse_if(p, node);
  } else if (statement) {
    node->kind = statement->kind;
    if (node->kind == ZW_AST_ENERGY) node->text = token_str(p, here(p));
    p->at++;
    statement->parse(p, node);
  } else {
    unknown_statement(p);
  }
  finish(p, node);
  expect_end(p);
  if (p->lost) {
    node->kind = ZW_AST_WRONG;
    node->text = token_str(p, &p->tokens[begin]);
    recover(p, begin);
  }
  return node;
}

/* ---- entry ---- */

static ZwStatus open_parser(Parser* p, ZwArena* arena, ZwDiagList* diags, int32_t file) {
  ZwTokens tokens = {0};
  ZW_TRY(zw_lex(arena, diags, file, &tokens));
  *p = (Parser){.arena = arena,
                .diags = diags,
                .tokens = tokens.list.items,
                .text = zw_sources_get(diags->sources, file)->text.data,
                .file = file,
                .nesting_limit = ZW_LIMIT_NESTING};
  int32_t asked = diags->sources->nesting_limit;
  if (asked > 0) p->nesting_limit = asked < ZW_LIMIT_NESTING_MOST ? asked : ZW_LIMIT_NESTING_MOST;
  return ZW_OK;
}

ZwStatus zw_parse_file(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwAst** tree) {
  Parser p;
  ZW_TRY(open_parser(&p, arena, diags, file));
  *tree = node_at(&p, ZW_AST_FILE, (ZwSpan){file, 0, 0});
  parse_statements(&p, *tree);
  (*tree)->number = p.node_count;
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

ZwStatus zw_parse_expression(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwAst** tree) {
  Parser p;
  ZW_TRY(open_parser(&p, arena, diags, file));
  p.brackets = 1; /* newlines do not count */
  ZwAst* file_node = node_at(&p, ZW_AST_FILE, (ZwSpan){file, 0, 0});
  append(file_node, parse_expr(&p));
  *tree = file_node;
  file_node->number = p.node_count;
  if (!is_at(&p, ZW_TOKEN_END)) expected(&p, "the end of the expression");
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
