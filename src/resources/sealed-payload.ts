import type { z } from "zod";
import type { payloadSchema } from "../schemas.js";
import type { Secrets } from "../secrets.js";
import { MASK } from "./records.js";

type Payload = z.output<typeof payloadSchema>;

/**
 * A payload in the form that is stored: a crawl's headers and the credentials in an address are encrypted under the job's id,
 * and what remains readable is masked.
 */
export function sealPayload(payload: Payload, jobId: string, secrets: Secrets): Record<string, unknown> {
  const seal = (value: string, field: string) => secrets.encrypt(value, `${jobId}|${field}`);
  switch (payload.type) {
    case "CRAWL": {
      const { headers, ...rest } = payload;
      const sealed = sealUrl(rest, "url", seal);
      if (!headers) return sealed;
      const sealedHeaders = Object.entries(headers).map(([name, value]) => [name, seal(value, `headers.${name}`)]);
      return { ...sealed, sealedHeaders: Object.fromEntries(sealedHeaders) };
    }
    case "FILE":
      return sealUrl(payload, "fileUrl", seal);
    case "BATCH":
      return {
        ...payload,
        items: payload.items.map((item, index) =>
          item.type === "FILE"
            ? sealUrl(item, "fileUrl", (value, field) => seal(value, `items[${index}].${field}`))
            : item,
        ),
      };
    default:
      return payload;
  }
}

function sealUrl(
  payload: object,
  field: string,
  seal: (value: string, field: string) => string,
): Record<string, unknown> {
  const plain = payload as Record<string, unknown>;
  const url = new URL(plain[field] as string);
  if (!url.username && !url.password) return plain;
  const sealedUrl = seal(plain[field] as string, field);
  url.username = url.username && MASK;
  url.password = url.password && MASK;
  return { ...plain, [field]: decodeURI(url.href), sealedUrl };
}
