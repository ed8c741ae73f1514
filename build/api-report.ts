import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

// Writes docs/api: the exports of each entry of the package, extracted by API Extractor from the declarations in dist.
// With `--check` it writes nothing and fails with the difference if the committed reports are out of date.

const REPORTS = resolve("docs/api");

const isCheck = process.argv.includes("--check");
const scratch = await mkdtemp(join(tmpdir(), "lorebase-api-"));
try {
  const entries = await entriesOf("package.json");
  const outdated = [...outdatedReports(entries), ...(await staleReports(entries))];
  if (isCheck && outdated.length > 0) {
    console.error(`The public API changed: run \`npm run api\` and commit docs/api (${outdated.join(", ")}).`);
    process.exitCode = 1;
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** The declarations of each entry in package.json, by the file name of its report. */
async function entriesOf(path: string): Promise<ReadonlyMap<string, string>> {
  const { exports } = JSON.parse(await readFile(path, "utf8")) as { exports: Record<string, { types?: string }> };
  const entries = new Map<string, string>();
  for (const [entry, { types }] of Object.entries(exports)) {
    if (types) entries.set(`${["lorebase", ...entry.split("/").slice(1)].join("-")}.api.md`, resolve(types));
  }
  return entries;
}

function outdatedReports(entries: ReadonlyMap<string, string>): string[] {
  const configs = [...entries].map(([report, declarations]) => extractorConfig(report, declarations));
  const compilerState = CompilerState.create(configs[0]!, { additionalEntryPoints: [...entries.values()] });
  return [...entries].flatMap(([report, declarations], index) => {
    const result = Extractor.invoke(configs[index]!, {
      compilerState,
      localBuild: !isCheck,
      printApiReportDiff: isCheck,
      messageCallback: (message) => {
        message.handled = message.messageId !== "console-api-report-diff" && message.logLevel !== "error";
      },
    });
    if (result.errorCount > 0) throw new Error(`API Extractor cannot read ${declarations}`);
    return result.apiReportChanged ? [report] : [];
  });
}

function extractorConfig(report: string, declarations: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: process.cwd(),
      mainEntryPointFilePath: declarations,
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2023",
            module: "nodenext",
            lib: ["es2023", "esnext.disposable"],
            types: ["node"],
            strict: true,
            skipLibCheck: true,
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: REPORTS,
        reportTempFolder: scratch,
        // Classes that can be used without being exported, such as that of `kb.documents`. Other entries share their
        // types.
        includeForgottenExports: report === "lorebase.api.md",
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve("package.json"),
  });
}

/** Returns the reports of removed entries, and deletes them unless this is a check. */
async function staleReports(entries: ReadonlyMap<string, string>): Promise<string[]> {
  const stale = (await readdir(REPORTS)).filter((name) => !entries.has(name));
  if (!isCheck) await Promise.all(stale.map((name) => rm(join(REPORTS, name))));
  return stale;
}
