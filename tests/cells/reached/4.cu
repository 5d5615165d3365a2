*z = {1, 2};
square<<<1, 1>>>(z);
amplify();
printf("%g %g %g %g %d %d", z->re, z->im, p[0], p[2], refers(), tenfold());
printf(" %d %d %d %d %d %d\n", counts(), names(), held[0](), taken, boxed(), narrowed());
set_gain(9);
amplify();
printf("%g %g\n", p[0], p[2]);
