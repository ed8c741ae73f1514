import { createHash } from "node:crypto";
import { tenantIdOf } from "lorebase";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

describe("tenantIdOf", () => {
  it("makes a tenant id of any name, always the same one", async () => {
    const namespace = await newNamespace(kb);
    for (const name of ["", "acme", "jane@example.com", "acme/eu-west", "Zoë 😀", "x".repeat(100_000), "a\0b"]) {
      const id = tenantIdOf(name);
      expect(id).toBe(createHash("sha256").update(Buffer.from(name, "utf8")).digest("hex"));
      expect(namespace.tenant(id).tenantId).toBe(id);
    }
    // Stored content depends on it: no later version may give another one.
    expect(tenantIdOf("jane@example.com")).toBe("8c87b489ce35cf2e2f39f80e282cb2e804932a56a213983eeeb428407d43b52d");
  });

  it("gives nobody the id of another by a name that is an id itself", async () => {
    const namespace = await newNamespace(kb);
    const victim = tenantIdOf("victim@example.com");
    await ingestTexts(namespace.tenant(victim), ["The victim's lamp."]);
    expect(tenantIdOf(victim)).not.toBe(victim);
    expect(await namespace.tenant(tenantIdOf(victim)).search("lamp")).toEqual([]);
    expect(await namespace.tenant(tenantIdOf("victim@example.com")).search("lamp")).toHaveLength(1);
  });

  it("refuses what UTF-8 cannot tell apart, and what is no string", async () => {
    for (const name of ["\ud800", "a\udc00b", undefined as unknown as string, 7 as unknown as string]) {
      const { code, message } = await failureOf(() => tenantIdOf(name));
      expect([code, message]).toEqual(["invalid_input", expect.stringContaining("name: must be a string")]);
    }
  });
});
