/** Adds the inode of a synced folder, so that the empty mount point of an unmounted disk is not mistaken for it. */
export const syncedRoots = {
  name: "synced-roots",
  sql: "ALTER TABLE synced_files ADD COLUMN root_inode TEXT;",
};
