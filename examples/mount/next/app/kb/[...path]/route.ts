import { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";

// `next dev` evaluates this file again after a change, but the open knowledge base must stay the same.
const globals = globalThis as { kb?: KnowledgeBase };
globals.kb ??= new KnowledgeBase({
  directory: process.env.KB_DIRECTORY ?? "./kb",
  // Such as https://example.com/kb. Next.js doesn't pass the requested host to a route, so signed URLs need it.
  publicUrl: process.env.KB_PUBLIC_URL,
});
const kb = globals.kb;

const handler = createHandler(kb, { basePath: "/kb" });

export { handler as DELETE, handler as GET, handler as HEAD, handler as PATCH, handler as POST, handler as PUT };
