#pragma unroll
for (int i = 0; i < 2; i++) printf("%d", FOO);
uses() + N
