int late = 8;
kernel<<<1, 1>>>(late);
late