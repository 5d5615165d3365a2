float *data, host[4];
cudaMalloc(&data, sizeof host);
fill<<<1, 4>>>(data, 1.5f);
apply<<<1, 4>>>(data);
__global__ void more(float *data, int *seen) {
    Pair p{weights[3]};
    data[threadIdx.x] += scale(1) + p.twice() + both(0);
    if (threadIdx.x == 0) *seen = counter + shared_with_host;
}
int *seen, got;
cudaMalloc(&seen, 4);
shared_with_host = 5;
more<<<1, 4>>>(data, seen);
cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
cudaMemcpy(&got, seen, 4, cudaMemcpyDeviceToHost);
printf("%.1f %d\n", host[2], got);
w[1] = 10;
cudaMemcpyToSymbol(weights, w, sizeof w);
int count;
cudaMemcpyFromSymbol(&count, counter, sizeof count);
apply<<<1, 4>>>(data);
cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
printf("%d %.1f %d\n", count, host[0], both(1));
