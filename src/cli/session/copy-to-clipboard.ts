import { environment } from "../../platform/env.ts";
import { host } from "../../platform/host.ts";

/** Terminals that show an unknown sequence as text, which a screen reader would read. */
const WITHOUT_SEQUENCES: readonly (string | undefined)[] = ["dumb", "linux"];

/** Puts a text into the person's clipboard, by this terminal if need be. @returns where it went, in words. */
export async function copyToClipboard(text: string, signal: AbortSignal): Promise<string> {
  const { copyText } = await import("../../platform/clipboard.ts");
  const env = environment();
  const write = WITHOUT_SEQUENCES.includes(env["TERM"])
    ? undefined
    : (sequence: string) => void process.stdout.write(sequence);
  return copyText(text, { os: host().os, env, write }, signal);
}
