import { apiKeySchema } from "../../net/account-fields.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { modelFields } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";
import { OPENAI_EMBEDDINGS } from "../openai/provider.js";

/** API versions that take the deployment in the request body. Older versions are dates and take it in the URL. */
const VERSIONS_WITHOUT_DEPLOYMENT_URLS = ["v1", "preview"];

const { model: modelSchema, ...dimensionFields } = modelFields("text-embedding-3-large");

/**
 * The provider `AZURE_OPENAI`, through `@ai-sdk/azure`. Calls name the deployment; `model` is the model deployed there.
 */
export const azureOpenAiProvider = hostedEmbeddings({
  ...OPENAI_EMBEDDINGS,
  provider: "AZURE_OPENAI",
  vendor: "Azure OpenAI",
  secrets: ["apiKey"],
  config: z.strictObject({
    provider: z.literal("AZURE_OPENAI"),
    model: modelSchema,
    resourceName: z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, "must be the name of an Azure resource"),
    deployment: z.string().regex(/^[\w.-]{1,64}$/, "must be the name of a deployment"),
    apiKey: apiKeySchema,
    apiVersion: z
      .string()
      .regex(/^(?:v1|preview|\d{4}-\d{2}-\d{2}(?:-preview)?)$/, "must be v1, preview or a date such as 2024-10-21")
      .default("v1"),
    ...dimensionFields,
  }),
  async connect({ resourceName, deployment, apiKey, apiVersion }, { fetch }) {
    const { createAzure } = await loadPackage<typeof import("@ai-sdk/azure")>("@ai-sdk/azure@3");
    const useDeploymentBasedUrls = !VERSIONS_WITHOUT_DEPLOYMENT_URLS.includes(apiVersion);
    const azure = createAzure({ resourceName, apiKey, apiVersion, useDeploymentBasedUrls, fetch });
    return { model: azure.embedding(deployment), endpoint: `https://${resourceName}.openai.azure.com/openai`, apiKey };
  },
});
