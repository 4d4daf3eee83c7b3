import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
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
  const watch = lazy(async () => {
    const { OrphanWatch } = await import("../../platform/processes/orphan-watch.ts");
    makePrivateFolder(around.own.state);
    return new OrphanWatch(around.env, endedCommandsFile(around));
  });
  return { watch, close: async () => (await watch.begun)?.close() };
}
