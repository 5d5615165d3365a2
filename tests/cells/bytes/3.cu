throw "caf\xe9";
