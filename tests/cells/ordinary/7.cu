int table2[2][3] = {{1, 2, 3}, {4, 5, 6}};
int (&same)[2][3] = table2;
int (*rows)[3] = table2, extra = 4;
rows[1][0] + extra
