run(); throw 5;
