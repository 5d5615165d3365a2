/* frontend_host.h: what CUDA's headers give to the host where nvcc reads them, and to the device
 * alone where clang does: min and max of numbers, as crt/math_functions.hpp has them. */
#ifndef WARPBOOK_FRONTEND_HOST_H
#define WARPBOOK_FRONTEND_HOST_H

#define WB_MIN_MAX(R, A, B)                                                                        \
    inline __attribute__((host)) R min(const A a, const B b) {                                     \
        return static_cast<R>(b) < static_cast<R>(a) ? static_cast<R>(b) : static_cast<R>(a);      \
    }                                                                                              \
    inline __attribute__((host)) R max(const A a, const B b) {                                     \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a);      \
    }
#define WB_MIN_MAX_SIGNS(S, U)                                                                     \
    WB_MIN_MAX(S, S, S) WB_MIN_MAX(U, U, U) WB_MIN_MAX(U, S, U) WB_MIN_MAX(U, U, S)
WB_MIN_MAX_SIGNS(int, unsigned int)
WB_MIN_MAX_SIGNS(long int, unsigned long int)
WB_MIN_MAX_SIGNS(long long int, unsigned long long int)
#undef WB_MIN_MAX_SIGNS
#undef WB_MIN_MAX

#define WB_MIN_MAX(R, A, B)                                                                        \
    inline __attribute__((host)) R min(const A a, const B b) {                                     \
        return __builtin_fmin(static_cast<double>(a), static_cast<double>(b));                     \
    }                                                                                              \
    inline __attribute__((host)) R max(const A a, const B b) {                                     \
        return __builtin_fmax(static_cast<double>(a), static_cast<double>(b));                     \
    }
inline __attribute__((host)) float min(const float a, const float b) {
    return __builtin_fminf(a, b);
}
inline __attribute__((host)) float max(const float a, const float b) {
    return __builtin_fmaxf(a, b);
}
WB_MIN_MAX(double, double, double)
WB_MIN_MAX(double, float, double)
WB_MIN_MAX(double, double, float)
#undef WB_MIN_MAX

#endif
