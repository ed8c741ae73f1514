import { expect, it } from "vitest";
import { KnowledgeBase } from "#dist/index.js";
import { failureOf } from "../../support/knowledge-base.js";

const database = "postgres://lorebase:secret@localhost/lorebase";
const masterKey = "00".repeat(32);

it("asks for what processes of a database must share", async () => {
  const { issues, message } = await failureOf(() => new KnowledgeBase({ database }));
  expect(issues.map(({ field }) => field)).toEqual(["masterKey", "blobs"]);
  expect(message).toContain("sharedDirectory: true");
  expect(new KnowledgeBase({ database, masterKey, sharedDirectory: true })).toBeDefined();
});

it("refuses URLs of other databases without quoting them", async () => {
  const { message } = await failureOf(
    () => new KnowledgeBase({ database: "mysql://user:secret@localhost/x", masterKey }),
  );
  expect(message).toContain("postgres://");
  expect(message).not.toContain("secret");
});
