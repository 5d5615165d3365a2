namespace cg = cooperative_groups;
