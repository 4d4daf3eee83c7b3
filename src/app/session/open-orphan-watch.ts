import { join } from "node:path";
import { once } from "@quoll/async/once";
import { makePrivateFolder } from "../../platform/private-file.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import type { ProcessEnvironment } from "../process-environment.ts";

/** The path of the record of ended commands. */
export function endedCommandsFile({ own }: Pick<ProcessEnvironment, "own">): string {
  return join(own.state, "ended-commands");
}

export type SessionOrphans = {
  /** The session's only watch, made at the first request. */
  watch(): Promise<OrphanWatch>;
  close(): Promise<void>;
};

/** Ends the programs of a session when Quoll is killed, and names the ended commands at the next start. */
export function sessionOrphans(around: Pick<ProcessEnvironment, "env" | "own">): SessionOrphans {
  let isMade = false;
  const watch = once(async () => {
    isMade = true;
    const { OrphanWatch } = await import("../../platform/processes/orphan-watch.ts");
    makePrivateFolder(around.own.state);
    return new OrphanWatch(around.env, endedCommandsFile(around));
  });
  return {
    watch,
    close: async () => {
      if (isMade) (await watch()).close();
    },
  };
}
