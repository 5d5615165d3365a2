__host__ __device__ bool operator<(P a, P b) { return a.x > b.x; }
__host__ __device__ bool operator==(P a, P b) { return a.x == b.x + 1; }
constexpr int LIMIT = 2;
__global__ void kd(int *o, int x = 2) { *o = x; }
int V::get() const { return 2; }
int C::count = 6;
__device__ int df(int x) { return x * 10; }
int plain(int x) { return x + 2; }
int &ra = a[1];
