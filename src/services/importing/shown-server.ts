import type { JsonObject } from "../../contracts/message.ts";
import { textOf } from "./import-line.ts";

/** A server without its arguments, headers and variables, which may hold secrets. */
export function shownServer({ command, url }: JsonObject): string {
  const program = textOf(command);
  if (program !== undefined) return program;
  const address = textOf(url) ?? "";
  return URL.canParse(address) ? new URL(address).host : "a server";
}
