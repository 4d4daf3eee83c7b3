import { dirname, join } from "node:path";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import { nameGlob } from "../../platform/globs/name-glob.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TARGETS = 30;
const MAX_MATCHES = 200;

/** The files in which programs look for their tasks when the command names none. */
const TASK_FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["gmake", ["GNUmakefile", "makefile", "Makefile"]],
  ["just", ["justfile", "Justfile", ".justfile"]],
  ["task", ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"]],
  ["rake", ["Rakefile", "rakefile", "Rakefile.rb"]],
  ["invoke", ["tasks.py"]],
  ["nox", ["noxfile.py"]],
  ["tox", ["tox.ini"]],
  ["deno", ["deno.json", "deno.jsonc"]],
  ["composer", ["composer.json"]],
  ["pre-commit", [".pre-commit-config.yaml"]],
  ["lefthook", ["lefthook.yml", ".lefthook.yml"]],
]);
/** A program at the beginning of a command, behind blanks, operators, quotes or a path. */
const PROGRAM = /(?:^|[\s;|&("'`/])([a-z-]+)(?=$|[\s;|&)"'`])/g;
/** A pattern of files that a program runs: `sh tools/*.sh`, `. hooks/*`, `for f in hooks/*; do`. */
const RUN_PATTERN =
  /(?:^|[\s;|&("'`/])(?:(?:ba|da|z|k)?sh|\.|source|node|bun|deno run|python[\d.]*|ruby|perl|php|in)\s+(?:-\S+\s+)*["']?([^\s"';|&()]*[*?[][^\s"';|&()]*)/g;
/** `run-parts hooks.d` runs every file of the folder. */
const RUN_PARTS = /(?:^|[\s;|&("'`/])run-parts\s+(?:-\S+\s+)*["']?([^\s"';|&()]+)/g;
const RULE = /^([^\s:#=][^:#=]*?)\s*::?(?!=)([^#;]*)(?:;(.*))?$/;

/** The names of files that a command runs without naming them: the task file of `make guard`, the matches of `sh tools/*.sh`. */
export function unnamedFiles(command: string, root: string): readonly string[] {
  const programs = [...command.matchAll(PROGRAM)].flatMap(([, name = ""]) => TASK_FILES.get(name) ?? []);
  const patterns = [...command.matchAll(RUN_PATTERN)].map(([, pattern = ""]) => pattern);
  const parts = [...command.matchAll(RUN_PARTS)].map(([, folder = ""]) => `${folder}/*`);
  return [...new Set([...programs, ...[...patterns, ...parts].flatMap((pattern) => matchesOf(pattern, root))])];
}

/** Only the last part of a pattern may have wildcards: a pattern over folders is rare in a command that runs files. */
function matchesOf(pattern: string, root: string): readonly string[] {
  const path = pattern.replace(/^\$\{?(?:CLAUDE|QUOLL)_PROJECT_DIR\}?["']?\//, "").replace(/^\.\//, "");
  const folder = dirname(path);
  if (path.startsWith("/") || /[*?[]/.test(folder)) return [];
  const fits = nameGlob(path.slice(folder === "." ? 0 : folder.length + 1));
  return listFolderSync(join(root, folder))
    .filter(({ name, kind }) => kind !== "folder" && fits(name))
    .slice(0, MAX_MATCHES)
    .map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

/**
 * The recipes of the targets that a command makes, and of those that they need, so that the files which the recipes name
 * are known too. Each word behind `make` may name a target; without one, it is the first target of the file.
 */
export function makeRecipes(command: string, root: string, folders: readonly string[] = [""]): readonly string[] {
  const given = [...command.matchAll(/(?:^|[\s;|&("'`/])g?make(?=$|[\s;|&)"'`])([^;|&\n]*)/g)];
  if (given.length === 0) return [];
  const wanted = given.flatMap(([, rest = ""]) => rest.split(/[\s"'`()]+/));
  const files = ["GNUmakefile", "makefile", "Makefile", ...wanted.filter((word) => /\.mk$|[Mm]akefile/.test(word))];
  const texts = folders.flatMap((folder) =>
    files.flatMap((file) => readSmallFile(join(root, folder, file), MAX_FILE_BYTES) ?? []),
  );
  const rules = new Map(texts.flatMap(rulesOf));
  const open = [...wanted.filter((word) => rules.has(word))];
  if (open.length === 0) open.push(...[...rules.keys()].filter((name) => !name.startsWith(".")).slice(0, 1));
  const seen = new Set<string>();
  const recipes: string[] = [];
  for (let name = open.pop(); name !== undefined && seen.size < MAX_TARGETS; name = open.pop()) {
    const rule = rules.get(name);
    if (!rule || seen.has(name)) continue;
    seen.add(name);
    recipes.push(rule.recipe);
    open.push(...rule.needs);
  }
  return recipes;
}

type Rule = { readonly needs: readonly string[]; readonly recipe: string };

function rulesOf(text: string): readonly (readonly [name: string, rule: Rule])[] {
  const found: (readonly [string, Rule])[] = [];
  let names: readonly string[] = [];
  let needs: readonly string[] = [];
  let recipe: string[] = [];
  const close = () => {
    for (const name of names) found.push([name, { needs, recipe: recipe.join("\n") }]);
  };
  for (const line of text.replace(/\\\n/g, " ").split("\n")) {
    const [, targets, given = "", first = ""] = line.startsWith("\t") ? [] : (RULE.exec(line) ?? []);
    if (targets === undefined) {
      if (line.startsWith("\t")) recipe.push(line.trim());
      continue;
    }
    close();
    names = targets.split(/\s+/);
    needs = given.split(/\s+/).filter((need) => need !== "" && need !== "|");
    recipe = [first];
  }
  close();
  return found;
}
