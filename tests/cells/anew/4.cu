printf("%d %d\n", helper(1), use(1));
int scale = helper(1) - 1, err = 50;
alias = 77;
printf("%d %d %d %d\n", scale, helper(1), use(1), early());
int S::later(int a) { return -a; }
scale = 3;
S().later(1) + helper(1)
