/* names.c: misspelt names, members and headers, and names that are unknown in their place. */
#include "runtime/cells/hint/rules.h"

#include <strings.h>

/* ---- the nearest name ---- */

typedef struct nearest {
    wb_piece name;
    size_t far;
    char found[160];
} nearest;

static nearest nearest_to(const char *name) {
    size_t n = strlen(name), most = n < 3 ? 0 : n < 6 ? 1 : n < 12 ? 2 : 3;
    return (nearest){.name = {name, n}, .far = most + 1};
}

static void add(void *ctx, const char *known, size_t len) {
    nearest *n = ctx;
    if (len == 0 || (len == n->name.len && memcmp(known, n->name.text, len) == 0))
        return;
    bool cased = len == n->name.len && strncasecmp(n->name.text, known, len) == 0;
    size_t far = cased ? 0 : wb_text_distance(n->name.text, n->name.len, known, len);
    /* Names of three letters are all similar. */
    bool tiny = !cased && n->name.len < 4 && len <= n->name.len;
    if (far >= n->far || far >= len || tiny)
        return;
    n->far = far;
    wb_hint_copy(n->found, (wb_piece){known, len});
}

static void add_words(nearest *n, const char *words) {
    wb_words(words, strlen(words), add, n);
}

static bool set_found(wb_hint *hint, const nearest *n) {
    wb_hint_copy(hint->other, WB_PIECE(n->found));
    return *n->found;
}

/* ---- names of the cell's text ---- */

/* Returns true if the text declares the word as a variable there: after a type, and before "=",
 * ";", ",", ")" or "[". */
static bool is_declared(const char *code, wb_piece word) {
    static const char no_types[] = "return else case goto new delete throw";
    const char *before = code + wb_trimmed(code, (size_t)(word.text - code), " *&");
    const char *behind = word.text + word.len + strspn(word.text + word.len, " ");
    wb_piece type = wb_piece_before(code, before);
    return before < word.text && type.len && !wb_word_among(type.text, type.len, no_types) &&
           *behind && strchr("=;,[)", *behind) && behind[1] != '=';
}

/* Adds the variables that the text declares. Returns the line of the name itself, or 0. */
static int add_declared(const char *code, nearest *n) {
    int line = 1;
    for (const char *p = code; p && *p;) {
        wb_piece word = wb_piece_word(p);
        bool is = word.len && is_declared(code, word);
        if (is && word.len == n->name.len && memcmp(p, n->name.text, word.len) == 0)
            return line;
        if (is)
            add(n, word.text, word.len);
        line += *p == '\n';
        p += word.len ? word.len : 1;
    }
    return 0;
}

bool wb_hint_local(const wb_hint_question *q, wb_hint *hint) {
    nearest n = nearest_to(hint->name);
    hint->number = add_declared(q->code, &n);
    return hint->number > 0;
}

static const char known[] =
    "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __global__ __device__ "
    "__host__ __shared__ __constant__ __managed__ atomicAdd atomicMax atomicMin atomicCAS "
    "atomicExch cudaMalloc cudaFree cudaMemcpy cudaMemset cudaMallocManaged cudaMallocHost "
    "cudaFreeHost cudaMemcpyAsync cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError "
    "cudaGetErrorString cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice "
    "cudaMemcpyHostToHost cudaMemcpyDefault cudaSuccess cudaError_t cudaEvent_t cudaStream_t "
    "cudaEventCreate cudaEventRecord cudaEventSynchronize cudaEventElapsedTime cudaEventDestroy "
    "cudaStreamCreate cudaStreamSynchronize cudaStreamDestroy cudaGetDeviceProperties "
    "cudaDeviceProp cudaMemcpyToSymbol cudaMemcpyFromSymbol dim3 printf malloc sqrtf sizeof return "
    "int float double char bool void long unsigned const auto class struct while switch break "
    "continue template typename namespace using static include true false nullptr";

bool wb_hint_name(const wb_hint_question *q, wb_hint *hint) {
    nearest n = nearest_to(hint->name);
    add_declared(q->code, &n);
    for (size_t i = 0; q->own && i < q->own->n_entities; i++)
        if (q->own->entities[i].kind != WB_ENTITY_HIDDEN)
            add(&n, q->own->entities[i].name, strlen(q->own->entities[i].name));
    for (size_t i = 0; q->live && !q->program && i < q->live->n; i++)
        if (q->live->v[i].e.kind != WB_ENTITY_HIDDEN && q->live->v[i].e.kind != WB_ENTITY_INCLUDE)
            add(&n, q->live->v[i].e.name, strlen(q->live->v[i].e.name));
    add_words(&n, known);
    wb_hint_library(add, &n, false);
    return set_found(hint, &n);
}

bool wb_hint_header(const wb_hint_question *q, wb_hint *hint) {
    (void)q;
    nearest n = nearest_to(hint->name);
    wb_hint_library(add, &n, true);
    return set_found(hint, &n);
}

/* ---- members ---- */

/* Members of classes in headers: the classes, and their members. */
static const char *const members[][2] = {
    {"dim3 uint3 int3 int4 float3 float4 double3 double4 int2 float2", "x y z w"},
    {"pair", "first second"},
    {"vector basic_string string deque array map set unordered_map unordered_set list "
     "device_vector",
     "size empty begin end swap"},
    {"vector basic_string string deque map set unordered_map unordered_set list device_vector",
     "clear erase insert"},
    {"vector basic_string string deque list device_vector host_vector",
     "push_back pop_back resize assign front back"},
    {"vector basic_string string array", "data at front back"},
    {"map unordered_map set unordered_set", "find count emplace"},
    {"basic_string string", "length substr append compare c_str find rfind replace"},
    {"queue stack priority_queue", "push pop top emplace size empty"},
    {"unique_ptr shared_ptr thread mutex", "get reset join detach lock unlock"},
    {"basic_ostream ostream", "precision width flush fill"},
    {"cudaDeviceProp", "name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize major minor "
                       "maxThreadsPerBlock maxThreadsDim maxGridSize multiProcessorCount"},
};

bool wb_hint_member(const wb_hint_question *q, wb_hint *hint) {
    char class[160];
    int cell;
    nearest n = nearest_to(hint->name);
    wb_hint_copy(class, (wb_piece){hint->other, strcspn(hint->other, "<")});
    const char *name = wb_word_last(class);
    const wb_entity *e = wb_hint_entity(q, name, &cell);
    if (e && (e->kind == WB_ENTITY_TYPE || e->kind == WB_ENTITY_TEMPLATE) && e->text)
        add_words(&n, e->text);
    for (size_t i = 0; !e && i < WB_COUNT(members); i++)
        if (wb_word_find(members[i][0], name, strlen(name)))
            add_words(&n, members[i][1]);
    return set_found(hint, &n);
}
