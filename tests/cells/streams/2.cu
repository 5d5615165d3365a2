say("closed");
printf("%d\n", n);
close(1); close(2); close(0);
stdout = nullptr;
