import { EFFORTS } from "../../contracts/provider.ts";
import type { SkillHeader } from "../../contracts/skill.ts";

/** The maximum that other tools allow in a file. */
const MAX_DESCRIPTION_CHARS = 1_536;
const MAX_HINT_CHARS = 100;

/** Fields that describe a skill to people and act nowhere. */
const SILENT_FIELDS: ReadonlySet<string> = new Set([
  ...["name", "metadata", "license", "compatibility", "version", "author", "color", "tags", "category"],
]);

/** Reads fields and records which names were requested. */
class FieldReader {
  readonly problems: string[] = [];
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #used = new Set<string>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The first of these fields that is not empty. */
  of(...names: readonly string[]): unknown {
    for (const name of names) this.#used.add(name);
    return names.map((name) => this.#values[name]).find((value) => value !== undefined && value !== "");
  }

  text(...names: readonly string[]): string {
    const value = this.of(...names);
    if (typeof value === "object" && value !== null) this.problems.push(`${names[0]} must be text`);
    return textOf(value);
  }

  /** A text or a list of texts. */
  list(...names: readonly string[]): unknown {
    const value = this.of(...names);
    const isList = Array.isArray(value) ? value.every((item) => typeof item !== "object") : typeof value !== "object";
    if (isList || value === null) return value;
    this.problems.push(`${names[0]} must be a list`);
    return undefined;
  }

  /** Like `list`; a value of another kind becomes a rule that no session accepts, so that the skill can't run without it. */
  limits(...names: readonly string[]): unknown {
    return this.list(...names) ?? unreadable(this.of(...names));
  }

  flag(...names: readonly string[]): boolean | undefined {
    const value = this.text(...names).toLowerCase();
    if (value === "") return undefined;
    if (value === "true" || value === "false") return value === "true";
    this.problems.push(`${names[0]} must be true or false`);
    return undefined;
  }

  /** Fields that were not requested and that have no meaning for people either. */
  get ignored(): readonly string[] {
    return Object.keys(this.#values).filter((name) => !this.#used.has(name) && !SILENT_FIELDS.has(name));
  }
}

/** The effective fields of a frontmatter, and one phrase for each problem and for the ignored fields. */
export function skillHeader(
  values: Readonly<Record<string, unknown>>,
  firstLine: () => string,
): { readonly header: SkillHeader; readonly problems: readonly string[] } {
  const fields = new FieldReader(values);
  const whenToUse = fields.text("when_to_use", "when-to-use");
  const argumentHint = hintOf(fields.of("argument-hint", "argument_hint")).slice(0, MAX_HINT_CHARS);
  const hooks = fields.of("hooks");
  const header: SkillHeader = {
    description: fields.text("description").slice(0, MAX_DESCRIPTION_CHARS).toWellFormed() || firstLine(),
    ...(whenToUse !== "" && { whenToUse }),
    ...(argumentHint !== "" && { argumentHint }),
    argumentNames: wordsOf(fields.list("arguments")),
    isForModel: fields.flag("disable-model-invocation") !== true,
    isForUser: fields.flag("user-invocable", "user-invokable") !== false,
    allowedTools: rulesOf(fields.list("allowed-tools", "allowed_tools", "allowedTools")),
    disallowedTools: rulesOf(fields.limits("disallowed-tools", "disallowed_tools", "disallowedTools")),
    ...modelOf(fields),
    ...agentOf(fields),
    ...(hooks !== undefined && { hooks }),
    paths: globsOf(fields.list("paths", "globs")),
  };
  noteUnsupported(fields);
  const { ignored, problems } = fields;
  if (ignored.length > 0) problems.push(`ignored: ${ignored.slice(0, 5).join(", ")}`);
  return { header, problems };
}

function unreadable(value: unknown): readonly string[] | undefined {
  return value === undefined || value === null ? undefined : [JSON.stringify(value)];
}

/** Fields of other tools that Quoll knows and does not follow. */
function noteUnsupported(fields: FieldReader): void {
  const shell = fields.text("shell");
  if (shell !== "" && shell !== "bash") fields.problems.push(`shell: inline commands run in bash, not in ${shell}`);
  if (fields.flag("background") === true) fields.problems.push("background: the skill runs in the foreground");
}

function modelOf(fields: FieldReader): Pick<SkillHeader, "model" | "effort"> {
  const model = fields.text("model");
  const wanted = fields.text("effort");
  const effort = EFFORTS.find((one) => one === wanted);
  if (wanted !== "" && !effort) fields.problems.push(`effort must be one of ${EFFORTS.join(", ")}`);
  return { ...(model !== "" && model !== "inherit" && { model }), ...(effort && { effort }) };
}

function agentOf(fields: FieldReader): Pick<SkillHeader, "isForked" | "agent"> {
  const context = fields.text("context");
  if (context !== "" && context !== "fork" && context !== "inherit") fields.problems.push("context must be fork");
  const agent = fields.text("agent");
  return { isForked: context === "fork", ...(agent !== "" && { agent }) };
}

/** Splits permission rules at commas and spaces outside parentheses: `Read, Bash(git log *) Grep`. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const char = text[at];
    if (char === "(") depth += 1;
    if (char === ")") depth = Math.max(0, depth - 1);
    const isEnd = char === undefined || (depth === 0 && /[\s,]/.test(char));
    if (!isEnd) continue;
    rules.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return rules.filter((rule) => rule !== "");
}

function rulesOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => (Array.isArray(value) ? [item.trim()] : splitRules(item)));
}

function wordsOf(value: unknown): readonly string[] {
  return listOf(value)
    .flatMap((item) => item.split(/[\s,]+/))
    .filter((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** Splits at commas outside braces. */
function globsOf(value: unknown): readonly string[] {
  return listOf(value)
    .flatMap((item) => item.match(/(?:[^,{}]|\{[^{}]*\})+/g) ?? [])
    .map((glob) => glob.trim())
    .filter((glob) => glob !== "");
}

function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((item) => item !== "");
  const text = textOf(value);
  return text === "" ? [] : [text];
}

/** `[message]` in a frontmatter is a YAML list, but people mean the text. */
function hintOf(value: unknown): string {
  return Array.isArray(value) ? value.map((item) => `[${textOf(item)}]`).join(" ") : textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value.replace(/\s+/g, " ").trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
