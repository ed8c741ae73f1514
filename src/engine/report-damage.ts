import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { Damage } from "../storage/records/mark-damaged.js";
import type { Engine } from "./engine.js";

/** Says what to do about a damaged document. */
export const INGEST_AGAIN = "Ingest the document again.";

/** A stored chunk that is damaged. */
interface DamagedChunk {
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
}

/**
 * Fails the documents of damaged chunks, and emits a warning for each document that was completed until then. Doesn't
 * wait: what found the damage can go on without it, even if the database can't be written. With `readOnly`, only warns.
 */
export function reportDamagedChunks(engine: Engine, chunks: readonly DamagedChunk[]): void {
  const reported = new Set<string>();
  for (const { documentId, generation, ordinal } of chunks) {
    if (reported.has(documentId)) continue;
    reported.add(documentId);
    reportDamage(engine, { documentId, generation, error: `${damagedChunk(ordinal)} ${INGEST_AGAIN}` });
  }
}

/** Fails a damaged document, see {@link reportDamagedChunks}. */
function reportDamage(engine: Engine, damage: Damage): void {
  const { events, options, storage } = engine;
  const message = `The document ${damage.documentId} is damaged. ${damage.error}`;
  if (options.readOnly) {
    events.warn(message);
    return;
  }
  storage.documents.markDamaged({ ...damage, now: engine.now() }).then(
    (isMarked) => {
      if (!isMarked) return;
      events.emit({ type: "warning", message });
    },
    (error: unknown) => events.emit({ type: "error", error: new Error(getErrorMessage(error), { cause: error }) }),
  );
}

/** Fails a document of whose stored text a part is damaged. Returns the error for whoever wanted to read the text. */
export function reportDamagedText(
  engine: Engine,
  { id: documentId, generation }: { readonly id: string; readonly generation: number },
): KnowledgeBaseError {
  const error = `The stored text is not what was written: the disk or another program has changed it. ${INGEST_AGAIN}`;
  reportDamage(engine, { documentId, generation, error });
  return new KnowledgeBaseError("not_ready", `The document ${documentId} is damaged. ${error}`);
}

function damagedChunk(ordinal: number): string {
  return `The stored chunk ${ordinal + 1} is not what was written: the disk or another program has changed it.`;
}
