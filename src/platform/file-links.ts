import { statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FileLinks } from "../contracts/terminal-settings.ts";

/** The maximum number of known file addresses by path; the oldest are dropped. */
const MAX_KNOWN = 1_000;
/** A missing file is not looked up again for this long, because the text that names it is drawn with each frame. */
const MISSED_MS = 2_000;
/** File types that a desktop runs instead of showing. */
const RUN_BY_DESKTOP =
  /\.(?:app|appimage|bat|cmd|com|command|desktop|exe|fileloc|inetloc|jar|lnk|msi|pif|ps1|scpt|scr|terminal|tool|url|vbs|webloc|workflow)$/i;

type Options = {
  readonly kind: FileLinks;
  /** The folder that relative paths are in. */
  cwd(): string;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
  /** The name of this machine: a terminal on another one must not open its own file. */
  readonly host?: string;
  /** True if the terminal is on another machine. */
  readonly isRemote: boolean;
};

/**
 * The address that opens a file: `file://host/path` (the form that VTE, kitty and iTerm2 document), or the address of
 * an editor, with the line.
 * @returns undefined for a path that is not a file, and for programs, since a click would run them.
 */
export function fileLinks({
  kind,
  cwd,
  host = hostname(),
  isRemote,
  nowMs = () => performance.now(),
}: Options): (path: string, line?: number) => string | undefined {
  const known = new Set<string>();
  /** The time at which a path was found missing, in monotonic milliseconds. */
  const missed = new Map<string, number>();
  return (path, line) => {
    if (kind === "off" || (kind !== "file" && isRemote)) return undefined;
    const home = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
    const whole = isAbsolute(home) ? home : resolve(cwd(), home);
    if (!known.has(whole)) {
      const missedAt = missed.get(whole);
      if (missedAt !== undefined && nowMs() - missedAt < MISSED_MS) return undefined;
      if (!isReadable(whole)) {
        if (missed.size >= MAX_KNOWN) missed.clear();
        missed.set(whole, nowMs());
        return undefined;
      }
      if (known.size >= MAX_KNOWN) known.clear();
      known.add(whole);
    }
    const url = pathToFileURL(whole);
    if (kind !== "file") return `${kind}://file${url.pathname}${line === undefined ? "" : `:${line}`}`;
    url.hostname = host;
    return url.href;
  };
}

function isReadable(path: string): boolean {
  if (RUN_BY_DESKTOP.test(path)) return false;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && (found.mode & 0o111) === 0;
  } catch {
    return false;
  }
}
