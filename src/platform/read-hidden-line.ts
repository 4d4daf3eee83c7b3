import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { stripAnsi } from "@quoll/terminal-text/plain-text";

const MAX_CHARS = 64 * 1024;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const BACKSPACE = new Set(["\u007f", "\b"]);
/** A terminal that can be read key by key. */
export type KeyInput = Pick<NodeJS.ReadStream, "setRawMode" | "on" | "off" | "resume" | "pause">;

export type HiddenLine = { readonly kind: "line"; readonly text: string } | { readonly kind: "cancelled" };

/**
 * Reads one line without echo. Backspace and Ctrl-U edit it; Ctrl-C, and Ctrl-D on an empty line, cancel. Restores the
 * terminal before it returns, also after an abort, which cancels.
 */
export async function readHiddenLine(
  prompt: string,
  { input, output }: { readonly input: KeyInput; readonly output: Writable },
  signal: AbortSignal,
): Promise<HiddenLine> {
  if (signal.aborted) return { kind: "cancelled" };
  const { promise, resolve, reject } = Promise.withResolvers<HiddenLine>();
  const decoder = new StringDecoder("utf8");
  let text = "";
  const take = (character: string): HiddenLine | undefined => {
    if (character === "\r" || character === "\n") return { kind: "line", text };
    if (character === CTRL_C || (character === CTRL_D && text === "")) return { kind: "cancelled" };
    if (character === CTRL_D) return { kind: "line", text };
    if (character === CTRL_U) text = "";
    else if (BACKSPACE.has(character)) text = [...text].slice(0, -1).join("");
    else if (character >= " " && text.length < MAX_CHARS) text += character;
    return undefined;
  };
  const onData = (chunk: Buffer) => {
    // Escape sequences: arrow keys, paste markers.
    for (const character of stripAnsi(decoder.write(chunk))) {
      const done = take(character);
      if (done) return resolve(done);
    }
  };
  const onEnd = () => resolve({ kind: "cancelled" });
  const onAbort = () => resolve({ kind: "cancelled" });
  input.setRawMode(true);
  try {
    input.on("data", onData).on("end", onEnd).on("error", reject);
    signal.addEventListener("abort", onAbort, { once: true });
    output.write(prompt);
    input.resume();
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    input.off("data", onData).off("end", onEnd).off("error", reject);
    input.setRawMode(false);
    input.pause();
    output.write("\n");
  }
}
