/* similar.c: finds similar texts by winnowing. */
#include "grader/feedback/similar.h"
#include "grader/feedback/tokens.h"
#include "runtime/base/scoped.h"

enum { COMMON = 10, FEWEST = 3, MAX_PASSAGES = 20 };

/* A fingerprint: the hash of GR_GRAM tokens from a position on. */
typedef struct print {
    uint64_t hash;
    size_t who, at;
    int from, to; /* lines */
} print;

typedef struct prints {
    print *list;
    size_t n;
    bool failed;
} prints;

static uint64_t hash_at(const gr_tokens *t, size_t at) {
    uint64_t h = WB_HASH;
    for (size_t i = 0; i < GR_GRAM; i++)
        h = wb_hash(h, &t->list[at + i].kind, sizeof t->list[at + i].kind);
    return h;
}

/* Selects the least hash of each window, the rightmost of equals, once for windows that share
 * it. */
static void winnow(const char *text, size_t who, prints *out) {
    gr_tokens t = gr_tokens_of(text);
    size_t n = t.n >= GR_GRAM ? t.n - GR_GRAM + 1 : 0, last = (size_t)-1;
    WB_SCOPED uint64_t *hashes = calloc(n + 1, sizeof *hashes);
    out->failed |= t.failed || !hashes;
    for (size_t i = 0; hashes && i < n; i++)
        hashes[i] = hash_at(&t, i);
    for (size_t end = n < GR_WINDOW ? n : GR_WINDOW; hashes && n && end <= n; end++) {
        size_t least = end > GR_WINDOW ? end - GR_WINDOW : 0;
        for (size_t i = least; i < end; i++)
            least = hashes[i] <= hashes[least] ? i : least;
        if (least != last)
            out->failed |= !WB_ADD(out->list, out->n,
                                   (print){hashes[least], who, least, t.list[least].line,
                                           t.list[least + GR_GRAM - 1].line});
        last = least;
    }
    gr_tokens_free(&t);
}

/* Adds all fingerprints of the starter, because a submission's windows may select any of them. */
static void take_all(const char *text, prints *out) {
    gr_tokens t = gr_tokens_of(text);
    out->failed |= t.failed;
    for (size_t i = 0; i + GR_GRAM <= t.n; i++)
        out->failed |= !WB_ADD(out->list, out->n, (print){hash_at(&t, i), 0, i, 0, 0});
    gr_tokens_free(&t);
}

static int by_hash(const void *a, const void *b) {
    const print *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns the end of the group of equal hashes that begins at i. */
static size_t group_end(const prints *p, size_t i) {
    size_t end = i;
    while (end < p->n && p->list[end].hash == p->list[i].hash)
        end++;
    return end;
}

/* Drops fingerprints of the starter, and those that too many submissions have. */
static void drop_common(prints *p, const prints *starter, size_t n_texts) {
    size_t kept = 0, most = n_texts / 10 > COMMON ? n_texts / 10 : COMMON;
    for (size_t i = 0, end; i < p->n; i = end) {
        end = group_end(p, i);
        size_t people = 1;
        for (size_t k = i + 1; k < end; k++)
            people += p->list[k].who != p->list[k - 1].who;
        bool common = people > most;
        for (size_t k = 0; !common && k < starter->n; k++)
            common = starter->list[k].hash == p->list[i].hash;
        if (!common) {
            memmove(p->list + kept, p->list + i, (end - i) * sizeof *p->list);
            kept += end - i;
        }
    }
    p->n = kept;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

typedef struct table {
    size_t n;
    unsigned *shared; /* for a < b: [a * n + b] */
    unsigned *own;    /* different fingerprints of each text */
} table;

static void count_shared(const prints *p, table *t) {
    for (size_t i = 0, end; i < p->n; i = end) {
        end = group_end(p, i);
        for (size_t a = i; a < end; a++) {
            if (a > i && p->list[a].who == p->list[a - 1].who)
                continue;
            t->own[p->list[a].who]++;
            for (size_t b = a + 1; b < end; b++)
                if (p->list[b].who != p->list[b - 1].who)
                    t->shared[p->list[a].who * t->n + p->list[b].who]++;
        }
    }
}

static double larger(const gr_pair *p) {
    return p->part[0] > p->part[1] ? p->part[0] : p->part[1];
}

/* Returns how significant a pair is: a whole short text counts less than half of a long one. */
static double weight(const gr_pair *p) {
    return larger(p) * (double)p->shared;
}

static int by_likeness(const void *a, const void *b) {
    const gr_pair *x = a, *y = b;
    if (weight(x) != weight(y))
        return weight(x) > weight(y) ? -1 : 1;
    return x->who[0] != y->who[0] ? (x->who[0] < y->who[0] ? -1 : 1)
                                  : (x->who[1] < y->who[1] ? -1 : x->who[1] > y->who[1]);
}

static bool find_pairs(const table *t, double least, gr_similar *s) {
    for (size_t a = 0; a < t->n; a++)
        for (size_t b = a + 1; b < t->n; b++) {
            size_t shared = t->shared[a * t->n + b];
            if (shared < FEWEST)
                continue;
            gr_pair pair = {
                {a, b}, shared, {(double)shared / t->own[a], (double)shared / t->own[b]}, NULL, 0};
            if (larger(&pair) >= least && !WB_ADD(s->pairs, s->n, pair))
                return false;
        }
    if (s->n)
        qsort(s->pairs, s->n, sizeof s->pairs[0], by_likeness);
    return true;
}

/* ---- passages ------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const gr_passage *x = a, *y = b;
    return x->from[0] != y->from[0] ? x->from[0] - y->from[0] : x->from[1] - y->from[1];
}

/* Joins passages that touch in both texts. */
static void join_passages(gr_pair *pair) {
    size_t n = 0;
    gr_passage *p = pair->passages;
    if (!pair->n_passages)
        return;
    qsort(p, pair->n_passages, sizeof *p, by_place);
    for (size_t i = 1; i < pair->n_passages; i++) {
        bool joins = true;
        for (int k = 0; k < 2; k++)
            joins &= p[i].from[k] <= p[n].to[k] + 1 && p[i].to[k] + 1 >= p[n].from[k];
        if (!joins && n + 1 < MAX_PASSAGES) {
            p[++n] = p[i];
            continue;
        }
        for (int k = 0; joins && k < 2; k++) {
            p[n].from[k] = p[i].from[k] < p[n].from[k] ? p[i].from[k] : p[n].from[k];
            p[n].to[k] = p[i].to[k] > p[n].to[k] ? p[i].to[k] : p[n].to[k];
        }
    }
    pair->n_passages = n + 1;
}

/* Finds the pair's passages: the first fingerprint of each in every group with both. */
static bool find_passages(const prints *p, gr_pair *pair) {
    pair->passages = calloc(pair->shared + 1, sizeof *pair->passages);
    for (size_t i = 0, end; pair->passages && i < p->n; i = end) {
        const print *mine[2] = {NULL, NULL};
        end = group_end(p, i);
        for (size_t k = i; k < end; k++)
            for (int w = 0; w < 2; w++)
                if (p->list[k].who == pair->who[w] && !mine[w])
                    mine[w] = &p->list[k];
        if (mine[0] && mine[1] && pair->n_passages < pair->shared)
            pair->passages[pair->n_passages++] =
                (gr_passage){{mine[0]->from, mine[1]->from}, {mine[0]->to, mine[1]->to}};
    }
    if (pair->passages)
        join_passages(pair);
    return pair->passages != NULL;
}

bool gr_similar_find(const char *const *texts, size_t n, const char *starter, double least,
                     size_t most, gr_similar *similar) {
    prints all = {.n = 0}, common = {.n = 0};
    table t = {n, calloc(n * n + 1, sizeof *t.shared), calloc(n + 1, sizeof *t.own)};
    *similar = (gr_similar){.n = 0};
    for (size_t i = 0; i < n; i++)
        if (texts[i])
            winnow(texts[i], i, &all);
    if (starter)
        take_all(starter, &common);
    bool ok = !all.failed && !common.failed && t.shared && t.own;
    if (ok && all.n) {
        qsort(all.list, all.n, sizeof all.list[0], by_hash);
        drop_common(&all, &common, n);
        count_shared(&all, &t);
        ok = find_pairs(&t, least, similar);
    }
    for (size_t i = most; i < similar->n; i++)
        similar->pairs[i] = (gr_pair){.shared = 0};
    similar->n = similar->n < most ? similar->n : most;
    for (size_t i = 0; ok && i < similar->n; i++)
        ok = find_passages(&all, &similar->pairs[i]);
    WB_FREE(all.list, common.list, t.shared, t.own);
    return ok;
}

void gr_similar_free(gr_similar *similar) {
    for (size_t i = 0; i < similar->n; i++)
        free(similar->pairs[i].passages);
    free(similar->pairs);
    *similar = (gr_similar){.n = 0};
}
