"""The list of CUDA's names (jupyter_kernel/help/cuda_names.py), from headers like CUDA's and from CUDA's own."""

import json
import sys

from raw_client import BUILD, ROOT

sys.path.insert(0, str(ROOT / "jupyter_kernel" / "help"))
from cuda_names import names_of  # noqa: E402

HEADER = r"""/* Copyright */
#ifndef X
#define extern_host extern
/**
 * \brief Allocate memory
 * on the device
 *
 * Allocates \p size bytes.
 */
extern __host__ __cudart_builtin__ cudaError_t CUDARTAPI cudaMalloc(void **devPtr,
                                      size_t size);
extern __host__ cudaError_t CUDARTAPI cudaLaunch(int n __dv(0), cudaStream_t s __dv(0));
CUBLASAPI cublasStatus_t CUBLASWINAPI cublasSscal_v2(cublasHandle_t handle, int n);
/** Kinds of copies */
enum __device_builtin__ cudaMemcpyKind
{
    cudaMemcpyHostToHost = 0, /**< Host -> Host */
    /**
     * The ::cudaError of it.
     */
    cudaErrorOne = 1, // among others, too
    cudaLast
};
int not_this(void);
#endif
"""
WANTED = [
    ("cudaMalloc", "cudaError_t cudaMalloc(void **devPtr, size_t size)", "Allocate memory on the device", "function"),
    ("cudaLaunch", "cudaError_t cudaLaunch(int n = 0, cudaStream_t s = 0)", "", "function"),
    ("cublasSscal", "cublasStatus_t cublasSscal(cublasHandle_t handle, int n)", "", "function"),
    ("cudaMemcpyHostToHost", "", "Host -> Host", "enumerator"),
    ("cudaErrorOne", "", "The cudaError of it.", "enumerator"),
    ("cudaLast", "", "", "enumerator"),
]


def test_a_header():
    assert list(names_of(HEADER)) == WANTED


def test_the_toolkit():
    names = json.loads((BUILD / "share" / "warpbook" / "cuda_names.json").read_text())
    assert len(names) > 1500 and [n[0] for n in names] == sorted({n[0] for n in names})
    found = {n[0]: n for n in names}
    assert found["cudaMalloc"][2] == "Allocate memory on the device" and found["cublasSgemm"][1].startswith("cublasStatus_t ")
    assert found["cudaMemcpyHostToDevice"][3] == "enumerator" and "rsqrtf" in found
