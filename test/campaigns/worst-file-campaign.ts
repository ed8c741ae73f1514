import { setTimeout as delay } from "node:timers/promises";
import { MeasuredServer } from "./measured-server.js";
import type { WorstFile } from "./worst-file-list.js";

export const MAX_MEMORY_MB = 512;
const MAX_SECONDS = 30;
const POLL_MS = 100;
const NAMESPACE = "/v1/namespace/worst";
const ENDED = ["COMPLETED", "FAILED"];

export interface WorstFileResult {
  readonly name: string;
  readonly sizeMb: number;
  /** `COMPLETED`, or the reason for which the document failed. */
  readonly outcome: string;
  /** The most that the server and its descendants held, above what they held before. */
  readonly peakMb: number;
  /** From the start of the document's parsing to its end. */
  readonly seconds: number;
  /** Above what was held before, once the document has ended. */
  readonly leftMb: number;
  /** Of the short text beside it. */
  readonly beside: string;
  readonly faults: readonly string[];
}

interface Document {
  readonly status: string;
  readonly error: string | null;
  readonly preProcessingAt: string | null;
  readonly processingAt: string | null;
  readonly failedAt: string | null;
}

/** Uploads one file to a fresh server, ingests it beside a short text, and measures what that takes. */
export async function measureWorstFile({ name, make }: WorstFile): Promise<WorstFileResult> {
  const bytes = await make();
  const server = await MeasuredServer.start();
  try {
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    await server.call("POST", "/v1/namespace", { name: "Worst", slug: "worst", embeddingConfig });
    const idle = server.residentMb;
    server.takePeakMb();
    const fileJob = await ingestFile(server, name, bytes);
    const text = { type: "TEXT", text: "A short text beside it." };
    const textJob = await server.call<{ id: string }>("POST", `${NAMESPACE}/ingest-jobs`, { payload: text });
    const document = await documentOf(server, fileJob);
    const beside = await documentOf(server, textJob.id);
    const peakMb = server.takePeakMb() - idle;
    const parsedAt = document.processingAt ?? document.failedAt;
    const seconds = (Date.parse(parsedAt!) - Date.parse(document.preProcessingAt!)) / 1000;
    const faults = [
      ...(peakMb > MAX_MEMORY_MB ? [`${name} took ${peakMb.toFixed(0)} MB.`] : []),
      ...(seconds > MAX_SECONDS + 2 ? [`${name} took ${seconds.toFixed(0)} s.`] : []),
      ...(beside.status === "COMPLETED" ? [] : [`The text beside ${name} failed: ${beside.error}`]),
    ];
    const outcome = document.status === "COMPLETED" ? document.status : (document.error ?? "no reason");
    return {
      name,
      sizeMb: bytes.length / 1024 / 1024,
      outcome,
      peakMb,
      seconds,
      leftMb: server.residentMb - idle,
      beside: beside.status,
      faults,
    };
  } finally {
    await server.close();
  }
}

async function ingestFile(server: MeasuredServer, fileName: string, body: Uint8Array): Promise<string> {
  const contentType = "application/octet-stream";
  const file = { fileName, contentType, fileSize: body.length };
  const { url, key } = await server.call<{ url: string; key: string }>("POST", `${NAMESPACE}/uploads`, file);
  const sent = await fetch(url, { method: "PUT", headers: { "content-type": contentType }, body });
  if (!sent.ok) throw new Error(`The upload of ${fileName} was answered ${sent.status}: ${await sent.text()}`);
  const payload = { type: "MANAGED_FILE", key };
  const { id } = await server.call<{ id: string }>("POST", `${NAMESPACE}/ingest-jobs`, { payload });
  return id;
}

/** The one document of a job, once it has ended. */
async function documentOf(server: MeasuredServer, jobId: string): Promise<Document> {
  for (;;) {
    const [document] = await server.call<Document[]>("GET", `${NAMESPACE}/documents?ingestJobId=${jobId}`);
    if (document && ENDED.includes(document.status)) return document;
    await delay(POLL_MS);
  }
}
