import { atMost } from "@quoll/async/at-most";
import { formatAgo, formatUsd } from "@quoll/terminal-text/format-amount";
import { tableLines } from "@quoll/terminal-text/table-lines";
import { UserFacingError } from "../../contracts/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { directories, shortPath } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { connectLines } from "../../platform/line-socket.ts";
import { printLine } from "../../platform/standard-output.ts";
import { remoteMessage, type ToHost, type ToScreen } from "../../protocol/remote-protocol.ts";
import {
  type BackgroundRecord,
  BackgroundRecords,
  isOver,
  resumeCommand,
} from "../../services/background/io/background-records.ts";

/** Longer than the time that commands and hooks get to end. */
const STOP_WAIT_MS = 30_000;

/** `quoll ps`. */
export async function list(as: "lines" | "json" | "ids"): Promise<number> {
  const { state, home } = directories(environment());
  const records = await new BackgroundRecords(state).list(Date.now());
  if (as === "json") {
    printLine(JSON.stringify(records.map(asJson), null, 2));
    return 0;
  }
  if (as === "ids") {
    for (const record of records) if (!isOver(record)) printLine(record.id);
    return 0;
  }
  if (records.length === 0) printLine('There is no background session: start one with `quoll --bg "…"`.');
  for (const line of rowsOf(records, home)) printLine(line);
  const lost = records.filter(({ state, problem }) => state === "failed" && problem === "interrupted");
  for (const record of lost) printLine(`To continue what was interrupted: ${resumeCommand(record, home)}`);
  if (lost.length > 0)
    printLine(
      "If a logout ended it: `loginctl enable-linger` keeps your processes (or KillUserProcesses=no in logind.conf).",
    );
  return 0;
}

/** One line for each session, in columns. */
function rowsOf(records: readonly BackgroundRecord[], home: string): readonly string[] {
  const rows = records.map((record) => {
    const { id, state, problem, cwd, costUsd, changedAt, title } = record;
    const why = problem === undefined ? "" : isOver(record) ? `: ${problem}` : ", the last turn failed";
    const ago = formatAgo(Date.now() - Date.parse(changedAt));
    return [id, `${state}${why}`, shortPath(cwd, home), costUsd === null ? "" : formatUsd(costUsd), ago, title];
  });
  return tableLines(rows);
}

function asJson({ version: _, host, quoll, ...record }: BackgroundRecord) {
  return { ...record, pid: host.pid, quoll };
}

/** `quoll stop`: asks the host to end its session, and waits until it has. */
export async function stop(wanted: string | undefined): Promise<number> {
  const { state, home } = directories(environment());
  const records = new BackgroundRecords(state);
  const record = await records.find(wanted, Date.now());
  const { id } = record;
  if (isOver(record)) throw new UserFacingError(`${id} has already ended (${record.problem ?? record.state}).`);
  const ended = Promise.withResolvers<readonly string[] | undefined>();
  const connection = await connectLines(records.files(id).socket, () => ({
    line: (text) => {
      const message = remoteMessage<ToScreen>(text);
      if (message?.type === "ended") ended.resolve(message.lines);
    },
    closed: () => ended.resolve(undefined),
  }));
  if (!connection) throw new UserFacingError(`${id} does not answer: end its process ${record.host.pid}.`);
  const hello: ToHost = { type: "hello", token: records.token(id), wants: "end", isPlain: true };
  connection.send(JSON.stringify(hello));
  const lines = await atMost(ended.promise, STOP_WAIT_MS, { clock: systemClock });
  connection.close();
  if (!lines)
    throw new UserFacingError(
      `${id} gave no answer: quoll ps shows whether it still runs (process ${record.host.pid}).`,
    );
  for (const line of lines) printLine(line);
  printLine(`${id} has ended. To continue: ${resumeCommand(record, home)}`);
  return 0;
}
