import { invalidFile } from "../shared/errors/file-errors.js";
import { findRecord, type PptRecord, RECORD_TYPE, recordAt, recordsWithin, uint32 } from "./records.js";

const ENCRYPTION_TOKEN = 0xf3d1c4df;
const ENCRYPTED_EDIT_MIN_BYTES = 32;
const MAX_EDITS = 1_000;

/** Locates the parts of a presentation. Each save appends the changed parts and a directory of them. */
export class PersistDirectory {
  readonly #stream: Uint8Array;
  /** The offsets of the parts by id. */
  readonly #offsets = new Map<number, number>();
  readonly #documentId: number = 0;

  /** @throws `invalid_input` if the presentation is password-protected. */
  constructor(fileName: string | null, stream: Uint8Array, currentUser: Uint8Array | null) {
    this.#stream = stream;
    if (currentUser !== null && uint32(currentUser, 12) === ENCRYPTION_TOKEN) throw passwordError(fileName);
    let at = currentUser === null ? 0 : uint32(currentUser, 16);
    const seen = new Set<number>();
    while (at !== 0 && !seen.has(at) && seen.size < MAX_EDITS) {
      seen.add(at);
      const edit = recordAt(stream, at);
      if (edit === null || edit.type !== RECORD_TYPE.userEdit) break;
      if (edit.bytes.length >= ENCRYPTED_EDIT_MIN_BYTES && uint32(edit.bytes, 28) !== 0) throw passwordError(fileName);
      if (seen.size === 1) this.#documentId = uint32(edit.bytes, 16);
      this.#readDirectory(recordAt(stream, uint32(edit.bytes, 12)));
      at = uint32(edit.bytes, 8);
    }
  }

  /** Returns the record of a part, or `null` if the directory doesn't list the part. */
  findPart(id: number): PptRecord | null {
    const offset = this.#offsets.get(id);
    return offset === undefined ? null : recordAt(this.#stream, offset);
  }

  /** The document record; `null` if the presentation has none. */
  get document(): PptRecord | null {
    const part = this.findPart(this.#documentId);
    return part?.type === RECORD_TYPE.document ? part : findRecord(this.#stream, RECORD_TYPE.document);
  }

  /** Yields the slides in the order of the file, for a presentation without a slide list. */
  *unlistedSlides(): Generator<PptRecord> {
    for (const record of recordsWithin(this.#stream)) if (record.type === RECORD_TYPE.slide) yield record;
  }

  /** Adds the entries of a directory. Edits are read from the latest to the earliest, so known entries are kept. */
  #readDirectory(directory: PptRecord | null): void {
    if (directory === null || directory.type !== RECORD_TYPE.persistDirectory) return;
    const { bytes } = directory;
    for (let at = 0; at + 4 <= bytes.length; ) {
      const entry = uint32(bytes, at);
      const firstId = entry & 0xfffff;
      const count = entry >>> 20;
      at += 4;
      for (let i = 0; i < count && at + 4 <= bytes.length; i++, at += 4) {
        if (!this.#offsets.has(firstId + i)) this.#offsets.set(firstId + i, uint32(bytes, at));
      }
    }
  }
}

function passwordError(fileName: string | null): Error {
  return invalidFile(fileName, "is password-protected.");
}
