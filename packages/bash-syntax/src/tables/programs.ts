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
 * The table leaves out programs that a file of the folder can make run or fetch another program first: yarn
 * (.yarnrc), pnpm (packageManager), cargo and rustc (rust-toolchain.toml).
 */
const VERSIONED =
  "node deno bun npm npx tsc python python3 pip pip3 ruby java gcc g++ cc clang cmake make ninja docker podman biome eslint prettier bash zsh rg fd jq yq curl wget tar sqlite3 psql mysql ssh gh kubectl helm terraform aws gcloud php perl uv git-lfs shellcheck shfmt hadolint ffmpeg pandoc openssl gpg rsync sed awk grep find".split(
    " ",
  );

/**
 * Credentials are withheld from child processes; a name that looks like a credential causes a question nevertheless.
 */
const NO_SECRET_NAME = /^(?!.*(?:KEY|TOKEN|SECRET|PASS|CRED|AUTH|COOKIE|SESSION|PRIVATE|DSN))[A-Za-z_]\w*$/i;

/** Builtins of the shell, and programs that only print facts. */
export const PROGRAM_ROWS: readonly ReadOnlyRow[] = [
  {
    name: "echo",
    flags: [],
    operands: "text",
    anyWords: true,
    matches: [
      "echo hi",
      'echo "$HOME" $? $file',
      'echo "exit: $?"',
      "echo ~",
      "echo {1..3}",
      "echo -n a",
      "echo *",
      "echo",
    ],
    misses: ["echo $API_KEY", "echo $DB_PASSWORD", "echo hi > a", "echo hi >> a", "X=1 echo a"],
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
    matches: ["test -f a", "test a = b", "test -f a -a -d b", 'test -f "$x"', 'test ! -d "$x"', 'test "$x" = y'],
    misses: ["test -v a", "test -f $x", 'test "$@"', 'test "$a" -o "$b"', 'test "$x"', "test -f a > b"],
  },
  {
    name: "[",
    flags: [],
    operands: "text",
    shape: "test",
    matches: ["[ -f a ]", "[ ! -d a ]", "[ 1 -eq 2 ]", '[ -n "$x" ]', '[ "$x" -gt 5 ]'],
    misses: ["[ -v a ]", "[ -n $x ]", '[ "$@" ]', '[ "$x" ]', '[ "$a" "$b" "$c" ]', '[ -R "$x" ]'],
  },
  {
    name: "[[",
    flags: [],
    operands: "text",
    shape: "test",
    matches: ["[[ -f a ]]", "[[ a == b ]]", "[[ -n $x ]]", "[[ $x == y ]]"],
    misses: ["[[ -v a ]]", "[[ $x -eq 0 ]]", "[[ -v $x ]]"],
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
  { name: "whereis", flags: ["-b", "-m", "-s"], operands: "text", matches: ["whereis ls"], misses: ["whereis --x ls"] },
  {
    name: "env",
    flags: ["-0", "--null"],
    operands: "none",
    matches: ["env", "env -0"],
    misses: ["env -i", "env A=1", "env -S ls", "env -u A"],
  },
  {
    name: "printenv",
    flags: ["-0", "--null"],
    operands: "text",
    operandShape: NO_SECRET_NAME,
    matches: ["printenv", "printenv HOME PATH"],
    misses: ["printenv API_KEY", "printenv GITHUB_TOKEN", "printenv $x"],
  },
  {
    // A call of more than a minute waits instead of only reading.
    name: "sleep",
    flags: [],
    operands: "text",
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^(?:(?:[0-9]|[1-5][0-9]|60)(?:\.[0-9]+)?s?|0?\.[0-9]+s?|1m)$/,
    matches: ["sleep 1", "sleep 0.5", "sleep 60", "sleep 1m"],
    misses: ["sleep 61", "sleep 1h", "sleep infinity", "sleep 1 2", "sleep"],
  },
  {
    name: "wait",
    flags: [],
    operands: "text",
    operandShape: /^%?\d+$/,
    matches: ["wait", "wait %1"],
    misses: ["wait -n x", "wait x"],
  },
  ...["exit", "return", "break", "continue", "shift"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: [],
      operands: "text",
      maxOperands: 1,
      operandShape: /^\d{1,3}$/,
      matches: [name, `${name} 1`],
      misses: [`${name} x`, `${name} 1 2`, `${name} 'a[0]'`],
    }),
  ),
  {
    name: "set",
    flags: [],
    operands: "text",
    shape: "set",
    matches: ["set -e", "set -euo pipefail", "set -x"],
    misses: ["set", "set -a", "set -o posix", "set -- a", "set -P", "set -euao pipefail"],
  },
  {
    name: "export",
    flags: [],
    operands: "text",
    shape: "export",
    matches: ["export CI=1", "export NO_COLOR=1 LC_ALL=C", "export GIT_PAGER=cat"],
    misses: [
      "export",
      "export PATH=/x",
      "export GIT_PAGER=x",
      "export LD_PRELOAD=x",
      "export CI=$x",
      "export IFS=x",
      "export CI",
    ],
  },
  {
    name: "read",
    flags: [],
    operands: "text",
    shape: "read",
    matches: ["read x", "read -r line", "IFS= read -r a b"],
    misses: ["read PATH", "read -r LD_PRELOAD", "read https_proxy", "read -p x y", "read -a x", "read -u 3 x"],
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
  { ...plain("lsblk", "-f", "-a", "-o=", "-J", "-p", "-d"), matches: ["lsblk", "lsblk -o NAME,SIZE"] },
  ...VERSIONED.map((name) => version(name, "--version")),
  {
    // Only reads the syntax. Not -r, --import, --loader, -e, -p: they run code.
    name: "node",
    sub: ["--check"],
    flags: [],
    operands: "paths",
    minOperands: 1,
    operandShape: /^[^*?[]+$/,
    matches: ["node --check a.js"],
    misses: ["node --check -r ./x a.js", "node -r ./x --check a.js", "node --check --import ./x a.js", "node a.js"],
  },
  version("node", "-v"),
  version("npm", "-v"),
  version("java", "-version"),
  version("javac", "-version"),
  version("gh", "version"),
  version("terraform", "version"),
  version("helm", "version"),
];
