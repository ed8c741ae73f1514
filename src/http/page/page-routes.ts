import { MAX_QUERY_LENGTH } from "../../validation/query-length.js";
import { fileResponse } from "../file-response.js";
import { jsonResponse } from "../json-response.js";
import { type Call, type Route, route } from "../route.js";
import { embedScript } from "./embed-script.js";
import { answerVisitor } from "./page-chat.js";
import { PageError, pageErrorResponse, toPageError } from "./page-error.js";
import { DATA_HEADERS, PDF_HEADERS, pageHeaders } from "./page-headers.js";
import { loadPageFiles, type PageServer } from "./page-server.js";
import { readPageDocument, requirePdf } from "./read-document.js";
import { renderNotFound, renderPage } from "./render-page.js";
import { searchPage } from "./search-page.js";
import { sendCode, signOut, verifyCode } from "./sign-in.js";
import { languageOf } from "./strings/page-language.js";
import { openVisit } from "./visit.js";
import { visitorIdOf } from "./visitor-id.js";

type Run = (server: PageServer, call: Call) => Promise<Response | object>;

const PAGE = "/h/:slug";

/** The routes of the hosted pages. They need no API key, and are not a part of the `/v1` interface. */
export function pageRoutes(server: PageServer): readonly Route[] {
  const pageRoute = (method: Route["method"], path: string, operationId: string, run: Run) =>
    route({
      ...{ operationId, method, path, summary: "A route of hosted pages", access: "public", response: null },
      run: (call) => respond(server, call, run),
    });
  return [
    pageRoute("GET", PAGE, "page", showPage),
    pageRoute("GET", `${PAGE}/`, "pageWithSlash", redirectToPage),
    pageRoute("GET", `${PAGE}/search`, "pageSearch", search),
    pageRoute("POST", `${PAGE}/chat`, "pageChat", chat),
    pageRoute("GET", `${PAGE}/document/:documentId`, "pageDocument", readDocument),
    pageRoute("GET", `${PAGE}/document/:documentId/file`, "pageFile", readFile),
    pageRoute("POST", `${PAGE}/feedback`, "pageFeedback", addFeedback),
    pageRoute("POST", `${PAGE}/sign-in`, "pageSignIn", async (server, call) =>
      sendCode(server, await openVisit(call, server.options)),
    ),
    pageRoute("POST", `${PAGE}/sign-in/verify`, "pageVerifySignIn", async (server, call) =>
      verifyCode(server, await openVisit(call, server.options)),
    ),
    pageRoute("POST", `${PAGE}/sign-out`, "pageSignOut", async (server, call) =>
      signOut(server, await openVisit(call, server.options)),
    ),
    pageRoute("GET", "/page-assets/:file", "pageAsset", readAsset),
    pageRoute("GET", "/embed.js", "embedScript", readEmbedScript),
  ];
}

/** Responds with the result as JSON, unless it is a response, and with errors as visitors see them. */
async function respond(server: PageServer, call: Call, run: Run): Promise<Response> {
  try {
    const result = await run(server, call);
    return withHeaders(result instanceof Response ? result : jsonResponse(result, { status: 200 }));
  } catch (error) {
    const pageError = toPageError(error);
    if (!pageError && !call.signal.aborted) call.onError(error);
    const language = await languageOf(call.request);
    return withHeaders(pageErrorResponse(pageError ?? new PageError("internal"), language));
  }
}

function withHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(DATA_HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

/** With `?q=` also the results, so that the page works without its script. */
async function showPage(server: PageServer, call: Call): Promise<Response> {
  const { options } = server;
  const addresses = await server.addresses(call);
  const visit = await openVisit(call, options).catch((error: unknown) => {
    if (toPageError(error)?.code === "not_found") return null;
    throw error;
  });
  const { frameAncestors } = options;
  if (!visit)
    return new Response(renderNotFound(addresses, await languageOf(call.request)), {
      status: 404,
      headers: pageHeaders({ frameAncestors, logo: null }),
    });
  const { settings, isAdmitted } = visit;
  const query = call.url.searchParams.get("q")?.trim().slice(0, MAX_QUERY_LENGTH) || null;
  const found = isAdmitted && query !== null && settings.searchEnabled ? await tryToSearch(server, visit, query) : null;
  const visitorId = await visitorIdOf(visit);
  const problem = found?.problem?.textIn(visit.language) ?? null;
  const content = { visitorId, query, passages: found?.passages ?? null, problem };
  return new Response(renderPage(visit, addresses, content), {
    status: isAdmitted ? (found?.problem?.status ?? 200) : 403,
    headers: {
      ...pageHeaders({ frameAncestors, logo: settings.logo }),
      ...found?.problem?.headers,
      ...(settings.protected ? { "x-robots-tag": "noindex" } : {}),
    },
  });
}

async function tryToSearch(server: PageServer, visit: Awaited<ReturnType<typeof openVisit>>, query: string) {
  try {
    await server.limitSearches(visit);
    return { passages: await searchPage(visit, query, server.options), problem: null };
  } catch (error) {
    const problem = toPageError(error);
    if (!problem) visit.call.onError(error);
    return { passages: null, problem: problem ?? new PageError("internal") };
  }
}

async function redirectToPage(_: PageServer, { params, link, url }: Call): Promise<Response> {
  const { pathname } = new URL(link(`/h/${encodeURIComponent(params.slug!)}`));
  return new Response(null, { status: 308, headers: { location: `${pathname}${url.search}` } });
}

async function search(server: PageServer, call: Call): Promise<object> {
  const visit = await server.admit(call);
  if (!visit.settings.searchEnabled) throw new PageError("search_disabled");
  await server.limitSearches(visit);
  return { passages: await searchPage(visit, call.url.searchParams.get("q") ?? "", server.options) };
}

async function chat(server: PageServer, call: Call): Promise<Response> {
  const visit = await server.admit(call);
  const body = await server.readBody(visit);
  await server.limitQuestions(visit);
  return answerVisitor(visit, body, server.options);
}

async function readDocument(server: PageServer, call: Call): Promise<object> {
  const visit = await server.admit(call);
  await server.limitSearches(visit);
  return readPageDocument(visit, call.params.documentId!, call.url.searchParams);
}

async function readFile(server: PageServer, call: Call): Promise<Response> {
  const visit = await server.admit(call);
  const { params, request, signal } = call;
  const documentId = params.documentId!;
  await requirePdf(visit, documentId);
  const open = visit.namespace.documents.file;
  return fileResponse(request, (range) => open(documentId, { ...(range && { range }), signal }), PDF_HEADERS, "inline");
}

async function addFeedback(server: PageServer, call: Call): Promise<object> {
  const visit = await server.admit(call);
  const body = (await server.readBody(visit)) as Parameters<typeof visit.namespace.feedback.add>[0];
  await server.limitQuestions(visit);
  await visit.namespace.feedback.add(body, { signal: call.signal });
  return {};
}

async function readAsset(_: PageServer, { params }: Call): Promise<Response> {
  const { files } = await loadPageFiles();
  const file = Object.hasOwn(files, params.file!) && files[params.file!];
  if (!file) throw new PageError("not_found");
  const response = scriptResponse(file.body, "public, max-age=31536000, immutable");
  response.headers.set("content-type", file.type);
  return response;
}

async function readEmbedScript(_: PageServer, { request }: Call): Promise<Response> {
  const response = scriptResponse(embedScript(await languageOf(request)), "public, max-age=3600");
  response.headers.set("vary", "accept-language");
  return response;
}

function scriptResponse(body: string, cacheControl: string): Response {
  return new Response(body, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": cacheControl,
      "cross-origin-resource-policy": "cross-origin",
    },
  });
}
