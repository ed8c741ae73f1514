import { HttpError } from "./errors.js";

const NUMBERS = ["perPage", "pageSize", "page", "fromPage", "toPage"];
/** Separated by commas (form style, not exploded). */
const LISTS = ["statuses"];
const TEXTS = ["cursor", "cursorDirection", "order", "orderBy", "sortBy", "sortOrder", "ingestJobId"];
const KNOWN = [...NUMBERS, ...LISTS, ...TEXTS];
/** Alternative names, from an older API reference. */
const ALIASES: Readonly<Record<string, string>> = { pageSize: "perPage", sortBy: "orderBy", sortOrder: "order" };

/**
 * Converts query parameters for the schemas: parses numbers and lists and replaces aliases. Keeps unknown parameters.
 * @throws HttpError 400 for a parameter that is given more than once, unless it is a list, or with brackets
 */
export function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    refuseBrackets(name);
    const values = parameters.getAll(name);
    if (values.length > 1 && !LISTS.includes(name)) throw new HttpError(400, `The query has ${name} more than once.`);
    const key = ALIASES[name] ?? name;
    // The main name takes precedence over its alias.
    if (key !== name && parameters.has(key)) continue;
    const value = convert(name, values);
    // An empty list means no filter.
    if (!Array.isArray(value) || value.length > 0) query[key] = value;
  }
  return query;
}

/** Some clients send lists as `statuses[]`, which would be ignored as an unknown parameter. */
function refuseBrackets(name: string): void {
  const [plain = ""] = name.split("[", 1);
  if (plain === name || !KNOWN.includes(plain)) return;
  throw new HttpError(400, `The query has ${JSON.stringify(name)}: give ${plain} without brackets.`);
}

function convert(name: string, values: readonly string[]): unknown {
  if (LISTS.includes(name)) return values.flatMap((value) => value.split(",")).filter((item) => item !== "");
  const [value = ""] = values;
  // Any other value stays a string, which the schema rejects.
  return NUMBERS.includes(name) && /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}
