import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** Prints facts about this machine; takes no operands. */
const tells = (name: string, flags: string, matches: readonly string[], misses: readonly string[]): ReadOnlyRow => ({
  name,
  flags: words(flags),
  operands: "none",
  matches,
  misses: [...misses, `${name} --quoll-unknown`],
});

const systemctl = (sub: string): ReadOnlyRow => ({
  name: "systemctl",
  sub: [sub],
  flags: words(
    "-a -l -n= -o= -p= -t= -q --all --full --lines= --output= --property= --type= --state= --failed --no-pager --no-legend --plain --value --user --system --quiet",
  ),
  operands: "text",
  matches: [`systemctl ${sub}`, `systemctl --no-pager --user ${sub} x`],
  misses: [
    `systemctl ${sub} -H host`,
    `systemctl ${sub} -M box`,
    `systemctl -H host ${sub}`,
    "systemctl start x",
    "systemctl restart x",
    "systemctl edit x",
    "systemctl",
  ],
});

/** `ip addr show …`: only lists. Other forms of `ip` can change the network. */
const ip = (object: string, verbs: readonly string[]): readonly ReadOnlyRow[] => [
  {
    name: "ip",
    sub: [object],
    flags: [],
    operands: "none",
    matches: [`ip ${object}`, `ip -br -4 ${object}`],
    misses: [
      `ip ${object} add 1.1.1.1 dev x`,
      `ip ${object} del x`,
      `ip ${object} flush`,
      `ip -batch x`,
      "ip netns exec x ls",
    ],
  },
  ...verbs.map(
    (verb): ReadOnlyRow => ({
      name: "ip",
      sub: [object, verb],
      flags: [],
      operands: "text",
      operandShape: /^[\w.:@/-]+$/,
      matches: [`ip ${object} ${verb}`, `ip ${object} ${verb} eth0`],
      misses: [`ip ${object} set eth0 down`, `ip -n ns ${object} ${verb}`, `ip ${object} ${verb} '*'`],
    }),
  ),
];

/** Commands that print facts about the machine, its processes and services. */
export const SYSTEM_ROWS: readonly ReadOnlyRow[] = [
  tells("lscpu", "-a -e? -J -p? --all --extended? --json --parse?", ["lscpu", "lscpu -J"], ["lscpu -s /x"]),
  tells("lsusb", "-v -t", ["lsusb", "lsusb -t"], ["lsusb -D x"]),
  tells("lspci", "-v -vv -k -nn -n -mm", ["lspci", "lspci -nnk"], ["lspci -A x", "lspci -O a=b"]),
  tells("lsmod", "", ["lsmod"], ["lsmod x"]),
  tells("lsb_release", "-a -d -i -r -c -s", ["lsb_release -a"], ["lsb_release x"]),
  tells("hostnamectl", "", ["hostnamectl"], ["hostnamectl set-hostname x"]),
  tells("timedatectl", "", ["timedatectl"], ["timedatectl set-time x"]),
  tells("vmstat", "-s -d -w -a", ["vmstat", "vmstat -s"], ["vmstat 1"]),
  tells("iostat", "-x -c -d -h", ["iostat -x"], ["iostat 1"]),
  tells("sensors", "", ["sensors"], ["sensors -s"]),
  tells("nvidia-smi", "-L", ["nvidia-smi"], ["nvidia-smi -r", "nvidia-smi -l 1"]),
  tells("sw_vers", "-productVersion -buildVersion", ["sw_vers"], ["sw_vers x"]),
  tells("groups", "", ["groups"], ["groups x y z"]),
  tells("users", "", ["users"], ["users file"]),
  tells("who", "-a -b -H -q -r -u", ["who", "who -b"], ["who file"]),
  tells("w", "-h -s", ["w"], ["w x"]),
  tells("locale", "-a -m", ["locale", "locale -a"], ["locale -k x"]),
  tells("jobs", "-l -p -r -s", ["jobs", "jobs -l"], ["jobs -x rm a"]),
  tells("times", "", ["times"], ["times x"]),
  tells("umask", "-S -p", ["umask", "umask -S"], ["umask 000"]),
  tells("ulimit", "-a -n -u -c -s -v -H -S", ["ulimit -a", "ulimit -n"], ["ulimit -n 10"]),
  tells("mount", "-l", ["mount", "mount -l"], ["mount -a", "mount x y", "mount -o remount /", "mount --bind a b"]),
  {
    name: "findmnt",
    flags: words("-l -n -r -J -o= -t= -T=< -D"),
    operands: "text",
    matches: ["findmnt", "findmnt -T a"],
    misses: ["findmnt -F x", "findmnt --poll"],
  },
  tells("swapon", "-s --show? --noheadings --bytes", ["swapon --show"], ["swapon /dev/x", "swapon -a"]),
  {
    name: "getconf",
    flags: ["-a"],
    operands: "text",
    operandShape: /^[A-Z0-9_]+$/,
    maxOperands: 1,
    matches: ["getconf PAGE_SIZE", "getconf -a"],
    misses: ["getconf -v x y", "getconf A /x"],
  },
  {
    name: "getent",
    flags: [],
    operands: "text",
    operandShape: /^[\w.-]+$/,
    sub: ["passwd"],
    matches: ["getent passwd bob"],
    misses: ["getent hosts x", "getent shadow"],
  },
  {
    name: "getent",
    flags: [],
    operands: "text",
    operandShape: /^[\w.-]+$/,
    sub: ["group"],
    matches: ["getent group"],
    misses: ["getent ahosts x"],
  },
  {
    name: "pgrep",
    flags: words("-a -c -d= -f -i -l -n -o -P= -t= -u= -U= -v -w -x -g= -s="),
    operands: "text",
    matches: ["pgrep -fl node", "pgrep -u bob"],
    misses: ["pgrep -F /x", "pgrep --signal 9 x", "pgrep -L x"],
  },
  { name: "pidof", flags: ["-s", "-x", "-c"], operands: "text", matches: ["pidof node"], misses: ["pidof -q x"] },
  {
    name: "pstree",
    flags: words("-a -p -u -h -l -n -s -T -A -U -g -H="),
    operands: "text",
    matches: ["pstree -p", "pstree -ap 1"],
    misses: ["pstree --quoll"],
  },
  {
    // -b ends by itself only with -n.
    name: "top",
    flags: words("-b -c -H -i -n= -p= -u= -U= -o= -w= -1 -E= -e="),
    operands: "none",
    needsFlag: ["-n"],
    matches: ["top -b -n 1", "top -bn1", "top -b -n 1 -o %MEM"],
    misses: ["top", "top -b", "top -d 1 -n 1"],
  },
  {
    name: "lsof",
    flags: words("-i? -p= -n -P -t -a -u= -c= -d= -s? -l -w -b -U -g? -R -F?"),
    operands: "text",
    operandShape: /^[^+]/,
    matches: ["lsof -i :3000", "lsof -ti tcp:3000", "lsof -nP -iTCP -sTCP:LISTEN", "lsof a"],
    misses: ["lsof -D b/x", "lsof -r 1", "lsof +D /", "lsof -k x", "lsof *"],
  },
  {
    // Not -K (closes them), -D and -F (files), -E (runs forever).
    name: "ss",
    flags: words(
      "-t -u -l -n -p -a -e -m -o -i -s -4 -6 -x -r -H -O -w -d -M --tcp --udp --listening --numeric --processes --all --summary --extended --unix --no-header",
    ),
    operands: "text",
    matches: ["ss -tlnp", "ss -s", "ss -tn sport = :22"],
    misses: ["ss -K dst x", "ss -D x", "ss -F x", "ss -E", "ss -N ns"],
  },
  {
    name: "netstat",
    flags: words("-t -u -l -n -p -a -r -s -i -e -o -v -x -4 -6 -w -g -N -W -f= -b"),
    operands: "none",
    matches: ["netstat -tlnp", "netstat -rn"],
    misses: ["netstat -c", "netstat 5", "netstat -M"],
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
    matches: ["ifconfig", "ifconfig eth0"],
    misses: ["ifconfig eth0 down", "ifconfig eth0 1.1.1.1"],
  },
  {
    name: "sysctl",
    flags: ["-a", "-n", "-e", "-N"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
    matches: ["sysctl -n kernel.ostype", "sysctl -a"],
    misses: ["sysctl -w a=b", "sysctl a=b", "sysctl -p", "sysctl --system"],
  },
  {
    // Not -c/-C (clears), -w (follows), -D -E -n (console), -F -K (files), -H (pages).
    name: "dmesg",
    flags: words("-T -k -u -x -r -t -l= -f= -L? --ctime --level= --facility= --color? --nopager --since= --until="),
    operands: "none",
    matches: ["dmesg", "dmesg -T --level=err"],
    misses: ["dmesg -C", "dmesg -c", "dmesg -w", "dmesg -D", "dmesg -n 1", "dmesg -F x"],
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
    matches: ["journalctl -u nginx -n 50 --no-pager", "journalctl --since today", "journalctl _PID=1"],
    misses: [
      "journalctl -f",
      "journalctl --vacuum-time=1s",
      "journalctl --rotate",
      "journalctl --cursor-file=x",
      "journalctl --flush",
      "journalctl -D /x",
      "journalctl /bin/x",
    ],
  },
];
