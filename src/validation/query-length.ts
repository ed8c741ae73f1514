/** Maximum length of a query or a question, in UTF-16 code units. */
export const MAX_QUERY_LENGTH = 8000;
