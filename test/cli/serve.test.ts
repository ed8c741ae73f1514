import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { delimiter, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { describeError } from "#dist/cli/describe-error.js";
import { lorebase, temporaryFolder } from "./lorebase.js";
import { follow, makeNamespace, type Server, serve, until } from "./server.js";

const folder = temporaryFolder();
/** Servers that are stopped while requests, an event stream and an ingest run. */
const STOPS = 2;
/** After that long a stopped server cuts connections off. What ends before it has not waited for it, on a busy machine too. */
const GRACE_MS = 10_000;

describe("start", () => {
  it("creates a directory and a first key, which it prints once, and answers requests", async () => {
    const directory = join(folder, "new", "kb");
    const first = await serve(directory);
    expect(first.output.stdout).toBe(`${JSON.stringify({ url: first.url, apiKey: first.apiKey, pages: [] })}\n`);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await first.call("GET", "/v1/namespace")).body.data).toEqual([]);
    const refused = await fetch(`${first.url}/v1/namespace`);
    expect(refused.status).toBe(401);
    const page = await fetch(first.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`${first.url}/v1/openapi.json`);
    first.kill("SIGINT");
    expect(await first.ended).toBe(0);

    const second = await serve(directory, { key: first.apiKey! });
    expect(second.apiKey).toBeNull();
    expect((await second.call("GET", "/v1/namespace")).status).toBe(200);
    second.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    const { stdout } = await lorebase(["keys", "list", "-d", directory]);
    expect(stdout).toMatch(/^key_\w+ {2}admin .* first key\n$/);
  });

  it("prints the address, the key, a command to try and the directory", async () => {
    const directory = join(folder, "people");
    const main = resolve("dist/cli/main.js");
    const args = [main, "serve", "--port", "0", "-d", directory];
    const started = follow(spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: "1" } }));
    await started.waitFor(/Directory/);
    const { stdout } = started.output;
    const [, url, key] = /^Lorebase is listening on (\S+)\n\n {2}API key {4}(lb_\S+)\n.*once/.exec(stdout) ?? [];
    expect(stdout).toContain(`  Directory  ${directory}\n`);
    const [, line] = /^ {2}Try {8}(curl .*)$/m.exec(stdout) ?? [];
    expect(line).toContain(url);
    const curl = follow(spawn("bash", ["-c", `${line} --silent`]));
    expect(await curl.ended).toBe(0);
    expect(JSON.parse(curl.output.stdout)).toMatchObject({ success: true, data: [] });
    started.kill("SIGTERM");
    expect(await started.ended).toBe(0);
    expect(started.output.stdout.split(key!)).toHaveLength(3);

    const again = follow(spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: "1" } }));
    await again.waitFor(/Directory/);
    expect(again.output.stdout).toContain("created earlier");
    again.kill("SIGTERM");
    expect(await again.ended).toBe(0);
  });

  it("prints the addresses of hosted pages, and whether anybody can sign in", async () => {
    const directory = join(folder, "pages");
    const first = await serve(directory);
    await makeNamespace(first, "open");
    await makeNamespace(first, "closed");
    await makeNamespace(first, "none");
    await first.call("POST", "/v1/namespace/open/hosting", { slug: "open-page", protected: false });
    await first.call("POST", "/v1/namespace/closed/hosting", { slug: "closed-page" });
    first.kill("SIGTERM");
    expect(await first.ended).toBe(0);

    const metadata = ["--page-metadata", "year", "--frame-ancestor", "https://www.example.com", "--trust-proxy", "1"];
    const again = await serve(directory, { args: metadata });
    const { pages } = JSON.parse(again.output.stdout);
    expect(pages).toEqual(
      expect.arrayContaining([
        { url: `${again.url}/h/open-page`, protected: false },
        { url: `${again.url}/h/closed-page`, protected: true },
      ]),
    );
    expect(pages).toHaveLength(2);
    const page = await fetch(`${again.url}/h/open-page`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors https://www.example.com;");
    again.kill("SIGTERM");
    expect(await again.ended).toBe(0);

    const args = [resolve("dist/cli/main.js"), "serve", "--port", "0", "-d", directory];
    const people = follow(spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: "1" } }));
    await people.waitFor(/Directory/);
    expect(people.output.stdout).toMatch(/^ {2}Page {7}http:\/\/127\.0\.0\.1:\d+\/h\/open-page\n {2}\S/m);
    expect(people.output.stdout).toMatch(/\/h\/closed-page\n {13}protected: nobody can sign in here/);
    people.kill("SIGTERM");
    expect(await people.ended).toBe(0);
  });

  it("reports in one line that a port is in use, and creates no key that nobody sees", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => other.once("listening", listening));
    const { port } = other.address() as AddressInfo;
    const directory = join(folder, "taken");
    const { code, stdout, stderr } = await lorebase(["serve", "--port", `${port}`, "-d", directory]);
    expect(stderr).toBe(`lorebase: Port ${port} of 127.0.0.1 is in use: choose another one, or 0 for a free one.\n`);
    expect(stdout).toBe("");
    expect(code).toBe(1);
    const json = await lorebase(["serve", "--port", `${port}`, "-d", directory, "--json"]);
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).error.code),
    ).toEqual(["conflict"]);
    other.close();
    expect((await serve(directory)).apiKey).not.toBeNull();
  });

  it("signs URLs for the public address", async () => {
    const server = await serve(join(folder, "public"), { args: ["--public-url", "https://kb.example.com"] });
    await makeNamespace(server, "files");
    const file = { fileName: "a.txt", contentType: "text/plain", fileSize: 3 };
    const { body } = await server.call("POST", "/v1/namespace/files/uploads", file);
    expect(body.data.url).toMatch(/^https:\/\/kb\.example\.com\/v1\/blobs\//);
    const wrong = await lorebase(["serve", "-d", folder, "--public-url", "kb.example.com"]);
    expect(wrong.stderr).toContain("publicUrl: must be an http or https URL");
    expect(wrong.code).toBe(1);
  });

  it("is run by npm run serve, and stops with it", async () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    // A package with the same script, in which nothing is left to build: npm looks for commands in `node_modules/.bin` first.
    const home = join(folder, "npm");
    shim(join(home, "node_modules/.bin"), "tsup", "exit 0");
    writeFileSync(join(home, "package.json"), JSON.stringify({ scripts: { serve: scripts.serve } }));
    symlinkSync(resolve("dist"), join(home, "dist"));
    const args = ["run", "--silent", "serve", "--", "--port", "0", "--json", "--directory", "kb"];
    const started = follow(spawn("npm", args, { cwd: home }));
    await started.waitFor(/\n/);
    expect(JSON.parse(started.output.stdout)).toEqual({
      url: expect.any(String),
      apiKey: expect.any(String),
      pages: [],
    });
    started.kill("SIGTERM");
    expect(await started.ended).toBe(0);
  });
});

describe("stop", () => {
  it("stops at once at the second signal", async () => {
    const server = await serve(join(folder, "twice"));
    const { released } = await heldRequest(server, "held-back");
    const cutOff = expect(released).rejects.toMatchObject({ code: "ECONNRESET" });
    server.kill("SIGTERM");
    await server.waitFor(/shutting down/);
    server.kill("SIGTERM");
    expect(await server.ended).toBe(130);
    await cutOff;
  });

  it("does not wait for idle connections", async () => {
    const server = await serve(join(folder, "idle"));
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    const halfway = connect(Number(port), hostname);
    await Promise.all([silent, halfway].map((socket) => new Promise((connected) => socket.once("connect", connected))));
    halfway.write("GET /health HTTP/1.1\r\nHost: a");
    // Its connection is kept alive.
    await server.call("GET", "/v1/namespace");
    const stopped = performance.now();
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(performance.now() - stopped).toBeLessThan(GRACE_MS);
    silent.destroy();
    halfway.destroy();
  });

  it("waits at most ten seconds for a request", async () => {
    const server = await serve(join(folder, "slow"));
    const { released } = await heldRequest(server, "never-sent");
    const cutOff = expect(released).rejects.toMatchObject({ code: "ECONNRESET" });
    const stopped = performance.now();
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    await cutOff;
    expect(performance.now() - stopped).toBeGreaterThan(GRACE_MS - 100);
    expect(performance.now() - stopped).toBeLessThan(2 * GRACE_MS);
  });

  it("finishes every accepted request, in repeated stops under load", async () => {
    const directory = join(folder, "load");
    let key: string | undefined;
    let job: { id: string; seen: number } | null = null;
    for (let round = 0; round < STOPS; round++) {
      const server: Server = await serve(directory, key === undefined ? {} : { key });
      key ??= server.apiKey!;
      if (round === 0) await makeNamespace(server, "load");
      job ??= { id: await startLongJob(server), seen: 0 };
      const stream = await follower(server, key, job);
      // The job continues at once: a lease that was not released would block it for a minute.
      const went = await Promise.race([stream.progressed, stream.ended.then(() => "ended")]);
      const load = Array.from({ length: 4 }, () => searchUntilRefused(server, key!));
      const held = await heldRequest(server, `round-${round}`, key);
      await Promise.all(load.map(({ answered }) => answered));

      const stopped = performance.now();
      server.kill(round % 2 === 0 ? "SIGTERM" : "SIGINT");
      await server.waitFor(/shutting down/);
      // The stream ends cleanly while a request still runs.
      await stream.ended;
      expect(performance.now() - stopped).toBeLessThan(GRACE_MS);
      held.release();
      expect(await held.released).toBe(201);
      const answers = (await Promise.all(load.map(({ ended }) => ended))).reduce((sum, count) => sum + count, 0);
      expect(await server.ended).toBe(0);
      expect(performance.now() - stopped).toBeLessThan(GRACE_MS);
      const lines = server.log();
      expect(lines.filter(({ operation }) => operation === "search")).toHaveLength(answers);
      expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
      expect(leases(directory)).toEqual({ leased: 0, processes: 0 });
      job = went === "ended" ? null : { ...job, seen: stream.last() };
    }
  }, 300_000);
});

describe("log", () => {
  it("is one JSON object per line, with a request's operation but not its content", async () => {
    const server = await serve(join(folder, "log"));
    await makeNamespace(server, "logged");
    await server.call("GET", "/v1/nothing");
    server.kill("SIGTERM");
    await server.ended;
    const [made, nothing] = server.log().filter(({ msg }) => msg === "request");
    expect(made).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: "info",
      msg: "request",
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      method: "POST",
      operation: "createNamespace",
      status: 201,
      durationMs: expect.any(Number),
      organizationId: "org_default",
    });
    expect(nothing).toMatchObject({ operation: null, status: 404 });
  });

  it.runIf(process.platform === "linux")("has short lines on a terminal", async () => {
    const command = `${process.execPath} dist/cli/main.js serve --port 0 -d ${join(folder, "terminal")}`;
    const env = { ...process.env, TERM: "xterm", NO_COLOR: "1" };
    const started = follow(spawn("script", ["-qec", command, "/dev/null"], { env }));
    await started.waitFor(/Directory/);
    const [, url] = /listening on (\S+)/.exec(started.output.stdout) ?? [];
    await fetch(`${url}/v1/namespace`);
    await started.waitFor(/\d\d:\d\d:\d\d {2}401 GET listNamespaces {2}[\d.]+ ms {2}requestId=[0-9a-f-]{36}\r\n/);
    started.kill("SIGTERM");
    await started.ended;
  });

  it("never contains a key, text, query, id of a path or password of a URL", async () => {
    const directory = join(folder, "canaries");
    const server = await serve(directory);
    const canary = (name: string) => `canary-${name}-7f3a`;
    const ids: string[] = [];
    await makeNamespace(server, "kept");

    // Succeeds.
    const job = await server.call("POST", "/v1/namespace/kept/ingest-jobs?q=canary-url-query", {
      payload: { type: "TEXT", text: canary("text") },
    });
    ids.push(job.body.data.id, job.body.data.namespaceId);
    const jobPath = `/v1/namespace/kept/ingest-jobs/${job.body.data.id}`;
    await until(
      () => server.call("GET", jobPath),
      ({ body }) => body.data.status === "COMPLETED",
    );
    await server.call("POST", "/v1/namespace/kept/search", { query: canary("query"), mode: "keyword" });
    const file = { fileName: `${canary("file")}.txt`, contentType: "text/plain", fileSize: 11 };
    const upload = await server.call("POST", "/v1/namespace/kept/uploads", file);
    const signed = new URL(upload.body.data.url, server.url);
    await fetch(signed, { method: "PUT", body: "canary-body", headers: { "content-type": "text/plain" } });
    ids.push(signed.searchParams.get("signature")!);

    // Fails because of the caller.
    const crawl = { type: "URLS", urls: [`https://user:${canary("password")}@example.com/`] };
    await server.call("POST", "/v1/namespace/kept/ingest-jobs", { payload: crawl });
    await server.call("GET", "/v1/namespace", undefined, { authorization: `Bearer lb_${canary("key")}` });
    await server.call("GET", `/v1/namespace/${canary("path")}/documents/${canary("path")}?${canary("parameter")}=1`);
    await server.call("GET", `/v1/namespace/kept/documents?cursor=${canary("cursor")}`);
    await server.call("POST", "/v1/namespace", { name: "x", slug: `!${canary("slug")}` });
    const embeddingConfig = { provider: "MANAGED_TRANSFORMERS", model: canary("model") };
    await server.call("POST", "/v1/namespace", { name: "x", slug: "x", embeddingConfig });
    await server.call("POST", "/v1/namespace/kept/search", { query: "x" }, { "x-tenant-id": `!${canary("tenant")}` });
    for (const lines of [
      [`GET http://user:${canary("credential")}@127.0.0.1/v1/namespace HTTP/1.1`, `Host: ${canary("host")}`],
      [`GET /v1/namespace HTTP/1.1`, `Host: ${canary("host")}\\\\`],
      [`GET /${canary("target")} HTTP/1.1`, `${canary("header")} : x`],
    ])
      await raw(server, lines);

    // Fails because of the server, with errors that quote the input.
    const database = new Sqlite(join(directory, "lorebase.db"));
    database.exec(`
      CREATE TRIGGER refuse BEFORE INSERT ON namespaces BEGIN SELECT RAISE(ABORT, 'refused ' || NEW.name); END;
      CREATE TRIGGER refuse_text BEFORE INSERT ON chunks BEGIN SELECT RAISE(ABORT, 'refused ' || NEW.text); END;
    `);
    const failed = await server.call("POST", "/v1/namespace", { name: canary("name"), slug: "fails" });
    expect(failed.status).toBe(500);
    await server.call("POST", "/v1/namespace/kept/ingest-jobs", {
      payload: { type: "TEXT", text: canary("refused-text") },
    });
    database.exec("ALTER TABLE chunks RENAME TO elsewhere");
    const broken = { query: canary("broken-query"), mode: "keyword" };
    expect((await server.call("POST", "/v1/namespace/kept/search", broken)).status).toBe(500);
    database.close();

    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    const { stdout, stderr } = server.output;
    const output = stdout.replace(server.apiKey!, "") + stderr;
    expect(output).not.toMatch(/canary/i);
    for (const secret of [server.apiKey!, server.apiKey!.slice(3), ...ids]) expect(output).not.toContain(secret);
    // It still has enough to find the cause.
    const request = server.log().find(({ operation, status }) => operation === "createNamespace" && status === 500);
    expect(
      server.log().find(({ msg, requestId }) => msg !== "request" && requestId === request?.requestId),
    ).toMatchObject({
      level: "error",
      msg: "request failed",
      error: { name: "KnowledgeBaseError", code: "store_failed", cause: { code: "SQLITE_CONSTRAINT_TRIGGER" } },
    });
  });

  it("suppresses the output, warnings and exceptions of libraries", async () => {
    const preload = join(folder, "preload.mjs");
    writeFileSync(
      preload,
      `import { Worker } from "node:worker_threads";
      process.on("SIGUSR2", () => {
        console.log("canary"); console.error(new Error("canary")); process.stdout.write("canary\\n");
        process.emitWarning("canary");
        new Worker("console.log('canary'); console.error('canary')", { eval: true, execArgv: [] })
          .on("exit", () => { throw new TypeError("canary\\n    at canary (file:///canary:1:1)"); });
      });`,
    );
    const server = await serve(join(folder, "suppressed"), { env: { NODE_OPTIONS: `--import ${preload}` } });
    server.kill("SIGUSR2");
    expect(await server.ended).toBe(1);
    expect(server.output.stdout.trim().split("\n")).toHaveLength(1);
    expect(server.output.stderr).not.toContain("canary");
    const messages = server.log().map(({ msg }) => msg);
    expect(messages.filter((msg) => msg === "output of a library was suppressed").length).toBeGreaterThanOrEqual(5);
    expect(messages).toContain("Node issued a warning");
    expect(server.log().at(-1)).toMatchObject({
      level: "error",
      msg: "uncaught exception",
      error: { name: "TypeError" },
    });
  });

  it("describes an error only by its class, code, stack positions and causes", () => {
    class Odd extends Error {
      override readonly name = "canary in a name";
      readonly code = "canary in a code";
    }
    const cause = new Odd("canary\n    at canary (file:///canary.js:1:1)\n");
    const error = Object.assign(new TypeError("canary\n    at canary (/canary.js:1:1)", { cause }), { code: "E_CODE" });
    const described = describeError(error);
    expect(JSON.stringify(described)).not.toContain("canary");
    expect(described).toMatchObject({ name: "TypeError", code: "E_CODE", cause: { name: "Error" } });
    expect(described.at[0]).toMatch(/serve\.test\.ts:\d+:\d+$/);
    error.message = "changed";
    expect(describeError(error).at).toEqual([]);
    expect(describeError("canary")).toEqual({ name: "string", at: [] });
  });
});

it("the commands of the guide work as written", async () => {
  const section = /\n## The command\n(.*?)\n## /s.exec(readFileSync("docs/guide/server.md", "utf8"))?.[1] ?? "";
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
  expect(blocks[0]!.trim().split("\n")).toHaveLength(3);
  const port = await freePort();
  const script = blocks.join("").replaceAll(":3000", `:${port}`);
  const home = join(folder, "readme");
  mkdirSync(home);
  // Uses the built command instead of the registry, and a free port instead of the default one.
  const bin = shim(
    join(folder, "bin"),
    "npx",
    `shift; exec ${process.execPath} ${resolve("dist/cli/main.js")} "$@" $([ "$1" = serve ] && echo --port ${port})`,
  );
  const search = script.trim().split("\n").at(-1)!;
  const again = `until ${search} --silent | grep --quiet '"score"'; do :; done`;
  const bash = follow(
    spawn("bash", ["-e", "-c", `${script}\n${again}\n${search}\nkill $! && wait $!`], {
      cwd: home,
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, LOREBASE_DIRECTORY: "" },
    }),
  );
  expect(await bash.ended).toBe(0);
  expect(bash.output.stdout).toContain("thirty minutes before sunset");
});

/** A folder with a command, for the start of PATH. */
function shim(bin: string, command: string, script: string): string {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, command), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, command), 0o755);
  return bin;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Sends raw request lines and waits for the end of the connection. */
async function raw(server: Server, lines: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.end(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  await text(socket).catch(() => {});
}

/** Starts a job that takes longer than a round. */
async function startLongJob(server: Server): Promise<string> {
  const words = "the keeper lights the lamp before sunset and enters it into the log of the station ";
  const items = Array.from({ length: 1000 }, (_, index) => ({ type: "TEXT", text: `${index} ${words.repeat(90)}` }));
  const { status, body } = await server.call("POST", "/v1/namespace/load/ingest-jobs", {
    payload: { type: "BATCH", items },
  });
  expect(status).toBe(201);
  return body.data.id as string;
}

/** Follows a job's events after the last one seen. `ended` rejects if the stream breaks off. */
async function follower(server: Server, key: string, job: { id: string; seen: number }) {
  const response = await fetch(`${server.url}/v1/namespace/load/ingest-jobs/${job.id}/events`, {
    headers: { authorization: `Bearer ${key}`, "last-event-id": `${job.seen}` },
  });
  expect(response.status).toBe(200);
  let last = job.seen;
  let progress = () => {};
  const progressed = new Promise<void>((resolve) => {
    progress = resolve;
  });
  const ended = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      for (const [, id] of part.matchAll(/^id: (\d+)$/gm)) last = Number(id);
      if (part.includes('"COMPLETED"')) progress();
    }
  })();
  return { progressed, ended, last: () => last };
}

/** Searches over one connection until the server refuses it. `ended` is the number of complete answers. */
function searchUntilRefused(server: Server, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let first = () => {};
  const answered = new Promise<void>((resolve) => {
    first = resolve;
  });
  const ended = (async () => {
    for (let count = 0; ; count++) {
      try {
        const { request, response } = post(server, "/v1/namespace/load/search", key, agent);
        request.end(JSON.stringify({ query: "lamp", mode: "keyword", topK: 5 }));
        const message = await response;
        expect(message.statusCode).toBe(200);
        JSON.parse(await text(message));
        first();
      } catch (error) {
        agent.destroy();
        if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return count;
        throw error;
      }
    }
  })();
  return { answered, ended };
}

/** A request that the server has started to read. `release` sends its body. */
async function heldRequest(server: Server, slug: string, key = server.apiKey!) {
  const { request, response } = post(server, "/v1/namespace", key, new Agent(), { expect: "100-continue" });
  request.flushHeaders();
  await new Promise((resolve, reject) => request.once("continue", resolve).once("error", reject));
  const released = response.then(async (message) => {
    expect(JSON.parse(await text(message))).toMatchObject({ success: true, data: { slug } });
    return message.statusCode;
  });
  const release = () =>
    request.end(JSON.stringify({ name: slug, slug, embeddingConfig: { provider: "MANAGED_LEXICAL" } }));
  return { release, released };
}

function post(
  server: Server,
  path: string,
  key: string,
  agent: Agent,
  headers: Record<string, string> = {},
): { request: ClientRequest; response: Promise<IncomingMessage> } {
  const request = httpRequest(`${server.url}${path}`, {
    method: "POST",
    agent,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
  });
  return { request, response };
}

/** Leases and processes that are left in the queue. */
function leases(directory: string): { leased: number; processes: number } {
  const database = new Sqlite(join(directory, "lorebase.db"), { readonly: true });
  const count = (sql: string) => database.prepare(sql).pluck().get() as number;
  const counts = {
    leased: count("SELECT count(*) FROM tasks WHERE lease_until IS NOT NULL"),
    processes: count("SELECT count(*) FROM processes"),
  };
  database.close();
  return counts;
}
