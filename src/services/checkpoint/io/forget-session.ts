import { rmSync } from "node:fs";
import { lockHolder } from "../../../platform/lock-file.ts";
import { recordFile, sessionLock } from "./record-file.ts";

/**
 * Removes the checkpoints of a deleted session. Their contents leave the disk with the next garbage collection of the
 * project. A session that a process has open keeps them.
 * @param folder The folder of the project's checkpoints: absolute.
 * @throws {Error} the system refused.
 */
export function forgetSession(folder: string, sessionId: string): void {
  const lock = sessionLock(folder, sessionId);
  if (lockHolder(lock) !== undefined) return;
  for (const path of [recordFile(folder, sessionId), lock]) rmSync(path, { force: true });
}
