db += 10; MAX++; h = v2;
printf("%.1f %.0f %d %d %d %d\n", dx, add, db, MAX, ORIGIN, len);
h == nullptr

