where() == fixed && fixed[2] == 7 && sizeof fixed == 12
