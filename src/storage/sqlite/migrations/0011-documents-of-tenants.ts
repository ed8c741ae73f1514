/** Lists the documents of one tenant, or of the default partition, without those of other tenants between them. */
export const documentsOfTenants = {
  name: "documents-of-tenants",
  sql: "CREATE INDEX documents_tenant ON documents (namespace_id, tenant_id, seq);",
};
