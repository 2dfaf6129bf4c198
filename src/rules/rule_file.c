/*
 * rule_file.c - the reader of rule files.
 *
 *   # a comment line
 *   table kernels                  what the following rules are about; ends with the next `table`
 *   case insensitive               from here on letters match in both cases (`case sensitive`: not)
 *
 *   id gemm-nvjet                  starts a rule; a blank line ends it
 *     class GEMM
 *     match *nvjet_* | ...         globs (see glob.c); more lines add more
 *     but-not *foo*                the rule does not hold for these
 *     sample nvjet_tst_128x64...   must be won by this rule (the rest of the line, verbatim)
 *     not my_kernel                must not be won by it
 *
 * Keys by table: kernels: class, subclass, phase, tensor-core. ops, frames: level1, level2, phase,
 * cause, flags (transparent, sync, owner, ends-owner, computes); frames also: flag entry, framework LETTER NAME,
 * elsewhere LEVEL1: LEVEL2 (where no frame around it loads data), alone LEVEL1: LEVEL2 (where no thread of autograd's is known). ops and
 * frames: cpu LEVEL1: LEVEL2 (where there is no device). runtime: level1, level2,
 * category, cause, flags (blocks). steps: flags (microbatch, never). phases: phase. threads: role.
 * A frame is matched as "/path/to/file.py:function". The table `findings` is read elsewhere, see finding_file.c.
 */
#include "rules/rules_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/check64.h"
#include "base/fileio.h"
#include "base/mem.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
	MAX_RULE_FILE = 16 << 20
};

struct rule_file_parser {
	const char *file;
	uint64_t check;
	int line;
	enum rule_table table;
	bool has_table, fold_case;
	struct rule_list *lists;
	struct rule *rule; /* the open one, or NULL */
	struct table_reader *reader; /* of the table findings; NULL: skipped */
	bool in_findings;
	struct err *e;
};

static const char *const table_names[TABLE_N] = {
	"kernels", "ops", "frames", "runtime", "steps", "phases", "threads",
};

static const char *const cause_words[] = {
	"dependency", "dataload",  "sync",   "allocator", "compile", "copy",	 "communication",
	"launch",     "optimizer", "python", "profiler",  "io",	     "untraced", "compute",
};

static const char *const category_words[] = {
	"kernel launch",     "graph",	     "memcpy dispatch", "sync wait",
	"memory management", "event/stream", "module load",	"other",
};

static const struct {
	const char *word;
	enum rule_flag flag;
} flag_words[] = {
	{"transparent", RULE_TRANSPARENT}, {"sync", RULE_SYNC},	  {"blocks", RULE_BLOCKS},
	{"microbatch", RULE_MICROBATCH},   {"never", RULE_NEVER}, {"owner", RULE_OWNER},
	{"ends-owner", RULE_ENDS_OWNER}, {"computes", RULE_COMPUTES}, {"entry", RULE_ENTRY},
};

static bool fail(const struct rule_file_parser *p, const char *what, const char *word)
{
	return err_set(p->e, ERR_FORMAT, "%s: line %d: %s: %s", p->file, p->line, what, word);
}

/* The static word equal to s, or NULL. */
static const char *find_word(const char *const *words, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i], s) == 0)
			return words[i];
	return NULL;
}

/* ---- values ---- */

static bool set_class(struct rule_file_parser *p, struct rule *r, char *s)
{
	r->class = kclass_find(s, strlen(s));
	r->has_class = true;
	return r->class != KCLASS_N || fail(p, "unknown class", s);
}

static bool set_subclass(struct rule_file_parser *p, struct rule *r, char *s)
{
	(void)p;
	r->subclass = s;
	return true;
}

static bool set_tensor_core(struct rule_file_parser *p, struct rule *r, char *s)
{
	static const char *const words[] = {"unknown", "no", "yes"};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(s, words[i]) == 0) {
			r->tensor_core = (int8_t)((int)i - 1);
			return true;
		}
	}
	return fail(p, "tensor-core is yes, no or unknown", s);
}

static bool find_level1(struct rule_file_parser *p, const char *s, enum level1 *to)
{
	*to = level1_by_name(s, strlen(s));
	return *to < L1_N || fail(p, "unknown level1", s);
}

static bool set_level1(struct rule_file_parser *p, struct rule *r, char *s)
{
	r->has_l1 = true;
	return find_level1(p, s, &r->l1);
}

/* "sync wait: thread wait" */
static bool set_levels(struct rule_file_parser *p, struct class_levels *v, char *s)
{
	char *colon = strstr(s, ": ");

	if (!colon || !colon[2])
		return fail(p, "not a level1, a colon and a level2", s);
	*colon = '\0';
	v->level2 = colon + 2;
	return find_level1(p, s, &v->l1);
}

static bool set_elsewhere(struct rule_file_parser *p, struct rule *r, char *s)
{
	return set_levels(p, &r->elsewhere, s);
}

static bool set_alone(struct rule_file_parser *p, struct rule *r, char *s)
{
	return set_levels(p, &r->alone, s);
}

static bool set_cpu(struct rule_file_parser *p, struct rule *r, char *s)
{
	return set_levels(p, &r->cpu, s);
}

static bool set_level2(struct rule_file_parser *p, struct rule *r, char *s)
{
	(void)p;
	r->level2 = s;
	return true;
}

static bool set_phase(struct rule_file_parser *p, struct rule *r, char *s)
{
	enum phase ph = phase_by_name(s, strlen(s));

	r->phase = phase_name(ph);
	return ph < PHASE_N || fail(p, "unknown phase", s);
}

static bool set_cause(struct rule_file_parser *p, struct rule *r, char *s)
{
	r->cause = find_word(cause_words, COUNT(cause_words), s);
	return r->cause || fail(p, "unknown cause", s);
}

static bool set_role(struct rule_file_parser *p, struct rule *r, char *s)
{
	enum role role = role_by_name(s, strlen(s));

	r->role = role_name(role);
	return role < ROLE_N || fail(p, "unknown role", s);
}

static bool set_category(struct rule_file_parser *p, struct rule *r, char *s)
{
	r->category = find_word(category_words, COUNT(category_words), s);
	return r->category || fail(p, "unknown category", s);
}

static bool set_framework(struct rule_file_parser *p, struct rule *r, char *s)
{
	if (!rules_framework_name(s[0]) || s[1] != ' ' || !s[2])
		return fail(p, "framework is a known letter and a name", s);
	r->framework = s[0];
	r->library = s + 2;
	return true;
}

static bool set_flags(struct rule_file_parser *p, struct rule *r, char *s)
{
	for (char *save, *w = strtok_r(s, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		size_t i = 0;

		while (i < COUNT(flag_words) && strcmp(flag_words[i].word, w) != 0)
			i++;
		if (i == COUNT(flag_words))
			return fail(p, "unknown flag", w);
		r->flags |= flag_words[i].flag;
	}
	return true;
}

static size_t trim_end(const char *s, size_t n)
{
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return n;
}

static bool add_globs(struct rule_file_parser *p, struct globs *to, char *s)
{
	while (s) {
		char *next = strstr(s, " | ");
		size_t n = next ? (size_t)(next - s) : strlen(s);

		while (n && (*s == ' ' || *s == '\t'))
			s++, n--;
		n = trim_end(s, n);
		if (n == 0)
			return fail(p, "an empty pattern", "write * to match everything");
		glob_add(to, s, n, p->fold_case);
		s = next ? next + 3 : NULL;
	}
	return true;
}

static bool set_match(struct rule_file_parser *p, struct rule *r, char *s)
{
	return add_globs(p, &r->match, s);
}

static bool set_but_not(struct rule_file_parser *p, struct rule *r, char *s)
{
	return add_globs(p, &r->but_not, s);
}

static bool add_sample(struct rule_file_parser *p, struct rule *r, char *s, bool is_not)
{
	if (r->n_samples == r->cap_samples) {
		r->cap_samples = mem_grow(r->cap_samples, r->n_samples + 1);
		r->samples = xreallocarray(r->samples, r->cap_samples, sizeof(*r->samples));
	}
	r->samples[r->n_samples++] = (struct rule_sample){s, strlen(s), p->line, is_not};
	return true;
}

static bool set_sample(struct rule_file_parser *p, struct rule *r, char *s)
{
	return add_sample(p, r, s, false);
}

static bool set_not(struct rule_file_parser *p, struct rule *r, char *s)
{
	return add_sample(p, r, s, true);
}

static const struct rule_key {
	const char *name;
	bool (*set)(struct rule_file_parser *p, struct rule *r, char *value);
} rule_keys[] = {
	{"class", set_class},	      {"subclass", set_subclass}, {"tensor-core", set_tensor_core},
	{"level1", set_level1},	      {"level2", set_level2},	  {"phase", set_phase},
	{"cause", set_cause},	      {"role", set_role},	  {"category", set_category},
	{"framework", set_framework}, {"flags", set_flags},	  {"match", set_match},
	{"but-not", set_but_not},     {"sample", set_sample},	  {"not", set_not},
	{"elsewhere", set_elsewhere}, {"alone", set_alone},	  {"cpu", set_cpu},
};

/* ---- rules ---- */

/* What a rule of each table must say. */
static const char *missing_key(const struct rule *r)
{
	switch (r->table) {
	case TABLE_KERNELS:
		return r->has_class ? NULL : "class";
	case TABLE_OPS:
	case TABLE_FRAMES:
	case TABLE_RUNTIME:
		return !r->has_l1 ? "level1" : !r->level2 ? "level2" : NULL;
	case TABLE_PHASES:
		return r->phase ? NULL : "phase";
	case TABLE_THREADS:
		return r->role ? NULL : "role";
	case TABLE_STEPS:
	case TABLE_N:
		break;
	}
	return NULL;
}

static bool has_sample(const struct rule *r)
{
	for (size_t i = 0; i < r->n_samples; i++)
		if (!r->samples[i].is_not)
			return true;
	return false;
}

static bool close_rule(struct rule_file_parser *p)
{
	const struct rule *r = p->rule;
	const char *key;

	p->rule = NULL;
	if (!r)
		return true;
	key = missing_key(r);
	if (!key && r->match.n == 0)
		key = "match";
	if (!key && !has_sample(r))
		key = "sample";
	if (!key)
		return true;
	return err_set(p->e, ERR_FORMAT, "%s: line %d: rule %s: %s is missing", p->file, r->line,
		       r->id, key);
}

static bool open_rule(struct rule_file_parser *p, char *id)
{
	struct rule_list *l = &p->lists[p->table];

	if (!p->has_table)
		return fail(p, "a rule before the first table line", id);
	if (!*id)
		return fail(p, "id without a name", id);
	if (l->n == l->cap) {
		l->cap = mem_grow(l->cap, l->n + 1);
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	p->rule = &l->v[l->n++];
	*p->rule = (struct rule){.id = id,
				 .file = p->file,
				 .check = p->check,
				 .line = p->line,
				 .table = p->table,
				 .fold_case = p->fold_case,
				 .tensor_core = -2};
	return true;
}

static bool set_table(struct rule_file_parser *p, const char *name)
{
	p->in_findings = strcmp(name, "findings") == 0;
	if (p->in_findings)
		return true;
	for (int t = 0; t < TABLE_N; t++) {
		if (strcmp(table_names[t], name) == 0) {
			p->table = (enum rule_table)t;
			p->has_table = true;
			p->fold_case = false;
			return true;
		}
	}
	return fail(p, "unknown table", name);
}

static bool parse_outside(struct rule_file_parser *p, const char *key, char *value)
{
	if (strcmp(key, "id") == 0)
		return open_rule(p, value);
	if (strcmp(key, "table") == 0)
		return set_table(p, value);
	if (strcmp(key, "case") == 0) {
		p->fold_case = strcmp(value, "insensitive") == 0;
		return p->fold_case || strcmp(value, "sensitive") == 0 ||
		       fail(p, "case is sensitive or insensitive", value);
	}
	return fail(p, "expected id, table or case", key);
}

static bool parse_key(struct rule_file_parser *p, const char *key, char *value)
{
	if (!p->rule || strcmp(key, "id") == 0)
		return close_rule(p) && parse_outside(p, key, value);
	for (size_t i = 0; i < COUNT(rule_keys); i++) {
		if (strcmp(rule_keys[i].name, key) != 0)
			continue;
		if (!*value)
			return fail(p, "nothing after", key);
		return rule_keys[i].set(p, p->rule, value);
	}
	return fail(p, "unknown key", key);
}

/* A blank line or the end: what is open must be complete. */
static bool close_all(struct rule_file_parser *p)
{
	return close_rule(p) && (!p->reader || p->reader->close(p->reader, p->e));
}

/* One terminated line. */
static bool parse_line(struct rule_file_parser *p, char *s)
{
	size_t n = strlen(s);
	char *value;

	if (n && s[n - 1] == '\r')
		s[--n] = '\0';
	s += strspn(s, " \t");
	if (*s == '#')
		return true;
	n = trim_end(s, strlen(s));
	s[n] = '\0';
	if (n == 0)
		return close_all(p);
	value = s + strcspn(s, " \t");
	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	if (p->in_findings && ((p->reader && p->reader->open) || strcmp(s, "table") != 0))
		return !p->reader || p->reader->line(p->reader, p->line, s, value, p->e);
	return parse_key(p, s, value);
}

void rule_list_fini(struct rule_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		globs_fini(&l->v[i].match);
		globs_fini(&l->v[i].but_not);
		free(l->v[i].samples);
	}
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* ---- files ---- */

static bool parse(struct rule_file *f, struct table_reader *reader, struct err *e)
{
	struct rule_file_parser p = {.file = f->name, .check = check64(f->text, strlen(f->text)), .lists = f->table, .reader = reader, .e = e};

	if (reader) {
		reader->file = f->name;
		reader->check = p.check;
	}
	for (char *text = f->text; text;) {
		char *end = strchr(text, '\n');

		if (end)
			*end = '\0';
		p.line++;
		if (!parse_line(&p, text))
			return false;
		text = end ? end + 1 : NULL;
	}
	return close_all(&p);
}

/* The file made of `text` (heap, terminated), which it owns from here on. */
static struct rule_file *file_of(const char *name, char *text, struct table_reader *reader, struct err *e)
{
	struct rule_file *f = xcalloc(1, sizeof(*f));

	f->name = xstrdup(name);
	f->text = text;
	if (parse(f, reader, e))
		return f;
	rule_file_free(f);
	return NULL;
}

struct rule_file *rule_file_text(const char *name, const char *text, size_t len, struct table_reader *reader, struct err *e)
{
	if (!memchr(text, '\0', len))
		return file_of(name, xmemdup0(text, len), reader, e);
	err_set(e, ERR_FORMAT, "%s: a NUL byte in a rule file", name);
	return NULL;
}

struct rule_file *rule_file_read(const char *path, struct table_reader *reader, struct err *e)
{
	size_t len;
	char *text = file_read_all(path, MAX_RULE_FILE, &len, e);
	struct rule_file *f = text ? rule_file_text(path, text, len, reader, e) : NULL;

	free(text);
	return f;
}

struct rule_file *rule_file_embedded(const struct embedded_file *f, struct table_reader *reader, struct err *e)
{
	size_t len = 0, at = 0;
	char *s;

	for (size_t i = 0; f->text[i]; i++)
		len += strlen(f->text[i]);
	s = xmalloc(len + 1);
	for (size_t i = 0; f->text[i]; i++) {
		size_t n = strlen(f->text[i]);

		memcpy(s + at, f->text[i], n);
		at += n;
	}
	s[at] = '\0';
	return file_of(f->name, s, reader, e);
}

void rule_file_free(struct rule_file *f)
{
	if (!f)
		return;
	for (int t = 0; t < TABLE_N; t++)
		rule_list_fini(&f->table[t]);
	free(f->text);
	free(f->name);
	free(f);
}
