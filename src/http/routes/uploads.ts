import { createUploadSchema, createUploadsSchema } from "../../validation/upload-schema.js";
import { uploadSchema } from "../response-schemas.js";
import { route } from "../route.js";

const UPLOADS = "/v1/namespace/:namespaceId/uploads";

export const uploadRoutes = [
  route({
    operationId: "createUpload",
    summary: "Announce a file and get the URL for its upload, valid for one hour and one PUT",
    method: "POST",
    path: UPLOADS,
    access: "write",
    body: createUploadSchema,
    status: 201,
    response: uploadSchema,
    run: async ({ namespace, body, link, signal }) => {
      const upload = await namespace.uploads.create(body, { signal });
      return { ...upload, url: link(upload.url) };
    },
  }),
  route({
    operationId: "createBatchUpload",
    summary: "Announce 1 to 100 files, all or none",
    method: "POST",
    path: `${UPLOADS}/batch`,
    access: "write",
    body: createUploadsSchema,
    status: 201,
    response: uploadSchema.array(),
    run: async ({ namespace, body: { files }, link, signal }) => {
      const uploads = await namespace.uploads.createBatch(files, { signal });
      return uploads.map((upload) => ({ ...upload, url: link(upload.url) }));
    },
  }),
];
