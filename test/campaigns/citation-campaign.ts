import { type Answer, type AnswerEvent, KnowledgeBase, type LanguageModel, type NamespaceHandle } from "lorebase";
import { createHandler } from "lorebase/http";
import { type FakeLanguageModel, fakeLanguageModel } from "lorebase/testing";
import type { UiMessageChunk } from "../../src/http/ui-message-stream/ui-message-chunk.js";
import { readEvents, userMessage } from "../http/support/ui-message-stream.js";
import { answerFaults, eventFaults, messageFaults, type ShownPassage } from "./citation-checks.js";
import { type ModelOutput, makeOutput } from "./model-outputs.js";
import { type Random, seededRandom } from "./random.js";

export interface CitationCampaignOptions {
  readonly outputs: number;
  readonly seed: number;
  onProgress?(asked: number): void;
}

export interface CitationOutcome {
  /** What was wrong, with the model's text. */
  readonly faults: readonly string[];
  readonly chunks: number;
  readonly citations: number;
  /** Citations of UI messages. */
  readonly wireCitations: number;
  readonly verified: number;
  /** Answers without a citation. */
  readonly unanswered: number;
  readonly agentic: number;
}

const SLUG = "light";
/** Chunks are short, so that questions are shown several passages of a document. */
const CHUNK_SIZE = 200;
const DOCUMENTS = [
  "# The lamp\n\nThe tower has 167 steps. The lamp is lit thirty minutes before sunset. It burns until sunrise.",
  "# The boat\n\nThe boat leaves at 10:15. Dogs stay on board.\n\n## Prices\n\n| Ticket | Price |\n|---|---|\n| One | 34 £ |\n| Two | 60 £ |",
  "# Der Wärter\n\nDer Wärter heißt Jörg Köhler. Er wohnt im Turm.\r\n\r\n- Er zündet die Lampe an.\r\n- Er putzt die Linse.",
  "# 灯塔\n\n灯塔的灯在日落前点亮。塔高五十一米。守塔人住在塔里。\n\n# מגדלור\n\nהמנורה נדלקת לפני השקיעה. היא בוערת עד הזריחה.",
  "# Cats\n\nThe cat 🐈‍⬛ guards the oil 🛢️. She sleeps by the lamp 💡 at noon. Nobody feeds her [1], they say.",
  "# Code\n\nSet it with `lamp[1] = on`.\n\n```js\nlamp[2] = off;\n```\n\nThe fog horn sounds every ninety seconds in fog.",
  Array.from({ length: 200 }, (_, index) => index.toString(36)).join("x"),
];
/** One passage that is longer than the smallest context. */
const LOG = Array.from(
  { length: 35 },
  (_, day) => `- On **day ${day + 1}** the lamp 💡 burned ${day * 3} litres of oil.`,
).join("\n");
const QUESTIONS = [
  "When is the lamp lit?",
  "What does a ticket cost?",
  "Wer ist der Wärter?",
  "灯塔多高?",
  "oil",
  "How much oil burned on day 3?",
];

interface Settings {
  readonly question: string;
  readonly mode: "single" | "agentic";
  readonly topK: number;
}

/** Answers by the outputs of a generator, from `ask` and over HTTP. The same seed makes the same ones. */
export async function runCitationCampaign(options: CitationCampaignOptions): Promise<CitationOutcome> {
  const { outputs, seed, onProgress } = options;
  const asker = await openAsker();
  const random = seededRandom(seed);
  const outcome = { chunks: 0, citations: 0, wireCitations: 0, verified: 0, unanswered: 0, agentic: 0 };
  const faults: string[] = [];
  try {
    for (let asked = 1; asked <= outputs; asked++) {
      const output = makeOutput(random);
      const settings = drawSettings(random);
      // The wire has no option for the context, which is as large as the smallest or the default one.
      const contextTokens = random.next() < 0.1 ? 500 : undefined;
      const small = contextTokens === undefined ? null : await asker.ask(output, settings, { contextTokens });
      const usual = await asker.ask(output, settings, {});
      const message = await asker.chat(output, settings);
      const found = [...(small ? small.faults : []), ...usual.faults, ...messageFaults(message, usual.answer)];
      for (const fault of found) faults.push(`${fault}: ${JSON.stringify({ asked, ...settings, ...output })}`);
      outcome.chunks += output.chunks.length;
      outcome.citations += usual.answer.citations.length;
      outcome.wireCitations += message.filter(({ type }) => type === "data-citation").length;
      outcome.verified += usual.verified;
      outcome.unanswered += usual.answer.isAnswered ? 0 : 1;
      outcome.agentic += settings.mode === "agentic" ? 1 : 0;
      onProgress?.(asked);
    }
    return { faults, ...outcome };
  } finally {
    await asker.close();
  }
}

interface Asked {
  readonly answer: Answer;
  readonly verified: number;
  readonly faults: readonly string[];
}

/** The documents, and a model that writes the output that a question is asked with. */
interface Asker {
  ask(output: ModelOutput, settings: Settings, context: { contextTokens?: number | undefined }): Promise<Asked>;
  chat(output: ModelOutput, settings: Settings): Promise<readonly UiMessageChunk[]>;
  close(): Promise<void>;
}

async function openAsker(): Promise<Asker> {
  let model = fakeLanguageModel();
  const languageModel: LanguageModel = {
    ...{ provider: "GENERATED", model: "1" },
    generate: (messages, call) => model.generate(messages, call),
  };
  const kb = new KnowledgeBase({ directory: ":memory:", languageModel });
  const handler = createHandler(kb);
  const { key } = await kb.apiKeys.create({ name: "Campaign", scope: "read" });
  const handle = await openNamespace(kb);
  const texts = new Map<string, string>();
  for (const { id } of (await handle.documents.list()).items) texts.set(id, (await handle.documents.text(id)).text);

  return {
    async ask(output, { question, ...settings }, context) {
      model = scripted(output, settings.mode);
      const run = handle.ask(question, { ...settings, ...context });
      const events: AnswerEvent[] = [];
      for await (const event of run) events.push(event);
      const answer = await run;
      const checked = await handle.verifyCitations(answer);
      const verified = checked.filter(({ status }) => status === "verified").length;
      const shown = shownPassages(model, answer);
      const faults = [...answerFaults(answer, { output, shown, texts }), ...eventFaults(events, answer)];
      if (verified < checked.length) faults.push("not all citations are verified");
      return { answer, verified, faults };
    },
    async chat(output, { question, ...settings }) {
      model = scripted(output, settings.mode);
      const response = await handler(
        new Request(`http://localhost/v1/namespace/${SLUG}/chat`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ messages: [userMessage(question)], ...settings }),
        }),
      );
      return readEvents(await response.text());
    },
    close: () => kb.close(),
  };
}

async function openNamespace(kb: KnowledgeBase): Promise<NamespaceHandle> {
  await kb.namespaces.create({ name: "Light", slug: SLUG, embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const handle = kb.namespace(SLUG);
  const items = DOCUMENTS.map((text, index) => ({ type: "TEXT" as const, text, fileName: `${index}.md` }));
  await handle.ingest({ type: "BATCH", items }, { chunkSize: CHUNK_SIZE }).done({ throwOnFailure: true });
  const log = { type: "TEXT" as const, text: `# Log\n\n## Oil\n\n${LOG}`, fileName: "log.md" };
  await handle.ingest(log, { chunkSize: 2000 }).done({ throwOnFailure: true });
  return handle;
}

function drawSettings(random: Random): Settings {
  const mode = random.next() < 0.2 ? "agentic" : "single";
  return { question: random.pick(QUESTIONS), mode, topK: random.integer(1, 10) };
}

/** Writes the output; before that, in agentic mode, calls the tools. */
function scripted({ chunks }: ModelOutput, mode: Settings["mode"]): FakeLanguageModel {
  const calls = [
    { name: "search", input: { query: "oil and cats" } },
    { name: "expand", input: { passage: 1, after: 2 } },
  ];
  return fakeLanguageModel({ script: [...(mode === "agentic" ? [calls] : []), chunks], chunkSize: 40 });
}

/** The passages in the prompts, by their numbers. */
function shownPassages({ calls }: FakeLanguageModel, { passages }: Answer): ReadonlyMap<number, ShownPassage> {
  const prompts = calls.at(-1)?.messages.map(({ content }) => content) ?? [];
  const found = prompts.join("\n").matchAll(/<passage number="(\d+)"[^\n]*>\n([\s\S]*?)\n<\/passage>/g);
  return new Map(
    [...found].map(([, number, text]) => [
      Number(number),
      { text: text!, chunkId: passages.find((hit) => hit.text.startsWith(text!))?.id ?? "of no passage" },
    ]),
  );
}
