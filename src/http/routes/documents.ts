import { listDocumentsSchema, pageRangeSchema } from "../../validation/schemas.js";
import { route } from "../route.js";
import { documentAnswer, documentTextAnswer, urlAnswer } from "../wire.js";

const DOCUMENTS = "/v1/namespace/:namespaceId/documents";
const DOCUMENT = `${DOCUMENTS}/:documentId`;

export const documentRoutes = [
  route({
    operationId: "listDocuments",
    summary: "Documents, newest first",
    method: "GET",
    path: DOCUMENTS,
    access: "read",
    tenant: true,
    query: listDocumentsSchema,
    answer: documentAnswer,
    list: true,
    run: ({ namespace, query, signal }) => namespace.documents.list({ ...query, signal }),
  }),
  route({
    operationId: "getDocument",
    summary: "Read a document",
    method: "GET",
    path: DOCUMENT,
    access: "read",
    tenant: true,
    answer: documentAnswer,
    run: ({ namespace, params, signal }) => namespace.documents.get(params.documentId!, { signal }),
  }),
  route({
    operationId: "getDocumentText",
    summary: "The text of a completed document, or of some of its pages, in which the ranges of hits count",
    method: "GET",
    path: `${DOCUMENT}/text`,
    access: "read",
    tenant: true,
    query: pageRangeSchema,
    answer: documentTextAnswer,
    run: ({ namespace, params, query, signal }) =>
      namespace.documents.text(params.documentId!, { pages: { from: query.fromPage, to: query.toPage }, signal }),
  }),
  route({
    operationId: "deleteDocument",
    summary: "Queue a document's deletion: no search finds it from here on",
    method: "DELETE",
    path: DOCUMENT,
    access: "write",
    tenant: true,
    answer: documentAnswer,
    run: ({ namespace, params, signal }) => namespace.documents.delete(params.documentId!, { signal }),
  }),
  route({
    operationId: "getChunksDownloadUrl",
    summary: "A URL, valid for 24 hours, of a completed document's chunks as JSON",
    method: "POST",
    path: `${DOCUMENT}/chunks-download-url`,
    access: "read",
    tenant: true,
    answer: urlAnswer,
    run: async ({ namespace, params, link, signal }) => {
      const { url } = await namespace.documents.chunksDownloadUrl(params.documentId!, { signal });
      return { url: link(url) };
    },
  }),
  route({
    operationId: "getFileDownloadUrl",
    summary: "A URL, valid for 24 hours, of the file that a MANAGED_FILE document was made from",
    method: "POST",
    path: `${DOCUMENT}/file-download-url`,
    access: "read",
    tenant: true,
    answer: urlAnswer,
    run: async ({ namespace, params, link, signal }) => {
      const { url } = await namespace.documents.fileDownloadUrl(params.documentId!, { signal });
      return { url: link(url) };
    },
  }),
];
