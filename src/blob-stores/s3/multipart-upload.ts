import { randomUUID } from "node:crypto";
import { KnowledgeBaseError } from "../../errors.js";
import { type S3Client, s3Error, throwLateError } from "./client.js";
import { xmlText } from "./xml.js";

/** The limit of Amazon S3, which other services share. */
const MAX_PARTS = 10_000;
/** Metadata with the upload's token, which shows whether a completion whose response was lost has succeeded. */
const UPLOAD_HEADER = "x-amz-meta-lorebase-upload";

/** The upload of an object in parts, in order. Until it is complete, readers see the key's previous object. */
export class MultipartUpload {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #uploadId: string;
  readonly #token: string;
  readonly #etags: string[] = [];

  private constructor(client: S3Client, key: string, { uploadId, token }: { uploadId: string; token: string }) {
    this.#client = client;
    this.#key = key;
    this.#uploadId = uploadId;
    this.#token = token;
  }

  static async begin(client: S3Client, key: string, signal: AbortSignal | undefined): Promise<MultipartUpload> {
    const token = randomUUID();
    const headers = { [UPLOAD_HEADER]: token };
    const response = await client.send({ method: "POST", key, query: { uploads: "" }, headers, signal });
    const uploadId = xmlText(await response.text(), "UploadId");
    if (uploadId === null) throw s3Error(response.status, "<Message>no upload id</Message>");
    return new MultipartUpload(client, key, { uploadId, token });
  }

  async add(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    const partNumber = this.#etags.length + 1;
    if (partNumber > MAX_PARTS)
      throw new KnowledgeBaseError(
        "limit_exceeded",
        `The file has more than ${MAX_PARTS} parts of ${bytes.length} bytes.`,
      );
    const query = { partNumber: String(partNumber), uploadId: this.#uploadId };
    const response = await this.#client.send({
      ...{ method: "PUT", key: this.#key, query, body: bytes, signal },
    });
    await response.body?.cancel();
    const etag = response.headers.get("etag");
    if (etag === null) throw s3Error(response.status, "<Message>no ETag of a part</Message>");
    this.#etags.push(etag);
  }

  /** Assembles the object from its parts, and waits until it is stored. */
  async complete(signal: AbortSignal | undefined): Promise<void> {
    await this.#client.retry(async (attempt) => {
      try {
        await this.#completeOnce(signal);
      } catch (error) {
        const mayBeComplete = attempt > 1 && KnowledgeBaseError.is(error) && error.httpStatus === 404;
        if (!mayBeComplete || !(await this.#isComplete(signal))) throw error;
      }
    }, signal);
  }

  async #completeOnce(signal: AbortSignal | undefined): Promise<void> {
    const parts = this.#etags.map(
      (etag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const query = { uploadId: this.#uploadId };
    const response = await this.#client.sendOnce({
      ...{ method: "POST", key: this.#key, query, body, signal },
    });
    throwLateError(await response.text());
  }

  async #isComplete(signal: AbortSignal | undefined): Promise<boolean> {
    const head = await this.#client.send({ method: "HEAD", key: this.#key, expected: [404], signal });
    return head.headers.get(UPLOAD_HEADER) === this.#token;
  }

  /**
   * Deletes the parts. If that fails, they stay until a lifecycle rule of the bucket removes them. Its error is ignored
   * in favour of the upload's own.
   */
  async abort(): Promise<void> {
    const query = { uploadId: this.#uploadId };
    await this.#client.send({ method: "DELETE", key: this.#key, query, expected: [404] }).catch(() => {});
  }
}
