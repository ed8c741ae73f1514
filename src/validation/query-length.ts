/** Of a query or a question, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 8000;
