cout << dev(3);
