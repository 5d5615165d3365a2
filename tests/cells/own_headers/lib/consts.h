#pragma once
#ifndef SCALE
#define SCALE 1
#endif
constexpr int kTwo = 2;
const float kPi = 3.14f;
enum Color { RED, GREEN };
extern "C" {
int c_counter = 5;
int c_next(void) {
    return c_counter++;
}
}
