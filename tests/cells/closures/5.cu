of_p() + add5(1) + of_anon();
takes(add);
