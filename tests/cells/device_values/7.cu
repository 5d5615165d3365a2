int h = 3;
cudaMemcpyToSymbol(counter, &h, sizeof h);
int *where;
cudaGetSymbolAddress((void **)&where, counter);
int got = 0;
cudaMemcpy(&got, where, sizeof got, cudaMemcpyDeviceToHost);
int &reference = counter;
int *address = &counter;
printf("%d %d\n", got, &reference == address);
counter
