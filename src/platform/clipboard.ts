import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { UserFacingError } from "../contracts/errors.ts";
import type { Environment } from "./env.ts";
import { inputFile } from "./processes/child-stdin.ts";
import { desktopEnvironment, desktopPath } from "./processes/desktop-program.ts";
import { findProgram } from "./processes/find-program.ts";

const TIMEOUT_MS = 4_000;
/** Terminals drop a longer sequence; xterm's limit is the lowest of the common ones. */
const MAX_SEQUENCE_CHARS = 100_000;
/** The payload of one DCS of GNU screen. */
const SCREEN_CHUNK_CHARS = 700;

export type ClipboardTarget = {
  /** `process.platform` */
  readonly os: string;
  readonly env: Environment;
  /** Writes a sequence to the person's terminal; absent if the terminal would show it as text. */
  readonly write?: ((sequence: string) => void) | undefined;
};

/**
 * Puts a text into the person's clipboard: with the desktop's own program, or else through the terminal (OSC 52), which
 * never reports success.
 * @returns where the text went, in words for the person.
 * @throws {UserFacingError} the text was not copied.
 */
export async function copyText(text: string, target: ClipboardTarget, signal: AbortSignal): Promise<string> {
  const { env } = target;
  const path = desktopPath(env["PATH"] ?? "");
  for (const [name, ...args] of writersFor(target)) {
    const file = findProgram(name, path);
    if (file !== undefined && (await fed({ file, args, text, env }, signal))) return `copied with ${name}`;
  }
  if (!target.write) throw new UserFacingError("not copied: there is no clipboard program; /export writes a file");
  const sequence = clipboardSequence(text, env);
  if (sequence === undefined)
    throw new UserFacingError("not copied: there is no clipboard program, and the text is too long for the terminal");
  target.write(sequence);
  const inTmux = env["TMUX"] ? "; tmux needs set-clipboard or allow-passthrough on" : "";
  return `sent to the terminal's clipboard, which may not take it${inTmux}`;
}

/**
 * Programs that read the clipboard's new text from stdin. Over SSH, these programs would fill the clipboard of the
 * wrong machine.
 */
function writersFor({ os, env }: ClipboardTarget): readonly (readonly [name: string, ...args: string[]])[] {
  if (env["SSH_CONNECTION"] || env["SSH_TTY"]) return [];
  if (os === "darwin") return [["pbcopy"]];
  return [
    ...(env["WAYLAND_DISPLAY"] ? [["wl-copy"] as const] : []),
    ...(env["DISPLAY"] ? [["xclip", "-selection", "clipboard"] as const, ["xsel", "-ib"] as const] : []),
    ...(env["WSL_DISTRO_NAME"] ? [["clip.exe"] as const] : []),
  ];
}

/**
 * The sequence that sets a terminal's clipboard: OSC 52 of xterm's control sequences, inside tmux or screen wrapped so
 * that it reaches the outer terminal.
 * @returns undefined for a text that terminals would drop.
 */
export function clipboardSequence(text: string, env: Environment): string | undefined {
  const osc = `\u001b]52;c;${Buffer.from(text, "utf8").toString("base64")}\u0007`;
  if (osc.length > MAX_SEQUENCE_CHARS) return undefined;
  // tmux accepts OSC 52 if set-clipboard is on, and passes on the wrapped sequence if allow-passthrough is on.
  if (env["TMUX"]) return `${osc}\u001bPtmux;${osc.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`;
  if (!env["STY"]) return osc;
  const chunks = osc.match(new RegExp(`[^]{1,${SCREEN_CHUNK_CHARS}}`, "g")) ?? [];
  return chunks.map((chunk) => `\u001bP${chunk}\u001b\\`).join("");
}

type Feeding = {
  readonly file: string;
  readonly args: readonly string[];
  readonly text: string;
  readonly env: Environment;
};

/**
 * Gives a program its input and waits for its exit. On X11 and Wayland the program leaves a process behind that holds
 * the clipboard, so its process group is not ended.
 * @returns true if it succeeded.
 */
async function fed({ file, args, text, env }: Feeding, signal: AbortSignal): Promise<boolean> {
  let stdin: number | undefined;
  try {
    stdin = inputFile(text);
    const child = spawn(file, [...args], {
      cwd: "/",
      env: desktopEnvironment(env),
      detached: true,
      stdio: [stdin, "ignore", "ignore"],
      timeout: TIMEOUT_MS,
      signal,
    });
    const [code] = await once(child, "exit");
    return code === 0;
  } catch {
    return false;
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}
