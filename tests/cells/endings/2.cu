printf("before ");
deep(0);
