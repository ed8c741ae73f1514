import { questionsFromFeedback } from "../evaluate/questions-from-feedback.js";
import { type Feedback, KnowledgeBaseError } from "../index.js";
import { collect } from "../util/collect.js";
import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { withNamespace } from "./with-namespace.js";

export const feedbackCommands: readonly Command[] = [
  {
    name: "feedback list",
    summary: "show the ratings of answers, newest first",
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle, slug) => {
        const feedback = await collect(handle.feedback.iterate({ signal: invocation.terminal.signal }));
        const text = feedback.length === 0 ? `no feedback in ${slug}` : formatColumns(feedback.map(toRow));
        return { json: { namespace: slug, feedback }, text };
      }),
  },
  {
    name: "feedback export",
    summary: "print the questions of upvoted answers as golden questions for eval",
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const questions = await questionsFromFeedback(handle, { signal: invocation.terminal.signal });
        if (questions.length === 0) {
          const message = `no upvoted answer in ${namespace} cites an existing document`;
          throw new KnowledgeBaseError("not_found", message);
        }
        const { tenant } = invocation.flags;
        const json = { namespace, ...(tenant !== undefined && { tenant }), questions };
        const { stringify } = await import("yaml");
        return { json, text: stringify(json, { lineWidth: 0 }).trimEnd() };
      }),
  },
];

function toRow({ id, rating, createdAt, question, comment }: Feedback): string[] {
  return [id, rating, `${createdAt.slice(0, 16)}Z`, [question, comment].filter(Boolean).join(": ")];
}
