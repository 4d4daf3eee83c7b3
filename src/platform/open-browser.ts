import { spawn } from "node:child_process";
import type { Environment } from "./env.ts";
import { desktopEnvironment, desktopPath } from "./processes/desktop-program.ts";
import { findProgram } from "./processes/find-program.ts";

/** Programs that open an address with the person's browser; `wslview` belongs to Linux on Windows. */
const LINUX_OPENERS = ["wslview", "xdg-open"] as const;

type Machine = { readonly os: string; readonly env: Environment };

/**
 * Starts the person's browser with an address and does not wait for it.
 * @returns false if no browser on this machine has a screen in front of the person, or none could be found.
 */
export function openBrowser(address: string, machine: Machine): boolean {
  const protocol = URL.parse(address)?.protocol;
  const command = protocol === "https:" || protocol === "http:" ? browserCommand(address, machine) : undefined;
  if (!command) return false;
  const [file, ...args] = command;
  try {
    const child = spawn(file, args, {
      cwd: "/",
      env: desktopEnvironment(machine.env),
      detached: true,
      stdio: "ignore",
    });
    child.on("error", () => undefined);
    child.unref();
    return true;
  } catch {
    return false;
  }
}

/** The program and its arguments; undefined if there is none. */
export function browserCommand(
  address: string,
  { os, env }: Machine,
): readonly [file: string, ...args: string[]] | undefined {
  const path = desktopPath(env["PATH"] ?? "");
  const [file = "", ...args] = (env["BROWSER"] ?? "").split(":")[0]?.trim().split(/\s+/) ?? [];
  const own = file === "" ? undefined : file.startsWith("/") ? file : findProgram(file, path);
  if (own !== undefined) {
    const isPlaced = args.some((arg) => arg.includes("%s"));
    return [own, ...args.map((arg) => arg.replaceAll("%s", address)), ...(isPlaced ? [] : [address])];
  }
  const isRemote = Boolean(env["SSH_CONNECTION"] ?? env["SSH_TTY"]);
  const hasScreen =
    os === "darwin" ? !isRemote : Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? env["WSL_DISTRO_NAME"]);
  if (!hasScreen) return undefined;
  const names = os === "darwin" ? ["open"] : LINUX_OPENERS;
  const [found] = names.flatMap((name) => findProgram(name, path) ?? []);
  return found === undefined ? undefined : [found, address];
}
