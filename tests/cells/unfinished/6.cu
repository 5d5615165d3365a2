int own = 7, late = 8;
uses