import { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";

// `next dev` evaluates this file again when it has changed: the knowledge base that is open stays the one.
const kept = globalThis as { kb?: KnowledgeBase };
kept.kb ??= new KnowledgeBase({
  directory: process.env.KB_DIRECTORY ?? "./kb",
  // As https://example.com/kb. Next.js doesn't tell a route which host was asked: signed URLs learn it here.
  publicUrl: process.env.KB_PUBLIC_URL,
});
const kb = kept.kb;

const handler = createHandler(kb, { basePath: "/kb" });

export { handler as DELETE, handler as GET, handler as HEAD, handler as PATCH, handler as POST, handler as PUT };
