import { z } from "../vendor/zod.js";

/** A key as vendors give it: what stands in a header. Messages about it never quote it. */
export const apiKeyField = z
  .string("must be a key as the vendor gives it")
  .regex(/^[\x21-\x7e]{1,1000}$/, "must be a key as the vendor gives it");

/** Where a vendor's interface begins. It stands in messages and events, so it has no place for a name and password. */
export const baseUrlField = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine((value) => !/[?#@]/.test(value), {
    error: "must have neither a name and password nor a query nor a fragment",
    abort: true,
  })
  .transform((url) => url.replace(/\/+$/, ""));
