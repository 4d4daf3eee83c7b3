import type { Environment } from "./env.ts";
import { findProgram } from "./processes/find-program.ts";
import { runCaptured } from "./processes/run-captured.ts";

const TIMEOUT_MS = 8_000;
/** Of the image as base64 or hexadecimal text. */
const MAX_TEXT_BYTES = 128 * 1024 * 1024;
const NO_IMAGE = "There is no image in the clipboard.";

export type ClipboardMachine = {
  readonly os: string;
  readonly env: Environment;
  /** True if a program found on PATH may be run. */
  isTrusted(path: string): boolean;
};

/** A program that prints the clipboard's image, and the encoding of its output. */
type Reader = {
  readonly program: string;
  readonly args: readonly string[];
  readonly prints: "bytes" | "base64" | "hex";
};

const WAYLAND: Reader = { program: "wl-paste", args: ["--no-newline", "--type", "image/png"], prints: "bytes" };
const X11: Reader = { program: "xclip", args: ["-selection", "clipboard", "-t", "image/png", "-o"], prints: "bytes" };
/** AppleScript prints binary data as `«data PNGf8950…»`. */
const MACOS: Reader = { program: "osascript", args: ["-e", "the clipboard as «class PNGf»"], prints: "hex" };
const WINDOWS: Reader = {
  program: "powershell.exe",
  args: [
    "-NoProfile",
    "-STA",
    "-Command",
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }",
  ],
  prints: "base64",
};

/** The clipboard's image as PNG, or one line that says why there is none. @throws the abort reason of `signal`. */
export async function clipboardImage(
  machine: ClipboardMachine,
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer } | { readonly problem: string }> {
  const { env } = machine;
  const path = env["PATH"] ?? "";
  const readers = readersFor(machine);
  const found = readers.flatMap((reader) => {
    const file = findProgram(reader.program, path);
    return file !== undefined && machine.isTrusted(file) ? [{ ...reader, file }] : [];
  });
  if (found.length === 0) return { problem: missingProgram(readers, env) };
  for (const { file, args, prints } of found) {
    // The output is captured as text.
    const command = prints === "bytes" ? ["/bin/sh", "-c", '"$0" "$@" 2>/dev/null | base64', file] : [file];
    const [program = file, ...first] = command;
    const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const run = { file: program, args: [...first, ...args], cwd: "/", env: Object.fromEntries(variables) };
    const ended = await runCaptured({ ...run, timeoutMs: TIMEOUT_MS, maxBytes: MAX_TEXT_BYTES }, signal);
    if (ended.kind !== "ended") continue;
    const bytes = decoded(ended.stdout, prints);
    if (bytes.length > 0) return { bytes };
  }
  return { problem: NO_IMAGE };
}

/** Linux on Windows has the clipboard of Windows; its own tools come first if a Linux desktop runs. */
function readersFor({ os, env }: ClipboardMachine): readonly Reader[] {
  if (os === "darwin") return [MACOS];
  const own = [...(env["WAYLAND_DISPLAY"] ? [WAYLAND] : []), ...(env["DISPLAY"] ? [X11] : [])];
  return env["WSL_DISTRO_NAME"] ? [...own, WINDOWS] : own;
}

function missingProgram(readers: readonly Reader[], env: Environment): string {
  const instead = "Paste the path of an image file instead.";
  if (readers.length === 0) {
    const where = env["SSH_CONNECTION"] ? "Over SSH" : "Without a desktop";
    return `${where} there is no clipboard with images. ${instead}`;
  }
  const names = readers.map(({ program }) => (program === WAYLAND.program ? "wl-paste (wl-clipboard)" : program));
  return `To paste images, install ${names.join(" or ")}. ${instead}`;
}

function decoded(text: string, prints: Reader["prints"]): Buffer {
  if (prints !== "hex") return Buffer.from(text, "base64");
  return Buffer.from(/PNGf([0-9A-Fa-f]+)/.exec(text)?.[1] ?? "", "hex");
}
