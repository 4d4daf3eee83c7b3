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
  },
  {
    name,
    sub: ["show"],
    flags: words("-f --files -v --verbose"),
    operands: "text",
    operandShape: /^[\w.-]+$/,
  },
  {
    name,
    sub: ["freeze"],
    flags: words("--all --local -l --user --exclude-editable"),
    operands: "none",
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
  },
  {
    name: "cargo",
    sub: ["metadata"],
    flags: words(
      "--format-version= --no-deps --all-features --no-default-features --features= -F= --filter-platform= --offline --locked --frozen -q --quiet",
    ),
    operands: "none",
    readsFolder: true,
  },
  ...["pkgid", "locate-project"].map(
    (sub): ReadOnlyRow => ({
      name: "cargo",
      sub: [sub],
      flags: ["--offline", "--locked", "--workspace", "--message-format="],
      operands: "none",
      readsFolder: true,
    }),
  ),
  {
    name: "cargo",
    sub: ["--list"],
    flags: [],
    operands: "none",
  },
  ...["show", "toolchain list", "target list", "component list"].map(
    (sub): ReadOnlyRow => ({
      name: "rustup",
      sub: sub.split(" "),
      flags: ["-v", "--verbose", "--installed"],
      operands: "none",
    }),
  ),
  ...["pip", "pip3"].map(
    (name): ReadOnlyRow => ({
      name,
      sub: ["check"],
      flags: [],
      operands: "none",
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
    }),
  ),
  ...["--info", "--list-sdks", "--list-runtimes"].map(
    (sub): ReadOnlyRow => ({
      name: "dotnet",
      sub: [sub],
      flags: [],
      operands: "none",
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
  },
  {
    name: "php",
    sub: ["--ini"],
    flags: [],
    operands: "none",
  },
  {
    name: "php",
    sub: ["-m"],
    flags: [],
    operands: "none",
  },
  ...pip("pip"),
  ...pip("pip3"),
  {
    name: "go",
    sub: ["version"],
    flags: ["-m", "-v"],
    operands: "paths",
  },
  {
    name: "go",
    sub: ["env"],
    flags: ["-json", "-changed"],
    operands: "text",
    operandShape: /^[A-Z0-9_]+$/,
  },
  {
    // Not -toolexec, -exec, -mod, -modfile, -overlay, -export, -compiled, -test, -u (network), -C.
    name: "go",
    sub: ["list"],
    flags: ["-e", "-f=", "-json?", "-deps", "-find", "-m"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
    readsFolder: true,
  },
  ...["graph", "why", "verify"].map(
    (sub): ReadOnlyRow => ({
      name: "go",
      sub: ["mod", sub],
      flags: sub === "why" ? ["-m"] : [],
      operands: sub === "why" ? "text" : "none",
      operandShape: /^[\w./-]+$/,
      readsFolder: true,
    }),
  ),
  {
    name: "go",
    sub: ["doc"],
    flags: ["-all", "-short", "-src", "-u", "-c"],
    operands: "text",
    operandShape: /^[\w./-]+$/,
    readsFolder: true,
  },
  ...SYSTEM_PACKAGE_ROWS,
];
