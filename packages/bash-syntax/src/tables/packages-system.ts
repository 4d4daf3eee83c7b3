import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

const system = (name: string, sub: readonly string[], flags: string): ReadOnlyRow => ({
  name,
  ...(sub.length > 0 && { sub }),
  flags: words(flags),
  operands: "text",
  operandShape: /^[\w.+:@*?-]+$/,
});

/** The queries of the package managers of operating systems. */
export const SYSTEM_PACKAGE_ROWS: readonly ReadOnlyRow[] = [
  system("dpkg", ["-l"], ""),
  system("dpkg", ["-s"], ""),
  { ...system("dpkg", ["-S"], ""), operandShape: /^[\w./+*?-]+$/ },
  system("dpkg", ["-L"], ""),
  system("apt", ["list"], "--installed --upgradable -a"),
  system("apt", ["show"], "-a"),
  system("apt-cache", ["policy"], ""),
  system("apt-cache", ["search"], "-n --names-only"),
  system("apt-cache", ["show"], ""),
  system("rpm", ["-qa"], ""),
  system("brew", ["list"], "--versions --cask --formula -1"),
  system("pacman", ["-Q"], ""),
];
