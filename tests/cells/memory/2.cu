std::vector<int> small(1000, kept + 1);
for (char *p : held)
    delete[] p;
held.clear();
small[999]
