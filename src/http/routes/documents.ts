import type { z } from "zod";
import { pageRangeSchema, updateDocumentSchema } from "../../validation/document-schema.js";
import { listDocumentsQuerySchema } from "../../validation/list-schema.js";
import { principalsSchema } from "../../validation/principals-schema.js";
import { strict } from "../../validation/strict.js";
import { documentSchema, documentTextSchema, urlSchema } from "../response-schemas.js";
import { type Call, route } from "../route.js";

const FOR_PRINCIPALS = { principals: principalsSchema.optional() };
const principalsQuerySchema = strict(FOR_PRINCIPALS);

const DOCUMENTS = "/v1/namespace/:namespaceId/documents";
const DOCUMENT = `${DOCUMENTS}/:documentId`;
const READ = { access: "read", tenant: true, forPrincipals: true } as const;

export const documentRoutes = [
  route({
    operationId: "listDocuments",
    summary: "List documents, newest first",
    method: "GET",
    path: DOCUMENTS,
    ...READ,
    query: listDocumentsQuerySchema,
    response: documentSchema,
    list: true,
    run: ({ namespace, query, signal }) => namespace.documents.list({ ...query, signal }),
  }),
  route({
    operationId: "getDocument",
    summary: "Read a document",
    method: "GET",
    path: DOCUMENT,
    ...READ,
    query: principalsQuerySchema,
    response: documentSchema,
    run: ({ namespace, params, query, signal }) => namespace.documents.get(params.documentId!, { ...query, signal }),
  }),
  route({
    operationId: "getDocumentText",
    summary: "Read the published text of a document or of a range of its pages; ranges of hits refer to the text",
    method: "GET",
    path: `${DOCUMENT}/text`,
    ...READ,
    query: pageRangeSchema.extend(FOR_PRINCIPALS),
    response: documentTextSchema,
    run: ({ namespace, params, query, signal }) =>
      namespace.documents.text(params.documentId!, {
        pages: { from: query.fromPage, to: query.toPage },
        principals: query.principals,
        signal,
      }),
  }),
  route({
    operationId: "updateDocument",
    summary: "Change who may see a document, at once",
    method: "PATCH",
    path: DOCUMENT,
    access: "write",
    tenant: true,
    body: updateDocumentSchema,
    response: documentSchema,
    run: ({ namespace, params, body, signal }) => namespace.documents.update(params.documentId!, body, { signal }),
  }),
  route({
    operationId: "deleteDocument",
    summary: "Delete a document: searches stop finding it at once, its data is deleted in the background",
    method: "DELETE",
    path: DOCUMENT,
    access: "write",
    tenant: true,
    response: documentSchema,
    run: ({ namespace, params, signal }) => namespace.documents.delete(params.documentId!, { signal }),
  }),
  route({
    operationId: "getChunksDownloadUrl",
    summary: "Create a URL, valid for 24 hours, that downloads the chunks of a completed document as JSON",
    method: "POST",
    path: `${DOCUMENT}/chunks-download-url`,
    ...READ,
    query: principalsQuerySchema,
    response: urlSchema,
    run: (call) => createDownloadUrl(call, "chunksDownloadUrl"),
  }),
  route({
    operationId: "getFileDownloadUrl",
    summary: "Create a URL, valid for 24 hours, that downloads the source file of a MANAGED_FILE document",
    method: "POST",
    path: `${DOCUMENT}/file-download-url`,
    ...READ,
    query: principalsQuerySchema,
    response: urlSchema,
    run: (call) => createDownloadUrl(call, "fileDownloadUrl"),
  }),
];

async function createDownloadUrl(
  { namespace, params, query, link, signal }: Call<unknown, z.output<typeof principalsQuerySchema>>,
  kind: "chunksDownloadUrl" | "fileDownloadUrl",
): Promise<{ url: string }> {
  const { url } = await namespace.documents[kind](params.documentId!, { ...query, signal });
  return { url: link(url) };
}
