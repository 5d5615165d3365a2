// left it has a variable of the device
__constant__ float factors[4];
