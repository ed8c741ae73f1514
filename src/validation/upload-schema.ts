import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

export const MAX_UPLOAD_BYTES = 200 * 1024 * 1024;

const mediaTypeSchema = z
  .string()
  .max(255)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/, "must be a media type such as text/plain");

const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, "must be a SHA-256 as 64 hexadecimal digits")
  .transform((digits) => digits.toLowerCase());

export const createUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaTypeSchema,
  fileSize: z.int().min(1),
  sha256: sha256Schema.optional(),
});

export const createUploadsSchema = strict({ files: z.array(createUploadSchema).min(1).max(100) });

export const putUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaTypeSchema.default("application/octet-stream"),
});
