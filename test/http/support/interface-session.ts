import type { KnowledgeBaseOptions } from "lorebase";
import { AnswerChecks } from "./answer-checks.js";
import { InterfaceClient } from "./interface-client.js";
import type { Namespace } from "./interface-types.js";
import { fetchOpenApi } from "./openapi.js";
import { newOrganization, startServer, type TestOrganization, type TestServer } from "./test-server.js";

/** A client of a running server that validates each response by its schemas. */
export interface InterfaceSession {
  readonly server: TestServer;
  readonly organization: TestOrganization;
  readonly client: InterfaceClient;
  readonly checks: AnswerChecks;
  newNamespace(): Promise<Namespace>;
}

let made = 0;

export async function startSession(options: KnowledgeBaseOptions = {}): Promise<InterfaceSession> {
  const server = await startServer(options);
  const organization = await newOrganization(server);
  const checks = new AnswerChecks(await fetchOpenApi(server.url));
  const client = new InterfaceClient({ url: server.url, key: organization.key, onAnswer: checks.check });
  return {
    server,
    organization,
    client,
    checks,
    newNamespace() {
      made++;
      return client.createNamespace({ name: `Space ${made}`, slug: `space-${made}` });
    },
  };
}
