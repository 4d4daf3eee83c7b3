import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** A package's name, maybe with a version; never an address, a folder or a flag. */
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=|*+-]+)?$/;
/** A field of a package's description: `dist.tarball`, `versions[0]`. */
const PACKAGE_OR_FIELD = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=|*+-]+|\[[\w-]*\])*$/;
/** A setting whose value is a credential. */
const NOT_SECRET = /^(?!.*(?:_auth|token|password|passphrase|secret|_key|credential)).*$/i;

const npm = (sub: string, flags: string, row: Partial<ReadOnlyRow> = {}): ReadOnlyRow => ({
  name: "npm",
  sub: sub.split(" "),
  flags: words(flags),
  operands: "text",
  readsFolder: true,
  ...row,
});

const LIST =
  "-a --all --depth= --json --long -l --parseable -p --prod --dev -g --global --omit= --workspaces -ws -w= --workspace=";

const view = (sub: string) =>
  npm(sub, "--json", {
    operandShape: PACKAGE_OR_FIELD,
    minOperands: 1,
    readsFolder: false,
  });

/** The queries of the package managers of JavaScript. */
export const NODE_PACKAGE_ROWS: readonly ReadOnlyRow[] = [
  npm("ls", LIST),
  npm("list", LIST),
  npm("why", "--json -w= --workspace=", {
    operandShape: PACKAGE,
    minOperands: 1,
  }),
  npm("explain", "--json", {
    operandShape: PACKAGE,
    minOperands: 1,
  }),
  npm("outdated", "--json --long -g --global --depth= -a --all --parseable -p -w= --workspace=", {
    operandShape: PACKAGE,
  }),
  npm("root", "-g --global", { operands: "none" }),
  npm("prefix", "-g --global", { operands: "none" }),
  npm("config get", "-g --global", {
    operandShape: NOT_SECRET,
    minOperands: 1,
  }),
  npm("pkg get", "--json"),
  npm("query", "", { maxOperands: 1 }),
  npm("run", "--json", {
    operands: "none",
  }),
  npm("run-script", "", { operands: "none" }),
  npm("config list", "", {
    operands: "none",
  }),
  npm("version", "--json", {
    operands: "none",
  }),
  npm("ping", "", { operands: "none" }),
  ...["dist-tag ls", "owner ls"].map((sub) =>
    npm(sub, "", {
      operandShape: PACKAGE,
      readsFolder: false,
    }),
  ),
  npm("search", "--json --long --parseable --searchlimit=", {
    operandShape: PACKAGE,
    minOperands: 1,
    readsFolder: false,
  }),
  npm("fund", "--json", {
    operands: "none",
  }),
  view("view"),
  view("info"),
  view("show"),
  ...["ls", "list"].flatMap((sub): readonly ReadOnlyRow[] => [
    {
      name: "yarn",
      sub: [sub],
      flags: words("--depth= --pattern= --json --prod --production --silent -s --dev"),
      operands: "none",
      readsFolder: true,
    },
    {
      name: "pnpm",
      sub: [sub],
      flags: words(
        "--depth= --json --long --parseable -g --global -r --recursive --prod -P --dev -D --only-projects --filter= -F=",
      ),
      operands: "text",
      operandShape: PACKAGE,
      readsFolder: true,
    },
  ]),
  ...(["why", "info"] as const).map(
    (sub): ReadOnlyRow => ({
      name: "yarn",
      sub: [sub],
      flags: ["--json"],
      operands: "text",
      operandShape: PACKAGE_OR_FIELD,
      minOperands: 1,
      readsFolder: true,
    }),
  ),
  {
    name: "yarn",
    sub: ["workspaces", "list"],
    flags: ["--json"],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "pnpm",
    sub: ["why"],
    flags: words("-r --recursive --json --long --prod -P --dev -D --depth="),
    operands: "text",
    operandShape: PACKAGE,
    minOperands: 1,
    readsFolder: true,
  },
  ...["root", "bin"].map(
    (sub): ReadOnlyRow => ({
      name: "pnpm",
      sub: [sub],
      flags: ["-g", "--global"],
      operands: "none",
    }),
  ),
  ...["pnpm", "bun"].map(
    (name): ReadOnlyRow => ({
      name,
      sub: ["run"],
      flags: [],
      operands: "none",
      readsFolder: true,
    }),
  ),
  {
    // An older bun would run a script of this name: trusted-program.ts looks for one.
    name: "bun",
    sub: ["ls"],
    flags: ["--all", "-a"],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "bun",
    sub: ["pm", "ls"],
    flags: ["--all", "-a"],
    operands: "none",
    readsFolder: true,
  },
];
