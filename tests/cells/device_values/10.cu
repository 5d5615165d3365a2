__global__ void add() { counter += int(cc[1]) + made.x; }
add<<<1, 1>>>();
counter
