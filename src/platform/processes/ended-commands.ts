import { readFileSync, renameSync, rmSync } from "node:fs";

const MAX_NAMED = 5;
const MAX_RECORD_CHARS = 64 * 1024;

/**
 * Reads, then deletes, the record of the commands that an `OrphanWatch` has ended since the last call: one line each, without
 * control characters. If two programs ask at once, only one of them gets the record.
 * @param record The file that the watch was given.
 */
export function takeEndedCommands(record: string): readonly string[] {
  const taken = `${record}.${process.pid}`;
  try {
    renameSync(record, taken);
    const text = readFileSync(taken, "utf8").slice(0, MAX_RECORD_CHARS);
    const lines = text.split("\n").flatMap((line) => plainLine(Buffer.from(line, "base64url").toString("utf8")) || []);
    const more = lines.length - MAX_NAMED;
    return more > 0 ? [...lines.slice(0, MAX_NAMED), `${more} more`] : lines;
  } catch {
    // The record does not exist, because no command was ended.
    return [];
  } finally {
    rmSync(taken, { force: true });
  }
}

function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
