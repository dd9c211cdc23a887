"""3 Hierarchies: the level table and the tree, their editing and the builders."""
