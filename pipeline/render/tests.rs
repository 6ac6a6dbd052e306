mod meshes;
