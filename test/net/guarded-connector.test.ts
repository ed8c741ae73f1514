import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { guardedConnector } from "#dist/net/guarded-connector.js";
import { PrivateHosts } from "#dist/net/private-hosts.js";

const PUBLIC = [{ address: "93.184.215.14", family: 4 }];
const TARGET = { hostname: "example.com", protocol: "http:", port: "80" };

/** What a connector makes of a socket with this peer, whatever the lookup has said. */
async function connectedTo(peer: string | undefined, allow: readonly string[] = []) {
  let destroyed = false;
  const destroy = () => {
    destroyed = true;
  };
  const socket = Object.assign(new EventEmitter(), { remoteAddress: peer, destroy });
  const connector = guardedConnector({
    allowed: new PrivateHosts(allow),
    lookup: async () => PUBLIC,
    connect: () => (_, callback) => callback(null, socket as unknown as Socket),
  });
  const error = await new Promise<Error | null>((resolve) => connector(TARGET, (...[failure]) => resolve(failure)));
  return { error, destroyed };
}

it("closes a connection whose peer is not public, whatever the name stood for", async () => {
  for (const peer of ["127.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254", undefined]) {
    const { error, destroyed } = await connectedTo(peer);
    expect([error?.message, destroyed]).toEqual([
      expect.stringContaining("connected to an address that is not public"),
      true,
    ]);
  }
  expect(await connectedTo("93.184.215.14")).toEqual({ error: null, destroyed: false });
  expect(await connectedTo("127.0.0.1", ["example.com"])).toEqual({ error: null, destroyed: false });
});
