cudaArrayGetPlane(&plane, array, 2);
exit(3);
