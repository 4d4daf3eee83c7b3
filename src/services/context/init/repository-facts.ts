import { extname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { isJsonObject } from "../../../contracts/message.ts";
import { parsedObject } from "../../../contracts/parsed-json.ts";
import { firstFew } from "../../../contracts/words.ts";
import { walkFiles } from "../../../platform/files/walk-files.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

/** Files of a repository that are looked at by name. */
const MAX_FILES = 5_000;
const MAX_FACT_FILE_BYTES = 512 * 1024;
const MAX_README_CHARS = 1_500;
const MAX_COLUMNS = 200;
const MAX_ITEMS = 30;

/** Files at the top level that show how a project is built, checked or structured. */
const TELLING =
  /^(?:package(?:-lock)?\.json|(?:bun|yarn|pnpm-lock|uv|poetry|Cargo|Gemfile|composer)\.(?:lockb?|ya?ml)|go\.(?:mod|work)|[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|CMakeLists\.txt|(?:pyproject|Cargo|mise|ruff|rustfmt|clippy)\.toml|(?:pom\.xml|build\.gradle(?:\.kts)?)|mix\.exs|Gemfile|Rakefile|composer\.json|deno\.jsonc?|nx\.json|turbo\.json|tox\.ini|setup\.(?:py|cfg)|noxfile\.py|tsconfig\.json|biome\.jsonc?|\.?eslint(?:rc|\.config)\..*|\.prettierrc.*|\.editorconfig|\.golangci\.ya?ml|\.pre-commit-config\.yaml|Dockerfile|(?:docker-)?compose\.ya?ml|\.gitlab-ci\.yml|README(?:\.\w+)?|CONTRIBUTING(?:\.\w+)?)$/;
const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const INSTRUCTIONS =
  /(?:^|\/)(?:AGENTS|CLAUDE|QUOLL|GEMINI|QWEN|CRUSH)(?:\.local)?\.md$|^\.cursor(?:rules$|\/rules\/)|^\.github\/copilot-instructions\.md$/;
const TESTS = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+\.py$/;

/**
 * Gathers facts from a repository for a model that writes its instruction file: languages, significant files, scripts,
 * targets, the commands of its continuous integration, the beginning of its README.
 * @param root The project root; absolute.
 * @param isHidden True for a file that may not be shown to a model.
 * @returns lines of text. Their content comes from the repository, so it is data, not instructions.
 * @throws the abort reason when `signal` aborts.
 */
export async function repositoryFacts(
  root: string,
  isHidden: (path: string) => boolean,
  signal: AbortSignal,
): Promise<string> {
  const { files, isWhole } = await filesOf(root, isHidden, signal);
  const read = (name: string) => readSmallFile(join(root, name), MAX_FACT_FILE_BYTES) ?? "";
  const has = (name: string) => files.includes(name);
  const readme = files.find((name) => /^README(?:\.\w+)?$/i.test(name));
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Files", [`${files.length}${isWhole ? "" : " or more"}`]],
    ["Files by ending", endings(files)],
    ["Top folders", topFolders(files)],
    ["Files that tell how it is built and checked", files.filter((name) => TELLING.test(name) || WORKFLOW.test(name))],
    ["Instruction files", files.filter((name) => INSTRUCTIONS.test(name))],
    ["Test files, for example", files.filter((name) => TESTS.test(name)).slice(0, 8)],
    ["package.json", has("package.json") ? packageLines(read("package.json")) : []],
    ["Makefile targets", ["Makefile", "makefile"].filter(has).flatMap((name) => targets(read(name)))],
    ["justfile recipes", ["justfile", "Justfile"].filter(has).flatMap((name) => targets(read(name)))],
    ["pyproject.toml sections", has("pyproject.toml") ? tables(read("pyproject.toml")) : []],
    ["Cargo.toml sections", has("Cargo.toml") ? tables(read("Cargo.toml")) : []],
    ["go.mod", has("go.mod") ? read("go.mod").split("\n").slice(0, 3) : []],
    [
      "Commands of continuous integration",
      files.filter((name) => WORKFLOW.test(name)).flatMap((name) => steps(read(name))),
    ],
    [`Beginning of ${readme}`, readme === undefined ? [] : [read(readme).slice(0, MAX_README_CHARS).trim()]],
  ];
  return sections.flatMap(([title, lines]) => section(title, lines)).join("\n");
}

async function filesOf(root: string, isHidden: (path: string) => boolean, signal: AbortSignal) {
  const files: string[] = [];
  for await (const name of walkFiles(root, { signal })) {
    if (files.length >= MAX_FILES) return { files: files.sort(), isWhole: false };
    if (!isHidden(join(root, name))) files.push(name);
  }
  return { files: files.sort(), isWhole: true };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line) => line.trim() !== "");
  if (kept.length === 0) return [];
  const items = kept.map((line) => (line.includes("\n") ? line : oneLine(line, MAX_COLUMNS)));
  const shown = firstFew(items, MAX_ITEMS, (count) => `… ${count} more`);
  return [`${title}:`, ...shown.map((line) => `  ${line.replaceAll("\n", "\n  ")}`)];
}

function endings(files: readonly string[]): readonly string[] {
  const counts = Object.entries(Object.groupBy(files, (name) => extname(name) || "no ending"));
  const sorted = counts.map(([ending, of = []]) => [ending, of.length] as const).sort(([, a], [, b]) => b - a);
  return [
    sorted
      .slice(0, 8)
      .map(([ending, count]) => `${ending} ${count}`)
      .join(", "),
  ];
}

function topFolders(files: readonly string[]): readonly string[] {
  const folders = files.flatMap((name) => (name.includes("/") ? [name.slice(0, name.indexOf("/"))] : []));
  return [[...new Set(folders)].map((folder) => `${folder}/`).join(" ")];
}

function packageLines(text: string): readonly string[] {
  const { name, packageManager, workspaces, scripts, engines } = parsedObject(text) ?? {};
  const one = (label: string, value: unknown) =>
    value === undefined ? [] : [`${label}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
  return [
    ...one("name", name),
    ...one("packageManager", packageManager),
    ...one("engines", engines),
    ...one("workspaces", workspaces),
    ...Object.entries(isJsonObject(scripts) ? scripts : {}).map(([script, command]) => `script ${script}: ${command}`),
  ];
}

/** The names before a colon at the start of a line; no variables, patterns or special targets. */
function targets(text: string): readonly string[] {
  const names = [...text.matchAll(/^([A-Za-z][\w-]*)(?:[ \t][^:=\n]*)?:(?!=)/gm)].map(([, name = ""]) => name);
  return [[...new Set(names)].join(" ")];
}

function tables(text: string): readonly string[] {
  return [[...text.matchAll(/^\[{1,2}([^[\]\n]+)\]/gm)].map(([, name = ""]) => name).join(" ")];
}

/** The commands of `run:` steps in a workflow, on one line or in a block. */
function steps(text: string): readonly string[] {
  const found: string[] = [];
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const [, indent = "", value] = /^(\s*)(?:- )?run:\s*(.*)$/.exec(line) ?? [];
    if (value === undefined) continue;
    if (!/^[|>]/.test(value)) found.push(value);
    else {
      const rest = lines.slice(at + 1);
      const end = rest.findIndex((next) => next.trim() !== "" && next.search(/\S/) <= indent.length);
      found.push(...rest.slice(0, end < 0 ? rest.length : end).map((next) => next.trim()));
    }
  }
  return [...new Set(found)];
}
