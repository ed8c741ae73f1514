import type { LorebaseSettings } from "./system.js";

const SECTIONS = ["vectors", "keywords", "beside"] as const;

/** The flags as strings. */
export interface SearchFlags {
  readonly rows?: string | undefined;
  readonly dimensions?: string | undefined;
  readonly "keyword-rows"?: string | undefined;
  readonly only?: string | undefined;
  readonly peers?: string | undefined;
  readonly variants?: string | undefined;
  readonly work?: string | undefined;
  readonly from?: string | undefined;
  readonly chart?: string | undefined;
}

export interface SearchPlan {
  readonly rows: readonly number[];
  readonly dimensions: readonly number[];
  readonly keywordRows: number;
  /** Empty for all. */
  readonly only: readonly (typeof SECTIONS)[number][];
  /** Names of systems; `null` for all. */
  readonly peers: readonly string[] | null;
  /** More Lorebase systems, by name. */
  readonly variants: Readonly<Record<string, LorebaseSettings>>;
  /** Figures of earlier runs to read instead of measuring; empty for none. */
  readonly from: readonly string[];
}

/** @throws Error that names the flag, its value and the rule */
export function readSearchFlags(flags: SearchFlags): SearchPlan {
  const only = splitList(flags.only ?? "").map((word) => {
    const section = SECTIONS.find((known) => known === word);
    if (!section) throw new Error(`--only must be some of ${SECTIONS.join(", ")}, not ${word}`);
    return section;
  });
  return {
    rows: parseCounts("rows", flags.rows ?? "100000"),
    dimensions: parseCounts("dimensions", flags.dimensions ?? "384,1024"),
    keywordRows: parseCounts("keyword-rows", flags["keyword-rows"] ?? "100000")[0]!,
    only,
    peers: flags.peers === undefined ? null : splitList(flags.peers),
    variants: parseVariants(flags.variants ?? "{}"),
    from: splitList(flags.from ?? ""),
  };
}

function parseCounts(flag: string, value: string): readonly number[] {
  return splitList(value).map((word) => {
    const count = Number(word);
    if (Number.isSafeInteger(count) && count > 0 && count % 4 === 0) return count;
    throw new Error(`--${flag} must be a positive multiple of 4, not ${word}`);
  });
}

function splitList(value: string): readonly string[] {
  return value.split(",").filter((word) => word !== "");
}

function parseVariants(value: string): Readonly<Record<string, LorebaseSettings>> {
  const parsed: unknown = JSON.parse(value);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, LorebaseSettings>;
  throw new Error(`--variants must be a JSON object of settings by name, not ${value}`);
}
