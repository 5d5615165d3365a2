# softgpu's libcublas.so.13.

CUBLAS_MAP := runtime/softgpu/cublas/cublas.map
CUBLAS_LDFLAGS := -shared -Wl,-soname,libcublas.so.13 -Wl,--version-script=$(CUBLAS_MAP) \
    -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,now -Wl,-rpath,'$$ORIGIN'
