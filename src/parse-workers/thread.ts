import { parentPort } from "node:worker_threads";
import { serveParseRequests } from "./serve-requests.js";

// The entry point of a worker thread.
const port = parentPort!;
port.on(
  "message",
  serveParseRequests((message, transfer) => port.postMessage(message, transfer)),
);
