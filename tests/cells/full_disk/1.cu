int only_in_a_full_place = 4712;
only_in_a_full_place + 1
