import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseCommandLine } from "#dist/cli/parse-command-line.js";
import { serveCommand } from "#dist/cli/serve.js";
import { workCommand } from "#dist/cli/work.js";

interface Service {
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
}

const COMMANDS = [serveCommand, workCommand];
/** What the command reads from the environment, see `lorebase --help`. */
const VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "LOREBASE_BLOBS",
  "LOREBASE_DATABASE",
  "LOREBASE_MASTER_KEY",
];

/** Checks that a command exists and has the options that it is given. */
function check(args: readonly string[]): string {
  const { positionals, flags } = parseCommandLine(args);
  const command = COMMANDS.find(({ name }) => name === positionals[0])!;
  expect(command.flags).toEqual(expect.arrayContaining(Object.keys(flags)));
  return command.name;
}

it("the Compose file runs commands with options that exist, as two web processes and three workers", () => {
  const { services } = parse(readFileSync("examples/deployment/compose.yaml", "utf8"), { merge: true }) as {
    services: Readonly<Record<string, Service>>;
  };
  const own = Object.values(services).filter(({ environment }) => environment && "LOREBASE_DATABASE" in environment);
  expect(own.map(({ command, deploy }) => [check(String(command).split(" ")), deploy!.replicas])).toEqual([
    ["serve", 2],
    ["work", 3],
  ]);
  for (const { environment } of own) expect(Object.keys(environment!).sort()).toEqual(VARIABLES);
});

it("the Kubernetes manifest of the guide runs commands with options that exist", () => {
  const guide = readFileSync("docs/guide/deployment.md", "utf8");
  const manifests = parseAllDocuments(/```yaml\n([\s\S]*?)```/.exec(guide)![1]!).map((document) => document.toJS());
  const deployments = manifests.filter(({ kind }) => kind === "Deployment");
  const run = deployments.map(({ spec }) => check(spec.template.spec.containers[0].args));
  expect(run).toEqual(["serve", "work"]);
  for (const name of Object.keys(manifests.find(({ kind }) => kind === "Secret").stringData))
    expect(VARIABLES).toContain(name);
});
