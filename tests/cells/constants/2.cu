int sized[n + grid[1][0] + arr[1] + a::t[0] + origin.x];
static_assert(table[1] == 2 && second[1] == 5 && square(four) == 16);
printf("%d %d %d %d %d\n", int(&n - pn), int(&d - pd), int(table - p0), int(second - p1), int(&origin - po));
printf("%d %d %d %d %d %d\n", int(a::t - pt), int(word - pw), int(arr.data() - pa), int(names - pnames), int(grid[1] - pg), !none);
__global__ void k(int *p) {
    __shared__ int b[n];
    b[0] = n + (int)d + four;
    constexpr int z = table[1] + origin.y;
    *p = b[0] + z;
}
int *p;
cudaMallocManaged(&p, 4);
k<<<1, 1>>>(p);
cudaDeviceSynchronize();
*p + more[1] + sizeof sized / sizeof *sized
