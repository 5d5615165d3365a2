// says: line 4
// says: lv_n of line 2 exists only inside its { }
// ----
{
    int lv_n = 100;
}
__global__ void lv(int *a) { if (threadIdx.x < lv_n) a[threadIdx.x] = 1; }
