int use() { return (int)doubled(8) + launch(); }
use()
