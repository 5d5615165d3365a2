takes(add);
