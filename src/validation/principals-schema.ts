import { z } from "../vendor/zod.js";

/** No control characters, which PostgreSQL and HTTP headers could not hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROL = /[\u0000-\u001f\u007f]/;

const principalSchema = z
  .string()
  .min(1)
  .max(256)
  .refine((principal) => principal.isWellFormed() && !CONTROL.test(principal), "must not have control characters");

/** Principals, such as users and groups, whose names only the caller gives a meaning. */
export const principalsSchema = z.array(principalSchema).max(1000);
