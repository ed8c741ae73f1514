import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { loadSqliteInspection, type OpenedDatabase } from "../create-engine.js";
import { INSTALL_OCR } from "../domain/text-recognition.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { S3BlobStore } from "../index.js";
import { formatCount } from "./columns.js";

/** The result of one check. `warning` means that a feature is limited, `failed` that no knowledge base can run. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly found: string;
  /** How to fix the problem. */
  readonly cure?: string;
}

const MIN_NODE_VERSION = "20.19.0";
const MIN_FREE_DISK_BYTES = 500e6;
// The variable keeps onnxruntime-node's install script from downloading CUDA files, which fails behind many proxies.
const INSTALL_TRANSFORMERS = "ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers";

export async function checkNode(): Promise<Check> {
  const found = process.versions.node;
  if (isAtLeast(found, MIN_NODE_VERSION)) return { name: "Node", status: "ok", found };
  return { name: "Node", status: "failed", found, cure: `install Node ${MIN_NODE_VERSION} or later` };
}

export async function checkSqlite(inspection: Promise<OpenedDatabase>): Promise<Check> {
  const name = "SQLite";
  try {
    const { driver, sqliteVersion, problem } = await inspection;
    const found = `${sqliteVersion} (${driver})`;
    if (problem === null) return { name, status: "ok", found };
    return { name, status: "warning", found: `${found}: ${problem.cause}`, cure: problem.fix };
  } catch (error) {
    // The message contains the fix.
    return { name, status: "failed", found: getErrorMessage(error) };
  }
}

export async function checkSqliteVec(inspection: Promise<OpenedDatabase>): Promise<Check> {
  const name = "sqlite-vec";
  const version = await inspection.then(
    ({ sqliteVecVersion }) => sqliteVecVersion,
    () => undefined,
  );
  if (version === undefined) return { name, status: "warning", found: "not checked, because SQLite cannot be used" };
  if (version !== null) return { name, status: "ok", found: version };
  const found =
    "the binary for this platform was not loaded: searches of small scopes run in JavaScript, several times slower";
  return { name, status: "warning", found, cure: "npm install sqlite-vec, with optional dependencies" };
}

/** Checks that the package is installed, without loading it. */
export async function checkTransformers(): Promise<Check> {
  const name = "transformer models";
  try {
    const entry = createRequire(import.meta.url).resolve("@huggingface/transformers");
    return { name, status: "ok", found: `@huggingface/transformers ${await findPackageVersion(entry)}` };
  } catch {
    const found =
      "@huggingface/transformers is not installed (optional packages were skipped, or its install script failed): " +
      "new namespaces use the built-in static embedder, and transformers rerankers fail";
    return { name, status: "warning", found, cure: INSTALL_TRANSFORMERS };
  }
}

/** Checks that the OCR packages are installed and that no document was ingested without them. */
export async function checkTextRecognition(directory: string): Promise<Check> {
  const name = "text recognition";
  const version = await findTextRecognitionVersion();
  const counted = await ifDatabaseReadable(() => countDocumentsWithoutText(join(resolve(directory), "lorebase.db")));
  if ("problem" in counted) return { name, ...counted.problem };
  const documents = counted.value;
  const affected =
    documents === 0 ? "" : `; ${formatCount(documents, "stored document")} without the text of scanned pages`;
  const reingest = "sync their folders, or ingest their jobs again (lorebase jobs reingest)";
  if (version === null) {
    const found = `not installed: scanned pages of PDFs get no text, and image files fail${affected}`;
    return { name, status: "warning", found, cure: documents === 0 ? INSTALL_OCR : `${INSTALL_OCR}, then ${reingest}` };
  }
  const found = `tesseract.js-core ${version}${affected}`;
  return documents === 0 ? { name, status: "ok", found } : { name, status: "warning", found, cure: reingest };
}

/** The result of reading a database, or what is wrong with it. */
type ReadResult<Value> = { readonly value: Value } | { readonly problem: Omit<Check, "name"> };

/** Reads a database file, which may be damaged or belong to somebody else. */
export async function ifDatabaseReadable<Value>(read: () => Promise<Value>): Promise<ReadResult<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    // The check of SQLite itself says why.
    if (KnowledgeBaseError.is(error, "unsupported"))
      return { problem: { status: "warning", found: "not checked, because SQLite cannot be used" } };
    const found = `not checked, because lorebase.db cannot be read: ${getErrorMessage(error)}`;
    const cure = "make it readable for this user; if it is damaged, run lorebase check, which says what to do";
    return { problem: { status: "failed", found, cure } };
  }
}

/** Returns `null` if the package or its English model is not installed. */
async function findTextRecognitionVersion(): Promise<string | null> {
  const { resolve: find } = createRequire(import.meta.url);
  try {
    find("@tesseract.js-data/eng/package.json");
    return await findPackageVersion(find("tesseract.js-core/package.json"));
  } catch {
    return null;
  }
}

async function countDocumentsWithoutText(file: string): Promise<number> {
  if (!(await stat(file).catch(() => null))) return 0;
  const { countDocumentsWithWarning } = await loadSqliteInspection();
  return countDocumentsWithWarning(file, INSTALL_OCR);
}

export async function checkModels(directory: string): Promise<Check> {
  const models = resolve(directory, "models");
  const found = await readdir(models, { recursive: true }).catch(() => []);
  const count = found.filter((path) => path.endsWith(".onnx")).length;
  const summary = count === 0 ? "none yet; a model is downloaded when it is first used" : `${count} model files`;
  return { name: "models", status: "ok", found: `${models} (${summary})` };
}

export async function checkDirectory(directory: string): Promise<Check> {
  const path = resolve(directory);
  const database = await stat(join(path, "lorebase.db")).catch(() => null);
  try {
    // The trailing separator makes this fail if the path is a file.
    await access(join(await findNearestExisting(path), sep), constants.W_OK);
  } catch {
    return {
      name: "directory",
      status: "failed",
      found: `${path} cannot be written`,
      cure: "choose another directory with --directory",
    };
  }
  return { name: "directory", status: "ok", found: database === null ? `${path} (created on first use)` : path };
}

export async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(await findNearestExisting(resolve(directory)));
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  if (free >= MIN_FREE_DISK_BYTES) return { name: "disk", status: "ok", found };
  return { name: "disk", status: "warning", found, cure: "free some space: a model alone may take 100 MB" };
}

/** Checks that the bucket can be read and written, and that no uploads in parts were left in it. */
export async function checkBlobs(store: S3BlobStore): Promise<Check> {
  const name = "bucket";
  try {
    const probe = `doctor/${randomUUID()}`;
    await store.put(probe, new TextEncoder().encode("A file that lorebase doctor has stored."));
    await store.delete(probe);
    const { count, oldest } = await store.countUnfinishedUploads();
    if (oldest === null) return { name, status: "ok", found: "readable and writable, without unfinished uploads" };
    const found = `${formatCount(count, "unfinished upload")}, the oldest begun ${oldest.toISOString()}`;
    const cure = "set a lifecycle rule on the bucket that aborts incomplete multipart uploads after one day";
    return { name, status: "warning", found, cure };
  } catch (error) {
    return {
      name,
      status: "failed",
      found: getErrorMessage(error),
      cure: "check the URL, the credentials and their policy",
    };
  } finally {
    await store.close?.();
  }
}

/** Returns the version from the nearest package.json that states one, in the folders above a file; else `""`. */
async function findPackageVersion(file: string): Promise<string> {
  const require = createRequire(file);
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    const found = (await stat(manifest).catch(() => null)) && (require(manifest) as { version?: string });
    if (found?.version !== undefined) return found.version;
  }
  return "";
}

async function findNearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found !== null || path === dirname(path) ? path : findNearestExisting(dirname(path));
}

function isAtLeast(version: string, minimum: string): boolean {
  const [a, b] = [version, minimum].map((text) => text.split(".").map(Number));
  const firstDifference = b!.findIndex((part, index) => part !== (a![index] ?? 0));
  return firstDifference === -1 || (a![firstDifference] ?? 0) > b![firstDifference]!;
}
