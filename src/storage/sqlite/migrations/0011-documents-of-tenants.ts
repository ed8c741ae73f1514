/** Adds an index that lists the documents of one tenant, or those without a tenant, and reads no other documents. */
export const documentsOfTenants = {
  name: "documents-of-tenants",
  sql: "CREATE INDEX documents_tenant ON documents (namespace_id, tenant_id, seq);",
};
