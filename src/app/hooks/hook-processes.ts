import type { Clock } from "../../contracts/ports.ts";
import { startTimeOf } from "../../platform/processes/process-table.ts";
import { stopSpawn } from "../../platform/processes/stop-ladder.ts";
import type { HookProcesses } from "../../services/hooks/command-hook.ts";
import type { SessionOrphans } from "../session/open-orphan-watch.ts";

/** The command's group has already ended, so the remaining processes get little time. */
const LADDER = { interruptMs: 0, terminateMs: 100 };

/** Ends the processes of hooks when Quoll is killed, and processes that left their group when a hook is cut off. */
export function hookProcesses(orphans: SessionOrphans, clock: Clock): HookProcesses {
  const running = new Map<string, string | undefined>();
  const watched = async (tag: string, pid: number) => {
    const watch = await orphans.watch();
    if (running.has(tag)) watch.watch({ pid, tag });
  };
  return {
    started(pid, tag) {
      running.set(tag, startTimeOf(pid));
      void watched(tag, pid);
    },
    ended(tag) {
      running.delete(tag);
      void orphans.watch().then((watch) => watch.drop(tag));
    },
    async stop(pid, tag) {
      await stopSpawn({ pid, tag, startTime: running.get(tag) }, clock, LADDER);
    },
  };
}
