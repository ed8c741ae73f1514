import type { LorebaseSettings } from "./system.js";

const SECTIONS = ["vectors", "keywords", "beside"] as const;

/** As they stand in the command line. */
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
  /** Names of systems; null for all. */
  readonly peers: readonly string[] | null;
  /** More Lorebase systems, by what they are called. */
  readonly variants: Readonly<Record<string, LorebaseSettings>>;
  /** Figures of earlier runs to read instead of measuring; empty for none. */
  readonly from: readonly string[];
}

/** @throws Error that names the flag, its value and the rule */
export function readSearchFlags(flags: SearchFlags): SearchPlan {
  const only = words(flags.only ?? "").map((word) => {
    const section = SECTIONS.find((known) => known === word);
    if (!section) throw new Error(`--only is ${word}; known: ${SECTIONS.join(", ")}`);
    return section;
  });
  return {
    rows: counts("rows", flags.rows ?? "100000"),
    dimensions: counts("dimensions", flags.dimensions ?? "384,1024"),
    keywordRows: counts("keyword-rows", flags["keyword-rows"] ?? "100000")[0]!,
    only,
    peers: flags.peers === undefined ? null : words(flags.peers),
    variants: variants(flags.variants ?? "{}"),
    from: words(flags.from ?? ""),
  };
}

function counts(flag: string, value: string): readonly number[] {
  return words(value).map((word) => {
    const count = Number(word);
    if (Number.isSafeInteger(count) && count > 0 && count % 4 === 0) return count;
    throw new Error(`--${flag} is ${word}; it must be a multiple of 4`);
  });
}

function words(value: string): readonly string[] {
  return value.split(",").filter((word) => word !== "");
}

function variants(value: string): Readonly<Record<string, LorebaseSettings>> {
  const parsed: unknown = JSON.parse(value);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, LorebaseSettings>;
  throw new Error(`--variants is ${value}; it must be a JSON object of settings by name`);
}
