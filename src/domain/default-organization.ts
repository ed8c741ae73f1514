/** The id of the organization that is used if a call names none. It belongs to who runs the knowledge base. */
export const DEFAULT_ORGANIZATION = "org_default";
