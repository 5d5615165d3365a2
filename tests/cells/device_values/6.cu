inc<<<1, 1>>>();
space::in
