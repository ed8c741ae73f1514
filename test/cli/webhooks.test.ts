import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const directory = join(temporaryFolder(), "kb");
const webhooks = (...args: string[]) => lorebaseHere(["webhooks", ...args, "-d", directory]);

it("creates a webhook, queues events for it and deletes it", async () => {
  const kb = await new KnowledgeBase({ directory, worker: false }).start();
  await kb.close();
  const events = ["--event", "document.completed", "--event", "document.failed"];
  const { stdout, stderr } = await webhooks("create", "https://hooks.invalid/", "--description", "Search", ...events);
  expect(stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
  const [id] = /wh_\w+/.exec(stderr)!;
  expect((await webhooks("list")).stdout.split(/\s{2,}|\n/).slice(0, 5)).toEqual([
    ...[id, "enabled", "https://hooks.invalid/", "document.completed,document.failed", "Search"],
  ]);
  const [delivery] = /msg_\w+/.exec((await webhooks("ping", id)).stdout)!;
  expect((await webhooks("redeliver", id, delivery)).stdout).toContain(delivery);
  expect((await webhooks("deliveries", id, "--status", "PENDING")).stdout).toContain(
    `${delivery}  PENDING  webhook.ping`,
  );
  expect((await webhooks("deliveries", id, "--status", "DEAD")).stdout).toBe("no deliveries\n");
  expect((await webhooks("rotate-secret", id)).stdout).toMatch(/^whsec_/);
  expect((await webhooks("disable", id)).stdout).toBe(`disabled ${id}\n`);
  expect((await webhooks("enable", id)).stdout).toBe(`enabled ${id}\n`);
  expect((await webhooks("delete", id)).stdout).toContain(id);
  expect((await webhooks("list")).stdout).toBe("no webhooks\n");
});

it("refuses an unknown event and a private host", async () => {
  const unknown = await webhooks("create", "https://hooks.invalid/", "--event", "document.gone");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("document.completed")]);
  const { code, stderr } = await webhooks("create", "http://127.0.0.1/");
  expect([code, stderr]).toEqual([1, expect.stringContaining("not a public host")]);
});
