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
  ...FORMATTERS.map(([name, sub, flags]): WriteRow => {
    const label = [name, ...sub, ...(flags ?? []).slice(0, 1)].join(" ");
    return {
      name,
      ...(sub.length > 0 && { sub }),
      ...(flags ? { needsFlag: flags } : { notFlags: CHECKS_ONLY }),
      operands: "all",
      matches: [
        [`${label} a b`, ["a", "b"]],
        [`npx ${label} a`, ["a"]],
        [flags ? [name, ...sub, "a"].join(" ") : `${label} --check a`, []],
      ],
    };
  }),
  {
    name: "split",
    valueFlags: ["-a", "-b", "-C", "-l", "-n", "-t"],
    operands: "all-but-first",
    matches: [
      ["split -l 5 a .git/hooks/", [".git/hooks/"]],
      ["split a", []],
    ],
  },
  { name: "csplit", targetFlags: ["-f", "--prefix"], operands: "none", matches: [["csplit -f x/y a 5", ["x/y"]]] },
  { name: "sponge", operands: "all", matches: [["sponge -a a", ["a"]]] },
  {
    name: "setfacl",
    valueFlags: ["-m", "-x", "-M", "-X", "--modify", "--remove"],
    operands: "all",
    matches: [["setfacl -m u:a:rw a b", ["a", "b"]]],
  },
  { name: "chattr", operands: "all-but-first", matches: [["chattr +i a", ["a"]]] },
  ...["gpg", "gpg2", "age", "minisign", "protoc", "xsltproc", "xmllint", "aria2c", "rollup"].map(
    (name): WriteRow => ({
      name,
      targetFlags: ["-o", "--output"],
      operands: "none",
      matches: [
        [`${name} -o a b`, ["a"]],
        [`${name} --output=a b`, ["a"]],
      ],
    }),
  ),
  {
    name: "esbuild",
    targetFlags: ["--outfile", "--outdir"],
    operands: "none",
    matches: [["esbuild a.ts --outfile=b.js", ["b.js"]]],
  },
  {
    name: "tsc",
    targetFlags: ["--outDir", "--outFile", "--declarationDir", "--tsBuildInfoFile"],
    operands: "none",
    isMeant: true,
    matches: [["tsc --outDir out", ["out"]]],
  },
  { name: "sqlite3", operands: "first", matches: [["sqlite3 a.db 'select 1'", ["a.db"]]] },
  { name: "ed", operands: "all", matches: [["ed -s a", ["a"]]] },
  { name: "ex", valueFlags: ["-c"], operands: "all", matches: [["ex -s -c wq a", ["a"]]] },
  { name: "sd", operands: "all-but-first", matches: [["sd a b f", ["b", "f"]]] },
  ...["docker", "podman", "kubectl"].map(
    (name): WriteRow => ({
      name,
      sub: ["cp"],
      operands: "into",
      remoteOperands: true,
      matches: [
        [`${name} cp web:/a b`, ["b", "b/a"]],
        [`${name} cp a web:/b`, []],
      ],
    }),
  ),
  ...["docker", "podman"].map(
    (name): WriteRow => ({
      name,
      sub: ["compose", "cp"],
      valueFlags: ["--index"],
      operands: "into",
      remoteOperands: true,
      matches: [[`${name} compose cp web:/a b`, ["b", "b/a"]]],
    }),
  ),
  {
    name: "docker-compose",
    sub: ["cp"],
    valueFlags: ["--index"],
    operands: "into",
    remoteOperands: true,
    matches: [["docker-compose cp web:/a b", ["b", "b/a"]]],
  },
  ...["new", "init", "vendor"].map(
    (sub): WriteRow => ({
      name: "cargo",
      sub: [sub],
      valueFlags: ["--name", "--edition", "--vcs", "--registry", "--color", "--manifest-path", "-s", "--sync"],
      operands: "first",
      matches: [[`cargo ${sub} a`, ["a"]]],
    }),
  ),
  ...["venv", "init"].map(
    (sub): WriteRow => ({
      name: "uv",
      sub: [sub],
      valueFlags: ["-p", "--python", "--prompt", "--name", "--vcs", "--description", "--build-backend", "--project"],
      operands: "first",
      matches: [[`uv ${sub} a`, ["a"]]],
    }),
  ),
  {
    name: "pnpm",
    sub: ["deploy"],
    valueFlags: ["--filter", "-F"],
    operands: "first",
    matches: [["pnpm deploy a", ["a"]]],
  },
  ...["cp", "mv", "sync"].map(
    (sub): WriteRow => ({
      name: "aws",
      sub: ["s3", sub],
      valueFlags: ["--exclude", "--include", "--profile", "--region", "--endpoint-url", "--acl", "--storage-class"],
      operands: "into",
      remoteOperands: true,
      matches: [
        [`aws s3 ${sub} s3://x/a b`, ["b", "b/a"]],
        [`aws s3 ${sub} a s3://x`, []],
      ],
    }),
  ),
  {
    name: "git",
    sub: ["merge-file"],
    valueFlags: ["-L", "--marker-size", "--diff-algorithm"],
    notFlags: ["-p", "--stdout"],
    operands: "first",
    matches: [
      ["git merge-file a b c", ["a"]],
      ["git merge-file -p a b c", []],
    ],
  },
  {
    name: "git",
    sub: ["checkout"],
    valueFlags: ["--conflict", "--pathspec-from-file"],
    notFlags: ["-b", "-B", "--orphan", "-t", "--track", "-d", "--detach"],
    operands: "after-dashes",
    matches: [
      ["git checkout HEAD~1 -- .quoll/settings.json", [".quoll/settings.json"]],
      ["git checkout HEAD -- a b", ["a", "b"]],
      ["git checkout HEAD a", ["a"]],
      ["git -C d checkout CLAUDE.md", ["d/CLAUDE.md"]],
      ["git checkout -b x", []],
    ],
  },
  {
    name: "git",
    sub: ["checkout-index"],
    targetFlags: ["--prefix"],
    operands: "all",
    matches: [
      ["git checkout-index -f -a --prefix=.quoll/", [".quoll/"]],
      ["git checkout-index -f a", ["a"]],
    ],
  },
  {
    name: "git",
    sub: ["clean"],
    valueFlags: ["-e", "--exclude"],
    notFlags: ["-n", "--dry-run"],
    operands: "all",
    matches: [
      ["git clean -fd sec", ["sec"]],
      ["git clean -n sec", []],
    ],
  },
  { name: "git", sub: ["bundle", "create"], operands: "first", matches: [["git bundle create a HEAD", ["a"]]] },
  ...["init", "clone"].map(
    (sub): WriteRow => ({
      name: "git",
      sub: [sub],
      needsFlag: ["--template"],
      operands: "none",
      fixed: [".git/hooks"],
      matches: [[`git ${sub} --template=docs`, sub === "init" ? [".git/hooks", ".git/config"] : [".git/hooks"]]],
    }),
  ),
  {
    name: "find",
    needsFlag: ["-delete"],
    operands: "starts",
    matches: [
      ["find sec -delete", ["sec"]],
      ["find a b -name x -delete", ["a", "b"]],
      ["find a -name x", []],
    ],
  },
];
