import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { KnowledgeBaseError } from "../../../errors.js";
import { PARSE_LIMITS } from "../../limits.js";
import { fileOverLimit, invalidFile } from "../errors/file-errors.js";

const END_OF_DIRECTORY_SIGNATURE = 0x06054b50;
const DIRECTORY_ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_ENTRY_SIGNATURE = 0x04034b50;
const END_OF_DIRECTORY_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;

/** Deflate reaches a ratio of about 1,030 on one repeated byte, and of 50 on markup. */
const MAX_COMPRESSION_RATIO = 200;
/** An entry that inflates to at most this size may be compressed at any ratio. */
const MAX_UNCHECKED_BYTES = 8 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly offset: number;
}

type ZipLimits = { readonly [Name in "maxInflatedBytes" | "maxArchiveEntries"]: number };

/**
 * Reads a zip archive by its central directory. Declared sizes are not trusted: inflated bytes are counted over all
 * reads, and entries that share bytes count each time. Entries with names that lead outside the archive are ignored.
 */
export class ZipArchive {
  readonly #name: string | null;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();
  readonly #cache = new Map<string, Uint8Array>();
  readonly #maxInflatedBytes: number;
  #inflatedBytes = 0;

  /** @throws `invalid_input` for a truncated archive, `limit_exceeded` for an archive with too many entries. */
  constructor(name: string | null, bytes: Uint8Array, limits: ZipLimits = PARSE_LIMITS) {
    this.#name = name;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxInflatedBytes = limits.maxInflatedBytes;
    this.#readDirectory(limits.maxArchiveEntries);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Returns the bytes of an entry, which are cached.
   * @throws `invalid_input` if the entry is missing, damaged or encrypted, `limit_exceeded` if the entries read so far
   * inflate to too much.
   */
  read(name: string): Uint8Array {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw invalidFile(this.#name, `has no part "${name}".`);
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    const bytes = this.#inflate(entry);
    this.#inflatedBytes += bytes.length;
    if (this.#inflatedBytes > this.#maxInflatedBytes) throw this.#sizeError();
    this.#cache.set(name, bytes);
    return bytes;
  }

  /**
   * Inflates every entry once without storing it, to check that the whole archive is within the limit and no entry
   * inflates to more than 8 MB and more than 200 times its size, which text never does.
   * @throws `limit_exceeded` if a check fails, `invalid_input` for a truncated entry. `read` reports other damage.
   */
  async assertWithinLimit(signal?: AbortSignal): Promise<void> {
    let totalBytes = 0;
    for (const entry of this.#entries.values()) {
      signal?.throwIfAborted();
      const data = this.#compressedData(entry);
      const maxBytes = Math.max(MAX_UNCHECKED_BYTES, data.length * MAX_COMPRESSION_RATIO);
      let inflatedBytes = 0;
      for await (const byteCount of inflatedSizes(data, entry.method)) {
        inflatedBytes += byteCount;
        totalBytes += byteCount;
        if (totalBytes > this.#maxInflatedBytes) throw this.#sizeError();
        if (inflatedBytes > maxBytes) {
          throw fileOverLimit(
            this.#name,
            `has a part "${entry.name}" that inflates to more than ${MAX_COMPRESSION_RATIO} times its size.`,
          );
        }
      }
    }
  }

  #inflate(entry: Entry): Uint8Array {
    if (entry.isEncrypted) throw invalidFile(this.#name, "is password-protected.");
    const data = this.#compressedData(entry);
    if (entry.method === 0) return data;
    if (entry.method !== 8) throw invalidFile(this.#name, `uses an unsupported compression method (${entry.method}).`);
    const maxOutputLength = Math.max(1, this.#maxInflatedBytes - this.#inflatedBytes);
    try {
      const bytes = inflateRawSync(data, { maxOutputLength });
      if (crc32(bytes) !== entry.crc)
        throw invalidFile(this.#name, `is damaged: the checksum of "${entry.name}" is wrong.`);
      return bytes;
    } catch (error) {
      if (error instanceof KnowledgeBaseError) throw error;
      if (error instanceof RangeError) throw this.#sizeError();
      throw invalidFile(this.#name, `is damaged: "${entry.name}" cannot be inflated.`, error);
    }
  }

  #compressedData(entry: Entry): Uint8Array {
    const at = entry.offset;
    if (at + 30 > this.#bytes.length || this.#view.getUint32(at, true) !== LOCAL_ENTRY_SIGNATURE)
      throw this.#truncatedError(`"${entry.name}" is missing`);
    const start = at + 30 + this.#view.getUint16(at + 26, true) + this.#view.getUint16(at + 28, true);
    if (start + entry.compressedBytes > this.#bytes.length) throw this.#truncatedError(`"${entry.name}" is incomplete`);
    return this.#bytes.subarray(start, start + entry.compressedBytes);
  }

  #readDirectory(maxEntries: number): void {
    const endOffset = this.#findEndOfDirectory();
    const count = this.#view.getUint16(endOffset + 10, true);
    if (count > maxEntries) throw fileOverLimit(this.#name, `has ${count} parts, more than the ${maxEntries} allowed.`);
    let at = this.#view.getUint32(endOffset + 16, true);
    for (let i = 0; i < count; i++) {
      if (at + 46 > this.#bytes.length || this.#view.getUint32(at, true) !== DIRECTORY_ENTRY_SIGNATURE)
        throw this.#truncatedError("its directory is incomplete");
      const nameBytes = this.#view.getUint16(at + 28, true);
      // Some Windows software writes backslashes as separators.
      const name = new TextDecoder().decode(this.#bytes.subarray(at + 46, at + 46 + nameBytes)).replaceAll("\\", "/");
      if (isInside(name)) {
        this.#entries.set(name, {
          name,
          method: this.#view.getUint16(at + 10, true),
          isEncrypted: (this.#view.getUint16(at + 8, true) & 1) === 1,
          crc: this.#view.getUint32(at + 16, true),
          compressedBytes: this.#view.getUint32(at + 20, true),
          offset: this.#view.getUint32(at + 42, true),
        });
      }
      at += 46 + nameBytes + this.#view.getUint16(at + 30, true) + this.#view.getUint16(at + 32, true);
    }
  }

  /** Returns the offset of the end record of the central directory. */
  #findEndOfDirectory(): number {
    const last = this.#bytes.length - END_OF_DIRECTORY_BYTES;
    for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--) {
      if (this.#view.getUint32(at, true) === END_OF_DIRECTORY_SIGNATURE) return at;
    }
    throw this.#truncatedError("its end is missing");
  }

  #truncatedError(problem: string): KnowledgeBaseError {
    return invalidFile(this.#name, `is a truncated or damaged archive: ${problem}.`);
  }

  #sizeError(): KnowledgeBaseError {
    const megabytes = Math.round(this.#maxInflatedBytes / 1024 / 1024);
    return fileOverLimit(this.#name, `inflates to more than the ${megabytes} MB allowed.`);
  }
}

/** Yields the sizes of the inflated pieces; stops at damaged data. */
async function* inflatedSizes(data: Uint8Array, method: number): AsyncGenerator<number> {
  if (method !== 8) return yield data.length;
  const inflate = createInflateRaw();
  inflate.end(data);
  try {
    for await (const piece of inflate) yield (piece as Uint8Array).length;
  } catch {
    // Data that cannot be inflated doesn't count towards the limit.
  }
}

/** Whether a name is relative and stays within the archive: it has no `..`, root or drive. */
function isInside(name: string): boolean {
  return name !== "" && !/^\/|^[a-z]:|\0/i.test(name) && !name.split("/").includes("..");
}
