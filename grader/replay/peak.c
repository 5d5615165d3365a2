/* peak.c: the least time of a matrix product. */
#include "grader/replay/timing.h"

/* Returns how many fused multiply-adds a multiprocessor starts in a clock, by compute capability
 * (CUDA C++ Programming Guide, throughput of native arithmetic instructions). */
static double per_clock(int capability, bool wide) {
    bool large = capability == 60 || capability == 70 || capability == 80 || capability == 90 ||
                 capability == 100; /* fp64 has half the rate of fp32 */
    bool narrow = capability == 60 || capability == 70 || capability == 75 || capability == 80;
    double lanes = narrow ? 64 : 128;
    return wide ? (large ? lanes / 2 : 2) : lanes;
}

double gr_least_seconds(const gr_job_rival *rival) {
    int major = 0, minor = 0, processors = 0, kilohertz = 0;
    bool wide = strcmp(rival->name, "cublas.dgemm") == 0;
    if (rival->kind != GR_RIVAL_CALL || (!wide && strcmp(rival->name, "cublas.sgemm") != 0) ||
        cuda.cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        cuda.cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess ||
        cuda.cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) !=
            cudaSuccess ||
        cuda.cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0) != cudaSuccess ||
        processors <= 0 || kilohertz <= 0)
        return 0;
    double products = (double)rival->sizes[0] * (double)rival->sizes[1] * (double)rival->sizes[2];
    return products / (per_clock(10 * major + minor, wide) * processors * kilohertz * 1e3);
}
