import { parentPort } from "node:worker_threads";
import { giveWay } from "./lower-thread-priority.js";
import { servePreparation } from "./serve.js";

// A workplace that is a thread.
giveWay();
const port = parentPort!;
port.on(
  "message",
  servePreparation((message) => port.postMessage(message)),
);
