import type { S3Client } from "./client.js";
import { xmlText, xmlTexts } from "./xml.js";

/** Multipart uploads that were begun and neither completed nor aborted. Their parts take space in the bucket. */
export interface UnfinishedUploads {
  readonly count: number;
  /** When the oldest one was begun; `null` if there is none. */
  readonly oldest: Date | null;
}

/** Counts the unfinished multipart uploads under a prefix. */
export async function countUnfinishedUploads(
  client: S3Client,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<UnfinishedUploads> {
  const begun: string[] = [];
  let marker: Readonly<Record<string, string>> | null = {};
  while (marker !== null) {
    const query = { uploads: "", prefix, ...marker };
    const response = await client.send({ method: "GET", key: null, query, signal });
    const xml = await response.text();
    begun.push(...xmlTexts(xml, "Initiated"));
    marker = nextMarker(xml);
  }
  const oldest = begun.map((text) => new Date(text)).sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
  return { count: begun.length, oldest };
}

/** Returns the parameters of the next page; `null` if this was the last one. */
function nextMarker(xml: string): Readonly<Record<string, string>> | null {
  const key = xmlText(xml, "NextKeyMarker");
  if (xmlText(xml, "IsTruncated") !== "true" || !key) return null;
  return { "key-marker": key, "upload-id-marker": xmlText(xml, "NextUploadIdMarker") ?? "" };
}
