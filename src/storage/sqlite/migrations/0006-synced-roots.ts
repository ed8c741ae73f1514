/** Adds the inode of a synced folder, so that the mount point of an unmounted disk isn't taken for an empty folder. */
export const syncedRoots = {
  name: "synced-roots",
  sql: "ALTER TABLE synced_files ADD COLUMN root_inode TEXT;",
};
