import { expect, it } from "vitest";
import { transformersEmbeddings } from "#dist/embedders/transformers/provider.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("turns off the telemetry of ONNX Runtime before a model is loaded", async () => {
  delete process.env.ORT_DISABLE_TELEMETRY;
  const provider = transformersEmbeddings({ threads: 1 });
  const config = provider.config.parse({ provider: "MANAGED_TRANSFORMERS", model: "absent" });
  const context = { modelsDirectory: temporaryDirectory(), downloadModels: false, fetch };
  await expect(provider.create(config, context)).rejects.toMatchObject({ code: "not_ready" });
  expect(process.env.ORT_DISABLE_TELEMETRY).toBe("1");
});
