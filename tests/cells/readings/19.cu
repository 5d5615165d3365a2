Nodee * q;
