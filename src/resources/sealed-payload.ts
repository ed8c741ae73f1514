import type { z } from "zod";
import { MASK_PREFIX, type SealedValue, type SecretOwner, sealValue } from "../secrets/sealed-values.js";
import type { Secrets } from "../secrets/secrets.js";
import type { payloadSchema } from "../validation/ingest-job-schema.js";

type Payload = z.output<typeof payloadSchema>;

interface SealedPayload {
  /** The payload with masks instead of secrets, which may be stored and shown. */
  readonly masked: Record<string, unknown>;
  readonly sealed: readonly SealedValue[];
}

/** Separates a job's payload from its secrets: a crawl's headers, and the credentials in URLs. */
export function sealPayload(payload: Payload, secrets: Secrets, job: SecretOwner): SealedPayload {
  const sealed: SealedValue[] = [];
  const seal = (field: string, value: string) => void sealed.push(sealValue(secrets, job, field, value));
  switch (payload.type) {
    case "CRAWL": {
      const { headers, ...rest } = payload;
      const masked = sealUrl(rest, "url", "", seal);
      if (!headers) return { masked, sealed };
      for (const [name, value] of Object.entries(headers)) seal(`headers.${name}`, value);
      const masks = Object.keys(headers).map((name) => [name, MASK_PREFIX]);
      return { masked: { ...masked, headers: Object.fromEntries(masks) }, sealed };
    }
    case "FILE":
      return { masked: sealUrl(payload, "fileUrl", "", seal), sealed };
    case "BATCH": {
      const items = payload.items.map((item, index) =>
        item.type === "FILE" ? sealUrl(item, "fileUrl", `items[${index}].`, seal) : item,
      );
      return { masked: { ...payload, items }, sealed };
    }
    case "TEXT":
    case "MANAGED_FILE":
    case "YOUTUBE":
      return { masked: payload, sealed };
  }
}

/** Masks and seals the credentials in the URL of a field. Returns the payload as it is if the URL has none. */
function sealUrl(
  payload: object,
  field: string,
  prefix: string,
  seal: (field: string, value: string) => void,
): Record<string, unknown> {
  const plain = payload as Record<string, unknown>;
  const url = new URL(plain[field] as string);
  if (!url.username && !url.password) return plain;
  seal(`${prefix}${field}`, plain[field] as string);
  url.username = url.username && MASK_PREFIX;
  url.password = url.password && MASK_PREFIX;
  return { ...plain, [field]: decodeURI(url.href) };
}
