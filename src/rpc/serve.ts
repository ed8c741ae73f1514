import { parentPort } from "node:worker_threads";
import { KnowledgeBaseError } from "../errors.js";
import { type Operations, RpcPeer } from "./rpc-peer.js";

/**
 * Serves calls in a worker thread. Moves the buffers of an output's typed arrays instead of copying them.
 * @returns the peer, for calls to the thread's owner
 */
export function serve<Local extends Operations<Local>, Owner extends Operations<Owner> = object>(
  handlers: Local,
): RpcPeer<Owner> {
  const port = parentPort;
  if (port === null) throw new KnowledgeBaseError("internal", "serve() works in a worker thread only.");
  const owner = new RpcPeer<Owner>((message, transfer) => port.postMessage(message, transfer), handlers);
  port.on("message", (message) => owner.receive(message));
  return owner;
}
