/* hint_include.c: which #include a cell lacks, by the names that the compiler does not know. */
#include "runtime/cells/hint/hint_include.h"
#include "runtime/base/words.h"

#include <string.h>

typedef struct header {
    const char *file, *names;
} header;

static const header of_std[] = {
    {"algorithm",
     "sort stable_sort partial_sort nth_element is_sorted find find_if find_if_not count "
     "count_if transform copy copy_if copy_n fill fill_n generate generate_n reverse "
     "rotate shuffle unique remove remove_if replace replace_if max_element min_element "
     "minmax_element for_each all_of any_of none_of equal mismatch search lower_bound "
     "upper_bound binary_search equal_range merge partition clamp minmax sample "
     "next_permutation max min swap_ranges iter_swap lexicographical_compare"},
    {"any", "any any_cast"},
    {"array", "array"},
    {"atomic", "atomic atomic_flag memory_order"},
    {"bitset", "bitset"},
    {"chrono", "chrono"},
    {"complex", "complex"},
    {"condition_variable", "condition_variable"},
    {"deque", "deque"},
    {"filesystem", "filesystem"},
    {"forward_list", "forward_list"},
    {"fstream", "fstream ifstream ofstream"},
    {"functional",
     "function bind plus minus multiplies divides less greater less_equal greater_equal "
     "negate placeholders mem_fn hash ref cref invoke"},
    {"future", "future async promise packaged_task"},
    {"iomanip", "setw setprecision setfill setbase put_time get_time quoted"},
    {"iostream", "cout cin cerr clog endl fixed scientific hex boolalpha flush ostream istream"},
    {"iterator", "back_inserter inserter ostream_iterator istream_iterator advance distance"},
    {"limits", "numeric_limits"},
    {"list", "list"},
    {"map", "map multimap"},
    {"memory", "unique_ptr shared_ptr weak_ptr make_unique make_shared allocator"},
    {"mutex", "mutex lock_guard unique_lock scoped_lock recursive_mutex call_once once_flag"},
    {"numeric",
     "iota accumulate reduce inner_product partial_sum adjacent_difference transform_reduce "
     "inclusive_scan exclusive_scan gcd lcm"},
    {"optional", "optional nullopt make_optional"},
    {"queue", "queue priority_queue"},
    {"random", "mt19937 mt19937_64 random_device default_random_engine uniform_real_distribution "
               "uniform_int_distribution normal_distribution bernoulli_distribution "
               "discrete_distribution poisson_distribution exponential_distribution minstd_rand"},
    {"regex", "regex smatch regex_match regex_search regex_replace"},
    {"set", "set multiset"},
    {"shared_mutex", "shared_mutex shared_lock"},
    {"sstream", "stringstream ostringstream istringstream"},
    {"stack", "stack"},
    {"stdexcept",
     "runtime_error logic_error invalid_argument out_of_range domain_error length_error "
     "range_error overflow_error underflow_error"},
    {"string", "string to_string stoi stol stoul stoll stof stod getline wstring"},
    {"string_view", "string_view"},
    {"thread", "thread this_thread"},
    {"tuple", "tuple make_tuple tie apply tuple_size"},
    {"unordered_map", "unordered_map unordered_multimap"},
    {"unordered_set", "unordered_set unordered_multiset"},
    {"utility", "pair make_pair swap exchange index_sequence"},
    {"valarray", "valarray"},
    {"variant", "variant visit holds_alternative monostate"},
    {"vector", "vector"},
};

/* Of those, the ones that are hardly a name of the user's own. */
static const char no_name_of_users[] =
    "cout cin cerr endl vector string to_string unique_ptr shared_ptr make_unique make_shared "
    "setw setprecision ifstream ofstream stringstream ostringstream runtime_error unordered_map "
    "unordered_set mt19937 numeric_limits lock_guard priority_queue map deque make_pair";

/* Names of their own; one that ends with '*' stands for all that begin so. */
static const header of_all[] = {
    {"cublas_v2.h", "cublas* CUBLAS_*"},
    {"cufft.h", "cufft* CUFFT_*"},
    {"cusparse.h", "cusparse* CUSPARSE_*"},
    {"cusolverDn.h", "cusolver* CUSOLVER_*"},
    {"curand.h", "curandGenerator_t curandCreateGenerator curandGenerate* CURAND_RNG_*"},
    {"curand_kernel.h", "curandState* curand_* curand"},
    {"cooperative_groups.h", "cooperative_groups"},
    {"cub/cub.cuh", "cub"},
    {"cuda/atomic", "cuda"},
    {"cuda_bf16.h", "__nv_bfloat16 __float2bfloat16 __bfloat162float"},
    {"cuda_fp16.h", "half half2 __half __half2 __float2half* __half2float* __hadd __hmul __hfma"},
    {"mma.h", "nvcuda"},
    {"nvtx3/nvToolsExt.h", "nvtx*"},
    {"cfloat", "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON"},
    {"climits", "INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN LLONG_MAX CHAR_BIT CHAR_MAX"},
    {"cstdint",
     "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t"},
    {"omp.h", "omp_*"},
    {"sys/time.h", "gettimeofday"},
    {"unistd.h", "sleep usleep getpid getcwd"},
};

/* What stands behind "thrust::" decides. */
static const header of_thrust[] = {
    {"thrust/device_vector.h", "device_vector"},
    {"thrust/host_vector.h", "host_vector"},
    {"thrust/sort.h", "sort stable_sort sort_by_key"},
    {"thrust/reduce.h", "reduce reduce_by_key"},
    {"thrust/transform_reduce.h", "transform_reduce"},
    {"thrust/inner_product.h", "inner_product"},
    {"thrust/transform.h", "transform"},
    {"thrust/scan.h", "inclusive_scan exclusive_scan"},
    {"thrust/copy.h", "copy copy_if copy_n"},
    {"thrust/fill.h", "fill fill_n"},
    {"thrust/sequence.h", "sequence"},
    {"thrust/count.h", "count count_if"},
    {"thrust/extrema.h", "max_element min_element"},
    {"thrust/for_each.h", "for_each for_each_n"},
    {"thrust/functional.h", "plus multiplies maximum minimum greater less"},
    {"thrust/execution_policy.h", "device host seq cuda"},
    {"thrust/device_ptr.h", "device_ptr device_pointer_cast raw_pointer_cast"},
    {"thrust/iterator/counting_iterator.h", "counting_iterator make_counting_iterator"},
    {"thrust/iterator/zip_iterator.h", "zip_iterator make_zip_iterator"},
    {"thrust/unique.h", "unique unique_by_key"},
    {"thrust/random.h", "default_random_engine uniform_real_distribution"},
};

typedef struct name {
    const char *text;
    size_t len;
} name;

/* Whether the blank-separated list has the name. */
static bool lists(const char *list, name what) {
    for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ') {
        size_t n = strcspn(p, " ");
        bool begins = p[n - 1] == '*';
        n -= begins;
        if (what.len >= n && memcmp(p, what.text, n) == 0 && (begins || what.len == n))
            return true;
    }
    return false;
}

static const char *file_of(const header *headers, size_t n, name what) {
    for (size_t i = 0; i < n && what.len; i++)
        if (lists(headers[i].names, what))
            return headers[i].file;
    return NULL;
}

/* The word at the compiler's caret: the excerpt is a line, and blanks and a caret below it. */
static name at_caret(const char *excerpt) {
    const char *below = excerpt ? strchr(excerpt, '\n') : NULL;
    size_t at = below ? strspn(below + 1, " ") : 0;
    if (!below || below[1 + at] != '^' || at >= (size_t)(below - excerpt))
        return (name){"", 0};
    return (name){excerpt + at, wb_word_length(excerpt + at)};
}

/* The name between `head` and `tail` in the compiler's text. */
static name between(const char *text, const char *head, const char *tail) {
    size_t n = strlen(head), len;
    if (strncmp(text, head, n) != 0)
        return (name){"", 0};
    len = wb_word_length(text + n);
    return strncmp(text + n + len, tail, strlen(tail)) == 0 ? (name){text + n, len} : (name){"", 0};
}

static char *suggest(const char *scope, name what, const char *file) {
    return wb_format("%s%.*s needs the line #include <%s>, which stays for later cells.", scope,
                     (int)what.len, what.text, file);
}

static char *member_of_std(const char *text, const char *excerpt) {
    name what = between(text, "namespace \"std\" has no member \"", "\"");
    if (!what.len)
        what = between(text, "incomplete type \"std::", "<");
    if (!what.len && strstr(text, "must be a class or namespace name")) {
        name word = at_caret(excerpt);
        if (word.text > excerpt + 5 && memcmp(word.text - 5, "std::", 5) == 0)
            what = word;
    }
    const char *file = file_of(of_std, WB_COUNT(of_std), what);
    return file ? suggest("std::", what, file) : NULL;
}

static char *unqualified(const char *text) {
    name what = between(text, "identifier \"", "\" is undefined");
    if (!what.len && strstr(text, " is not a template"))
        what = between(text, "", " is not a template");
    if (!what.len)
        return NULL;
    const char *file = file_of(of_all, WB_COUNT(of_all), what);
    if (file)
        return suggest("", what, file);
    file = lists(no_name_of_users, what) ? file_of(of_std, WB_COUNT(of_std), what) : NULL;
    return file ? wb_format("%.*s is std::%.*s, which needs the line #include <%s>; the short "
                            "name takes \"using namespace std;\", too.",
                            (int)what.len, what.text, (int)what.len, what.text, file)
                : NULL;
}

/* "thrust::device_vector", "cub::...", "namespace cg = cooperative_groups" */
static char *unknown_namespace(const char *text, const char *excerpt) {
    name what = at_caret(excerpt);
    if (!what.len || !(strstr(text, "namespace name") || strstr(text, "no storage class") ||
                       strstr(text, "is undefined")))
        return NULL;
    if (what.len == 6 && memcmp(what.text, "thrust", 6) == 0 &&
        strncmp(what.text + 6, "::", 2) == 0) {
        name member = {what.text + 8, wb_word_length(what.text + 8)};
        const char *file = file_of(of_thrust, WB_COUNT(of_thrust), member);
        return file ? suggest("thrust::", member, file)
                    : wb_format("thrust:: needs lines #include <thrust/...>, one for each of its "
                                "parts.");
    }
    bool scope = strncmp(what.text + what.len, "::", 2) == 0 || strstr(text, "namespace name");
    const char *file = scope ? file_of(of_all, WB_COUNT(of_all), what) : NULL;
    return file ? suggest("", what, file) : NULL;
}

char *wb_hint_include(const char *text, const char *excerpt) {
    char *hint = member_of_std(text, excerpt);
    hint = hint ? hint : unqualified(text);
    return hint ? hint : unknown_namespace(text, excerpt);
}
