#undef c
#undef cc
#undef sq
#undef x
#undef q
#undef dv
#undef n
#undef T
#undef green
#undef A
#undef Colour
#undef add
Colour e = green;
int one = 1;
T t{8, &one};
writes<<<1, 1>>>(p);
cudaDeviceSynchronize();
__global__ void again(int *p) { *p += plus_dv(1) + dv; }
again<<<1, 1>>>(p);
cudaDeviceSynchronize();
sq(3) + c + cc + t.get() + plus_c(1) + e + n + add(2) + *p
