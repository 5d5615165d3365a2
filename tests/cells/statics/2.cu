printf("%d %d %d %d %d %d %d %d\n", f(0), f(0.), counter<int>++, C<int>::n++, C<int>::m++, C<float>::n++, C<int>().next(), V().next());
printf("%d %d %d %d %d %d %s\n", V().a(), nexta(), nexts(), local(0), ns::i++, ns::A<int>::m++, log_of<int>().name.c_str());
log_of<int>().name += V::log.name;
sets<3><<<1, 1, 60000>>>(set);
cudaDeviceSynchronize();
printf("%d %d %d %d %d %d %d\n", fp == &f<int>, table[0] == boxed<int>, fp == table[1], member == &D<int>::get, one == D<int>::one, kernel == sets<3>, *set);
boxed(0)
