import { statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FileLinks } from "../contracts/terminal-settings.ts";

/** File types that a desktop runs instead of showing. */
const RUN_BY_DESKTOP =
  /\.(?:app|appimage|bat|cmd|com|command|desktop|exe|fileloc|inetloc|jar|lnk|msi|pif|ps1|scpt|scr|terminal|tool|url|vbs|webloc|workflow)$/i;

type Options = {
  readonly kind: FileLinks;
  /** The folder that relative paths are in. */
  cwd(): string;
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
}: Options): (path: string, line?: number) => string | undefined {
  return (path, line) => {
    if (kind === "off" || (kind !== "file" && isRemote)) return undefined;
    const home = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
    const whole = isAbsolute(home) ? home : resolve(cwd(), home);
    if (!isReadable(whole)) return undefined;
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
