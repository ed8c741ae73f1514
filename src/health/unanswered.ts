import type { Engine } from "../engine/engine.js";
import { getErrorMessage } from "../errors.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import type { UnansweredQuestionRow } from "../storage/records/unanswered-questions.js";

const DAY_MS = 24 * 60 * 60_000;
/** The number of questions that a namespace keeps. */
const MAX_QUESTIONS = 10_000;

/** Keeps a question that found nothing, if the knowledge base is to keep them. A failure is a warning to the operator. */
export async function recordUnanswered(
  engine: Engine,
  access: Access,
  question: string,
  askedBy: UnansweredQuestionRow["asked_by"],
): Promise<void> {
  const { readOnly, retention } = engine.options;
  if (retention.unansweredQuestionDays === 0 || readOnly) return;
  const now = engine.now();
  const expiresAt = now + retention.unansweredQuestionDays * DAY_MS;
  const entry = { ...ownerOf(access), question, askedBy, now, expiresAt, keep: MAX_QUESTIONS };
  try {
    await engine.storage.health.addUnanswered(entry);
  } catch (error) {
    const message = `A question that found nothing was not recorded: ${getErrorMessage(error)}`;
    engine.events.emit({ type: "warning", message });
  }
}
