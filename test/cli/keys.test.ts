import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { describe, expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";
import { serve, until } from "./server.js";

const folder = temporaryFolder();

interface Key {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly organizationId: string;
  readonly key?: string;
}

const parsed = <T>(text: string) => JSON.parse(text) as T;
const create = async (directory: string, ...flags: string[]) =>
  parsed<Required<Key>>((await lorebaseHere(["keys", "create", "-d", directory, "--json", ...flags])).stdout);
const list = async (directory: string, ...flags: string[]) =>
  parsed<{ keys: Key[] }>((await lorebaseHere(["keys", "list", "-d", directory, "--json", ...flags])).stdout).keys;

describe("keys", () => {
  const directory = join(folder, "kb");

  it("creates a key in a new directory and prints only the key on stdout", async () => {
    const { code, stdout, stderr } = await lorebaseHere(["keys", "create", "-d", directory, "--name", "laptop"]);
    expect(stdout).toMatch(/^lb_[\w-]{43}\n$/);
    expect(stderr).toMatch(/^key_\w+, scope read\. The key is shown only once: store it now\.\n$/);
    expect(code).toBe(0);
  });

  it("lists all keys without their secrets", async () => {
    const made = await create(directory, "--name", "deploy", "--scope", "write");
    expect(made).toMatchObject({ name: "deploy", scope: "write", organizationId: "org_default" });
    const keys = await list(directory);
    expect(keys.map(({ name, scope }) => [name, scope])).toEqual([
      ["laptop", "read"],
      ["deploy", "write"],
    ]);
    expect(JSON.stringify(keys)).not.toContain(made.key);
    const { stdout } = await lorebaseHere(["keys", "list", "-d", directory]);
    expect(stdout).toContain(`${made.id}  write  …${made.key.slice(-4)}`);
    expect(stdout).not.toContain(made.key);
  });

  it("revokes one by its id", async () => {
    const made = await create(directory, "--name", "short-lived");
    const revoke = ["keys", "revoke", made.id, "-d", directory];
    expect((await lorebaseHere(revoke)).stdout).toBe(`revoked ${made.id} (short-lived)\n`);
    expect((await list(directory)).map(({ name }) => name)).not.toContain("short-lived");
    const again = await lorebaseHere([...revoke, "--json"]);
    expect(parsed<{ error: { code: string } }>(again.stdout).error.code).toBe("not_found");
    expect(again.code).toBe(1);
  });

  it("keeps the keys of each organization apart", async () => {
    const kb = new KnowledgeBase({ directory, worker: false });
    await kb.organizations.create({ id: "org_other", name: "Other" });
    await kb.close();
    const before = await list(directory);
    const { id } = await create(directory, "--name", "theirs", "--organization", "org_other");
    expect((await list(directory, "--organization", "org_other")).map((key) => key.id)).toEqual([id]);
    expect(await list(directory)).toEqual(before);
    expect((await lorebaseHere(["keys", "revoke", id, "-d", directory])).code).toBe(1);
    expect((await lorebaseHere(["keys", "revoke", id, "-d", directory, "--organization", "org_other"])).code).toBe(0);
    const nobody = await lorebaseHere(["keys", "list", "-d", directory, "--organization", "org_nobody"]);
    expect(nobody.stderr).toContain("org_nobody");
    expect(nobody.code).toBe(1);
  });

  it("encrypts secrets with the new master key and counts those that it cannot decrypt", async () => {
    const [first, second] = ["11", "22"].map((byte) => byte.repeat(32)) as [string, string];
    const rotated = join(folder, "rotated");
    const kb = new KnowledgeBase({ directory: rotated, masterKey: first, worker: false });
    await kb.namespaces.create({ name: "N", slug: "notes", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
    await kb.ingest("notes", { type: "CRAWL", url: "https://example.com/", headers: { "x-token": "canary" } });
    await kb.close();
    const rotate = (...keys: string[]) =>
      lorebaseHere(["keys", "rotate", "-d", rotated], { LOREBASE_MASTER_KEY: keys.join(",") });
    const without = await rotate(second);
    expect(without.stdout).toMatch(
      /^re-encrypted 0 secrets with the master key \w{12}; secrets encrypted with other keys: 1\. Add/,
    );
    expect(without.code).toBe(1);
    const withBoth = await rotate(second, first);
    expect(withBoth.stdout).toMatch(/^re-encrypted 1 secret with the master key \w{12}\n$/);
    expect(withBoth.code).toBe(0);
    const after = await lorebaseHere(["keys", "rotate", "-d", rotated, "--json"], { LOREBASE_MASTER_KEY: second });
    expect(parsed(after.stdout)).toMatchObject({ resealed: 0, remaining: 0 });
  });

  it("does not create a knowledge base by reading", async () => {
    for (const args of [["list"], ["revoke", "key_1"], ["rotate"]]) {
      const { code, stderr } = await lorebaseHere(["keys", ...args, "-d", join(folder, "nowhere")]);
      expect(stderr).toContain("there is no knowledge base in");
      expect(code).toBe(1);
    }
  });

  it.each([
    [["keys", "crate"], /unknown command "keys crate"; did you mean keys create\?/],
    [["kyes", "list"], /unknown command "kyes"; did you mean keys\?/],
    [["keys", "create"], /keys create needs --name NAME/],
    [["keys", "create", "--name", "x", "--scope", "wirte"], /--scope must be one of .*; did you mean write\?/],
    [["keys", "list", "--scope", "read"], /keys list has no option --scope/],
    [["keys", "revoke"], /keys revoke needs <id>/],
    [["keys", "revoke", "a", "b"], /keys revoke does not take "b"/],
  ])("%j is no command line", async (args, message) => {
    const { code, stdout, stderr } = await lorebaseHere(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(code).toBe(2);
    const json = await lorebaseHere([...args, "--json"]);
    expect(parsed<{ error: { code: string } }>(json.stdout).error.code).toBe("usage");
  });

  it("has help for the group and for each of it", async () => {
    const group = await lorebaseHere(["keys", "--help"]);
    expect(group.stdout).toMatch(/keys create .*\n.*keys list .*\n.*keys revoke <id>.*\n.*keys rotate /);
    expect(group.stdout).not.toContain("ingest");
    const one = await lorebaseHere(["keys", "create", "--help"]);
    expect(one.stdout).toMatch(/--scope SCOPE/);
    expect([group.code, one.code]).toEqual([0, 0]);
  });
});

describe("with a running server", () => {
  it("a key works as soon as it is created and stops working within five seconds of its revocation", async () => {
    const directory = join(folder, "served");
    const server = await serve(directory);
    const { id, key } = await create(directory, "--name", "guest");
    const ask = async () =>
      (await server.call("GET", "/v1/namespace", undefined, { authorization: `Bearer ${key}` })).status;
    expect(await ask()).toBe(200);
    const revoke = await lorebaseHere(["keys", "revoke", id, "-d", directory]);
    expect(revoke.code).toBe(0);
    await until(ask, (status) => status === 401, 5000);
    expect((await server.call("GET", "/v1/namespace")).status).toBe(200);
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});
