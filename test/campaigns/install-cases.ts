/** One way of installing and running the package. Commands run in an empty folder; `TARBALL` in them is the packed package. */
export interface InstallCase {
  readonly name: string;
  readonly install: readonly string[];
  /** Whether the repository's build of better-sqlite3 is copied in, where installing it is not what the case is about. */
  readonly withBuild?: boolean;
  /** Files of the app, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands that build and run the app; the last one prints what the probe found. */
  readonly run: readonly string[];
}

const PROBE = ["node probe.mjs a.pdf"];
const LEAN = "npm install --omit=optional --ignore-scripts TARBALL";
const PLATFORM = `${process.platform}-${process.arch}`;

/** The npm of the host with another Node, whose headers node-gyp needs where it compiles. */
function onNode(major: number): InstallCase {
  const path = `PATH="$PWD/runtime/node_modules/node-${PLATFORM}/bin:$PATH"`;
  return {
    name: `npm --omit=optional, Node ${major}`,
    install: [
      `mkdir runtime && npm install --prefix runtime node-${PLATFORM}@${major}`,
      `${path} npm install --omit=optional TARBALL`,
    ],
    run: [`${path} node probe.mjs a.pdf`],
  };
}

const NEXT_ROUTE = `
import { probe } from "../../probe.mjs";
export const dynamic = "force-static"; // the build calls it
export const GET = async () => Response.json(await probe("a.pdf"));
`;

export const INSTALL_CASES: readonly InstallCase[] = [
  { name: "npm", install: ["npm install TARBALL"], run: PROBE },
  { name: "npm --omit=optional", install: ["npm install --omit=optional TARBALL"], run: PROBE },
  { name: "npm --ignore-scripts", install: ["npm install --ignore-scripts TARBALL"], run: PROBE },
  { name: "pnpm 10", install: ["npx --yes pnpm@10 add TARBALL"], run: PROBE },
  {
    name: "pnpm 10, builds allowed",
    install: ["npx --yes pnpm@10 add --allow-build=better-sqlite3 --allow-build=onnxruntime-node TARBALL"],
    run: PROBE,
  },
  { name: "Yarn 1", install: ["npx --yes yarn@1 add file:TARBALL"], run: PROBE },
  onNode(22),
  onNode(24),
  {
    name: "esbuild, lorebase external",
    install: [`${LEAN} esbuild@0.27 @esbuild/linux-x64@0.27`],
    withBuild: true,
    run: [
      "npx esbuild probe.mjs --bundle --platform=node --format=esm --external:lorebase --outfile=app.mjs",
      "node app.mjs a.pdf",
    ],
  },
  {
    name: "esbuild, lorebase bundled",
    install: [`${LEAN} esbuild@0.27 @esbuild/linux-x64@0.27`],
    withBuild: true,
    run: ["npx esbuild probe.mjs --bundle --platform=node --format=esm --outfile=app.mjs", "node app.mjs a.pdf"],
  },
  {
    name: "Vite 7, SSR build",
    install: [LEAN, "npm install --ignore-scripts vite@7"],
    withBuild: true,
    run: ["npx vite build --ssr probe.mjs --outDir app", "node app/probe.js a.pdf || node app/probe.mjs a.pdf"],
  },
  {
    name: "Next.js 16, serverExternalPackages",
    install: [LEAN, "npm install --ignore-scripts next@16 react@19 react-dom@19"],
    withBuild: true,
    files: {
      "next.config.mjs": 'export default { serverExternalPackages: ["lorebase"] };\n',
      "app/layout.js": "export default ({ children }) => children;\n",
      "app/probe/route.js": NEXT_ROUTE,
    },
    run: ["npx next build", "cat .next/server/app/probe.body"],
  },
  {
    name: "Bun",
    install: [`${LEAN} @oven/bun-linux-x64`],
    withBuild: true,
    run: ["node_modules/@oven/bun-linux-x64/bin/bun probe.mjs a.pdf"],
  },
  {
    name: "Deno",
    install: [`${LEAN} @deno/linux-x64-glibc`],
    withBuild: true,
    run: ["node_modules/@deno/linux-x64-glibc/deno run --allow-all probe.mjs a.pdf"],
  },
];

/** Ingests a text and a PDF, searches for both, and tells what was found. It runs as a script and is imported by a route. */
export const PROBE_SCRIPT = `
import { KnowledgeBase } from "lorebase";

export async function probe(path) {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  kb.on("warning", () => {});
  try {
    const { embeddingConfig } = await kb.namespaces.create({ name: "Probe", slug: "probe" });
    const namespace = kb.namespace("probe");
    await (await namespace.ingest({ type: "TEXT", text: "The lamp is lit before sunset." })).done();
    const run = await namespace.ingest({ file: path });
    await run.done();
    const finds = async (query, words) => {
      const hits = await namespace.search(query, { mode: "keyword" });
      return hits.some(({ text }) => text.includes(words));
    };
    return {
      text: await finds("lamp", "before sunset"),
      pdf: await finds("harbour", "harbour"),
      embedder: embeddingConfig.provider,
    };
  } finally {
    await kb.close().catch(() => {});
  }
}

if (process.argv[2]?.endsWith(".pdf")) {
  const found = await probe(process.argv[2]).catch((error) => ({ error: error.message.split("\\n", 1)[0] }));
  console.log(JSON.stringify(found));
}
`;
