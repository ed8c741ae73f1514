import type { HostingPatch, KnowledgeBase, KnowledgeBaseOptions, NamespaceHandle } from "lorebase";
import { type HandlerOptions, type PageEmail, type PageOptions, serve } from "lorebase/http";
import { afterAll, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "../../support/knowledge-base.js";
import { type Received, type Sent, send } from "./send.js";

const GUIDE = `# Lighthouse guide

## Lamp

The lamp is lit half an hour before sunset. It burns paraffin.

## Fog horn

The fog horn sounds every ninety seconds in fog. It needs compressed air.
`;

export interface OpenedPage {
  readonly kb: KnowledgeBase;
  readonly url: string;
  readonly namespace: NamespaceHandle;
  readonly slug: string;
  /** The path of the page. */
  readonly path: string;
  /** The errors that were reported. */
  readonly errors: readonly unknown[];
  readonly emails: readonly PageEmail[];
  get(path?: string, headers?: Sent["headers"]): Promise<Received>;
  post(path: string, body: unknown, headers?: Sent["headers"]): Promise<Received>;
  /** Signs in with a code and returns the cookie. */
  signIn(email: string): Promise<string>;
  /** Adds another page to the same server. */
  another(settings: HostingPatch): Promise<OpenedPage>;
}

interface PageSetup {
  readonly settings?: HostingPatch;
  readonly page?: PageOptions;
  /** @default those of a knowledge base that the tests of a file share */
  readonly kb?: KnowledgeBaseOptions;
  readonly handler?: Omit<HandlerOptions, "page">;
  /** @default the guide */
  readonly text?: string | null;
  /** @default guide.md */
  readonly fileName?: string;
}

let made = 0;
let shared: KnowledgeBase | null = null;
afterAll(() => shared?.close());

/** Calls a function later, when what it closes is no longer needed. */
type WhenUnused = (close: () => Promise<void>) => void;

function knowledgeBase(options: KnowledgeBaseOptions | undefined, whenUnused: WhenUnused): KnowledgeBase {
  if (!options) {
    shared ??= openKnowledgeBase();
    return shared;
  }
  const kb = openKnowledgeBase(options);
  whenUnused(() => kb.close());
  return kb;
}

/**
 * Serves a page over one document, with e-mails that are kept. Public unless the settings say otherwise.
 *
 * @param whenUnused By default the end of the test.
 */
export async function openPage(setup: PageSetup = {}, whenUnused: WhenUnused = onTestFinished): Promise<OpenedPage> {
  const { page = {}, handler = {}, text = GUIDE, fileName = "guide.md" } = setup;
  const errors: unknown[] = [];
  const emails: PageEmail[] = [];
  const onError = (error: unknown) => errors.push(error);
  const options = { ...handler, onError, page: { sendEmail: (email: PageEmail) => emails.push(email), ...page } };
  const kb = knowledgeBase(setup.kb, whenUnused);
  const server = await serve(kb, { port: 0, ...options });
  // A path in the URL would be repeated by those of the requests.
  const url = new URL(server.url).origin;
  whenUnused(() => server.close());

  async function add(settings: HostingPatch): Promise<OpenedPage> {
    const namespace = await newNamespace(kb);
    const config = { chunkSize: 100, metadata: { year: 1901, secret: "hush" } };
    if (text !== null) await namespace.ingest({ type: "TEXT", text, fileName }, config).done({ throwOnFailure: true });
    made++;
    const { slug } = await namespace.hosting.enable({ protected: false, slug: `page-${made}`, ...settings });
    const path = `/h/${slug}`;
    const get: OpenedPage["get"] = (rest = "", headers = {}) => send(url, { path: path + rest, headers });
    const post: OpenedPage["post"] = (rest, body, headers = {}) =>
      send(url, {
        ...{ method: "POST", path: path + rest, body: typeof body === "string" ? body : JSON.stringify(body) },
        headers: { "content-type": "application/json", ...headers },
      });
    return {
      ...{ kb, url, namespace, slug, path, errors, emails, get, post, another: add },
      async signIn(email) {
        const before = emails.length;
        const { requestId } = JSON.parse((await post("/sign-in", { email })).text);
        const code = await codeOf(() => emails.at(before));
        const { headers } = await post("/sign-in/verify", { email, code, requestId });
        return headers["set-cookie"]![0]!.split(";")[0]!;
      },
    };
  }
  return add(setup.settings ?? {});
}

/** The code of an e-mail, which is sent after the response. */
async function codeOf(email: () => PageEmail | undefined): Promise<string> {
  while (!email()) await new Promise((resolve) => setImmediate(resolve));
  return /\d{6}/.exec(email()!.text)![0];
}
