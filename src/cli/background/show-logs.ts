import { UserFacingError } from "../../contracts/errors.ts";
import { SessionText } from "../../faces/repl/session-text.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { flushOut, printLine, textForTerminal } from "../../platform/standard-output.ts";
import { restoredEvents } from "../../protocol/transcript/log-events.ts";
import { type BackgroundRecord, BackgroundRecords, isOver } from "../../services/background/io/background-records.ts";
import { restoreSession } from "../../services/session/restore-session.ts";
import { watchSignals } from "../signals.ts";
import { openRemote } from "./attach.ts";

/**
 * `quoll logs`: the conversation as plain text, as far as it is saved; with `follows` until the session ends.
 * @param wanted The beginning of the session's id; without it, the only running session.
 * @throws {UserFacingError} the saved session can't be read, or its host can't be reached.
 */
export async function showLogs(
  wanted: string | undefined,
  { follow: follows = false }: { follow?: boolean },
  version: string,
): Promise<number> {
  const records = new BackgroundRecords(directories(environment()).state);
  const record = await records.find(wanted, Date.now());
  const text = new SessionText(record.id);
  if (follows && !isOver(record)) return follow(record, { records, version }, text);
  const { restored } = restoreSession(record.transcript);
  print(text.take({ type: "restored", ...restoredEvents({ ...restored, messageIds: [] }) }));
  if (record.problem !== undefined) printLine(`${record.state}: ${record.problem}`);
  return 0;
}

async function follow(
  record: BackgroundRecord,
  { records, version }: { readonly records: BackgroundRecords; readonly version: string },
  text: SessionText,
): Promise<number> {
  const { port, connection } = await openRemote(record, { records, version, isPlain: true });
  const interrupted = Promise.withResolvers<undefined>();
  const signals = watchSignals(() => interrupted.resolve(undefined));
  try {
    port.subscribe((event) => print(text.take(event)));
    const ended = await Promise.race([port.ended, interrupted.promise]);
    if (ended?.isLost) throw new UserFacingError(ended.why);
    if (ended) printLine(ended.why);
    return signals.exitCode ?? 0;
  } finally {
    signals.stop();
    connection.close();
    await flushOut();
  }
}

function print(lines: readonly string[]): void {
  for (const line of lines) printLine(textForTerminal(line));
}
