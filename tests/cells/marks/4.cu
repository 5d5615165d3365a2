__global__ void uv2(float *o) { Vec v; v.x = 4; *o = v.len() + hd(2) + dv(3) + tw(2) + below(1) + table[2]; }
KERNEL void uv3(float *o) { o[1] = dv(1); }
uv2<<<1, 1>>>(q); uv3<<<1, 1>>>(q); cudaDeviceSynchronize(); *q + q[1] + il(0)
