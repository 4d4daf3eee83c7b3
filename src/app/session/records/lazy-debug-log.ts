import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { NoteFault } from "../../../contracts/debug.ts";
import {
  errorCode,
  errorMessage,
  ModelFacingError,
  ProviderError,
  SpendLimitError,
  UserFacingError,
} from "../../../contracts/errors.ts";
import { shortPath } from "../../../platform/directories.ts";
import type { DebugLog } from "../../../services/telemetry/debug-log/create-debug-log.ts";
import type { DebugWiring } from "./open-debug-log.ts";

/** The debug log of a session, and the place where faults are recorded. */
export type Debugging = {
  /** Undefined if the session has no debug log. */
  readonly log: DebugLog | undefined;
  readonly noteFault: NoteFault;
  close(): Promise<void>;
};

/** The folder of the debug logs. */
export function debugFolder(stateFolder: string): string {
  return join(stateFolder, "debug");
}

/**
 * Opens the log of `--debug`. Without `--debug`, the code is loaded only when a fault with a useful stack occurs.
 */
export async function openDebugging(wiring: DebugWiring): Promise<Debugging> {
  const { topics, around, sessionId, isSaved, notify } = wiring;
  const path = join(debugFolder(around.own.state), `${sessionId}.log`);
  const place = shortPath(path, around.own.home);
  const opened = lazy(async () => (await import("./open-debug-log.ts")).openDebugLog(path, wiring));
  const unopened = (error: unknown) => {
    notify(`there is no debug log: ${errorMessage(error)}`);
    return undefined;
  };
  const log = topics && (await opened().catch(unopened));
  if (log) notify(`the debug log is ${place}`);
  let isUsed = log !== undefined;
  let pending: Promise<unknown> = Promise.resolve();
  const keepFault: NoteFault = (error) => {
    if (!isOurs(error)) return "";
    if (!isSaved) return "--debug shows where";
    isUsed = true;
    const write = () => opened().then((late) => late.fault(error));
    pending = pending.then(write).catch(() => undefined);
    return `its stack is in ${place}`;
  };
  return {
    log,
    noteFault: (error) => {
      if (!log) return topics ? "" : keepFault(error);
      // The log entry of the request already contains this error.
      if (!(error instanceof ProviderError)) log.fault(error);
      return isOurs(error) ? `its stack is in ${place}` : "";
    },
    close: async () => {
      await pending;
      if (isUsed) (await opened().catch(() => undefined))?.close();
    },
  };
}

/** True if an error is a bug in Quoll, not a fault of the model, the person, the provider or the system. */
function isOurs(error: unknown): boolean {
  const isKnown = [ModelFacingError, UserFacingError, ProviderError, SpendLimitError].some(
    (kind) => error instanceof kind,
  );
  return !isKnown && errorCode(error) === undefined;
}
