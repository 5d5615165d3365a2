same[0][1] = 20;
same[0][1] + rows[1][1] + table2[0][1]
