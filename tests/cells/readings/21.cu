misspelt(zzz);
