float pi(M_PI);
