import type { SearchPlan } from "./flags.js";
import { hasPeer } from "./peer.js";
import type { LorebaseSettings, System } from "./system.js";

/** A system as it is listed: what it is called, what it can do, and what has to be installed for it. */
export interface Contestant {
  readonly name: string;
  readonly label: string;
  /** Which implementation it is. */
  readonly system: SystemName;
  /** Null where the project itself has all that it needs. */
  readonly peer: string | null;
  /** Most rows that it is given: what it can hold, or search in bearable time. 0 for what it can't do. */
  readonly mostRows: { readonly vectors: number; readonly keywords: number };
  readonly settings: LorebaseSettings;
  /** Whose directory it opens; its own name where it is filled itself. */
  readonly directoryOf: string;
}

const ANY = Number.POSITIVE_INFINITY;

/** Loaded in a contestant's own process only, so that none carries another's code. */
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
  listed("lorebase", "Lorebase", null, { vectors: ANY, keywords: ANY }),
  {
    ...listed("lorebase-store", "Lorebase, store alone", null, { vectors: ANY, keywords: 0 }),
    directoryOf: "lorebase",
  },
  listed("sqlite-vec", "sqlite-vec, vec0 f32", null, { vectors: ANY, keywords: 0 }),
  listed("lancedb", "LanceDB", "@lancedb/lancedb", { vectors: ANY, keywords: ANY }),
  listed("lancedb-index", "LanceDB, IVF_RQ", "@lancedb/lancedb", { vectors: ANY, keywords: 0 }),
  listed("orama", "Orama", "@orama/orama", { vectors: 10_000, keywords: 20_000 }),
  listed("vectra", "vectra", "vectra", { vectors: 10_000, keywords: 0 }),
  listed("minisearch", "MiniSearch", "minisearch", { vectors: 0, keywords: 100_000 }),
] as const;

/** Everything that can run here: what isn't installed is left out, with a line on how to install it. */
export function contestantsHere(
  { peers, variants }: Pick<SearchPlan, "peers" | "variants">,
  log: (line: string) => void,
): readonly Contestant[] {
  const missing = [...new Set(LISTED.flatMap(({ peer }) => (peer && !hasPeer(peer) ? [peer] : [])))];
  if (missing.length > 0)
    log(`not installed, so left out: ${missing.join(", ")}; npm install --prefix bench/peers installs them`);
  const here = LISTED.filter(({ peer }) => peer === null || !missing.includes(peer));
  const more = Object.entries(variants).map(([name, settings]): Contestant => {
    const base = listed("lorebase", `Lorebase, ${name}`, null, { vectors: ANY, keywords: 0 });
    // The same rows: only another way of storing them has to be filled again.
    return {
      ...base,
      name: `lorebase-${name}`,
      settings,
      directoryOf: settings.store ? `lorebase-${name}` : "lorebase",
    };
  });
  const unknown = peers?.find((name) => ![...LISTED, ...more].some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new Error(`--peers names ${unknown}; known: ${[...LISTED, ...more].map(({ name }) => name).join(", ")}`);
  }
  return [...here, ...more].filter(({ name }) => peers === null || peers.includes(name));
}

function listed(
  system: SystemName,
  label: string,
  peer: string | null,
  mostRows: { vectors: number; keywords: number },
): Contestant {
  return { name: system, label, system, peer, mostRows, settings: {}, directoryOf: system };
}
