/* include.c: finds the #include that a cell lacks, from the name that is unknown. */
#include "runtime/cells/hint/rules.h"

/* The headers of a namespace. "<file> a b" has a, b and its own name. A name with '*' matches all
 * that begin so. */
typedef struct headers {
    const char *scope, *prefix, *names;
} headers;

static const headers table[] = {
    {"std::", "",
     "<algorithm> sort stable_sort partial_sort nth_element is_sorted find find_if find_if_not "
     "count count_if transform copy copy_if copy_n fill fill_n generate generate_n reverse rotate "
     "shuffle unique remove remove_if replace replace_if max_element min_element minmax_element "
     "for_each all_of any_of none_of equal mismatch search lower_bound upper_bound binary_search "
     "equal_range merge partition clamp minmax sample next_permutation max min swap_ranges "
     "iter_swap lexicographical_compare <any> any_cast <array> <atomic> atomic_flag memory_order "
     "<bitset> <chrono> <complex> <condition_variable> <deque> <filesystem> <forward_list> "
     "<fstream> ifstream ofstream <functional> function bind plus minus multiplies divides less "
     "greater less_equal greater_equal negate placeholders mem_fn hash ref cref invoke <future> "
     "async promise packaged_task <iomanip> setw setprecision setfill setbase put_time get_time "
     "quoted <iostream> cout cin cerr clog endl fixed scientific hex boolalpha flush ostream "
     "istream <iterator> back_inserter inserter ostream_iterator istream_iterator advance distance "
     "<limits> numeric_limits <list> <map> multimap <memory> unique_ptr shared_ptr weak_ptr "
     "make_unique make_shared allocator <mutex> lock_guard unique_lock scoped_lock "
     "recursive_mutex call_once once_flag <numeric> iota accumulate reduce inner_product "
     "partial_sum adjacent_difference transform_reduce inclusive_scan exclusive_scan gcd lcm "
     "<optional> nullopt make_optional <queue> priority_queue <random> mt19937 mt19937_64 "
     "random_device default_random_engine uniform_real_distribution uniform_int_distribution "
     "normal_distribution bernoulli_distribution discrete_distribution poisson_distribution "
     "exponential_distribution minstd_rand <regex> smatch regex_match regex_search regex_replace "
     "<set> multiset <shared_mutex> shared_lock <sstream> stringstream ostringstream "
     "istringstream <stack> <stdexcept> runtime_error logic_error invalid_argument out_of_range "
     "domain_error length_error range_error overflow_error underflow_error <string> to_string "
     "stoi stol stoul stoll stof stod getline wstring <string_view> <thread> this_thread <tuple> "
     "make_tuple tie apply tuple_size <unordered_map> unordered_multimap <unordered_set> "
     "unordered_multiset <utility> pair make_pair swap exchange index_sequence <valarray> "
     "<variant> visit holds_alternative monostate <vector>"},
    {"cuda::", "cuda/",
     "<cmath> ceil_div round_up round_down ilog2 ilog10 ipow isqrt is_power_of_two <atomic> "
     "atomic_ref thread_scope* <barrier> memcpy_async aligned_size_t <pipeline> make_pipeline "
     "pipeline_* <semaphore> counting_semaphore binary_semaphore <latch> <functional> proclaim_* "
     "maximum minimum <iterator> counting_iterator transform_iterator <ptx>"},
    {"thrust::", "thrust/",
     "<device_vector.h> <host_vector.h> <sort.h> stable_sort sort_by_key <reduce.h> reduce_by_key "
     "<transform_reduce.h> <inner_product.h> <transform.h> <scan.h> inclusive_scan exclusive_scan "
     "<copy.h> copy_if copy_n <fill.h> fill_n <sequence.h> <count.h> count_if <extrema.h> "
     "max_element min_element <for_each.h> for_each_n <functional.h> plus multiplies maximum "
     "minimum greater less <execution_policy.h> device host seq cuda <device_ptr.h> "
     "device_pointer_cast raw_pointer_cast <iterator/counting_iterator.h> make_counting_iterator "
     "<iterator/transform_iterator.h> make_transform_iterator <iterator/zip_iterator.h> "
     "make_zip_iterator <unique.h> unique_by_key <random.h> default_random_engine "
     "uniform_real_distribution <remove.h> remove_if <reverse.h> <gather.h> <scatter.h> "
     "<generate.h> <binary_search.h> lower_bound upper_bound <find.h> <tuple.h> make_tuple"},
    {"", "",
     "<cublas_v2.h> cublas* CUBLAS_* <cufft.h> cufft* CUFFT_* <cusparse.h> cusparse* CUSPARSE_* "
     "<cusolverDn.h> cusolver* CUSOLVER_* <curand.h> curandGenerator_t curandCreateGenerator "
     "curandGenerate* CURAND_RNG_* <curand_kernel.h> curandState* curand_* curand "
     "<cooperative_groups.h> cooperative_groups <cub/cub.cuh> cub <cuda_bf16.h> __nv_bfloat16 "
     "__float2bfloat16 __bfloat162float <cuda_fp16.h> half half2 __half __half2 __float2half* "
     "__half2float* __hadd __hmul __hfma <mma.h> nvcuda <nvtx3/nvToolsExt.h> nvtx* <cfloat> "
     "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON <climits> INT_MAX INT_MIN UINT_MAX "
     "LONG_MAX LONG_MIN LLONG_MAX CHAR_BIT CHAR_MAX <cstdint> int8_t int16_t int32_t int64_t "
     "uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t <omp.h> omp_* <sys/time.h> "
     "gettimeofday <unistd.h> sleep usleep getpid getcwd <cuda_runtime.h> <cuda_runtime_api.h> "
     "<cuda.h> <device_launch_parameters.h> <helper_cuda.h> <assert.h> <math.h> <stdint.h> "
     "<stdio.h> <stdlib.h> <string.h> <time.h> <cassert> assert <cmath> <cstddef> <cstdio> "
     "<cstdlib> "
     "<cstring> <ctime> <exception> <ratio> <span> <type_traits>"},
};

/* Names that users hardly ever give to other things. */
static const char no_name_of_users[] =
    "cout|cin|cerr|endl|vector|string|to_string|unique_ptr|shared_ptr|make_unique|make_shared|setw|"
    "setprecision|ifstream|ofstream|stringstream|ostringstream|runtime_error|unordered_map|"
    "unordered_set|mt19937|numeric_limits|lock_guard|priority_queue|map|deque|make_pair|"
    "fixed|accumulate|iota|ostream|istream|make_tuple";

/* Finds the next blank-separated word at or after *at. */
static bool next_word(const char **at, wb_piece *word) {
    const char *p = *at + strspn(*at, " ");
    *word = (wb_piece){p, strcspn(p, " ")};
    *at = p + word->len;
    return word->len > 0;
}

/* Returns "sort" for "<sort.h>" and "<iterator/sort.h>". */
static wb_piece stem(wb_piece file) {
    const char *slash = memrchr(file.text, '/', file.len);
    const char *from = slash ? slash + 1 : file.text + 1;
    return wb_piece_word(from);
}

/* Writes the header with the name, such as "thrust/sort.h". */
static bool find_file(const headers *h, wb_piece name, char file[160]) {
    wb_piece word, header = {0};
    for (const char *at = h->names; next_word(&at, &word);) {
        bool is_header = *word.text == '<', begins = word.text[word.len - 1] == '*';
        header = is_header ? word : header;
        word = is_header ? stem(word) : word;
        word.len -= begins;
        if (name.len < word.len || memcmp(name.text, word.text, word.len) != 0 ||
            (!begins && name.len != word.len) || (is_header && !*h->scope))
            continue;
        snprintf(file, 160, "%s%.*s", h->prefix, (int)header.len - 2, header.text + 1);
        return true;
    }
    return false;
}

void wb_hint_library(void (*f)(void *ctx, const char *name, size_t len), void *ctx, bool wanted) {
    wb_piece word;
    char full[160];
    for (size_t i = 0; i < (wanted ? WB_COUNT(table) : 1); i++)
        for (const char *at = table[i].names; next_word(&at, &word);) {
            bool header = *word.text == '<';
            if (header && wanted)
                snprintf(full, sizeof full, "%s%.*s", table[i].prefix, (int)word.len - 2,
                         word.text + 1);
            else
                wb_hint_copy(full, header ? stem(word) : word);
            if (header >= wanted)
                f(ctx, full, strlen(full));
        }
}

/* Returns true if the cell, or with `live` an earlier one, has a line #include <file>. */
static bool includes(const wb_hint_question *q, const char *file, bool live) {
    char bracketed[200];
    snprintf(bracketed, sizeof bracketed, "<%s>", file);
    bool found = q->code && strstr(q->code, bracketed);
    for (size_t i = 0; live && q->live && !found && i < q->live->n; i++)
        found =
            q->live->v[i].e.kind == WB_ENTITY_INCLUDE && strstr(q->live->v[i].e.text, bracketed);
    return found;
}

/* Accepts "std::sort", "cuda::std::array", "thrust::sort", "cublasCreate" or "cub::BlockReduce". */
bool wb_hint_include(const wb_hint_question *q, wb_hint *hint) {
    char full[160];
    bool nested = strncmp(hint->name, "cuda::std::", 11) == 0;
    snprintf(full, sizeof full, "%s", hint->name + (nested ? 6 : 0));
    for (size_t i = 0; i < WB_COUNT(table); i++) {
        size_t n = strlen(table[i].scope);
        if (strncmp(full, table[i].scope, n) != 0 ||
            !find_file(&table[i], wb_piece_word(full + n), hint->other))
            continue;
        hint->name[(nested ? 6 : 0) + n + wb_word_length(full + n)] = '\0';
        if (nested) {
            snprintf(full, sizeof full, "cuda/std/%.100s", hint->other);
            wb_hint_copy(hint->other, WB_PIECE(full));
        }
        if (q->program && includes(q, hint->other, true))
            hint->kind = WB_HINT_PROGRAM_INCLUDE;
        return true;
    }
    return false;
}

/* Accepts a name of std:: without its namespace. */
bool wb_hint_std(const wb_hint_question *q, wb_hint *hint) {
    size_t n = strlen(hint->name);
    const char *listed = wb_word_find(no_name_of_users, hint->name, n);
    if (!listed || !find_file(&table[0], WB_PIECE(hint->name), hint->other))
        return false;
    if (includes(q, hint->other, !q->program))
        hint->kind = WB_HINT_STD_PREFIX;
    else if (q->program && includes(q, hint->other, true))
        hint->kind = WB_HINT_PROGRAM_INCLUDE;
    return true;
}
