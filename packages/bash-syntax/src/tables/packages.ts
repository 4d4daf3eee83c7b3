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

const pip = (name: string): readonly ReadOnlyRow[] => [
  {
    name,
    sub: ["list"],
    flags: words("--format= --user --local -l --not-required --exclude= --editable -e"),
    operands: "none",
    matches: [`${name} list`, `${name} list --format=json`],
    misses: [
      `${name} list --outdated`,
      `${name} list --log x`,
      `${name} install x`,
      `${name} list --index-url=x`,
      `${name} list --python x`,
    ],
  },
  {
    name,
    sub: ["show"],
    flags: words("-f --files -v --verbose"),
    operands: "text",
    operandShape: /^[\w.-]+$/,
    matches: [`${name} show requests`],
    misses: [`${name} show --log x y`, `${name} download x`],
  },
  {
    name,
    sub: ["freeze"],
    flags: words("--all --local -l --user --exclude-editable"),
    operands: "none",
    matches: [`${name} freeze`],
    misses: [`${name} freeze -r x`, `${name} uninstall x`],
  },
];

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

/**
 * The queries of package managers. A file in the folder can make some managers run a program of its choice first, at any query: yarn
 * (yarnPath), pnpm (packageManager, .pnpmfile.cjs), cargo and rustc (rust-toolchain.toml). The caller looks for these files. The table
 * leaves out bundle (Gemfile), composer (plugins), gradle, make.
 */
export const PACKAGE_ROWS: readonly ReadOnlyRow[] = [
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
  {
    // Without a lock file it would write one: trusted-program.ts looks for it.
    name: "cargo",
    sub: ["tree"],
    flags: words(
      "-i= -p= -e= -d -q -F= --depth= --prefix= -f= --format= --charset= --all-features --no-default-features --features= --target= --no-dedupe --duplicates --invert= --package= --workspace --exclude= --edges= --offline --locked --frozen --quiet",
    ),
    operands: "none",
    readsFolder: true,
    matches: ["cargo tree", "cargo tree -i serde --depth 1", "cargo tree -d --locked"],
    misses: [
      "cargo tree --config x=y",
      "cargo tree -Zunstable",
      "cargo tree --manifest-path ../Cargo.toml",
      "cargo -C x tree",
      "cargo +nightly tree",
      "cargo --config x=y tree",
      "cargo tree x",
    ],
  },
  {
    name: "cargo",
    sub: ["metadata"],
    flags: words(
      "--format-version= --no-deps --all-features --no-default-features --features= -F= --filter-platform= --offline --locked --frozen -q --quiet",
    ),
    operands: "none",
    readsFolder: true,
    matches: ["cargo metadata --format-version 1 --no-deps", "cargo metadata --offline"],
    misses: ["cargo metadata --config x=y", "cargo metadata --manifest-path x", "cargo metadata -Zx", "cargo build"],
  },
  ...["pkgid", "locate-project"].map(
    (sub): ReadOnlyRow => ({
      name: "cargo",
      sub: [sub],
      flags: ["--offline", "--locked", "--workspace", "--message-format="],
      operands: "none",
      readsFolder: true,
      matches: [`cargo ${sub}`],
      misses: [`cargo ${sub} --config x=y`, `cargo ${sub} --manifest-path x`, "cargo run", "cargo test"],
    }),
  ),
  {
    name: "cargo",
    sub: ["--list"],
    flags: [],
    operands: "none",
    matches: ["cargo --list"],
    misses: ["cargo --list x", "cargo --config x=y --list", "cargo clippy"],
  },
  ...["show", "toolchain list", "target list", "component list"].map(
    (sub): ReadOnlyRow => ({
      name: "rustup",
      sub: sub.split(" "),
      flags: ["-v", "--verbose", "--installed"],
      operands: "none",
      matches: [`rustup ${sub}`],
      misses: [`rustup ${sub} x`, "rustup update", "rustup run x y", "rustup toolchain install x", "rustup default x"],
    }),
  ),
  ...["pip", "pip3"].map(
    (name): ReadOnlyRow => ({
      name,
      sub: ["check"],
      flags: [],
      operands: "none",
      matches: [`${name} check`],
      misses: [`${name} check --log x`, `${name} --python x check`, `${name} check x`],
    }),
  ),
  ...[
    ["conda", "list"],
    ["conda", "env list"],
    ["pyenv", "versions"],
    ["pyenv", "version"],
    ["nvm", "ls"],
    ["nvm", "current"],
    ["asdf", "current"],
    ["asdf", "list"],
    ["gem", "list"],
    ["gem", "env"],
    ["snap", "list"],
    ["conda", "info"],
    ["pip", "cache list"],
    ["bun", "pm cache"],
    ["yarn", "licenses list"],
    ["pnpm", "licenses list"],
  ].map(
    ([name = "", sub = ""]): ReadOnlyRow => ({
      name,
      sub: sub.split(" "),
      flags: [],
      operands: "none",
      matches: [`${name} ${sub}`],
      misses: [`${name} ${sub} --quoll`, `${name} ${sub} x`, `${name} install x`, `${name} exec x`],
    }),
  ),
  ...["--info", "--list-sdks", "--list-runtimes"].map(
    (sub): ReadOnlyRow => ({
      name: "dotnet",
      sub: [sub],
      flags: [],
      operands: "none",
      matches: [`dotnet ${sub}`],
      misses: [`dotnet ${sub} x`, `dotnet x.dll ${sub}`, "dotnet run", "dotnet build"],
    }),
  ),
  {
    name: "rustc",
    sub: ["--explain"],
    flags: [],
    operands: "text",
    operandShape: /^E\d{4}$/,
    maxOperands: 1,
    minOperands: 1,
    matches: ["rustc --explain E0001"],
    misses: ["rustc --explain", "rustc --explain E0001 -C linker=x", "rustc --explain E0001 a.rs"],
  },
  {
    name: "php",
    sub: ["--ini"],
    flags: [],
    operands: "none",
    matches: ["php --ini"],
    misses: ["php --ini a.php", "php -d x=y --ini", "php -i"],
  },
  {
    name: "php",
    sub: ["-m"],
    flags: [],
    operands: "none",
    matches: ["php -m"],
    misses: ["php -m -d extension=x", "php -d x=y -m", "php -r x", "php a.php"],
  },
  ...pip("pip"),
  ...pip("pip3"),
  {
    name: "go",
    sub: ["version"],
    flags: ["-m", "-v"],
    operands: "paths",
    matches: ["go version"],
    misses: ["go run x", "go version *"],
  },
  {
    name: "go",
    sub: ["env"],
    flags: ["-json", "-changed"],
    operands: "text",
    operandShape: /^[A-Z0-9_]+$/,
    matches: ["go env", "go env GOPATH GOROOT"],
    misses: ["go env -w A=b", "go env -u A", "go env A=b"],
  },
  {
    // Not -toolexec, -exec, -mod, -modfile, -overlay, -export, -compiled, -test, -u (network), -C.
    name: "go",
    sub: ["list"],
    flags: ["-e", "-f=", "-json?", "-deps", "-find", "-m"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
    readsFolder: true,
    matches: ["go list ./...", "go list -f '{{.Dir}}' ./pkg", "go list -m all", "go list -json ."],
    misses: [
      "go list -toolexec=x ./...",
      "go list -exec x ./...",
      "go list -mod=mod ./...",
      "go list -m -u all",
      "go list -export ./...",
      "go list -overlay x ./...",
      "go list -modfile=x ./...",
      "go list x@latest",
      "go build ./...",
    ],
  },
  ...["graph", "why", "verify"].map(
    (sub): ReadOnlyRow => ({
      name: "go",
      sub: ["mod", sub],
      flags: sub === "why" ? ["-m"] : [],
      operands: sub === "why" ? "text" : "none",
      operandShape: /^[\w./-]+$/,
      readsFolder: true,
      matches: [`go mod ${sub}${sub === "why" ? " -m example.com/x" : ""}`],
      misses: [
        `go mod ${sub} -modfile=x`,
        `go -C x mod ${sub}`,
        "go mod tidy",
        "go mod edit -replace a=b",
        "go mod download",
      ],
    }),
  ),
  {
    name: "go",
    sub: ["doc"],
    flags: ["-all", "-short", "-src", "-u", "-c"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
    readsFolder: true,
    matches: ["go doc fmt.Println", "go doc -all fmt"],
    misses: ["go doc -C x fmt", "go doc -http", "go get x"],
  },
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
