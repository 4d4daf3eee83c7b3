import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** A package's name, maybe with a version; never an address, a folder or a flag. */
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=|*+-]+)?$/;
/** A field of a package's description: `dist.tarball`, `versions[0]`. */
const PACKAGE_OR_FIELD = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=|*+-]+|\[[\w-]*\])*$/;
/** A setting whose value is a credential. */
const NOT_SECRET = /^(?!.*(?:_auth|token|password|passphrase|secret|_key|credential)).*$/i;

const npm = (
  sub: string,
  flags: string,
  row: Partial<ReadOnlyRow> & Pick<ReadOnlyRow, "matches" | "misses">,
): ReadOnlyRow => ({
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
    matches: [`npm ${sub} zod`, `npm ${sub} zod@4 dist.tarball --json`, `npm ${sub} @types/node versions`],
    misses: [
      `npm ${sub}`,
      `npm ${sub} https://x/y.tgz`,
      `npm ${sub} git+ssh://x/y`,
      `npm ${sub} ./x`,
      `npm ${sub} zod --registry=http://x`,
      `npm ${sub} user/repo`,
    ],
  });

/** The queries of the package managers of JavaScript. */
export const NODE_PACKAGE_ROWS: readonly ReadOnlyRow[] = [
  npm("ls", LIST, {
    matches: ["npm ls", "npm ls --depth=0 zod"],
    misses: ["npm lss", "npm ls --prefix=x", "npm ls --registry=x", "npm --prefix x ls"],
  }),
  npm("list", LIST, {
    matches: ["npm list --json", "npm list -g --depth=0"],
    misses: ["npm install", "npm run list", "npm test"],
  }),
  npm("why", "--json -w= --workspace=", {
    operandShape: PACKAGE,
    minOperands: 1,
    matches: ["npm why zod"],
    misses: ["npm why ./x", "npm why"],
  }),
  npm("explain", "--json", {
    operandShape: PACKAGE,
    minOperands: 1,
    matches: ["npm explain zod"],
    misses: ["npm explain a/b/c"],
  }),
  npm("outdated", "--json --long -g --global --depth= -a --all --parseable -p -w= --workspace=", {
    operandShape: PACKAGE,
    matches: ["npm outdated", "npm outdated --json"],
    misses: ["npm outdated --registry=x", "npm update"],
  }),
  npm("root", "-g --global", { operands: "none", matches: ["npm root", "npm root -g"], misses: ["npm root x"] }),
  npm("prefix", "-g --global", { operands: "none", matches: ["npm prefix"], misses: ["npm prefix x"] }),
  npm("config get", "-g --global", {
    operandShape: NOT_SECRET,
    minOperands: 1,
    matches: ["npm config get registry"],
    misses: ["npm config get //r/:_authToken", "npm config set a b", "npm config edit", "npm config get"],
  }),
  npm("pkg get", "--json", { matches: ["npm pkg get scripts"], misses: ["npm pkg set a=b", "npm pkg delete a"] }),
  npm("query", "", { maxOperands: 1, matches: ["npm query ':root > *'"], misses: ["npm query a b"] }),
  npm("run", "--json", {
    operands: "none",
    matches: ["npm run", "npm run --json"],
    misses: [
      "npm run x",
      "npm run --script-shell=x",
      "npm run -- x",
      "npm run --prefix x",
      "npm run -w x y",
      "npm test",
    ],
  }),
  npm("run-script", "", { operands: "none", matches: ["npm run-script"], misses: ["npm run-script x", "npm rum"] }),
  npm("config list", "", {
    operands: "none",
    matches: ["npm config list"],
    misses: ["npm config list --json", "npm config list -l --userconfig x", "npm config delete a"],
  }),
  npm("version", "--json", {
    operands: "none",
    matches: ["npm version"],
    misses: ["npm version patch", "npm version 1.2.3", "npm version --allow-same-version minor"],
  }),
  npm("ping", "", { operands: "none", matches: ["npm ping"], misses: ["npm ping --registry=http://x", "npm ping x"] }),
  ...["dist-tag ls", "owner ls"].map((sub) =>
    npm(sub, "", {
      operandShape: PACKAGE,
      readsFolder: false,
      matches: [`npm ${sub} react`],
      misses: [`npm ${sub} react --registry=http://x`, "npm dist-tag add x y", "npm owner add x y"],
    }),
  ),
  npm("search", "--json --long --parseable --searchlimit=", {
    operandShape: PACKAGE,
    minOperands: 1,
    readsFolder: false,
    matches: ["npm search react"],
    misses: ["npm search react --registry=http://x", "npm search", "npm search https://x/y"],
  }),
  npm("fund", "--json", {
    operands: "none",
    matches: ["npm fund"],
    misses: ["npm fund x", "npm fund --browser=x", "npm fund --which=1"],
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
      matches: [`yarn ${sub}`, `yarn ${sub} --depth=0 --pattern zod`],
      misses: [`yarn ${sub} --cwd x`, `yarn ${sub} --use-yarnrc x`, "yarn add x"],
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
      matches: [`pnpm ${sub}`, `pnpm ${sub} --depth 0 -r`],
      misses: [`pnpm ${sub} -C x`, `pnpm ${sub} --script-shell=x`, "pnpm install"],
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
      matches: [`yarn ${sub} react`],
      misses: [`yarn ${sub}`, `yarn ${sub} react --cwd x`, `yarn ${sub} https://x/y`, "yarn run why", "yarn dlx x"],
    }),
  ),
  {
    name: "yarn",
    sub: ["workspaces", "list"],
    flags: ["--json"],
    operands: "none",
    readsFolder: true,
    matches: ["yarn workspaces list"],
    misses: ["yarn workspaces foreach x", "yarn workspaces run x", "yarn workspaces list x"],
  },
  {
    name: "pnpm",
    sub: ["why"],
    flags: words("-r --recursive --json --long --prod -P --dev -D --depth="),
    operands: "text",
    operandShape: PACKAGE,
    minOperands: 1,
    readsFolder: true,
    matches: ["pnpm why react", "pnpm why -r react"],
    misses: ["pnpm why", "pnpm why react -C x", "pnpm why react --config.x=y", "pnpm dlx x"],
  },
  ...["root", "bin"].map(
    (sub): ReadOnlyRow => ({
      name: "pnpm",
      sub: [sub],
      flags: ["-g", "--global"],
      operands: "none",
      matches: [`pnpm ${sub}`],
      misses: [`pnpm ${sub} x`, `pnpm ${sub} --dir x`, "pnpm exec x"],
    }),
  ),
  ...["pnpm", "bun"].map(
    (name): ReadOnlyRow => ({
      name,
      sub: ["run"],
      flags: [],
      operands: "none",
      readsFolder: true,
      matches: [`${name} run`],
      misses: [`${name} run x`, `${name} run --silent x`, `${name} run -r x`, `${name} run ./x`],
    }),
  ),
  {
    // An older bun would run a script of this name: trusted-program.ts looks for one.
    name: "bun",
    sub: ["ls"],
    flags: ["--all", "-a"],
    operands: "none",
    readsFolder: true,
    matches: ["bun ls", "bun ls --all"],
    misses: ["bun ls x", "bun lsx", "bun --cwd x ls", "bun --preload ./x ls", "bun -r ./x ls"],
  },
  {
    name: "bun",
    sub: ["pm", "ls"],
    flags: ["--all", "-a"],
    operands: "none",
    readsFolder: true,
    matches: ["bun pm ls", "bun pm ls --all"],
    misses: ["bun pm trust x", "bun pm cache rm", "bun pm pack", "bun run x", "bun x tsc"],
  },
];
