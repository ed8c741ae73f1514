import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { loadSqliteInspection, type StoredUpload } from "../create-engine.js";
import { getErrorMessage } from "../errors.js";
import { formatCount } from "./columns.js";
import { type Check, ifDatabaseReadable } from "./doctor-checks.js";

const MAX_FILES = 10_000;
const MAX_NAMES = 3;
const FILES_AT_ONCE = 64;

/** Checks that the newest 10,000 uploaded files are in the directory, without reading them. */
export async function checkFiles(directory: string): Promise<Check> {
  const name = "files";
  const path = resolve(directory);
  const database = join(path, "lorebase.db");
  if (!(await exists(database))) return { name, status: "ok", found: "none yet" };
  const uploads = await ifDatabaseReadable(async () => {
    const { listStoredUploads } = await loadSqliteInspection();
    return listStoredUploads(database, MAX_FILES);
  });
  if ("problem" in uploads) return { name, ...uploads.problem };
  try {
    return { name, ...(await compareFiles(path, uploads.value)) };
  } catch (error) {
    const cure = "make the folder blobs readable for this user";
    return { name, status: "failed", found: getErrorMessage(error), cure };
  }
}

async function compareFiles(path: string, uploads: readonly StoredUpload[]): Promise<Omit<Check, "name">> {
  const missing: string[] = [];
  for (let start = 0; start < uploads.length; start += FILES_AT_ONCE) {
    const batch = uploads.slice(start, start + FILES_AT_ONCE);
    const found = await Promise.all(batch.map(({ key }) => exists(join(path, "blobs", key))));
    missing.push(...batch.filter((_, index) => !found[index]).map(({ fileName }) => fileName));
  }
  const checked = `${uploads.length === MAX_FILES ? "the newest " : ""}${formatCount(uploads.length, "file")}`;
  if (missing.length === 0) return { status: "ok", found: `${checked}, none missing` };
  const others = missing.length > MAX_NAMES ? `, and ${missing.length - MAX_NAMES} more` : "";
  const found = `of ${checked}, ${missing.length} missing: ${missing.slice(0, MAX_NAMES).join(", ")}${others}`;
  const cure = "restore them from a backup, or upload them again; lorebase check names their documents";
  return { status: "warning", found, cure };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
