import { expect, it } from "vitest";
import { EMBEDDING_VENDORS, KEY, providerAt } from "../support/vendors/hosted-embedders.js";
import { newOrganization, startServer } from "./support/test-server.js";

it("an error of the vendor is a bad request with its reason, and so is a missing option of the host", async () => {
  const vendor = EMBEDDING_VENDORS.find(({ name }) => name === "VOYAGE")!;
  const server = await startServer({ embedders: [providerAt(vendor, await vendor.serve("another"))] });
  try {
    const { key } = await newOrganization(server);
    const create = async (embeddingConfig: object) => {
      const answer = await fetch(`${server.url}/v1/namespace`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Hosted", slug: "hosted", embeddingConfig }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const refused = await create({ provider: "VOYAGE", model: "voyage-3-large", api_key: KEY });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Voyage answered 401: Provided API key is invalid");
    expect(refused.text).not.toContain(KEY);

    const unset = await create({ provider: "MANAGED_OPENAI" });
    expect(unset.status).toBe(400);
    expect(unset.text).toContain("managed.openai");

    const broken = await create({ provider: "VOYAGE", model: "voyage-3", dimensions: 512, api_key: KEY });
    expect(broken.status).toBe(422);
    expect(broken.text).toContain("embeddingConfig.dimensions: must be 1024");
  } finally {
    await server.close();
  }
});
