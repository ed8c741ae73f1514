import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { loadSqliteInspection, type OpenedDatabase } from "../create-engine.js";
import { INSTALL_OCR } from "../domain/text-recognition.js";
import { messageOf } from "../errors.js";

/** What was found of one thing that a knowledge base needs. A `warning` limits it, `failed` stops it. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly found: string;
  /** What to do about it. */
  readonly cure?: string;
}

const NODE_LEAST = "20.19.0";
const DISK_LEAST_BYTES = 500e6;
// The variable keeps onnxruntime-node's install script from downloading CUDA files, which fails behind many proxies.
const INSTALL_TRANSFORMERS = "ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers";

export async function checkNode(): Promise<Check> {
  const found = process.versions.node;
  if (atLeast(found, NODE_LEAST)) return { name: "Node", status: "ok", found };
  return { name: "Node", status: "failed", found, cure: `install Node ${NODE_LEAST} or later` };
}

export async function checkSqlite(inspected: Promise<OpenedDatabase>): Promise<Check> {
  const name = "SQLite";
  try {
    const { engine, sqliteVersion, problem } = await inspected;
    const found = `${sqliteVersion} (${engine})`;
    if (problem === null) return { name, status: "ok", found };
    return { name, status: "warning", found: `${found}: ${problem.cause}`, cure: problem.cure };
  } catch (error) {
    // The message says what to run.
    return { name, status: "failed", found: messageOf(error) };
  }
}

export async function checkVectors(inspected: Promise<OpenedDatabase>): Promise<Check> {
  const name = "sqlite-vec";
  const version = await inspected.then(
    ({ vectorsVersion }) => vectorsVersion,
    () => undefined,
  );
  if (version === undefined) return { name, status: "warning", found: "not checked, since SQLite cannot be used" };
  if (version !== null) return { name, status: "ok", found: version };
  const found =
    "small scopes are compared by JavaScript, several times slower: its binary for this platform was not loaded";
  return { name, status: "warning", found, cure: "npm install sqlite-vec, with optional dependencies" };
}

/** Looks for the package without loading it. */
export async function checkTransformers(): Promise<Check> {
  const name = "transformer models";
  try {
    const entry = createRequire(import.meta.url).resolve("@huggingface/transformers");
    return { name, status: "ok", found: `@huggingface/transformers ${await versionAbove(entry)}` };
  } catch {
    const found =
      "@huggingface/transformers is not installed (optional packages were left out, or its install script failed): " +
      "new namespaces use the built-in static embedder, and rerankers named transformers fail";
    return { name, status: "warning", found, cure: INSTALL_TRANSFORMERS };
  }
}

/** Looks for the packages, and for documents that were ingested without them. */
export async function checkTextRecognition(directory: string): Promise<Check> {
  const name = "text recognition";
  const version = await textRecognitionVersion();
  const documents = await documentsWithoutText(join(resolve(directory), "lorebase.db"));
  const lacking =
    documents === 0
      ? ""
      : `; ${documents} stored ${documents === 1 ? "document lacks" : "documents lack"} the text of scanned pages`;
  if (version !== null) {
    const found = `tesseract.js ${version}${lacking}`;
    if (documents === 0) return { name, status: "ok", found };
    return {
      name,
      status: "warning",
      found,
      cure: "sync their folders, or ingest their jobs again (ingestJobs.reingest)",
    };
  }
  const found = `not installed: pages of PDFs that are pictures stay without text, and files of pictures fail${lacking}`;
  const again = documents === 0 ? "" : ", then sync their folders, or ingest their jobs again (ingestJobs.reingest)";
  return { name, status: "warning", found, cure: `${INSTALL_OCR}${again}` };
}

/** Null where the package or the model of English is not installed. */
async function textRecognitionVersion(): Promise<string | null> {
  const { resolve: find } = createRequire(import.meta.url);
  try {
    find("@tesseract.js-data/eng/package.json");
    return await versionAbove(find("tesseract.js"));
  } catch {
    return null;
  }
}

async function documentsWithoutText(file: string): Promise<number> {
  if (!(await stat(file).catch(() => null))) return 0;
  const { countDocumentsWithWarning } = await loadSqliteInspection();
  return countDocumentsWithWarning(file, INSTALL_OCR);
}

export async function checkModels(directory: string): Promise<Check> {
  const models = resolve(directory, "models");
  const found = await readdir(models, { recursive: true }).catch(() => []);
  const count = found.filter((path) => path.endsWith(".onnx")).length;
  const what = count === 0 ? "none yet; a model is downloaded when a namespace first needs it" : `${count} model files`;
  return { name: "models", status: "ok", found: `${models} (${what})` };
}

export async function checkDirectory(directory: string): Promise<Check> {
  const path = resolve(directory);
  const exists = await stat(join(path, "lorebase.db")).catch(() => null);
  try {
    // A trailing separator makes a file in the folder's place fail too.
    await access(join(await nearestExisting(path), sep), constants.W_OK);
  } catch {
    return {
      name: "directory",
      status: "failed",
      found: `${path} cannot be written`,
      cure: "choose another with --directory",
    };
  }
  return { name: "directory", status: "ok", found: exists === null ? `${path} (made on first use)` : path };
}

export async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(await nearestExisting(resolve(directory)));
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  if (free >= DISK_LEAST_BYTES) return { name: "disk", status: "ok", found };
  return { name: "disk", status: "warning", found, cure: "free some space: a model alone may take 100 MB" };
}

/** The version in the first package.json above a file that has one. */
async function versionAbove(file: string): Promise<string> {
  const require = createRequire(file);
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    const found = (await stat(manifest).catch(() => null)) && (require(manifest) as { version?: string });
    if (found?.version !== undefined) return found.version;
  }
  return "";
}

async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found !== null || path === dirname(path) ? path : nearestExisting(dirname(path));
}

function atLeast(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split(".").map(Number));
  const different = b!.findIndex((part, index) => part !== (a![index] ?? 0));
  return different === -1 || (a![different] ?? 0) > b![different]!;
}
