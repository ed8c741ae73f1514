import { KnowledgeBase, openAICompatible } from "lorebase";
import { createHandler } from "lorebase/http";

const { LLM_URL: baseUrl, LLM_MODEL: model } = process.env;

// `next dev` evaluates this file again after a change, but the open knowledge base must stay the same.
const globals = globalThis as { kb?: KnowledgeBase };
globals.kb ??= new KnowledgeBase({
  directory: process.env.KB_DIRECTORY ?? "./kb",
  // Such as https://example.com/kb. Next.js doesn't pass the requested host to a route, so the pages' links need it.
  publicUrl: process.env.KB_PUBLIC_URL,
  // Without a model, answers are quotes of the documents.
  languageModel: baseUrl && model ? openAICompatible({ baseUrl, model }) : undefined,
});

// The chat of the hosted page "handbook": the browser needs no API key, and can change neither the namespace nor the
// filter. If the page is protected, `authorize` decides, here by the session of the application.
const handler = createHandler(globals.kb, {
  basePath: "/kb",
  page: { authorize: (request) => isSignedIn(request), metadata: ["year"], trustProxy: true },
});

function isSignedIn(request: Request): boolean {
  return request.headers.get("cookie")?.includes("my-session=") ?? false;
}

export { handler as DELETE, handler as GET, handler as HEAD, handler as PATCH, handler as POST, handler as PUT };
