import { parseInput } from "../../validation/parse-input.js";
import { strict } from "../../validation/strict.js";
import { z } from "../../vendor/zod.js";
import { KEY_PATTERN } from "../check-key.js";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken?: string | undefined;
}

export interface S3Options {
  readonly bucket: string;
  /** The key pair, or a function that is called before each request, such as a provider of the AWS SDK. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>);
  /** `auto` for Cloudflare R2. @default "us-east-1" */
  readonly region?: string | undefined;
  /** The URL of the service, without the bucket. @default Amazon S3 in the region */
  readonly endpoint?: string | undefined;
  /** Precedes all keys, such as `lorebase/`. Needed if other programs write into the bucket. @default none */
  readonly prefix?: string | undefined;
  /** Whether URLs have the bucket in their path, rather than in the host name. @default true with an `endpoint` */
  readonly pathStyle?: boolean | undefined;
}

/** Options with their defaults. */
export interface ResolvedS3Options {
  /** The URL of the bucket. */
  readonly bucketUrl: string;
  /** The URL that precedes the key of each object. */
  readonly baseUrl: string;
  /** The prefix of all keys. */
  readonly prefix: string;
  /** The path that precedes an object's key in the header that names the source of a copy. */
  readonly copySource: string;
  readonly region: string;
  getCredentials(): Promise<S3Credentials>;
}

const credentialsSchema = z.object({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});

const schema = strict({
  // The rules of Amazon S3 for names of buckets, which other services share.
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  credentials: z.union([
    z.custom<() => Promise<S3Credentials>>((value) => typeof value === "function"),
    credentialsSchema,
  ]),
  region: z.string().min(1).default("us-east-1"),
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  prefix: z
    .string()
    .refine((prefix) => prefix === "" || KEY_PATTERN.test(prefix.replace(/\/$/, "")), "must be like a key of a file")
    .default(""),
  pathStyle: z.boolean().optional(),
});

/** @throws KnowledgeBaseError `invalid_input` */
export function resolveS3Options(options: S3Options): ResolvedS3Options {
  const { bucket, credentials: given, region, endpoint, prefix, pathStyle } = parseInput(schema, options, ["s3"]);
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  // A wildcard certificate covers one label, so it doesn't match a bucket name with dots.
  if (pathStyle ?? (endpoint !== undefined || bucket.includes("."))) url.pathname = joinPath(url.pathname, bucket);
  else url.hostname = `${bucket}.${url.hostname}`;
  const bucketUrl = url.href;
  url.pathname = joinPath(url.pathname, prefix);
  return {
    bucketUrl,
    baseUrl: url.href,
    prefix,
    copySource: `/${bucket}/${prefix}`,
    region,
    getCredentials:
      typeof given === "function"
        ? async () => parseInput(credentialsSchema, await given(), ["s3", "credentials"])
        : async () => given,
  };
}

function joinPath(path: string, part: string): string {
  return `${path.replace(/\/$/, "")}/${part}`;
}
