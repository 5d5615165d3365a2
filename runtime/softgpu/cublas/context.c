/* context.c: handles, their modes, names of the codes, and the begin and end of a call. */
#include "runtime/softgpu/cublas/blas.h"

#include <time.h>

enum { MAGIC = 0x77626c61, VERSION = 130100 };

struct cublasContext {
    unsigned magic;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
    int sm_target;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Writes "cublasSgemm" for "cublasSgemm_v2_64". */
static void plain_name(const char *function, char name[64]) {
    snprintf(name, 64, "%s", function);
    char *version = strstr(name, "_v2");
    if (version == NULL && (version = strstr(name, "_64")) == NULL)
        return;
    *version = '\0';
}

cublasStatus_t blas_fail(const char *function, cublasStatus_t status, const char *format, ...) {
    char text[1200], name[64];
    WB_FORMAT_INTO(text, format);
    plain_name(function, name);
    softgpu_note_error(
        name, status == CUBLAS_STATUS_NOT_SUPPORTED ? cudaErrorNotSupported : cudaErrorInvalidValue,
        text);
    return status;
}

int blas_unsupported(const char *function) {
    char name[64];
    plain_name(function, name);
    return (int)blas_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                          _("%s is not supported by softgpu's cuBLAS"), name);
}

static cublasStatus_t check_handle(const char *function, cublasHandle_t handle) {
    return handle != NULL && handle->magic == MAGIC
               ? CUBLAS_STATUS_SUCCESS
               : blas_fail(function, CUBLAS_STATUS_NOT_INITIALIZED,
                           _("the handle is not one of cublasCreate"));
}

cublasStatus_t blas_begin(blas_call *call, const char *function, cublasHandle_t handle) {
    BLAS_TRY(check_handle(function, handle));
    if (softgpu_sticky(function) != 0)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    char name[64];
    plain_name(function, name);
    if (softgpu_refuse_captured(name, handle->stream) != 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    *call = (blas_call){function, now()};
    softgpu_open();
    return CUBLAS_STATUS_SUCCESS;
}

void blas_release(blas_call *call) {
    if (call->function != NULL)
        softgpu_close();
}

cublasStatus_t blas_end(const blas_call *call) {
    char name[64], row[80];
    plain_name(call->function, name);
    snprintf(row, sizeof row, "%s (reference)", name);
    softgpu_note_launch(row, now() - call->start);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    if (handle == NULL)
        BLAS_INVALID(_("the pointer to write to is NULL"));
    const char *threads = getenv("WARPBOOK_SOFTGPU_THREADS");
    if (threads != NULL && atoi(threads) > 0)
        openblas_set_num_threads(atoi(threads));
    *handle = calloc(1, sizeof **handle);
    if (*handle == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->magic = MAGIC;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    BLAS_TRY(check_handle(__func__, handle));
    handle->magic = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

/* A setter and a getter of one field of the handle. */
#define FIELD(set, get, type, field)                                                               \
    cublasStatus_t set(cublasHandle_t handle, type value) {                                        \
        BLAS_TRY(check_handle(__func__, handle));                                                  \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t get(cublasHandle_t handle, type *value) {                                       \
        BLAS_TRY(check_handle(__func__, handle));                                                  \
        if (value == NULL)                                                                         \
            BLAS_INVALID(_("the pointer to write to is NULL"));                                    \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
FIELD(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
FIELD(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
FIELD(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode)
FIELD(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode)
FIELD(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_target)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
    (void)workspace, (void)bytes; /* none is needed */
    BLAS_TRY(check_handle(__func__, handle));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
    (void)handle; /* NULL is allowed */
    if (version == NULL)
        BLAS_INVALID(_("the pointer to write to is NULL"));
    *version = VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
    if (value == NULL || (unsigned)type > PATCH_LEVEL)
        BLAS_INVALID(_("property %d is not known"), (int)type);
    *value = type == MAJOR_VERSION   ? VERSION / 10000
             : type == MINOR_VERSION ? VERSION / 100 % 100
                                     : VERSION % 100;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void) {
    return CUDART_VERSION;
}

/* ---- names -------------------------------------------------------------------------------- */

#define STATUSES(ROW)                                                                              \
    ROW(SUCCESS, "success")                                                                        \
    ROW(NOT_INITIALIZED, "the library was not initialized")                                        \
    ROW(ALLOC_FAILED, "the resource allocation failed")                                            \
    ROW(INVALID_VALUE, "an unsupported value or parameter was passed to the function")             \
    ROW(ARCH_MISMATCH, "the device does not support this operation")                               \
    ROW(MAPPING_ERROR, "an access to GPU memory space failed")                                     \
    ROW(EXECUTION_FAILED, "the GPU program failed to execute")                                     \
    ROW(INTERNAL_ERROR, "an internal operation failed")                                            \
    ROW(NOT_SUPPORTED, "the functionality requested is not supported")                             \
    ROW(LICENSE_ERROR, "the functionality requested requires a license")

const char *cublasGetStatusName(cublasStatus_t status) {
#define NAME(name, text) status == CUBLAS_STATUS_##name ? "CUBLAS_STATUS_" #name:
    return STATUSES(NAME) "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublasStatus_t status) {
#define TEXT(name, text) status == CUBLAS_STATUS_##name ? text:
    return STATUSES(TEXT) "unknown status";
}
