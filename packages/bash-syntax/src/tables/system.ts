import type { ReadOnlyRow } from "../command-row.ts";

const LISTED = /^(?!\+)[^@]*(?:@(?:\d+\.){3}\d+(?::[\w,-]*)?)?$/;
/** Words of a filter of ss: names of states and fields, operators, numeric addresses and ports. */
const SOCKET_FILTER =
  /^\s*(?:(?:state|exclude|src|dst|sport|dport|autobound|and|or|not|eq|neq?|leq?|lt|geq?|gt|all|connected|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|closed|close-wait|last-ack|listen|listening|closing|synchronized|bucket|big|[=<>!()&|]+|\*?:[\w*-]+|\d[\d.]*(?:\/\d+)?(?::[\w*-]+)?|\[[\da-f:.]+\](?:\/\d+)?(?::[\w*-]+)?)(?:\s+|$))+$/;

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** Prints facts about this machine; takes no operands. */
const tells = (name: string, flags: string): ReadOnlyRow => ({
  name,
  flags: words(flags),
  operands: "none",
});

const systemctl = (sub: string): ReadOnlyRow => ({
  name: "systemctl",
  sub: [sub],
  flags: words(
    "-a -l -n= -o= -p= -t= -q --all --full --lines= --output= --property= --type= --state= --failed --no-pager --no-legend --plain --value --user --system --quiet",
  ),
  operands: "text",
});

/** `ip addr show …`: only lists. Other forms of `ip` can change the network. */
const ip = (object: string, verbs: readonly string[]): readonly ReadOnlyRow[] => [
  {
    name: "ip",
    sub: [object],
    flags: [],
    operands: "none",
  },
  ...verbs.map(
    (verb): ReadOnlyRow => ({
      name: "ip",
      sub: [object, verb],
      flags: [],
      operands: "text",
      operandShape: /^[\w.:@/-]+$/,
    }),
  ),
];

/** Commands that print facts about the machine, its processes and services. */
export const SYSTEM_ROWS: readonly ReadOnlyRow[] = [
  tells("lscpu", "-a -e? -J -p? --all --extended? --json --parse?"),
  tells("lsusb", "-v -t"),
  tells("lspci", "-v -vv -k -nn -n -mm"),
  tells("lsmod", ""),
  tells("lsb_release", "-a -d -i -r -c -s"),
  tells("hostnamectl", ""),
  tells("timedatectl", ""),
  tells("vmstat", "-s -d -w -a"),
  tells("iostat", "-x -c -d -h"),
  tells("sensors", ""),
  tells("nvidia-smi", "-L"),
  tells("cal", "-3 -m -s -y"),
  {
    ...tells("crontab", "-l"),
    needsFlag: ["-l"],
  },
  ...["last", "jps"].map((name) => tells(name, "")),
  tells("arp", "-a -n -e"),
  ...["apropos", "whatis", "locate"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: ["-i", "-c"],
      operands: "text",
      minOperands: 1,
      operandShape: /^[\w.+@*-]+$/,
    }),
  ),
  {
    name: "systemctl",
    sub: ["--failed"],
    flags: ["--no-pager", "--user", "--all"],
    operands: "none",
  },
  {
    // Only the list of sessions and clients. Other commands start programs.
    name: "tmux",
    sub: ["list-sessions"],
    flags: [],
    operands: "none",
  },
  {
    name: "tmux",
    sub: ["ls"],
    flags: [],
    operands: "none",
  },
  {
    name: "history",
    flags: [],
    operands: "text",
    maxOperands: 1,
    operandShape: /^\d+$/,
  },
  {
    name: "help",
    flags: ["-d", "-m", "-s"],
    operands: "text",
    operandShape: /^[\w.[:-]+$/,
  },
  {
    // Without a terminal it pages nothing. Not -P, -H, -l (a file), -C, -M, -K (reads every page).
    name: "man",
    flags: ["-k", "-f", "-w", "-a", "--where", "--apropos", "--whatis"],
    operands: "text",
    minOperands: 1,
    operandShape: /^[\w.:+@-]+$/,
  },
  tells("sw_vers", "-productVersion -buildVersion"),
  tells("groups", ""),
  tells("users", ""),
  tells("who", "-a -b -H -q -r -u"),
  tells("w", "-h -s"),
  tells("locale", "-a -m"),
  tells("jobs", "-l -p -r -s"),
  tells("times", ""),
  tells("umask", "-S -p"),
  tells("ulimit", "-a -n -u -c -s -v -H -S"),
  tells("mount", "-l"),
  {
    name: "findmnt",
    flags: words("-l -n -r -J -o= -t= -T=< -D"),
    operands: "text",
  },
  tells("swapon", "-s --show? --noheadings --bytes"),
  {
    name: "getconf",
    flags: ["-a"],
    operands: "text",
    operandShape: /^[A-Z0-9_]+$/,
    maxOperands: 1,
  },
  {
    name: "getent",
    flags: [],
    operands: "text",
    operandShape: /^[\w.-]+$/,
    sub: ["passwd"],
  },
  {
    name: "getent",
    flags: [],
    operands: "text",
    operandShape: /^[\w.-]+$/,
    sub: ["group"],
  },
  {
    name: "pgrep",
    flags: words("-a -c -d= -f -i -l -n -o -P= -t= -u= -U= -v -w -x -g= -s="),
    operands: "text",
  },
  { name: "pidof", flags: ["-s", "-x", "-c"], operands: "text" },
  {
    name: "pstree",
    flags: words("-a -p -u -h -l -n -s -T -A -U -g -H="),
    operands: "text",
  },
  {
    // -b ends by itself only with -n.
    name: "top",
    flags: words("-b -c -H -i -n= -p= -u= -U= -o= -w= -1 -E= -e="),
    operands: "none",
    needsFlag: ["-n"],
  },
  {
    name: "lsof",
    flags: words("-i? -p= -n -P -t -a -u= -c= -d= -s? -l -w -b -U -g? -R -F?"),
    operands: "text",
    // A name after `@` is looked up on the network.
    operandShape: LISTED,
    valueShapes: [["-i", LISTED]],
  },
  {
    // Not -K (closes them), -D and -F (files), -E (runs forever).
    name: "ss",
    flags: words(
      "-t -u -l -n -p -a -e -m -o -i -s -4 -6 -x -r -H -O -w -d -M --tcp --udp --listening --numeric --processes --all --summary --extended --unix --no-header",
    ),
    operands: "text",
    // A name of a host is looked up on the network.
    operandShape: SOCKET_FILTER,
  },
  {
    name: "netstat",
    flags: words("-t -u -l -n -p -a -r -s -i -e -o -v -x -4 -6 -w -g -N -W -f= -b"),
    operands: "none",
  },
  ...["addr", "a", "address"].flatMap((object) => ip(object, ["show", "list"])),
  ...["link", "l"].flatMap((object) => ip(object, ["show"])),
  ...["route", "r"].flatMap((object) => ip(object, ["show", "list"])),
  ...["neigh", "rule"].flatMap((object) => ip(object, ["show"])),
  {
    name: "ifconfig",
    flags: ["-a", "-s"],
    operands: "text",
    maxOperands: 1,
    operandShape: /^[a-z][\w.]*$/,
  },
  {
    name: "sysctl",
    flags: ["-a", "-n", "-e", "-N"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
  },
  {
    // Not -c/-C (clears), -w (follows), -D -E -n (console), -F -K (files), -H (pages).
    name: "dmesg",
    flags: words("-T -k -u -x -r -t -l= -f= -L? --ctime --level= --facility= --color? --nopager --since= --until="),
    operands: "none",
  },
  ...[
    "status",
    "list-units",
    "list-unit-files",
    "list-timers",
    "list-sockets",
    "is-active",
    "is-enabled",
    "is-failed",
    "show",
    "cat",
    "list-dependencies",
    "show-environment",
  ].map(systemctl),
  {
    // Not -f (follows), --vacuum-*, --rotate, --flush, --sync, --cursor-file, --setup-keys, -D, --file, -M.
    name: "journalctl",
    flags: words(
      "-u= -n? -b? -k -p= -S= -U= -o= -r -e -x -a -q -t= -g= --unit= --user-unit= --lines? --boot? --dmesg --priority= --since= --until= --output= --reverse --no-pager --all --quiet --identifier= --grep= --list-boots --disk-usage --no-hostname --utc --user --system --catalog",
    ),
    operands: "text",
    operandShape: /^(?:[A-Z_]+=.*|\d+|-\d+)$/,
  },
];
