import { SessionCheckpoints } from "../../../../src/app/session/checkpoints/session-checkpoints.ts";
import type { OpenCall, WritingCall } from "../../../../src/contracts/checkpoint.ts";
import { parseRecords } from "../../../../src/services/checkpoint/checkpoint-record.ts";
import type { CheckpointOptions } from "../../../../src/services/checkpoint/checkpointing.ts";
import { checkpointPlace } from "../../../services/checkpoint/checkpoint-place.ts";
import { pictureOf } from "../../../services/checkpoint/picture.ts";

const NEVER = new AbortController().signal;

type Parts = {
  /** @param folder Is empty, and beside the root. */
  readonly options?: (folder: string) => Partial<CheckpointOptions>;
};

/** A session's checkpoints over a real store: prompts, and calls whose work the test does. Paths are below the root. */
export async function checkpointStage(files: Readonly<Record<string, string>> = {}, parts: Parts = {}) {
  const place = await checkpointPlace(files);
  const { root } = place;
  const { store, rewinds } = place.open(parts.options?.(place.home));
  let newestPrompt = "";
  let count = 0;
  const background: string[] = [];
  const told: string[] = [];
  /** How much earlier than the files' times this clock is, and how much time has passed besides the real one. */
  const clock = { behindMs: 0, passedMs: 0 };
  const checkpoints = new SessionCheckpoints({
    store,
    clock: { monotonicMs: () => performance.now() + clock.passedMs, now: () => Date.now() - clock.behindMs },
    newestPrompt: () => newestPrompt,
    background: () => background,
    notify: (line) => void told.push(line),
  });
  const begin = (more: Partial<WritingCall>, roots: readonly string[] = [root], signal = NEVER): Promise<OpenCall> => {
    count += 1;
    const ids = { toolUseId: `t${count}`, agentId: "main" };
    const call = { ...ids, level: "execute", folder: root, title: "make", paths: [], ...more } as const;
    return checkpoints.begin(call, roots, signal);
  };
  const during = async (call: Promise<OpenCall>, work: () => unknown) => {
    const open = await call;
    try {
      await work();
    } finally {
      open.end();
    }
  };
  return {
    place,
    root,
    checkpoints,
    rewinds,
    background,
    clock,
    told,
    begin,
    /** Sends a prompt. */
    async prompt(messageId: string) {
      newestPrompt = messageId;
      await checkpoints.takePrompt(messageId, [root]);
    },
    /** A command, and what happens while it runs. */
    bash: (work: () => unknown, more: Partial<WritingCall> = {}) => during(begin(more), work),
    /** A call of an editing tool that writes a file. `content`: or what it does. */
    edit: (name: string, content: string | (() => unknown)) =>
      during(begin({ level: "write", paths: [place.path(name)] }), () =>
        typeof content === "string" ? place.write(name, content) : content(),
      ),
    /** What a rewind would do, briefly. */
    async preview(messageId: string) {
      await checkpoints.settled();
      const { restores, deletes, conflicts, notUndone } = await rewinds.preview(messageId, NEVER);
      const short = (path: string) => path.slice(root.length + 1);
      return {
        undone: [...restores, ...deletes].map(({ path }) => short(path)).sort(),
        conflicts: Object.fromEntries(conflicts.map(({ path, reason }) => [short(path), reason])),
        notUndone,
      };
    },
    async rewind(messageId: string) {
      await checkpoints.settled();
      return rewinds.rewind({ messageId, scope: "files" }, NEVER);
    },
    redo: () => rewinds.redo({}, NEVER),
    picture: () => Object.fromEntries(pictureOf(root)),
    /** The session's records. */
    async records() {
      await checkpoints.settled();
      return parseRecords(await place.place.read("checkpoints/session-a.jsonl"));
    },
    async [Symbol.asyncDispose]() {
      await checkpoints.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
