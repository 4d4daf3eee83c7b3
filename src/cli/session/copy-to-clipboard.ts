import { environment } from "../../platform/env.ts";
import { host } from "../../platform/host.ts";

/** Puts a text into the person's clipboard, by this terminal if need be. @returns where it went, in words. */
export async function copyToClipboard(text: string, signal: AbortSignal): Promise<string> {
  const { copyText } = await import("../../platform/clipboard.ts");
  const write = (sequence: string) => void process.stdout.write(sequence);
  return copyText(text, { os: host().os, env: environment(), write }, signal);
}
