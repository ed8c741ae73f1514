import { invalidFile } from "../errors/file-errors.js";

const NO_STREAM = 0xffffffff;
const MAX_SECTOR = 0xfffffffa;
const HEADER_DIFAT_ENTRIES = 109;
const MINI_SECTOR_BYTES = 64;
const MINI_STREAM_CUTOFF = 4096;
const ENTRY_BYTES = 128;
const STREAM_TYPE = 2;
const ROOT_TYPE = 5;

interface Entry {
  readonly type: number;
  /** The first sector of the stream. */
  readonly startSector: number;
  readonly sizeBytes: number;
}

/**
 * Reads the streams in the root of an OLE compound file (Office 97 to 2003). Follows each sector only once: truncates a
 * chain that is circular or leaves the file.
 */
export class CompoundFile {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #sectorBytes: number;
  readonly #fat: Uint32Array;
  readonly #miniFat: Uint32Array;
  readonly #miniStream: Uint8Array;
  readonly #entries = new Map<string, Entry>();

  /** @throws `invalid_input` if the file is not a compound file, or its directory is missing. */
  constructor(fileName: string | null, bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const damagedError = () => invalidFile(fileName, "is a damaged or truncated compound file.");
    if (bytes.length < 512 || this.#view.getUint32(0, true) !== 0xe011cfd0) throw damagedError();
    const shift = this.#view.getUint16(30, true);
    if (shift !== 9 && shift !== 12) throw damagedError();
    this.#sectorBytes = 1 << shift;
    this.#fat = this.#readFat();
    this.#readDirectory(this.#readChain(this.#view.getUint32(48, true)));
    const root = this.#entries.get("");
    if (root === undefined) throw damagedError();
    this.#miniStream = this.#readChain(root.startSector);
    this.#miniFat = toUint32Array(this.#readChain(this.#view.getUint32(60, true)));
  }

  has(name: string): boolean {
    return this.#entries.get(name.toLowerCase())?.type === STREAM_TYPE;
  }

  /** Returns the bytes of the stream with a name, ignoring case; `null` if there is none. */
  stream(name: string): Uint8Array | null {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined || entry.type !== STREAM_TYPE) return null;
    if (entry.sizeBytes >= MINI_STREAM_CUTOFF) return this.#readChain(entry.startSector).subarray(0, entry.sizeBytes);
    return this.#readMiniChain(entry.startSector, entry.sizeBytes);
  }

  /** Whether any chain of sectors is circular. Some libraries follow such a chain forever. */
  get hasCircularChains(): boolean {
    return isCircular(this.#fat) || isCircular(this.#miniFat);
  }

  /** Reads the file allocation table (FAT): the successor of each sector. */
  #readFat(): Uint32Array {
    const entriesPerSector = this.#sectorBytes / 4;
    const sectors: number[] = [];
    for (let i = 0; i < HEADER_DIFAT_ENTRIES; i++) sectors.push(this.#view.getUint32(76 + i * 4, true));
    const seen = new Set<number>();
    for (let sector = this.#view.getUint32(68, true); sector < MAX_SECTOR && !seen.has(sector); ) {
      seen.add(sector);
      const entries = toUint32Array(this.#sector(sector));
      if (entries.length < entriesPerSector) break;
      for (let i = 0; i < entriesPerSector - 1; i++) sectors.push(entries[i]!);
      sector = entries[entriesPerSector - 1]!;
    }
    const fatSectors = [...new Set(sectors.filter((index) => index < MAX_SECTOR))];
    return toUint32Array(concat(fatSectors.map((index) => this.#sector(index))));
  }

  #sector(index: number): Uint8Array {
    const start = (index + 1) * this.#sectorBytes;
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  #readChain(startSector: number): Uint8Array {
    return concat([...chainSectors(this.#fat, startSector)].map((sector) => this.#sector(sector)));
  }

  #readMiniChain(startSector: number, sizeBytes: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (const sector of chainSectors(this.#miniFat, startSector)) {
      if (pieces.length * MINI_SECTOR_BYTES >= sizeBytes) break;
      pieces.push(this.#miniStream.subarray(sector * MINI_SECTOR_BYTES, (sector + 1) * MINI_SECTOR_BYTES));
    }
    return concat(pieces).subarray(0, sizeBytes);
  }

  /** Reads only the entries in the root: a stream of the same name in an embedded object is a different stream. */
  #readDirectory(directory: Uint8Array): void {
    const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
    const count = Math.floor(directory.length / ENTRY_BYTES);
    if (count === 0 || view.getUint8(66) !== ROOT_TYPE) return;
    const readEntry = (index: number): Entry => ({
      type: view.getUint8(index * ENTRY_BYTES + 66),
      startSector: view.getUint32(index * ENTRY_BYTES + 116, true),
      sizeBytes: view.getUint32(index * ENTRY_BYTES + 120, true),
    });
    this.#entries.set("", readEntry(0));
    const pending = [view.getUint32(76, true)];
    const seen = new Set<number>();
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (index === NO_STREAM || index >= count || seen.has(index)) continue;
      seen.add(index);
      const at = index * ENTRY_BYTES;
      const nameBytes = Math.min(64, view.getUint16(at + 64, true));
      const name = new TextDecoder("utf-16le").decode(directory.subarray(at, at + Math.max(0, nameBytes - 2)));
      this.#entries.set(name.toLowerCase(), readEntry(index));
      pending.push(view.getUint32(at + 68, true), view.getUint32(at + 72, true));
    }
  }
}

/** Yields the sectors of a chain, each once. */
function* chainSectors(fat: Uint32Array, start: number): Generator<number> {
  const seen = new Set<number>();
  for (let sector = start; sector < fat.length && !seen.has(sector); sector = fat[sector]!) {
    seen.add(sector);
    yield sector;
  }
}

function toUint32Array(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => view.getUint32(index * 4, true));
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces));
}

function isCircular(next: Uint32Array): boolean {
  // For each sector, the number of the walk that first reached it, which is the walk's first sector plus 1.
  const walks = new Uint32Array(next.length);
  for (let start = 0; start < next.length; start++) {
    for (let sector = start; sector < next.length && walks[sector] !== start + 1; sector = next[sector]!) {
      if (walks[sector] !== 0) break;
      walks[sector] = start + 1;
      if (next[sector]! < next.length && walks[next[sector]!] === start + 1) return true;
    }
  }
  return false;
}
