#if 1
__global__ void plain2(float *p) { p[1] = 5; }
#else
this is not read
#endif
#ifdef NOWHERE
printf("no\n");
#endif
for (int i = 0; i < 2; i++) {
    plain2<<<1, 1>>>(p);
}
{
    float first;
    cudaMemcpy(&first, p + 1, 4, cudaMemcpyDeviceToHost);
    printf("%.0f\n", first);
}
auto [q, r] = div(7, 2);
q > 2 ? "yes" : "no"
