import { z } from "../vendor/zod.js";

export const httpUrlSchema = z.string().max(8192).refine(isHttpUrl, "must be an http or https URL");

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol);
}

export const labelSchema = z.string().min(1).max(256);

export const optionalFileNameSchema = z.string().min(1).max(255).optional();
