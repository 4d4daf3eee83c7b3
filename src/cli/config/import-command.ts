import { plural } from "@quoll/terminal-text/plural";
import { parse } from "jsonc-parser/lib/esm/main.js";
import { isJsonObject } from "../../contracts/message.ts";
import { withKeyChange } from "../../faces/repl/keymap/change-keybindings.ts";
import { revealLine } from "../../faces/repl/view/reveal.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { replacePrivateFile } from "../../platform/private-file.ts";
import { printLine } from "../../platform/standard-output.ts";
import { changeFile, withItem, withValue } from "../../services/config/change-file.ts";
import { IMPORT_TOOLS, type ImportTool, TOOL_NAMES } from "../../services/importing/import-sources.ts";
import { rememberImported } from "./import-offers.ts";
import { type ImportParts, type PlannedFile, type PlannedLine, pathOf, planImport, UNTRUSTED } from "./import-plan.ts";
import { keyChangeOf } from "./plan-keys.ts";

export type ImportOptions = {
  readonly tools: readonly ImportTool[];
  readonly applies: boolean;
  readonly asJson: boolean;
};

type Wishes = ImportOptions & {
  readonly parts: ImportParts;
  /** Hides credentials. */
  redact(text: string): string;
};

const SIGNS = { new: "+", present: "=", "left out": "-" } as const;

/** `quoll config import`: shows what the settings of other programs become in Quoll, and with `--apply` writes them. */
export async function runImport({ parts, tools, applies, asJson, redact }: Wishes): Promise<number> {
  const plan = await planImport(parts, tools.length > 0 ? tools : undefined);
  const lines = plan.flatMap((file) => file.lines);
  const fresh = lines.filter(({ state }) => state === "new");
  if (asJson) printLine(redact(JSON.stringify(plan, (key, value: unknown) => (key === "part" ? undefined : value), 2)));
  else for (const line of report(plan, parts)) printLine(revealLine(redact(line)));
  const backups = applies ? await apply(fresh) : [];
  if (applies) await rememberImported(parts.own.state, tools.length > 0 ? tools : IMPORT_TOOLS);
  if (asJson) return 0;
  if (plan.length === 0) {
    const names = (tools.length > 0 ? tools : IMPORT_TOOLS).map((tool) => TOOL_NAMES[tool]);
    printLine(`There are no settings of ${names.join(", ")} here.`);
    return 0;
  }
  const count = (state: PlannedLine["state"]) => lines.filter((line) => line.state === state).length;
  const counts = `${count("new")} ${applies ? "imported" : "to import"}, ${count("present")} there already, ${count("left out")} left out.`;
  const next =
    applies || fresh.length === 0 ? "" : " Nothing was written yet: `quoll config import --apply` writes it.";
  printLine(`${counts}${next}`);
  if (lines.some(({ why }) => why === UNTRUSTED))
    printLine("To import the settings of this project too, start quoll here and trust the folder, or add --trust.");
  for (const backup of backups) printLine(`Backup of the old file: ${shortPath(backup, parts.own.home)}`);
  return 0;
}

function* report(plan: readonly PlannedFile[], { own, project }: ImportParts): Generator<string, void> {
  const shown = (file: string) =>
    file.startsWith(`${project.root}/`) ? file.slice(project.root.length + 1) : shortPath(file, own.home);
  for (const { tool, file, scope, lines } of plan) {
    const targets = [...new Set(lines.filter(({ state }) => state === "new").map(({ target }) => shown(target)))];
    const into = scope === "user" ? "for all projects" : "for this project";
    yield `${TOOL_NAMES[tool]}, ${shown(file)}${targets.length > 0 ? ` -> ${targets.join(" and ")} (${into})` : ""}`;
    for (const line of lines) yield `  ${SIGNS[line.state]} ${textOf(line)}`;
    yield "";
  }
}

function textOf({ read, part, why, note, line, state }: PlannedLine): string {
  const place = line === undefined ? "" : ` (line ${line})`;
  if (state === "left out") return `${read}${place}: left out: ${why}`;
  const becomes = part?.kind === "server" ? "" : becomesText(read, part);
  const rest = state === "present" ? ": there already" : note === undefined ? "" : `: ${note}`;
  return `${read}${place}${becomes}${rest}`;
}

/** The new form of a line whose form changes; lines with secret values name only the key. */
function becomesText(read: string, part: PlannedLine["part"]): string {
  if (part?.kind === "keys") {
    const { contexts, keys, action } = part;
    return ` -> ${contexts[0]}: ${keys} = ${action}`;
  }
  if (part?.kind !== "setting" || part.path[0] === "env" || part.path[0] === "hooks") return "";
  const text = `${part.path.join(".")}: ${typeof part.value === "string" ? part.value : JSON.stringify(part.value)}`;
  return read === text || read === part.path.join(".") ? "" : ` -> ${text}`;
}

/** Writes the lines. @returns the backups of the existing files. */
async function apply(lines: readonly PlannedLine[]): Promise<readonly string[]> {
  const backups: string[] = [];
  for (const file of new Set(lines.map(({ target }) => target))) {
    const own = lines.filter(({ target }) => target === file);
    await changeFile({ file, what: plural(own.length, "imported setting") }, (text) => {
      if (text !== "") {
        const backup = freeName(file);
        replacePrivateFile(backup, text);
        backups.push(backup);
      }
      return own.reduce(withLine, text);
    });
  }
  return backups;
}

function withLine(text: string, { part }: PlannedLine): string {
  if (!part) return text;
  if (part.kind === "keys") {
    const change = keyChangeOf(part);
    return change ? withKeyChange(text, change) : text;
  }
  const path = [...pathOf(part)];
  if (part.kind === "server") return withValue(text, path, part.entry);
  if (!part.isItem) return withValue(text, path, part.value);
  const whole: unknown = parse(text, [], { allowTrailingComma: true });
  const list = path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), whole);
  return Array.isArray(list) ? withItem(text, path, part.value) : withValue(text, path, [part.value]);
}

function freeName(file: string): string {
  let number = 1;
  while (entryExists(`${file}.before-import-${number}`)) number += 1;
  return `${file}.before-import-${number}`;
}
