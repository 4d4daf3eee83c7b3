import { dirname } from "node:path";
import type { DebugTopic } from "../../../contracts/debug.ts";
import type { Clock, Redactor } from "../../../contracts/ports.ts";
import { runtimeName } from "../../../platform/host.ts";
import { createDebugLog, type DebugLog } from "../../../services/telemetry/debug-log/create-debug-log.ts";
import { DebugFile } from "../../../services/telemetry/debug-log/debug-file.ts";
import { pruneLogs } from "../../../services/telemetry/io/prune-logs.ts";
import type { ProcessEnvironment } from "../../process-environment.ts";

export type DebugWiring = {
  readonly around: ProcessEnvironment;
  readonly version: string;
  readonly sessionId: string;
  /** The topics of the log; undefined if the log is opened only to record a fault. */
  readonly topics: readonly DebugTopic[] | undefined;
  /** False if the session must not be saved on disk. */
  readonly isSaved: boolean;
  /** Lines that are shown at the top of the log. */
  readonly about: readonly string[];
  readonly clock: Clock;
  redactor(): Promise<Redactor>;
  /** Tells the person one line. */
  notify(line: string): void;
};

/** Opens the log of a session and writes its header; the oldest logs are deleted. @throws {Error} a system error. */
export async function openDebugLog(path: string, wiring: DebugWiring): Promise<DebugLog> {
  const { around, version, sessionId, topics = [], clock, about } = wiring;
  pruneLogs(dirname(path), clock.now());
  const log = createDebugLog(new DebugFile({ path, topics, redactor: await wiring.redactor(), clock }), clock);
  log.note("log", `Quoll ${version} on ${around.machine.platform}, ${runtimeName()}; session ${sessionId}`);
  log.note("log", topics.length === 0 ? "only faults are logged; --debug logs all" : `topics: ${topics.join(", ")}`);
  for (const line of about) log.note("log", line);
  return log;
}
