// The tile's size is known at the launch alone.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern __shared__ float tile[];
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int rows, int cols, int side) {
    cg::thread_block block = cg::this_thread_block();
    int x = block.thread_index().x, y = block.thread_index().y, pitch = side + 1;
    int c = block.group_index().x * side + x, r = block.group_index().y * side + y;
    if (r < rows && c < cols)
        tile[y * pitch + x] = in[r * cols + c];
    block.sync();
    c = block.group_index().x * side + y;
    r = block.group_index().y * side + x;
    if (r < rows && c < cols)
        out[c * rows + r] = tile[x * pitch + y];
}
void solve(const float *in, float *out, int rows, int cols) {
    const int side = 32;
    dim3 threads(side, side), blocks((cols + side - 1) / side, (rows + side - 1) / side);
    transpose<<<blocks, threads, side * (side + 1) * sizeof(float)>>>(in, out, rows, cols, side);
}
