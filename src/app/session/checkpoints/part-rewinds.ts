import type { FileRewinds, RewindResult, Rewinds } from "../../../contracts/checkpoint.ts";

type Parts = {
  /** Undefined where no checkpoints are kept. */
  stored(): Promise<FileRewinds | undefined>;
  /** @throws {UserFacingError} (as a rejection) no checkpoints are kept. */
  files(): Promise<FileRewinds>;
  shown(path: string): string;
  /** @throws {UserFacingError} a turn is running. */
  assertRest(): void;
  takenBack(done: RewindResult): void;
};

/** The changes of the conversation, and the way back for each of them. */
export function partRewinds(parts: Parts): Pick<Rewinds, "changes" | "takeBack"> {
  return {
    changes: async (range, signal) => (await parts.stored())?.changes(range, parts.shown, signal),
    async takeBack(file, part, signal) {
      parts.assertRest();
      const done = await (await parts.files()).takeBack(file, part, signal);
      parts.takenBack(done);
      return done;
    },
  };
}
