import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { smallSite } from "../support/small-site.js";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const lexical = ["--embedding", "MANAGED_LEXICAL"];

const linksTo = (...paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");
const envFor = (origin: string) => ({ LOREBASE_ALLOW_PRIVATE_HOSTS: new URL(origin).host });

const newSite = () =>
  smallSite({
    "/": { title: "Start", body: `The keeper's house. ${linksTo("/lamp", "/tide", "/gone", "/private/key", "/deep")}` },
    "/lamp": { title: "Lamp", body: "The lamp is lit at dusk." },
    "/tide": { title: "Tide", body: "The tide turns at noon." },
    "/private/key": { title: "Key", body: "The key lies below the stone." },
    "/deep": { title: "Deep", body: `Below the house. ${linksTo("/deeper")}` },
    "/deeper": { title: "Deeper", body: "Below the cellar." },
  });

describe("crawl", () => {
  it("makes documents of a site's pages and counts the other pages by reason", async () => {
    const { origin, requests } = await newSite();
    const kb = ["-d", join(folder, "kb"), ...lexical];
    const limits = ["--max-depth", "2", "--exclude-path", "/private", "--header", "X-Reader: Zoe: 1"];
    const crawl = await lorebaseHere(["crawl", `${origin}/`, ...kb, ...limits], envFor(origin));
    expect(crawl.stderr).toBe("");
    expect(crawl.stdout).toMatch(/^4 documents, 4 chunks in [\d.]+ s\nnamespace default \(MANAGED_LEXICAL/);
    expect(crawl.stdout).toMatch(/\npages: 4 documents; left out: 1 not found; skipped: 1 excluded, 1 too deep\n$/);
    expect(crawl.code).toBe(0);
    expect(requests.find(({ path }) => path === "/lamp")!.headers["x-reader"]).toBe("Zoe: 1");
    const search = await lorebaseHere(["search", "tide noon", "-d", join(folder, "kb"), "-m", "keyword", "--json"]);
    expect(JSON.parse(search.stdout).hits[0].metadata.url).toBe(`${origin}/tide`);
  });

  it("reports in JSON why it ended", async () => {
    const { origin } = await newSite();
    const args = ["crawl", origin, "-d", join(folder, "json"), ...lexical, "--limit", "1", "--json"];
    const { stdout, code } = await lorebaseHere(
      [...args, "--include-path", "/lamp", "--include-path", "/tide"],
      envFor(origin),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      ended: "limit",
      pages: { documents: 1 },
      jobs: [{ status: "COMPLETED" }],
      documents: [{ status: "COMPLETED" }],
    });
    expect(code).toBe(0);
  });

  it("warns that it waits for a site with a long Retry-After", async () => {
    const { origin } = await smallSite({ "/robots.txt": { status: 503, headers: { "retry-after": "86400" } } });
    const args = ["crawl", origin, "-d", join(folder, "waits"), ...lexical];
    let said = "";
    const onStderr = (text: string, kill: (signal: NodeJS.Signals) => void) => {
      said += text;
      if (/resumes at .*\n/.test(said)) kill("SIGINT");
    };
    const { stderr } = await lorebase(args, { env: envFor(origin), onStderr });
    expect(stderr).toMatch(
      /^warning: 127\.0\.0\.1:\d+ asks clients to wait 86400 s \(Retry-After\)\. \S+ waits and resumes at 20\S+Z\.\n/,
    );
  });

  it("updates an earlier crawl of the URL, and replaces one with other options on request", {
    timeout: 120_000,
  }, async () => {
    const { origin, pages } = await newSite();
    const at = ["-d", join(folder, "again")];
    const crawl = async (...args: string[]) => {
      const { stdout, stderr, code } = await lorebaseHere(["crawl", origin, ...at, ...args, "--json"], envFor(origin));
      return { code, stderr, ...(stdout === "" ? {} : JSON.parse(stdout)) };
    };
    const found = async (text: string) => {
      const { stdout } = await lorebaseHere(["search", text, ...at, "-m", "keyword", "-k", "20", "--json"]);
      return (JSON.parse(stdout).hits as unknown[]).length;
    };
    const first = await crawl(...lexical);
    expect(first).toMatchObject({ again: false, replaced: [] });
    pages["/tide"] = { title: "Tide", body: "The tide turns at noon and at midnight." };
    const again = await crawl();
    expect(again).toMatchObject({ code: 0, again: true, pages: { documents: 1 }, jobs: [{ id: first.jobs[0].id }] });
    expect(await found("midnight")).toBe(1);

    const refused = await crawl("--limit", "20");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${first.jobs[0].id} is a crawl of this URL with other options: --replace`);
    // A crawl that does not complete replaces none.
    const start = pages["/"]!;
    pages["/"] = { status: 404 };
    expect(await crawl("--limit", "20", "--replace")).toMatchObject({ code: 1, replaced: [] });
    pages["/"] = start;
    const replacing = await crawl("--header", "X-A: secret", "--replace");
    expect(replacing).toMatchObject({ code: 0, again: false });
    expect(replacing.replaced).toContain(first.jobs[0].id);
    expect(await found("midnight")).toBe(1);
    expect((await crawl("--header", "X-A: secret")).stderr).toContain("can't be compared: --replace");
  });

  it("exits with 1 and the reason if the site cannot be read", async () => {
    const { origin } = await smallSite({ "/": { status: 404 } });
    const kb = ["-d", join(folder, "missing"), ...lexical];
    const missing = await lorebaseHere(["crawl", origin, ...kb], envFor(origin));
    expect(missing.stdout).toMatch(/^failed {3}127\.0\.0\.1:\d+: \S/);
    expect(missing.code).toBe(1);
    const refused = await lorebaseHere(["crawl", origin, ...kb]);
    expect(refused.stdout).toMatch(/^failed {3}127\.0\.0\.1:\d+: \S/);
    expect(refused.code).toBe(1);
    const wrong = await lorebaseHere(["crawl", "ftp://example.com", ...kb]);
    expect(wrong.stderr).toMatch(/payload\.url: must be an http or https URL/);
    expect((await lorebaseHere(["crawl", origin, ...kb, "--header", "nothing"])).code).toBe(2);
    const twice = await lorebaseHere(["crawl", origin, ...kb, "--header", "X-A: one", "--header", "x-a: two"]);
    expect(twice.stderr).toContain('--header "x-a" is given twice');
    expect(twice.stderr).not.toMatch(/one|two/);
    expect(twice.code).toBe(2);
  });
});

describe("ingest", () => {
  it("ingests local files and URLs together", async () => {
    const { origin } = await smallSite({
      "/notes/tide.md": { type: "text/markdown", raw: Buffer.from("# Tide\n\nThe tide turns at noon.") },
    });
    const address = origin.replace("://", "://reader:secret@");
    const sources = ["examples/data/boat-and-weather.md", `${address}/notes/tide.md`, `${origin}/gone.pdf`];
    const kb = ["-d", join(folder, "files"), ...lexical];
    const { stdout, stderr, code } = await lorebaseHere(["ingest", ...sources, ...kb], envFor(origin));
    expect(stderr).toMatch(/ingesting 3\/3 {2}files, \d+ chunks\n$/);
    expect(stdout).toMatch(/^failed {3}.*gone\.pdf: \S.*\n2 documents, /);
    expect(stdout + stderr).not.toContain("secret");
    expect(code).toBe(1);
    const search = await lorebaseHere(["search", "tide noon", "-d", join(folder, "files"), "-m", "keyword", "--json"]);
    expect(JSON.parse(search.stdout).hits[0].metadata).toMatchObject({ filename: "tide.md" });
  });
});
