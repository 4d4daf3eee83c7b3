import { readFileSync } from "node:fs";
import { openCheckpoints } from "../../../../src/services/checkpoint/checkpointing.ts";

/** Rewinds in a process of its own, which a test kills. Arguments: a file with the options as JSON, the prompt. */
const [, , file = "", messageId = ""] = process.argv;
let count = 0;
const nextId = () => {
  count += 1;
  return `killed-${count}`;
};
const { rewinds } = openCheckpoints({
  ...JSON.parse(readFileSync(file, "utf8")),
  clock: { now: () => Date.now(), monotonicMs: () => performance.now(), sleep: () => Promise.resolve() },
  ids: { next: nextId },
});
await rewinds.rewind({ messageId, scope: "files" }, new AbortController().signal);
