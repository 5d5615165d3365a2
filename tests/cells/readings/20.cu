misspelt(a);
