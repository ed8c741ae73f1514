import type { Engine } from "../engine/engine.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import type { UnansweredQuestionRow } from "../storage/records/unanswered-questions.js";

const DAY_MS = 24 * 60 * 60_000;
/** The number of questions that a namespace keeps. */
const MAX_QUESTIONS = 10_000;

/** Keeps a question that found nothing later, if the knowledge base is to keep them. */
export function recordUnanswered(
  engine: Engine,
  access: Access,
  question: string,
  askedBy: UnansweredQuestionRow["asked_by"],
): void {
  const { readOnly, retention } = engine.options;
  if (retention.unansweredQuestionDays === 0 || readOnly) return;
  const now = engine.now();
  const expiresAt = now + retention.unansweredQuestionDays * DAY_MS;
  const entry = { ...ownerOf(access), question, askedBy, now, expiresAt, keep: MAX_QUESTIONS };
  engine.pendingWrites.start(
    () => engine.storage.health.addUnanswered(entry),
    "A question that found nothing was not recorded",
  );
}
