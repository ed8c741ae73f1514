import { HttpError } from "./errors.js";

/** Parameters that are whole numbers, and those that are lists with commas between (form style, not exploded). */
const NUMBERS = ["perPage", "pageSize", "page", "fromPage", "toPage"];
const LISTS = ["statuses"];
const TEXTS = ["cursor", "cursorDirection", "order", "orderBy", "sortBy", "sortOrder", "ingestJobId"];
const KNOWN = [...NUMBERS, ...LISTS, ...TEXTS];
/** The other names of list parameters, which an older reference gives. */
const ALIASES: Readonly<Record<string, string>> = { pageSize: "perPage", sortBy: "orderBy", sortOrder: "order" };

/**
 * Query parameters as the schemas take them: numbers and lists converted, other names replaced; what is not known is left to be ignored.
 * @throws HttpError 400 where a parameter is given twice, or in brackets
 */
export function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    refuseBrackets(name);
    const values = parameters.getAll(name);
    if (values.length > 1 && !LISTS.includes(name)) throw new HttpError(400, `The query has ${name} twice.`);
    const known = ALIASES[name] ?? name;
    // Of two names for the same, the interface's own one counts.
    if (known !== name && parameters.has(known)) continue;
    const value = convert(name, values);
    // An empty list asks for nothing to be left out, as none does.
    if (!Array.isArray(value) || value.length > 0) query[known] = value;
  }
  return query;
}

/** Some clients write a list so. It would otherwise be an unknown parameter, which is ignored. */
function refuseBrackets(name: string): void {
  const [bare = ""] = name.split("[", 1);
  if (bare === name || !KNOWN.includes(bare)) return;
  throw new HttpError(400, `The query has ${JSON.stringify(name)}: give ${bare} without brackets.`);
}

function convert(name: string, values: readonly string[]): unknown {
  if (LISTS.includes(name)) return values.flatMap((value) => value.split(",")).filter((item) => item !== "");
  const [value = ""] = values;
  // Anything else stays text, which the schema refuses with the value in its message.
  return NUMBERS.includes(name) && /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}
