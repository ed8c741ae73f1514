import type { SearchPlan } from "./flags.js";
import { hasPeer } from "./peer.js";
import type { LorebaseSettings, System } from "./system.js";

/** A system of the comparison: its names, limits and package. */
export interface Candidate {
  readonly name: string;
  readonly label: string;
  /** Its implementation. */
  readonly system: SystemName;
  /** The package that it needs; `null` if the project itself has it. */
  readonly peer: string | null;
  /** The maximum that it can store, or search in acceptable time; 0 for what it does not support. */
  readonly maxRows: { readonly vectors: number; readonly keywords: number };
  readonly settings: LorebaseSettings;
  /** The system whose directory it opens; its own name if it is filled itself. */
  readonly directoryOf: string;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Loaded only in the system's own process, so that none contains the code of another. */
export const SYSTEMS = {
  lorebase: async () => (await import("./systems/lorebase.js")).lorebase,
  "lorebase-store": async () => (await import("./systems/lorebase-store.js")).lorebaseStore,
  "sqlite-vec": async () => (await import("./systems/sqlite-vec.js")).sqliteVecTable,
  lancedb: async () => (await import("./systems/lancedb.js")).lanceTable,
  "lancedb-index": async () => (await import("./systems/lancedb.js")).lanceIndex,
  orama: async () => (await import("./systems/orama.js")).orama,
  vectra: async () => (await import("./systems/vectra.js")).vectra,
  minisearch: async () => (await import("./systems/minisearch.js")).miniSearch,
} satisfies Record<string, () => Promise<System>>;

export type SystemName = keyof typeof SYSTEMS;

const LISTED = [
  listed("lorebase", "Lorebase", null, { vectors: UNLIMITED, keywords: UNLIMITED }),
  {
    ...listed("lorebase-store", "Lorebase, store alone", null, { vectors: UNLIMITED, keywords: 0 }),
    directoryOf: "lorebase",
  },
  listed("sqlite-vec", "sqlite-vec, vec0 f32", null, { vectors: UNLIMITED, keywords: 0 }),
  listed("lancedb", "LanceDB", "@lancedb/lancedb", { vectors: UNLIMITED, keywords: UNLIMITED }),
  listed("lancedb-index", "LanceDB, IVF_RQ", "@lancedb/lancedb", { vectors: UNLIMITED, keywords: 0 }),
  listed("orama", "Orama", "@orama/orama", { vectors: 10_000, keywords: 20_000 }),
  listed("vectra", "vectra", "vectra", { vectors: 10_000, keywords: 0 }),
  listed("minisearch", "MiniSearch", "minisearch", { vectors: 0, keywords: 100_000 }),
] as const;

/** The systems that can run here. Logs the missing packages. */
export function availableCandidates(
  { peers, variants }: Pick<SearchPlan, "peers" | "variants">,
  log: (line: string) => void,
): readonly Candidate[] {
  const missing = [...new Set(LISTED.flatMap(({ peer }) => (peer && !hasPeer(peer) ? [peer] : [])))];
  if (missing.length > 0)
    log(`skipped, since not installed: ${missing.join(", ")}; install with npm install --prefix bench/peers`);
  const installed = LISTED.filter(({ peer }) => peer === null || !missing.includes(peer));
  const variantCandidates = Object.entries(variants).map(([name, settings]): Candidate => {
    const base = listed("lorebase", `Lorebase, ${name}`, null, { vectors: UNLIMITED, keywords: 0 });
    // The rows are the same, so only another vector store has to be filled again.
    return {
      ...base,
      name: `lorebase-${name}`,
      settings,
      directoryOf: settings.store ? `lorebase-${name}` : "lorebase",
    };
  });
  const unknown = peers?.find((name) => ![...LISTED, ...variantCandidates].some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new Error(
      `--peers names ${unknown}; known: ${[...LISTED, ...variantCandidates].map(({ name }) => name).join(", ")}`,
    );
  }
  return [...installed, ...variantCandidates].filter(({ name }) => peers === null || peers.includes(name));
}

function listed(
  system: SystemName,
  label: string,
  peer: string | null,
  maxRows: { vectors: number; keywords: number },
): Candidate {
  return { name: system, label, system, peer, maxRows, settings: {}, directoryOf: system };
}
