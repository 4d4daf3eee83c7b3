import type { ReadOnlyRow } from "../command-row.ts";
import { NODE_PACKAGE_ROWS } from "./packages-node.ts";
import { SYSTEM_PACKAGE_ROWS } from "./packages-system.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

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

/**
 * The queries of package managers. A file in the folder can make some managers run a program of its choice first, at any query: yarn
 * (yarnPath), pnpm (packageManager, .pnpmfile.cjs), cargo and rustc (rust-toolchain.toml). The caller looks for these files. The table
 * leaves out bundle (Gemfile), composer (plugins), gradle, make.
 */
export const PACKAGE_ROWS: readonly ReadOnlyRow[] = [
  ...NODE_PACKAGE_ROWS,
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
  ...SYSTEM_PACKAGE_ROWS,
];
