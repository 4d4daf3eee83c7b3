import type { FileRewinds } from "../../../contracts/checkpoint.ts";
import { randomIds, systemClock } from "../../../platform/clock.ts";
import { findGit } from "../../../platform/git/find-git.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { openCheckpoints } from "../../../services/checkpoint/checkpointing.ts";
import { RESTORES } from "../../../services/checkpoint/io/record-file.ts";
import type { BackupsEnvironment } from "./project-backups.ts";

/**
 * The restores that no session makes: a shell's. They have records of their own, so that they can be taken back, and
 * finished after a kill.
 * @param folder The folder of the project's checkpoints: absolute.
 */
export function shellRestores(
  { own, project, env }: BackupsEnvironment,
  folder: string,
): { readonly restores: FileRewinds; close(): Promise<void> } {
  const { store, rewinds } = openCheckpoints({
    folder,
    sessionId: RESTORES,
    home: realPathOrSelf(own.home),
    environment: env,
    git: findGit(env, [project.root]),
    clock: systemClock,
    ids: randomIds,
  });
  return { restores: rewinds, close: () => store.close() };
}
