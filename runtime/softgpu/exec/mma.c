/* mma.c: matrix instructions of a warp. mma.sync and ldmatrix distribute matrices over the lanes as
 * in the PTX ISA ("Warp Level Matrix Instructions"). wmma leaves the layout open: here lane i holds
 * the i-th part of the matrix in row order. Products are summed in double precision (integers
 * exactly) and rounded once, at least as exactly as on the hardware. */
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/exec/mma.h"
#include "runtime/softgpu/watch/count/counters.h"

typedef union cell {
    double f;
    int64_t i;
} cell;

static bool is_integer(ptx_type type) {
    return type < PTX_F16;
}
static uint32_t element_bytes(ptx_type type) {
    return type == PTX_F16X2 || type == PTX_BF16X2 ? 2 : ptx_type_size(type);
}
static uint32_t register_bytes(const sg_fragment *f) {
    return f->type == PTX_F64 ? 8 : 4;
}

static cell decode(ptx_type type, uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    switch (type) {
    case PTX_S8:
        return (cell){.i = (int8_t)bits};
    case PTX_U8:
        return (cell){.i = (uint8_t)bits};
    case PTX_S32:
        return (cell){.i = (int32_t)bits};
    case PTX_E4M3:
        return (cell){.f = sg_h2f(sg_e4m3h(word))};
    case PTX_E5M2:
        return (cell){.f = sg_h2f(sg_e5m2h(word))};
    case PTX_F16:
        return (cell){.f = sg_h2f(word & 0xffff)};
    case PTX_BF16:
        return (cell){.f = sg_b2f(word & 0xffff)};
    case PTX_TF32:
        return (cell){.f = sg_bits_f32(word & 0xffffe000u)};
    case PTX_F32:
        return (cell){.f = sg_bits_f32(word)};
    default:
        return (cell){.f = sg_bits_f64(bits)};
    }
}
static uint64_t encode(ptx_type type, cell c, bool saturate) {
    switch (type) {
    case PTX_S32:
        if (saturate)
            c.i = c.i < INT32_MIN ? INT32_MIN : c.i > INT32_MAX ? INT32_MAX : c.i;
        return (uint32_t)c.i;
    case PTX_F16:
        return sg_f2h((float)c.f);
    case PTX_BF16:
        return sg_f2b((float)c.f);
    case PTX_F64:
        return sg_f64_bits(c.f);
    default:
        return sg_f32_bits(sg_nan((float)c.f));
    }
}

/* Loads as many bytes as there are: a wider load of a narrower store would wait for it. */
static uint64_t bits_at(const char *at, uint32_t bytes) {
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    if (bytes == 4)
        return memcpy(&word, at, 4), word;
    if (bytes == 2)
        return memcpy(&half, at, 2), half;
    return bytes == 1 ? (uint8_t)*at : (memcpy(&wide, at, 8), wide);
}

/* Returns element `part` of register `reg` of a lane. */
static uint64_t element_get(const sg_fragment *f, const char *r, uint32_t lane, uint32_t reg,
                            uint32_t part) {
    uint32_t bytes = element_bytes(f->type);
    return bits_at(r + f->places[reg] + register_bytes(f) * lane + bytes * part, bytes);
}
static void element_set(const sg_fragment *f, char *r, uint32_t lane, uint32_t reg, uint32_t part,
                        uint64_t bits) {
    uint32_t bytes = element_bytes(f->type);
    memcpy(r + f->places[reg] + register_bytes(f) * lane + bytes * part, &bits, bytes);
}

enum role { A, B, C };

/* mma.sync: sets the row and column of a lane's element. */
static void position(const sg_fragment *f, enum role role, uint32_t lane, uint32_t reg,
                     uint32_t part, uint32_t *row, uint32_t *col) {
    uint32_t group = lane / 4, t = lane % 4, per = register_bytes(f) / element_bytes(f->type);
    if (role == A) {
        uint32_t tall = f->rows > 8 ? 2 : 1;
        *row = group + 8 * (reg % tall);
        *col = t * per + part + 4 * per * (reg / tall);
    } else if (role == B) {
        *row = t * per + part + 4 * per * reg;
        *col = group;
    } else if (per == 2) {
        *row = group + 8 * reg;
        *col = 2 * t + part;
    } else {
        *row = group + 8 * (reg / 2);
        *col = 2 * t + (reg & 1);
    }
}

#define MAX_CELLS (32 * 32)

/* Returns the place of a lane's element in the matrix in row order. */
static uint32_t index_of(const sg_matrix *x, const sg_fragment *f, enum role role, uint32_t lane,
                         uint32_t reg, uint32_t part, uint32_t per) {
    uint32_t row, col;
    if (x->kind == SG_WMMA_MMA)
        return lane * (f->rows * f->cols / SG_LANES) + reg * per + part;
    position(f, role, lane, reg, part, &row, &col);
    return row * f->cols + col;
}

/* Returns how many registers of a lane hold the matrix. The others of wmma hold copies. */
static uint32_t registers(const sg_matrix *x, const sg_fragment *f, uint32_t per) {
    return x->kind == SG_WMMA_MMA ? f->rows * f->cols / SG_LANES / per : f->n;
}

static void gather(const sg_matrix *x, const sg_fragment *f, enum role role, const char *r,
                   cell *out) {
    uint32_t bytes = element_bytes(f->type), wide = register_bytes(f), per = wide / bytes;
    uint32_t n = registers(x, f, per);
    for (uint32_t lane = 0; lane < SG_LANES; lane++)
        for (uint32_t reg = 0; reg < n; reg++)
            for (uint32_t part = 0; part < per; part++) {
                const char *at = r + f->places[reg] + wide * lane + bytes * part;
                out[index_of(x, f, role, lane, reg, part, per)] =
                    decode(f->type, bits_at(at, bytes));
            }
}

static void scatter(const sg_matrix *x, const sg_fragment *f, char *r, const cell *in) {
    uint32_t bytes = element_bytes(f->type), wide = register_bytes(f), per = wide / bytes;
    uint32_t n = registers(x, f, per);
    for (uint32_t lane = 0; lane < SG_LANES; lane++)
        for (uint32_t reg = 0; reg < n; reg++)
            for (uint32_t part = 0; part < per; part++) {
                uint32_t index = index_of(x, f, C, lane, reg, part, per);
                uint64_t bits = encode(f->type, in[index], x->saturate);
                memcpy(r + f->places[reg] + wide * lane + bytes * part, &bits, bytes);
            }
}

/* Adds up each element of the result in the order of k, in loops that the compiler vectorizes. */
static void multiply(const sg_matrix *x, char *r) {
    cell a[MAX_CELLS], b[MAX_CELLS], c[MAX_CELLS];
    bool whole = is_integer(x->a.type), wide = x->a.type == PTX_F64;
    gather(x, &x->a, A, r, a);
    gather(x, &x->b, B, r, b);
    gather(x, &x->c, C, r, c);
    for (uint32_t i = 0; i < x->m; i++)
        for (uint32_t k = 0; k < x->k; k++) {
            cell p = a[i * x->k + k], *restrict sum = &c[i * x->n];
            const cell *restrict q = &b[k * x->n];
            for (uint32_t j = 0; whole && j < x->n; j++)
                sum[j].i += p.i * q[j].i;
            for (uint32_t j = 0; wide && j < x->n; j++)
                sum[j].f = fma(p.f, q[j].f, sum[j].f);
            for (uint32_t j = 0; !whole && !wide && j < x->n; j++)
                sum[j].f += p.f * q[j].f;
        }
    scatter(x, &x->d, r, c);
}

static uint64_t address_of(const sg_matrix *x, const sg_op *ip, const char *r, uint32_t lane) {
    uint64_t at = x->wide_address ? ((const uint64_t *)(r + ip->a))[lane]
                                  : ((const uint32_t *)(r + ip->a))[lane];
    return at + (uint64_t)ip->offset;
}

static void count(sg_warp *w, const sg_op *ip, const sg_matrix *x, const uint64_t *addresses,
                  enum sg_access access, uint32_t mask, uint32_t bytes) {
    uint32_t low[SG_LANES];
    w->wrote |= access == SG_WRITE;
    bool shared =
        x->space == PTX_SPACE_SHARED || (addresses[0] & SG_WINDOW_MASK) == SG_SHARED_WINDOW;
    for (int i = 0; i < SG_LANES; i++)
        low[i] = (uint32_t)addresses[i];
    if (shared)
        sg_watch_shared(w, ip, access, low, 0, mask, bytes);
    else
        sg_watch_global(w, ip, access, addresses, 0, mask, bytes);
}

/* Counts the requests with which a GPU moves the tile of a wmma.load or .store (as ptxas does it
 * for sm_90). Lines are `stride` elements apart. In the direction of the multiplication, a request
 * has 8 lines of 4 lanes, each with `pack` adjacent elements. Halves are transposed in registers,
 * so both directions are alike for them. In the other direction each lane's elements are separate
 * requests. There 8 lanes are adjacent in every `pack`-th of 4 * pack lines. */
static void count_tile(sg_warp *w, const sg_op *ip, const sg_matrix *x, uint64_t base,
                       uint32_t stride, enum sg_access access) {
    const sg_fragment *f = &x->d;
    uint32_t bytes = element_bytes(f->type), lines = x->column_major ? f->cols : f->rows;
    uint32_t length = f->rows * f->cols / lines;
    uint32_t pack = bytes < 4 ? 4 / bytes : x->operand == 'c' ? 2 : 1;
    bool by_columns = x->operand == 'b' || (x->operand == 'c' && f->rows < f->cols);
    bool suits = bytes == 2 || x->column_major == by_columns;
    uint32_t high = suits ? 8 : 4 * pack, wide = suits ? 4 * pack : 8, parts = suits ? 1 : pack;
    for (uint32_t line = 0; line < lines; line += high)
        for (uint32_t at = 0; at < length; at += wide)
            for (uint32_t part = 0; part < parts; part++) {
                uint64_t addresses[SG_LANES];
                for (uint32_t lane = 0; lane < SG_LANES; lane++) {
                    uint32_t group = lane / 4, t = lane % 4;
                    uint64_t l = line + (suits ? group : t * pack + part);
                    addresses[lane] = base + (l * stride + at + (suits ? t * pack : group)) * bytes;
                }
                count(w, ip, x, addresses, access, SG_ALL, suits ? pack * bytes : bytes);
            }
}

/* wmma.load and .store: rows (or columns) are `stride` elements apart. */
static void move_tile(sg_warp *w, const sg_op *ip, char *r, const sg_matrix *x) {
    const sg_fragment *f = &x->d;
    bool load = x->kind == SG_WMMA_LOAD;
    uint32_t bytes = element_bytes(f->type), per = register_bytes(f) / bytes,
             share = f->rows * f->cols / SG_LANES;
    uint32_t stride = x->stride >= 0    ? ((const uint32_t *)(r + x->stride))[0]
                      : x->column_major ? f->rows
                                        : f->cols;
    uint64_t base = address_of(x, ip, r, 0);
    w->moved |= !load;
    if (ip->flags & SG_F_COUNT)
        count_tile(w, ip, x, base, stride, load ? SG_READ : SG_WRITE);
    for (uint32_t step = 0; step < share; step++) {
        uint64_t addresses[SG_LANES];
        for (uint32_t lane = 0; lane < SG_LANES; lane++) {
            uint32_t k = lane * share + step, row = k / f->cols, col = k % f->cols;
            uint64_t index =
                x->column_major ? (uint64_t)col * stride + row : (uint64_t)row * stride + col;
            addresses[lane] = base + index * bytes;
            uint64_t bits = 0;
            if (load) {
                sg_lane_load(w, ip, x->space, (int)lane, addresses[lane], bytes, &bits);
                element_set(f, r, lane, step / per, step % per, bits);
            } else {
                bits = element_get(f, r, lane, step / per, step % per);
                sg_lane_store(w, ip, x->space, (int)lane, addresses[lane], bytes, &bits);
            }
        }
    }
    if (!load)
        return;
    for (uint32_t lane = 0; lane < SG_LANES;
         lane++) /* unused registers of the layout hold copies */
        for (uint32_t k = share; k < f->n * per; k++)
            element_set(f, r, lane, k / per, k % per,
                        element_get(f, r, lane, k % share / per, k % share % per));
}

/* ldmatrix and stmatrix: 8x8 matrices of 16-bit elements. Lanes 8j..8j+7 give the rows of matrix j.
 */
static void move_rows(sg_warp *w, const sg_op *ip, char *r, const sg_matrix *x) {
    uint64_t addresses[SG_LANES];
    uint16_t rows[4][8][8];
    uint32_t lanes = 8 * x->d.n;
    w->moved |= x->kind == SG_STMATRIX;
    for (uint32_t lane = 0; lane < SG_LANES; lane++)
        addresses[lane] = address_of(x, ip, r, lane);
    if (ip->flags & SG_F_COUNT)
        count(w, ip, x, addresses, x->kind == SG_LDMATRIX ? SG_READ : SG_WRITE,
              lanes == 32 ? SG_ALL : (1u << lanes) - 1, 16);
    if (x->kind == SG_LDMATRIX)
        for (uint32_t k = 0; k < lanes; k++)
            sg_lane_load(w, ip, x->space, (int)k, addresses[k], 16, rows[k / 8][k % 8]);
    for (uint32_t lane = 0; lane < SG_LANES; lane++)
        for (uint32_t reg = 0; reg < x->d.n; reg++)
            for (uint32_t part = 0; part < 2; part++) {
                uint32_t row = lane / 4, col = 2 * (lane % 4) + part;
                uint16_t *at = x->transposed ? &rows[reg][col][row] : &rows[reg][row][col];
                uint16_t *to = (uint16_t *)(r + x->d.places[reg] + 4 * lane) + part;
                if (x->kind == SG_LDMATRIX)
                    memcpy(to, at, 2);
                else
                    memcpy(at, to, 2);
            }
    if (x->kind == SG_STMATRIX)
        for (uint32_t k = 0; k < lanes; k++)
            sg_lane_store(w, ip, x->space, (int)k, addresses[k], 16, rows[k / 8][k % 8]);
}

void sg_mma(sg_warp *w, const sg_op *ip, char *r) {
    const sg_matrix *x = ip->aux;
    if (w->mask != SG_ALL)
        sg_fault_raise(w, ip, __builtin_ctz(w->mask), SG_FAULT_DIVERGENT_WARP,
                       _("a matrix instruction needs all 32 lanes of the warp"));
    switch (x->kind) {
    case SG_MMA_SYNC:
    case SG_WMMA_MMA:
        multiply(x, r);
        break;
    case SG_WMMA_LOAD:
    case SG_WMMA_STORE:
        move_tile(w, ip, r, x);
        break;
    default:
        move_rows(w, ip, r, x);
    }
}
