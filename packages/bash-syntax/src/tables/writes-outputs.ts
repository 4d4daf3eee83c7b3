import type { WriteRow } from "../command-row.ts";

/**
 * Programs that format source text, and the flag that makes them write it back; `undefined`: they write back without
 * a flag.
 */
const FORMATTERS: readonly (readonly [name: string, sub: readonly string[], flags?: readonly string[]])[] = [
  ["prettier", [], ["--write", "-w"]],
  ["gofmt", [], ["-w"]],
  ["gofumpt", [], ["-w"]],
  ["goimports", [], ["-w"]],
  ["shfmt", [], ["-w", "--write"]],
  ["clang-format", [], ["-i"]],
  ["autopep8", [], ["-i", "--in-place"]],
  ["yapf", [], ["-i", "--in-place"]],
  ["eslint", [], ["--fix"]],
  ["stylelint", [], ["--fix"]],
  ["markdownlint", [], ["--fix"]],
  ["biome", ["format"], ["--write"]],
  ["biome", ["check"], ["--write"]],
  ["biome", ["lint"], ["--write"]],
  ["ruff", ["check"], ["--fix"]],
  ["ruff", ["format"]],
  ["black", []],
  ["isort", []],
  ["rustfmt", []],
  ["terraform", ["fmt"]],
  ["dos2unix", []],
  ["unix2dos", []],
];
const CHECKS_ONLY = ["--check", "--diff", "--dry-run", "-n"];

/** Commands that write the named files as a side effect: formatters, splitters, git commands. */
export const OUTPUT_ROWS: readonly WriteRow[] = [
  ...FORMATTERS.map(
    ([name, sub, flags]): WriteRow => ({
      name,
      ...(sub.length > 0 && { sub }),
      ...(flags ? { needsFlag: flags } : { notFlags: CHECKS_ONLY }),
      operands: "all",
    }),
  ),
  {
    name: "split",
    valueFlags: ["-a", "-b", "-C", "-l", "-n", "-t"],
    operands: "all-but-first",
  },
  { name: "csplit", targetFlags: ["-f", "--prefix"], operands: "none" },
  { name: "sponge", operands: "all" },
  {
    name: "setfacl",
    valueFlags: ["-m", "-x", "-M", "-X", "--modify", "--remove"],
    operands: "all",
  },
  { name: "chattr", operands: "all-but-first" },
  ...["gpg", "gpg2", "age", "minisign", "protoc", "xsltproc", "xmllint", "aria2c", "rollup"].map(
    (name): WriteRow => ({
      name,
      targetFlags: ["-o", "--output"],
      operands: "none",
    }),
  ),
  {
    name: "esbuild",
    targetFlags: ["--outfile", "--outdir"],
    operands: "none",
  },
  {
    name: "tsc",
    targetFlags: ["--outDir", "--outFile", "--declarationDir", "--tsBuildInfoFile"],
    operands: "none",
    isMeant: true,
  },
  { name: "sqlite3", operands: "first" },
  { name: "ed", operands: "all" },
  { name: "ex", valueFlags: ["-c"], operands: "all" },
  { name: "sd", operands: "all-but-first" },
  ...["docker", "podman", "kubectl"].map(
    (name): WriteRow => ({
      name,
      sub: ["cp"],
      operands: "into",
      remoteOperands: true,
    }),
  ),
  ...["docker", "podman"].map(
    (name): WriteRow => ({
      name,
      sub: ["compose", "cp"],
      valueFlags: ["--index"],
      operands: "into",
      remoteOperands: true,
    }),
  ),
  {
    name: "docker-compose",
    sub: ["cp"],
    valueFlags: ["--index"],
    operands: "into",
    remoteOperands: true,
  },
  ...["new", "init", "vendor"].map(
    (sub): WriteRow => ({
      name: "cargo",
      sub: [sub],
      valueFlags: ["--name", "--edition", "--vcs", "--registry", "--color", "--manifest-path", "-s", "--sync"],
      operands: "first",
    }),
  ),
  ...["venv", "init"].map(
    (sub): WriteRow => ({
      name: "uv",
      sub: [sub],
      valueFlags: ["-p", "--python", "--prompt", "--name", "--vcs", "--description", "--build-backend", "--project"],
      operands: "first",
    }),
  ),
  {
    name: "pnpm",
    sub: ["deploy"],
    valueFlags: ["--filter", "-F"],
    operands: "first",
  },
  ...["cp", "mv", "sync"].map(
    (sub): WriteRow => ({
      name: "aws",
      sub: ["s3", sub],
      valueFlags: ["--exclude", "--include", "--profile", "--region", "--endpoint-url", "--acl", "--storage-class"],
      operands: "into",
      remoteOperands: true,
    }),
  ),
  {
    name: "git",
    sub: ["merge-file"],
    valueFlags: ["-L", "--marker-size", "--diff-algorithm"],
    notFlags: ["-p", "--stdout"],
    operands: "first",
  },
  {
    name: "git",
    sub: ["checkout"],
    valueFlags: ["--conflict", "--pathspec-from-file"],
    notFlags: ["-b", "-B", "--orphan", "-t", "--track", "-d", "--detach"],
    operands: "after-dashes",
  },
  {
    name: "git",
    sub: ["checkout-index"],
    targetFlags: ["--prefix"],
    operands: "all",
  },
  {
    name: "git",
    sub: ["clean"],
    valueFlags: ["-e", "--exclude"],
    notFlags: ["-n", "--dry-run"],
    operands: "all",
  },
  { name: "git", sub: ["bundle", "create"], operands: "first" },
  ...["init", "clone"].map(
    (sub): WriteRow => ({
      name: "git",
      sub: [sub],
      needsFlag: ["--template"],
      operands: "none",
      fixed: [".git/hooks"],
    }),
  ),
  {
    name: "find",
    needsFlag: ["-delete"],
    operands: "starts",
  },
];
