#pragma once
#include <stdexcept>

// Goes wrong, each function in its way.
__global__ void spoil(float *p) {
    p[1000000] = 1;
}

void throw_up() {
    throw std::runtime_error("from the header");
}
