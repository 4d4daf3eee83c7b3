import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

const system = (
  name: string,
  sub: readonly string[],
  flags: string,
  matches: readonly string[],
  misses: readonly string[],
): ReadOnlyRow => ({
  name,
  ...(sub.length > 0 && { sub }),
  flags: words(flags),
  operands: "text",
  operandShape: /^[\w.+:@*?-]+$/,
  matches,
  misses,
});

/** The queries of the package managers of operating systems. */
export const SYSTEM_PACKAGE_ROWS: readonly ReadOnlyRow[] = [
  system("dpkg", ["-l"], "", ["dpkg -l", "dpkg -l 'libc*'"], ["dpkg -i x", "dpkg -r x", "dpkg -l --admindir=x"]),
  system("dpkg", ["-s"], "", ["dpkg -s bash"], ["dpkg --configure -a"]),
  { ...system("dpkg", ["-S"], "", ["dpkg -S bin/ls"], ["dpkg -P x"]), operandShape: /^[\w./+*?-]+$/ },
  system("dpkg", ["-L"], "", ["dpkg -L bash"], ["dpkg --unpack x"]),
  system(
    "apt",
    ["list"],
    "--installed --upgradable -a",
    ["apt list --installed"],
    ["apt install x", "apt list -o Dpkg::Pre-Invoke=x", "apt update"],
  ),
  system("apt", ["show"], "-a", ["apt show bash"], ["apt remove x", "apt show -c x y"]),
  system("apt-cache", ["policy"], "", ["apt-cache policy bash"], ["apt-cache policy -o x=y", "apt-cache gencaches"]),
  system("apt-cache", ["search"], "-n --names-only", ["apt-cache search foo"], ["apt-cache search -c x y"]),
  system("apt-cache", ["show"], "", ["apt-cache show bash"], ["apt-cache show -o x=y a"]),
  system("rpm", ["-qa"], "", ["rpm -qa", "rpm -qa 'bash*'"], ["rpm -i x", "rpm -qa --pipe x", "rpm -qa --define x"]),
  system(
    "brew",
    ["list"],
    "--versions --cask --formula -1",
    ["brew list", "brew list --versions node"],
    ["brew install x", "brew upgrade"],
  ),
  system("pacman", ["-Q"], "", ["pacman -Q bash"], ["pacman -S x", "pacman -Q --config x"]),
];
