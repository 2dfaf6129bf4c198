/* filter.c - the filter language: lexer, parser by recursive descent, evaluation; see filter.h */
#include "table/filter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum {
	DEPTH_MAX = 64
};

enum op {
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_HAS,
	OP_HAS_NOT
};

enum filter_node_kind {
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_WORD,
	NODE_CMP
};

struct filter_node {
	enum filter_node_kind kind;
	struct filter_node *child, *next; /* AND, OR: a list of children; NOT: one */
	enum op op;
	uint32_t col;
	struct cell value; /* CMP; MISSING = null; WORD: CELL_STR */
};

struct filter {
	struct arena arena;
	struct filter_node *root;
};

enum token {
	T_END,
	T_WORD,
	T_STRING,
	T_OP,
	T_OPEN,
	T_CLOSE,
	T_BAD
};

struct filter_parser {
	const char *text, *at; /* whole text; behind the token */
	enum token tok;
	enum op op;
	const char *tok_s; /* of the token, quotes taken off */
	size_t tok_n, tok_pos;
	unsigned depth;
	const struct column_def *cols;
	uint32_t n_cols;
	struct filter *f;
	struct err *e;
};

static const struct {
	const char *s;
	enum op op;
} ops[] = {
	{"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE}, {"!~", OP_HAS_NOT}, {"==", OP_EQ},
	{"=", OP_EQ},  {"<", OP_LT},  {">", OP_GT},  {"~", OP_HAS},
};

static void lex_string(struct filter_parser *p)
{
	const char *end = strchr(p->at + 1, *p->at);

	p->tok = end ? T_STRING : T_BAD;
	p->tok_s = p->at + 1;
	p->tok_n = end ? (size_t)(end - p->tok_s) : 0;
	p->at = end ? end + 1 : p->at + strlen(p->at);
}

static bool lex_op(struct filter_parser *p)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i].s);

		if (strncmp(p->at, ops[i].s, n))
			continue;
		p->tok = T_OP;
		p->op = ops[i].op;
		p->tok_n = n;
		p->at += n;
		return true;
	}
	return false;
}

static void next(struct filter_parser *p)
{
	p->at += strspn(p->at, " \t\r\n");
	p->tok_s = p->at;
	p->tok_pos = (size_t)(p->at - p->text);
	p->tok_n = 1;
	if (!*p->at) {
		p->tok = T_END;
	} else if (*p->at == '(' || *p->at == ')') {
		p->tok = *p->at++ == '(' ? T_OPEN : T_CLOSE;
	} else if (*p->at == '"' || *p->at == '\'') {
		lex_string(p);
	} else if (!lex_op(p)) {
		p->tok = T_WORD;
		p->tok_n = strcspn(p->at, " \t\r\n()\"'=<>~!");
		/*
		 * A lone "!" is no operator: take it as a word of its own, so that the lexer moves
		 * on.
		 */
		p->tok_n += !p->tok_n;
		p->at += p->tok_n;
	}
}

static bool is_word(const struct filter_parser *p, const char *w)
{
	return p->tok == T_WORD && p->tok_n == strlen(w) && !strncasecmp(p->tok_s, w, p->tok_n);
}

static bool fault(struct filter_parser *p, size_t pos, const char *what)
{
	err_set(p->e, ERR_USAGE, _("filter: %s at column %zu"), what, pos + 1);
	if (p->e)
		p->e->offset = (int64_t)pos;
	return false;
}

static struct filter_node *node_new(struct filter_parser *p, enum filter_node_kind kind)
{
	struct filter_node *n = arena_zalloc(&p->f->arena, sizeof(*n));

	n->kind = kind;
	return n;
}

static void copy_token(struct filter_parser *p, struct cell *c)
{
	c->type = CELL_STR;
	c->len = (uint32_t)p->tok_n;
	c->v.s = arena_strndup(&p->f->arena, p->tok_s, p->tok_n);
}

/* A column by its id, or by the id without the unit at its end: "total" for total_ns. */
static bool find_column(const struct filter_parser *p, uint32_t *col)
{
	static const char *const ends[] = {"", "_ns", "_bytes"};

	for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++)
		for (uint32_t i = 0; i < p->n_cols; i++) {
			const char *id = p->cols[i].id;

			if (strlen(id) == p->tok_n + strlen(ends[e]) &&
			    !strncmp(id, p->tok_s, p->tok_n) && !strcmp(id + p->tok_n, ends[e])) {
				*col = i;
				return true;
			}
		}
	return false;
}

static bool parse_bool(const char *s, size_t n, int64_t *out)
{
	static const char *const words[] = {"false", "true", "no", "yes", "0", "1"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && !strncasecmp(words[i], s, n)) {
			*out = i & 1;
			return true;
		}
	return false;
}

/* "27.7" or "27.7GB/s" */
static bool parse_rate(const char *s, size_t n, double *out)
{
	if (n > 4 && !strncasecmp(s + n - 4, "GB/s", 4))
		n -= 4;
	return num_parse_f64(s, n, out);
}

typedef bool (*read_i64_fn)(const char *s, size_t n, int64_t *out);
typedef bool (*read_f64_fn)(const char *s, size_t n, double *out);

/*
 * How the value is read, by the unit of the column. Whole numbers may be compared with a fraction:
 * count > 0.5.
 */
static const struct {
	read_i64_fn i64;
	read_f64_fn f64;
	const char *what;
} readers[] = {
	[UNIT_NS] = {num_parse_ns, NULL, N_("not a time (12.5ms)")},
	[UNIT_TIME] = {num_parse_ns, NULL, N_("not a time (12.5ms)")},
	[UNIT_BYTES] = {num_parse_bytes, NULL, N_("not a size (4GB)")},
	[UNIT_COUNT] = {num_parse_i64, num_parse_f64, N_("not a number")},
	[UNIT_ID] = {num_parse_i64, num_parse_f64, N_("not a number")},
	[UNIT_RATIO] = {NULL, num_parse_ratio, /* xgettext:no-c-format */ N_("not a share (12.5% or 0.125)")},
	[UNIT_FACTOR] = {NULL, num_parse_f64, N_("not a number")},
	[UNIT_GBPS] = {NULL, parse_rate, N_("not a rate (27.7GB/s)")},
	[UNIT_BOOL] = {parse_bool, NULL, N_("not true or false")},
};

static bool read_number(struct filter_parser *p, struct filter_node *n, enum unit u)
{
	int64_t i;
	double f;

	if (n->op == OP_HAS || n->op == OP_HAS_NOT)
		return fault(p, p->tok_pos, _("~ is for columns of text, not for figures"));
	if (readers[u].i64 && readers[u].i64(p->tok_s, p->tok_n, &i)) {
		n->value = (struct cell){.type = CELL_I64, .v.i = i};
		if (u == UNIT_BOOL)
			n->value = (struct cell){.type = CELL_BOOL, .v.b = i};
		return true;
	}
	if (readers[u].f64 && readers[u].f64(p->tok_s, p->tok_n, &f)) {
		n->value = (struct cell){.type = CELL_F64, .v.f = f};
		return true;
	}
	return fault(p, p->tok_pos, _(readers[u].what));
}

static bool read_value(struct filter_parser *p, struct filter_node *n)
{
	enum unit u = p->cols[n->col].unit;

	if (p->tok != T_WORD && p->tok != T_STRING)
		return fault(p, p->tok_pos, _("a value is missing"));
	if (is_word(p, "null") && (n->op == OP_EQ || n->op == OP_NE))
		n->value.type = CELL_MISSING;
	else if (u == UNIT_TEXT)
		copy_token(p, &n->value);
	else if (!read_number(p, n, u))
		return false;
	next(p);
	return true;
}

/*
 * A word alone, or column, operator, value: known only when the token behind the word has been
 * seen.
 */
static struct filter_node *parse_word(struct filter_parser *p)
{
	struct filter_node *n = node_new(p, NODE_WORD);
	struct filter_parser word = *p;

	copy_token(p, &n->value);
	next(p);
	if (p->tok != T_OP)
		return n;
	n->kind = NODE_CMP;
	n->op = p->op;
	if (word.tok != T_WORD || !find_column(&word, &n->col)) {
		fault(p, word.tok_pos, _("no such column"));
		return NULL;
	}
	next(p);
	return read_value(p, n) ? n : NULL;
}

static struct filter_node *parse_or(struct filter_parser *p);

static struct filter_node *parse_group(struct filter_parser *p)
{
	size_t pos = p->tok_pos;
	struct filter_node *n;

	next(p);
	n = parse_or(p);
	if (!n)
		return NULL;
	if (p->tok != T_CLOSE) {
		fault(p, pos, _("this parenthesis is not closed"));
		return NULL;
	}
	next(p);
	return n;
}

static struct filter_node *parse_not(struct filter_parser *p);

static struct filter_node *parse_negation(struct filter_parser *p)
{
	struct filter_node *n = node_new(p, NODE_NOT);

	next(p);
	n->child = parse_not(p);
	return n->child ? n : NULL;
}

static struct filter_node *parse_atom(struct filter_parser *p)
{
	static const char *const faults[] = {
		[T_END] = N_("something is missing"),
		[T_OP] = N_("a column is missing before the operator"),
		[T_CLOSE] = N_("something is missing"),
		[T_BAD] = N_("this quotation mark is not closed"),
	};

	if (is_word(p, "not"))
		return parse_negation(p);
	if (is_word(p, "&&") || is_word(p, "||")) {
		fault(p, p->tok_pos, _("\"and\" and \"or\" are written as words"));
		return NULL;
	}
	if (p->tok == T_OPEN)
		return parse_group(p);
	if ((p->tok == T_WORD && !is_word(p, "and") && !is_word(p, "or")) || p->tok == T_STRING)
		return parse_word(p);
	fault(p, p->tok_pos, _(p->tok == T_WORD ? faults[T_END] : faults[p->tok]));
	return NULL;
}

/* Recursion is bounded here: every group and every "not" passes. */
static struct filter_node *parse_not(struct filter_parser *p)
{
	struct filter_node *n;

	if (p->depth == DEPTH_MAX) {
		fault(p, p->tok_pos, _("nested too deeply"));
		return NULL;
	}
	p->depth++;
	n = parse_atom(p);
	p->depth--;
	return n;
}

/* Words side by side mean and. */
static struct filter_node *parse_and(struct filter_parser *p)
{
	struct filter_node *all = node_new(p, NODE_AND), **tail = &all->child;

	for (;;) {
		*tail = parse_not(p);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
		if (is_word(p, "and"))
			next(p);
		else if (p->tok == T_END || p->tok == T_CLOSE || is_word(p, "or"))
			return all;
	}
}

static struct filter_node *parse_or(struct filter_parser *p)
{
	struct filter_node *any = node_new(p, NODE_OR), **tail = &any->child;

	for (;;) {
		*tail = parse_and(p);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
		if (!is_word(p, "or"))
			return any;
		next(p);
	}
}

struct filter *filter_parse(const char *text, const struct column_def *cols, uint32_t n_cols,
			    struct err *e)
{
	struct filter_parser p = {.text = text, .at = text, .cols = cols, .n_cols = n_cols, .e = e};

	p.f = xcalloc(1, sizeof(*p.f));
	next(&p);
	/* An empty filter holds for every row: what `&` and Enter ask for. */
	p.f->root = p.tok == T_END ? node_new(&p, NODE_AND) : parse_or(&p);
	if (p.f->root && p.tok != T_END) {
		fault(&p, p.tok_pos, _("a parenthesis too many"));
		p.f->root = NULL;
	}
	if (p.f->root)
		return p.f;
	filter_free(p.f);
	return NULL;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	arena_free(&f->arena);
	free(f);
}

static bool match_word(const struct filter_node *n, const struct table *t, uint32_t row)
{
	for (uint32_t c = 0; c < t->n_cols; c++) {
		const struct cell *x = table_cell(t, row, c);

		if (x->type == CELL_STR &&
		    text_contains(x->v.s, x->len, n->value.v.s, n->value.len))
			return true;
	}
	return false;
}

static bool match_text(const struct filter_node *n, const struct cell *x)
{
	const char *s = n->value.v.s;

	switch (n->op) {
	case OP_HAS:
		return text_contains(x->v.s, x->len, s, n->value.len);
	case OP_HAS_NOT:
		return !text_contains(x->v.s, x->len, s, n->value.len);
	case OP_EQ:
		return text_same(x->v.s, x->len, s, n->value.len);
	case OP_NE:
		return !text_same(x->v.s, x->len, s, n->value.len);
	default:
		return false;
	}
}

static bool match_order(enum op op, int c)
{
	const bool held[] = {
		[OP_EQ] = c == 0, [OP_NE] = c != 0, [OP_LT] = c<0, [OP_LE] = c <= 0, [OP_GT] = c> 0,
		[OP_GE] = c >= 0, [OP_HAS] = false, [OP_HAS_NOT] = false,
	};

	return held[op];
}

static bool match_cmp(const struct filter_node *n, const struct cell *x)
{
	bool text = x->type == CELL_STR && n->value.type == CELL_STR;

	if (n->value.type == CELL_MISSING)
		return (x->type == CELL_MISSING) == (n->op == OP_EQ);
	if (x->type == CELL_MISSING)
		return false;
	if (text && (n->op < OP_LT || n->op > OP_GE))
		return match_text(n, x);
	/*
	 * A text against a figure: an analysis put another type into this column; such a row is not
	 * comparable.
	 */
	if ((x->type == CELL_STR) != (n->value.type == CELL_STR))
		return false;
	return match_order(n->op, cell_cmp(x, &n->value));
}

static bool match(const struct filter_node *n, const struct table *t, uint32_t row)
{
	const struct filter_node *c;

	switch (n->kind) {
	case NODE_AND:
		for (c = n->child; c && match(c, t, row);)
			c = c->next;
		return !c;
	case NODE_OR:
		for (c = n->child; c && !match(c, t, row);)
			c = c->next;
		return c;
	case NODE_NOT:
		return !match(n->child, t, row);
	case NODE_WORD:
		return match_word(n, t, row);
	case NODE_CMP:
		return match_cmp(n, table_cell(t, row, n->col));
	}
	return false;
}

bool filter_match(const struct filter *f, const struct table *t, uint32_t row)
{
	return match(f->root, t, row);
}
