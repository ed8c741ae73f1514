import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

export const MAX_UPLOAD_BYTES = 200 * 1024 * 1024;

const mediaTypeSchema = z
  .string()
  .max(255)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/, "must be a media type such as text/plain");

export const createUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaTypeSchema,
  fileSize: z.int().min(1),
});

export const createUploadsSchema = strict({ files: z.array(createUploadSchema).min(1).max(100) });

export const putUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaTypeSchema.default("application/octet-stream"),
});
