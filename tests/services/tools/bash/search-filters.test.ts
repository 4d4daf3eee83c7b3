import { expect, test } from "bun:test";
import { rgPath } from "@vscode/ripgrep";
import { grepLeavesOut, rgLeavesOut } from "../../../../src/services/tools/bash/search-filters.ts";
import { eachOrDeep } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";

const NAMES = [
  ".env",
  "a.ts",
  "prod.env",
  "certs/a.pem",
  "certs/.hidden/b.pem",
  "src/credentials.json",
  "src/x.ts",
  ".config/gh/hosts.yml",
  "deep/er/secrets.yml",
  "deep/.env.ts",
];
const FILES = Object.fromEntries(NAMES.map((name) => [name, "needle\n"]));

const RG: readonly (readonly string[])[] = [
  [],
  ["--hidden"],
  ["-."],
  ["-uu"],
  ["-u"],
  ["-u", "-u"],
  ["-uuu"],
  ["-t", "ts"],
  ["-tts"],
  ["--type=js"],
  ["-t", "ts", "-t", "json"],
  ["-t", "yaml"],
  ["--hidden", "-t", "ts"],
  ["-g", "*.ts"],
  ["-g", "*.{ts,pem}"],
  ["-g", "!*.pem"],
  ["-g", "!*.pem", "-g", "*.pem"],
  ["-g", "*.pem", "-g", "!a.pem"],
  ["-g", ".env"],
  ["-g", "**/*.yml"],
  ["-g", "!certs"],
  ["-g", "!certs/"],
  ["-g", "certs/**"],
  ["-g", "/src/*"],
  ["-g", "src/**/*.json"],
  ["-g", "!src/**"],
  ["--glob=!deep/er/*"],
  ["--glob", "[ab].pem"],
  ["-g", "!**/*.{pem,json}"],
  ["--hidden", "-g", "!.env"],
  ["--hidden", "-g", "!*.pem", "-g", "!.*"],
];

const GREP: readonly (readonly string[])[] = [
  [],
  ["--include=*.ts"],
  ["--include=*.ts", "--include=*.pem"],
  ["--include=*"],
  ["--include=.env"],
  ["--exclude=.env"],
  ["--exclude=*.pem", "--exclude=*.env"],
  ["--exclude-dir=certs"],
  ["--exclude-dir=deep", "--exclude=*.json"],
  ["--exclude-dir=er"],
  ["--include=*.ts", "--exclude=*.pem"],
  ["--exclude=*.pem", "--include=*.pem"],
  ["--include=?.pem"],
  ["--exclude=[a]*"],
  ["--include", "*.yml"],
  ["--exclude", "secrets.yml"],
];

/** The files that the real program shows, as paths relative to the folder. */
async function shown(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const child = Bun.spawn([...argv], { cwd, stdout: "pipe", stderr: "ignore", stdin: "ignore" });
  const text = await new Response(child.stdout).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^\.\//, ""));
}

eachOrDeep(
  "rg %s shows nothing that it is said to leave out",
  (at) => at % 4 === 0,
  RG.map((flags) => [flags.join(" "), flags] as const),
  async (_, flags) => {
    await using project = await tempProject(FILES);
    const real = await shown([rgPath, "--no-config", "-l", "needle", ...flags, "."], project.dir);
    const leavesOut = rgLeavesOut(["needle", ...flags, "."]);
    expect(real.filter((name) => leavesOut(`${project.dir}/${name}`, project.dir))).toEqual([]);
  },
);

eachOrDeep(
  "grep -r %s shows nothing that it is said to leave out",
  (at) => at % 4 === 0,
  GREP.map((flags) => [flags.join(" "), flags] as const),
  async (_, flags) => {
    await using project = await tempProject(FILES);
    const real = await shown(["grep", "-rl", "needle", ...flags, "."], project.dir);
    const leavesOut = grepLeavesOut(["-rl", "needle", ...flags, "."]);
    expect(real.filter((name) => leavesOut(`${project.dir}/${name}`, project.dir))).toEqual([]);
  },
);

test("plain searches are said to leave out what begins with a dot, other types and names that no glob wants", () => {
  const out = (flags: readonly string[], name: string) => rgLeavesOut(["x", ...flags])(`/w/${name}`, "/w");
  expect([out([], ".env"), out([], "a/.b/c.pem"), out([], "a.pem"), out(["--hidden"], ".env")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([
    out(["-t", "ts"], "a.pem"),
    out(["-t", "quoll"], "a.pem"),
    out(["-g", "*.ts"], "a.pem"),
    out(["-g", "!*.pem"], "a.pem"),
  ]).toEqual([true, false, true, true]);
  const grep = (flags: readonly string[], name: string) => grepLeavesOut(["-r", ...flags])(`/w/${name}`, "/w");
  expect([grep([], ".env"), grep(["--include=*.ts"], ".env"), grep(["--exclude-dir=a"], "a/x.pem")]).toEqual([
    false,
    true,
    true,
  ]);
});
