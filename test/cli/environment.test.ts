import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const KEY = "0123456789abcdef".repeat(4);

it("reads master keys and private hosts from the environment", async () => {
  const directory = join(folder, "given");
  const env = {
    LOREBASE_MASTER_KEY: ` ${KEY}, ${"f".repeat(64)}`,
    LOREBASE_ALLOW_PRIVATE_HOSTS: "localhost:11434,10.0.0.7",
  };
  const { code } = await lorebase(["keys", "create", "-d", directory, "--name", "k"], { env });
  expect([code, existsSync(join(directory, "secret.key"))]).toEqual([0, false]);
  const own = join(folder, "own");
  await lorebaseHere(["keys", "create", "-d", own, "--name", "k"], { LOREBASE_MASTER_KEY: "" });
  expect(existsSync(join(own, "secret.key"))).toBe(true);
});

it("reads a language model from the environment, and reports a missing name", async () => {
  const run = (env: Record<string, string>) =>
    lorebaseHere(["keys", "create", "-d", join(folder, "model"), "--name", "k"], env);
  const whole = { LOREBASE_LLM_URL: "http://127.0.0.1:9/v1", LOREBASE_LLM_MODEL: "sees", LOREBASE_LLM_API_KEY: "sk-1" };
  expect((await run(whole)).code).toBe(0);
  const { code, stderr } = await run({ LOREBASE_LLM_URL: "http://127.0.0.1:9/v1" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("LOREBASE_LLM_MODEL must name the model")]);
  const address = await run({ ...whole, LOREBASE_LLM_URL: "nowhere" });
  expect([address.code === 0, address.stderr]).toEqual([false, expect.stringContaining("baseUrl")]);
});

it("reports invalid values without quoting keys", async () => {
  const run = (env: Record<string, string>) =>
    lorebaseHere(["keys", "create", "-d", join(folder, "bad"), "--name", "k"], env);
  const short = await run({ LOREBASE_MASTER_KEY: `${KEY},${KEY.slice(1)}` });
  expect(short.code).not.toBe(0);
  expect(short.stderr).toContain("masterKey[1]: must be 32 bytes");
  expect(short.stderr + short.stdout).not.toContain("0123456789abcdef");
  const host = await run({ LOREBASE_ALLOW_PRIVATE_HOSTS: "https://localhost" });
  expect([host.code === 0, host.stderr]).toEqual([false, expect.stringContaining("network.allowPrivateHosts[0]")]);
});
