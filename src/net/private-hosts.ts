import { KnowledgeBaseError } from "../errors.js";
import { z } from "../vendor/zod.js";

export interface NetworkOptions {
  /**
   * Private hosts that may be called, as written in the URL, such as `["localhost:11434", "models.internal"]`. Without
   * a port, every port is allowed. All other hosts must be public, including vendors' hosts, since namespaces can set
   * them.
   * @default none
   */
  readonly allowPrivateHosts?: readonly string[] | undefined;
}

/** Private hosts that the operator allows. */
export class PrivateHosts {
  readonly #hosts: ReadonlySet<string>;

  /**
   * @param hosts Such as `localhost`, `10.0.0.7:8080` or `[::1]:8080`. Without a port, every port is allowed.
   * @throws KnowledgeBaseError `invalid_input` for an entry that is not a host
   */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts.map(normalizeHost));
  }

  allows(url: URL): boolean {
    return this.#hosts.has(url.hostname) || this.#hosts.has(`${url.hostname}:${portOf(url)}`);
  }
}

/** Returns whether a text is a host, optionally with a port. */
function isHost(text: string): boolean {
  return /^[^/?#@\\\s]+$/.test(text) && URL.canParse(`http://${text}`) && !/:$/.test(text);
}

export const networkSchema = z
  .strictObject({
    allowPrivateHosts: z
      .array(z.string().refine(isHost, 'must be a host, as in "localhost" or "10.0.0.7:8080"'))
      .default([]),
  })
  .default({ allowPrivateHosts: [] });

function normalizeHost(entry: string): string {
  if (!isHost(entry)) {
    const message = `${JSON.stringify(entry)} is not a host such as "localhost" or "10.0.0.7:8080"`;
    throw new KnowledgeBaseError("invalid_input", `allowPrivateHosts: ${message}`, {
      issues: [{ field: "allowPrivateHosts", message }],
    });
  }
  const url = new URL(`http://${entry}`);
  return /:\d+$/.test(entry) ? `${url.hostname}:${portOf(url)}` : url.hostname;
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}
