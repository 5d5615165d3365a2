plain + early + harmless(constant) + before
