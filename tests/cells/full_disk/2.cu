#error what a disk says: No space left on device
