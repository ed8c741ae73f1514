/** Which folder it was that a file was last seen in, so that the mount point of a disk that is away is not taken for that folder emptied. */
export const syncedRoots = {
  name: "synced-roots",
  sql: "ALTER TABLE synced_files ADD COLUMN root_inode TEXT;",
};
