printf("%d %d\n", holder3(), object3->get());
