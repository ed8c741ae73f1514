import { HttpError } from "./errors.js";

const NUMBER_PARAMETERS = ["perPage", "pageSize", "page", "fromPage", "toPage", "staleAfterDays"];
/** Parameters with several values, separated by commas (form style, not exploded). */
const LIST_PARAMETERS = ["statuses"];
/** Parameters that are repeated for several values, which may have commas (form style, exploded). */
export const REPEATED_PARAMETERS = ["principals"];
const BOOLEAN_PARAMETERS = ["abandonStore"];
const TEXT_PARAMETERS = ["cursor", "cursorDirection", "order", "orderBy", "sortBy", "sortOrder", "ingestJobId", "kind"];
const KNOWN_PARAMETERS = [
  ...NUMBER_PARAMETERS,
  ...LIST_PARAMETERS,
  ...REPEATED_PARAMETERS,
  ...BOOLEAN_PARAMETERS,
  ...TEXT_PARAMETERS,
];
/** Alternative names, from an older API reference. */
const ALIASES: Readonly<Record<string, string>> = { pageSize: "perPage", sortBy: "orderBy", sortOrder: "order" };

/**
 * Converts query parameters for the schemas: parses numbers, booleans and lists and replaces aliases. Keeps unknown parameters.
 * @throws HttpError 400 for a repeated parameter that isn't a list, and for a name with brackets
 */
export function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    refuseBrackets(name);
    const values = parameters.getAll(name);
    if (values.length > 1 && !LIST_PARAMETERS.includes(name) && !REPEATED_PARAMETERS.includes(name))
      throw new HttpError(400, `The query has ${name} more than once.`);
    const key = ALIASES[name] ?? name;
    // The main name takes precedence over its alias.
    if (key !== name && parameters.has(key)) continue;
    const value = convertValue(name, values);
    // An empty list means no filter. An empty list of principals, however, allows less than none.
    if (!Array.isArray(value) || value.length > 0 || REPEATED_PARAMETERS.includes(name)) query[key] = value;
  }
  return query;
}

/** Rejects names such as `statuses[]`, which some clients send and which would be ignored as unknown parameters. */
function refuseBrackets(name: string): void {
  const [plain = ""] = name.split("[", 1);
  if (plain === name || !KNOWN_PARAMETERS.includes(plain)) return;
  throw new HttpError(400, `The query has ${JSON.stringify(name)}: give ${plain} without brackets.`);
}

function convertValue(name: string, values: readonly string[]): unknown {
  if (LIST_PARAMETERS.includes(name)) return values.flatMap((value) => value.split(",")).filter((item) => item !== "");
  if (REPEATED_PARAMETERS.includes(name)) return values.filter((item) => item !== "");
  const [value = ""] = values;
  if (BOOLEAN_PARAMETERS.includes(name) && (value === "true" || value === "false")) return value === "true";
  // Any other value stays a string, which the schema rejects.
  return NUMBER_PARAMETERS.includes(name) && /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}
