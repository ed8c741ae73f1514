import type { Command } from "./command.js";
import { existingDirectoryOf } from "./flag-values.js";
import { createProgress } from "./progress.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** `lorebase keys rotate`: everything that is stored encrypted, under the first master key. */
export const keysRotateCommand: Command = {
  name: "keys rotate",
  summary: "encrypt stored secrets anew under the first of the master keys",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory"],
  async run({ flags, terminal }) {
    const directory = existingDirectoryOf(flags, terminal);
    // Without a worker: what is queued is the server's to do.
    return withKnowledgeBase({ directory, worker: false }, terminal, createProgress(terminal), async (kb) => {
      const rotation = await kb.rotateKeys({ signal: terminal.signal });
      const { keyId, resealed, remaining } = rotation;
      const done = `encrypted ${resealed} anew under the master key ${keyId}`;
      const rest = `${remaining} are still under others: add their keys to LOREBASE_MASTER_KEY, behind the first`;
      return { json: rotation, text: remaining === 0 ? done : `${done}; ${rest}`, exitCode: remaining === 0 ? 0 : 1 };
    });
  },
};
