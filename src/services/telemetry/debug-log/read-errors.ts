import type { LoggedError } from "../../../contracts/doctor.ts";

const ENTRY = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (\w+) +(.*)$/;
/** The maximum number of shown lines of a stack; the rest stays in the log. */
const MAX_LINES = 30;

/** The faults and failed requests in a debug log, oldest first. */
export function readErrors(log: string, sessionId: string): readonly LoggedError[] {
  const errors: { time: string; lines: string[] }[] = [];
  let open: string[] | undefined;
  for (const line of log.split("\n")) {
    const [, time, tag, text = ""] = ENTRY.exec(line) ?? [];
    if (time === undefined) {
      if (open && line.trim() !== "" && open.length < MAX_LINES) open.push(line.trim());
      continue;
    }
    const isError = tag === "fault" || (tag === "api" && /^request \d+ failed /.test(text));
    open = isError ? [text] : undefined;
    if (open) errors.push({ time, lines: open });
  }
  return errors.map(({ time, lines }) => ({ time, sessionId, text: lines.join("\n") }));
}
