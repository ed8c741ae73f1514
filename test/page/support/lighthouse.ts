import { fakeLanguageModel } from "lorebase/testing";
import { type OpenedPage, openPage } from "../../http/support/page-server.js";

/** An answer with all that Markdown has. */
const LONG_ANSWER = `The lamp is lit **half an hour** before sunset [1].

### Fuel

1. It burns \`paraffin\` [1].
2. The horn needs air [2].

| Signal | Every |
| --- | --- |
| Horn | ninety seconds [2] |

> Keep a watch.

\`\`\`
lamp --on
\`\`\`

See [the guide](https://example.com/guide) [1].`;

/** Never settles: an answer waits for it until it is stopped. */
const never = new Promise<never>(() => {});

/** A page with a language model whose answer follows from the question. */
export function openLighthouse(
  setup: Parameters<typeof openPage>[0] = {},
  whenUnused?: Parameters<typeof openPage>[1],
): Promise<OpenedPage> {
  const model = fakeLanguageModel({
    chunkSize: 40,
    answer({ messages }) {
      const question = messages.at(-1)!.content;
      if (/Wait/.test(String(question))) return [never];
      if (/Write/.test(String(question))) return ["The lamp is lit half an hour before sunset [1]. ", never];
      if (/Fail/.test(String(question))) return ["The lamp ", new Error("connection lost")];
      if (/Unknown/.test(String(question))) return "I don't know.";
      return LONG_ANSWER;
    },
  });
  const settings = {
    title: "Lighthouse",
    welcomeMessage: "What would you like to know?",
    exampleQuestions: ["When is the lamp lit?"],
    exampleSearchQueries: ["fog horn"],
    ...setup.settings,
  };
  return openPage({ kb: { languageModel: model }, ...setup, settings }, whenUnused);
}
