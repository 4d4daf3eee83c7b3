import type { ReadOnlyRow } from "../command-row.ts";

const plain = (name: string, ...flags: readonly string[]): ReadOnlyRow => ({
  name,
  flags,
  operands: "none",
});

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
  },
  {
    name: "printf",
    flags: [],
    operands: "text",
    anyWords: true,
    shape: "printf",
  },
  { name: "true", flags: [], operands: "text" },
  { name: ":", flags: [], operands: "text" },
  { name: "false", flags: [], operands: "text" },
  {
    name: "test",
    flags: [],
    operands: "text",
    shape: "test",
  },
  {
    name: "[",
    flags: [],
    operands: "text",
    shape: "test",
  },
  {
    name: "[[",
    flags: [],
    operands: "text",
    shape: "test",
  },
  {
    name: "date",
    flags: "-u -R -I? --utc --iso-8601? --rfc-3339= -d= --date=".split(" "),
    operands: "text",
    operandShape: /^\+/,
  },
  plain("uname", "-a", "-s", "-r", "-m", "-n", "-o", "-p", "-v"),
  plain("whoami"),
  {
    name: "id",
    flags: "-u -g -G -n -r".split(" "),
    operands: "text",
  },
  plain("hostname", "-s", "-f"),
  plain("nproc", "--all"),
  plain("uptime", "-p", "-s"),
  plain("arch"),
  plain("tty"),
  plain("free", "-h", "-m", "-g", "-k"),
  {
    name: "which",
    flags: ["-a"],
    operands: "text",
  },
  { name: "whereis", flags: ["-b", "-m", "-s"], operands: "text" },
  {
    name: "env",
    flags: ["-0", "--null"],
    operands: "none",
  },
  {
    name: "printenv",
    flags: ["-0", "--null"],
    operands: "text",
    operandShape: NO_SECRET_NAME,
  },
  {
    // A call of more than a minute waits instead of only reading.
    name: "sleep",
    flags: [],
    operands: "text",
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^(?:(?:[0-9]|[1-5][0-9]|60)(?:\.[0-9]+)?s?|0?\.[0-9]+s?|1m)$/,
  },
  {
    name: "wait",
    flags: [],
    operands: "text",
    operandShape: /^%?\d+$/,
  },
  ...["exit", "return", "break", "continue", "shift"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: [],
      operands: "text",
      maxOperands: 1,
      operandShape: /^\d{1,3}$/,
    }),
  ),
  {
    name: "set",
    flags: [],
    operands: "text",
    shape: "set",
  },
  {
    name: "export",
    flags: [],
    operands: "text",
    shape: "export",
  },
  {
    name: "read",
    flags: [],
    operands: "text",
    shape: "read",
  },
  {
    name: "type",
    flags: "-a -t -p -P".split(" "),
    operands: "text",
  },
  {
    name: "command",
    flags: ["-v", "-V"],
    operands: "text",
    shape: "command-v",
  },
  {
    name: "seq",
    flags: ["-w", "-s=", "-f="],
    operands: "text",
    operandShape: /^-?[0-9]{1,6}$/,
  },
  {
    name: "ps",
    flags: "-a -A -e -f -l -p= -o= -u= -x -C= --sort= --no-headers".split(" "),
    operands: "text",
    operandShape: /^[aufwx]+$|^[0-9]+$/,
    refusedValue: /env/i,
  },
  plain("lsblk", "-f", "-a", "-o=", "-J", "-p", "-d"),
  {
    // Only reads the syntax. Not -r, --import, --loader, -e, -p: they run code.
    name: "node",
    sub: ["--check"],
    flags: [],
    operands: "paths",
    minOperands: 1,
    operandShape: /^[^*?[]+$/,
  },
];
