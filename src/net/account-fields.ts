import { z } from "../vendor/zod.js";

/** A vendor's API key, which must fit into an HTTP header. Error messages never quote it. */
export const apiKeyField = z
  .string("must be a key as the vendor gives it")
  .regex(/^[\x21-\x7e]{1,1000}$/, "must be a key as the vendor gives it");

/** The base URL of a vendor's API. Appears in messages and events, so it must not contain credentials. */
export const baseUrlField = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine((value) => !/[?#@]/.test(value), {
    error: "must have neither a name and password nor a query nor a fragment",
    abort: true,
  })
  .transform((url) => url.replace(/\/+$/, ""));
