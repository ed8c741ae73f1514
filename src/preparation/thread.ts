import { parentPort } from "node:worker_threads";
import { giveWay } from "./give-way.js";
import { servePreparation } from "./serve-preparation.js";

// A workplace that is a thread.
giveWay();
const port = parentPort!;
port.on(
  "message",
  servePreparation((message) => port.postMessage(message)),
);
