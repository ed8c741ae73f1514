import { z } from "../vendor/zod.js";

/** A vendor's API key, which must fit into an HTTP header. Error messages never quote it. */
export const apiKeySchema = z
  .string("must be an API key as issued by the vendor")
  .regex(/^[\x21-\x7e]{1,1000}$/, "must be an API key as issued by the vendor");

/** The base URL of a vendor's API. It appears in messages and events, so it must not contain credentials. */
export const baseUrlSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine((value) => !/[?#@]/.test(value), {
    error: "must not contain credentials, a query or a fragment",
    abort: true,
  })
  .transform((url) => url.replace(/\/+$/, ""));
