import { lowerBound } from "../../../util/lower-bound.js";
import type { Statements } from "../statements.js";

/** The documents whose published generations have the same number, ascending. */
interface Generation {
  readonly documents: Float64Array;
  readonly isTaken: Uint8Array;
  /** The index at which the next document is expected, since files list most documents in ascending order. */
  next: number;
}

/** The published generations of a scope's documents, to compare with those in files. Twice as fast as a map. */
export class PublishedDocuments {
  readonly #generations = new Map<number, Generation>();

  constructor(db: Statements, scopeId: number) {
    // Reads only an index, and reads each list as one text, in a third of the time that as many rows would take.
    const sql = `SELECT generation, json_group_array(seq) AS documents FROM documents
      WHERE scope_id = ? AND generation > 0 GROUP BY generation`;
    for (const { generation, documents } of db.all<{ generation: number; documents: string }>(sql, scopeId)) {
      const ordered = Float64Array.from(JSON.parse(documents) as readonly number[]).sort();
      this.#generations.set(generation, { documents: ordered, isTaken: new Uint8Array(ordered.length), next: 0 });
    }
  }

  /** Marks a document as taken. Returns false if this is not its published generation or it is already taken. */
  take(document: number, generation: number): boolean {
    const found = this.#generations.get(generation);
    if (found === undefined) return false;
    const { documents, isTaken, next } = found;
    const index = documents[next] === document ? next : lowerBound(documents, document);
    if (documents[index] !== document || isTaken[index] === 1) return false;
    found.next = index + 1;
    isTaken[index] = 1;
    return true;
  }

  /** Returns the documents that have not been taken. */
  remaining(): number[] {
    const remaining: number[] = [];
    for (const { documents, isTaken } of this.#generations.values())
      for (let i = isTaken.indexOf(0); i >= 0; i = isTaken.indexOf(0, i + 1)) remaining.push(documents[i]!);
    return remaining;
  }
}
