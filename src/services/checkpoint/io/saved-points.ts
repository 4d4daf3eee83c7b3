import { withoutDropped } from "../checkpoint-record.ts";
import { netChanges, promptsOf } from "../record-view.ts";
import { readRecords, recordFile, sessionsIn } from "./record-file.ts";

/** A prompt with a checkpoint, in any session of a project. */
export type SavedPoint = {
  readonly sessionId: string;
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The commands that may have written after the prompt, as written. */
  readonly commands: readonly string[];
  /** The files that the agent changed after the prompt: absolute, by name. */
  readonly paths: readonly string[];
};

/** @param folder The folder of a project's checkpoints: absolute. @throws {Error} a system error. */
export function savedPoints(folder: string): readonly SavedPoint[] {
  return sessionsIn(folder).flatMap((sessionId) => {
    const records = withoutDropped(readRecords(recordFile(folder, sessionId)));
    return promptsOf(records).map(({ messageId, time }) => {
      const own = records.flatMap((one) => (one.kind === "changes" && one.messageId === messageId ? [one] : []));
      const files = netChanges(own).filter(({ before, after }) => (before ?? after)?.kind !== "folder");
      return {
        sessionId,
        messageId,
        time,
        commands: own.flatMap((one) => one.commands),
        paths: files.map(({ path }) => path),
      };
    });
  });
}
