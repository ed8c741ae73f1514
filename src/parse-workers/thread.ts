import { parentPort } from "node:worker_threads";
import { lowerThreadPriority } from "./lower-thread-priority.js";
import { serveParseRequests } from "./serve-requests.js";

// The entry of a worker thread.
lowerThreadPriority();
const port = parentPort!;
port.on(
  "message",
  serveParseRequests((message, transfer) => port.postMessage(message, transfer)),
);
