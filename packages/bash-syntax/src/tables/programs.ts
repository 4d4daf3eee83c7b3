import type { ReadOnlyRow } from "../command-row.ts";

const plain = (name: string, ...flags: readonly string[]): ReadOnlyRow => ({
  name,
  flags,
  operands: "none",
  matches: [name],
  misses: [`${name} x`, `${name} --unknown-flag`],
});

/** `tool --version` and nothing else. */
const version = (name: string, flag: string): ReadOnlyRow => ({
  name,
  sub: [flag],
  flags: [],
  operands: "none",
  matches: [`${name} ${flag}`],
  misses: [`${name} ${flag} x`, `${name} ${flag} -e 1`, `${name} x ${flag}`],
});

/**
 * Left out are those that a file of the folder can make run or fetch something first: yarn (.yarnrc), pnpm (packageManager),
 * cargo and rustc (rust-toolchain.toml), go (toolchain line), bun (preload).
 */
const VERSIONED =
  "node deno npm npx tsc python python3 pip pip3 ruby java gcc g++ clang cmake make docker biome eslint prettier bash rg fd jq curl wget tar sqlite3 psql".split(
    " ",
  );

/** The shell's own words, and programs that only tell. `env` and `printenv` are left out: they print secrets. */
export const PROGRAM_ROWS: readonly ReadOnlyRow[] = [
  {
    name: "echo",
    flags: [],
    operands: "text",
    anyWords: true,
    matches: ["echo hi", 'echo "$HOME" $?', 'echo "exit: $?"', "echo ~", "echo {1..3}", "echo -n a", "echo *", "echo"],
    misses: ["echo $API_KEY", "echo $1", "echo hi > a", "echo hi >> a", "X=1 echo a"],
  },
  {
    name: "printf",
    flags: [],
    operands: "text",
    anyWords: true,
    shape: "printf",
    matches: ["printf '%s\\n' a b", 'printf "%s" "$PWD"', "printf hi"],
    misses: ['printf "%s" "$TOKEN"', "printf -v x a", "printf hi > a", "printf"],
  },
  { name: "true", flags: [], operands: "text", matches: ["true"], misses: ["true > a"] },
  { name: ":", flags: [], operands: "text", matches: [":"], misses: [": > a"] },
  { name: "false", flags: [], operands: "text", matches: ["false"], misses: ["false > a"] },
  {
    name: "test",
    flags: [],
    operands: "text",
    shape: "test",
    matches: ["test -f a", "test a = b", "test -f a -a -d b"],
    misses: ["test -v a", 'test -f "$x"', "test -f a > b"],
  },
  {
    name: "[",
    flags: [],
    operands: "text",
    shape: "test",
    matches: ["[ -f a ]", "[ ! -d a ]", "[ 1 -eq 2 ]"],
    misses: ["[ -v a ]", '[ -n "$x" ]'],
  },
  {
    name: "[[",
    flags: [],
    operands: "text",
    shape: "test",
    matches: ["[[ -f a ]]", "[[ a == b ]]"],
    misses: ["[[ -n $x ]]", "[[ -v a ]]"],
  },
  {
    name: "date",
    flags: "-u -R -I? --utc --iso-8601? --rfc-3339= -d= --date=".split(" "),
    operands: "text",
    operandShape: /^\+/,
    matches: ["date", "date -u +%F", "date -d yesterday"],
    misses: ["date -s x", "date 01010000", "date --set=x", "date -f x"],
  },
  { ...plain("uname", "-a", "-s", "-r", "-m", "-n", "-o", "-p", "-v"), matches: ["uname", "uname -a", "uname -sm"] },
  plain("whoami"),
  {
    name: "id",
    flags: "-u -g -G -n -r".split(" "),
    operands: "text",
    matches: ["id", "id -u", "id -un"],
    misses: ["id --x"],
  },
  { ...plain("hostname", "-s", "-f"), misses: ["hostname evil", "hostname -F x", "hostname -b x"] },
  plain("nproc"),
  { ...plain("uptime", "-p", "-s") },
  plain("arch"),
  plain("tty"),
  { ...plain("free", "-h", "-m", "-g", "-k"), matches: ["free -h"], misses: ["free -s 1"] },
  {
    name: "which",
    flags: ["-a"],
    operands: "text",
    matches: ["which node", "which -a node"],
    misses: ["which --read-alias"],
  },
  {
    name: "type",
    flags: "-a -t -p -P".split(" "),
    operands: "text",
    matches: ["type ls", "type -t ls"],
    misses: ["type -q ls"],
  },
  {
    name: "command",
    flags: ["-v", "-V"],
    operands: "text",
    shape: "command-v",
    matches: ["command -v node"],
    misses: ["command -p ls", "command rm x"],
  },
  {
    name: "seq",
    flags: ["-w", "-s=", "-f="],
    operands: "text",
    operandShape: /^-?[0-9]{1,6}$/,
    matches: ["seq 1 10", "seq -w 5"],
    misses: ["seq 1 999999999", "seq x"],
  },
  {
    name: "ps",
    flags: "-a -A -e -f -l -p= -o= -u= -x -C= --sort= --no-headers".split(" "),
    operands: "text",
    operandShape: /^[aufwx]+$|^[0-9]+$/,
    refusedValue: /env/i,
    matches: ["ps", "ps -ef", "ps -p 123 -o pid,args", "ps aux"],
    misses: ["ps auxe", "ps eww", "ps -o environ", "ps -E"],
  },
  { ...plain("lsblk"), matches: ["lsblk"] },
  {
    name: "npm",
    sub: ["ls"],
    flags: "-a --all --depth= --json --long --parseable --prod --dev -g --global --omit=".split(" "),
    operands: "text",
    readsFolder: true,
    matches: ["npm ls", "npm ls --depth=0 zod"],
    misses: ["npm lss", "npm view zod", "npm ls --prefix=x"],
  },
  {
    name: "npm",
    sub: ["list"],
    flags: "-a --all --depth= --json --long --parseable --omit=".split(" "),
    operands: "text",
    readsFolder: true,
    matches: ["npm list --json"],
    misses: ["npm install", "npm run list"],
  },
  {
    name: "docker",
    sub: ["ps"],
    flags: "-a -q -n= -l -s --all --quiet --format= --filter= -f= --no-trunc".split(" "),
    operands: "none",
    matches: ["docker ps -a", "docker ps --format '{{.Names}}'"],
    misses: ["docker run x", "docker -H x ps", "docker exec a ls"],
  },
  {
    name: "docker",
    sub: ["images"],
    flags: "-a -q --all --quiet --format= --filter= -f= --no-trunc".split(" "),
    operands: "text",
    matches: ["docker images"],
    misses: ["docker rmi x"],
  },
  ...VERSIONED.map((name) => version(name, "--version")),
  version("node", "-v"),
  version("npm", "-v"),
];
