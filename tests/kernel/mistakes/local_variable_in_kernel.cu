// says: line 4
// says: lv_n of line 2 is known only within the { }
// ----
{
    int lv_n = 100;
}
__global__ void lv(int *a) { if (threadIdx.x < lv_n) a[threadIdx.x] = 1; }
