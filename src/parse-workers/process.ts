import type { RpcMessage } from "../rpc/rpc-peer.js";
import { serveParseRequests } from "./serve-requests.js";

// The entry point of a worker process, which exits when its parent does.
const onMessage = serveParseRequests((message) => process.send!(message));
process.on("message", (message) => onMessage(message as RpcMessage));
process.on("disconnect", () => process.exit());
