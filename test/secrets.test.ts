import { expect, it } from "vitest";
import { Secrets } from "#dist/secrets.js";
import { temporaryDirectory } from "./support/temporary-directory.js";

it("signs for one purpose, with the same key at every opening", async () => {
  const directory = temporaryDirectory();
  const secrets = await Secrets.open(directory);
  const signature = secrets.sign("upload-url", "a message");
  expect(secrets.verify("upload-url", "a message", signature)).toBe(true);
  expect(secrets.verify("download-url", "a message", signature)).toBe(false);
  expect(secrets.verify("upload-url", "another message", signature)).toBe(false);
  expect((await Secrets.open(directory)).verify("upload-url", "a message", signature)).toBe(true);
  expect((await Secrets.open(temporaryDirectory())).verify("upload-url", "a message", signature)).toBe(false);
});
