factor = 2;
for (int k = 0; k < 2; k++)
    printf("%d\n", sum([=] __device__(int i) { return i * k + factor; }));
{
    int inside = total;
    printf("%d\n", sum([=] __host__ __device__(int i) { return i + inside; }));
}
sum([] __device__(int i) { return i; })
