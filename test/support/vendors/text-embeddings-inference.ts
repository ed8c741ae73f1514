import { fakeEmbedder } from "lorebase/testing";
import { type ScriptedServer, scriptedServer, type VendorAnswer } from "./scripted-server.js";

export const DIMENSIONS = 8;
const MOST_TEXTS = 32;

/** A server of text-embeddings-inference: `POST /embed` and `POST /tokenize`. */
export function teiServer(): Promise<ScriptedServer> {
  const embedder = fakeEmbedder({ dimensions: DIMENSIONS });
  const checked = (inputs: readonly string[], answer: () => Promise<unknown>): VendorAnswer | Promise<VendorAnswer> => {
    const refuse = (error: string) => ({ status: 422, body: { error, error_type: "Validation" } });
    if (inputs.length === 0 || inputs.includes("")) return refuse("`inputs` cannot be empty");
    if (inputs.length > MOST_TEXTS)
      return refuse(`batch size ${inputs.length} > maximum allowed batch size ${MOST_TEXTS}`);
    return answer().then((body) => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));
  };
  return scriptedServer({
    "POST /embed": ({ body: { inputs } }) =>
      checked(inputs, async () => (await embedder.embed(inputs, { purpose: "document" })).map((vector) => [...vector])),
    "POST /tokenize": ({ body: { inputs } }) =>
      checked(inputs, async () =>
        (await embedder.countTokens(inputs)).map((count) => Array(count + 2).fill({ id: 1 })),
      ),
  });
}
