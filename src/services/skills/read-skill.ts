import { basename, dirname } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { ContentFile, ContentWarning } from "../../contracts/content-folder.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { MAX_SKILL_BYTES, type Skill, type SkillFormat } from "../../contracts/skill.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";
import { readFrontmatter, splitFrontmatter } from "./read-fields.ts";
import { skillHeader } from "./skill-header.ts";

const MAX_NAME_CHARS = 64;
const MAX_FIRST_LINE_CHARS = 200;
const NAME = /^[A-Za-z0-9][\w.-]*(?::[A-Za-z0-9][\w.-]*)*$/;

export type SkillFile = ContentFile<SkillFormat>;

/** A file as a skill, with its problems. `skill` is absent if the file can't be used at all. */
export type ReadSkill = { readonly skill?: Skill; readonly text: string; readonly warnings: readonly ContentWarning[] };

/** Reads a file that may define a skill. A malformed frontmatter costs a warning, not the skill. */
export async function readSkill(file: SkillFile): Promise<ReadSkill> {
  const { path } = file;
  const read = readOrProblem(path, MAX_SKILL_BYTES);
  if ("problem" in read) return unusable(path, read.problem === "missing" ? "it is gone" : `it is ${read.problem}`);
  const text = read.bytes.toString("utf8");
  return file.place.format === "toml" ? readToml(file, text) : readMarkdown(file, text);
}

/** The text of a skill that goes to the model, without its frontmatter. @param text The file's text. */
export async function skillBody(text: string, { format }: Pick<Skill, "format">): Promise<string> {
  if (format !== "toml") return splitFrontmatter(text).body.trim();
  const prompt = (await parseToml(text))["prompt"];
  return typeof prompt === "string" ? prompt.trim() : "";
}

async function readMarkdown(file: SkillFile, text: string): Promise<ReadSkill> {
  const { header: front, body, fields } = await readFrontmatter(text);
  // A malformed line could have been a restriction.
  if (fields.problem && /^disallowed[-_]?tools\s*:/im.test(front ?? ""))
    return unusable(file.path, `line ${fields.problem.line + 1}: ${fields.problem.text}`);
  const { header, problems } = skillHeader(fields.values, () => firstLineOf(body));
  const odd = header.paths.length === 0 ? [] : await oddGlobs(header.paths);
  const warnings = [...problems, ...odd].map((problem) => warning(file.path, problem, lineOf(problem, front ?? "")));
  // The frontmatter begins in line 2 of the file.
  if (fields.problem) warnings.unshift(warning(file.path, fields.problem.text, fields.problem.line + 1));
  const isListed = file.place.format === "skill" || (file.place.format === "command" && "description" in fields.values);
  const isForModel = header.isForModel && isListed;
  return made(file, { ...header, isForModel }, { text, body, given: fields.values["name"], warnings });
}

async function oddGlobs(paths: readonly string[]): Promise<readonly string[]> {
  const { areCostly } = await import("../../platform/globs/trigger-globs.ts");
  return areCostly(paths) ? [`paths: too many characters or alternatives, ignored: ${paths[0] ?? ""}`] : [];
}

async function readToml(file: SkillFile, text: string): Promise<ReadSkill> {
  try {
    const values = await parseToml(text);
    const { prompt, description } = values;
    if (typeof prompt !== "string") return unusable(file.path, "it has no text `prompt`");
    const { header } = skillHeader({ description }, () => firstLineOf(prompt));
    return made(file, { ...header, isForModel: false }, { text, body: prompt, given: undefined, warnings: [] });
  } catch (error) {
    return unusable(file.path, error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
  }
}

/** @throws {Error} the text is no TOML. */
async function parseToml(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import("smol-toml");
  const value: unknown = parse(text.replace(/^\uFEFF/, ""));
  return isJsonObject(value) ? value : {};
}

type Made = {
  readonly text: string;
  readonly body: string;
  readonly given: unknown;
  readonly warnings: readonly ContentWarning[];
};

function made(
  file: SkillFile,
  header: Omit<Skill, "name" | "origin" | "format" | "file" | "folder" | "chars">,
  parts: Made,
): ReadSkill {
  const { place, path } = file;
  const { text, body, given, warnings } = parts;
  const wanted = place.format === "skill" && typeof given === "string" && isSkillName(given) ? given : file.name;
  if (!isSkillName(wanted)) return unusable(path, `${JSON.stringify(wanted)} can't be typed as a command`);
  const name = place.plugin === undefined ? wanted : `${place.plugin}:${wanted}`;
  const { origin, plugin, format } = place;
  const about = { name, origin, ...(plugin !== undefined && { plugin }), format };
  return { skill: { ...header, ...about, file: path, folder: dirname(path), chars: body.length }, text, warnings };
}

/** True for a name that can be typed as a command. */
export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && NAME.test(name);
}

function unusable(path: string, why: string): ReadSkill {
  const line = `${shown(path)} is not used as a skill: ${oneLine(why, 200)}.`;
  return { text: "", warnings: [{ file: path, line, isUnused: true }] };
}

function warning(path: string, problem: string, line?: number): ContentWarning {
  const place = `${shown(path)}${line === undefined ? "" : `:${line}`}`;
  return { file: path, line: `${place}: ${oneLine(problem, 200).replace(/\.$/, "")}.`, isUnused: false };
}

/** The line in the file of the field that a problem begins with. */
function lineOf(problem: string, header: string): number | undefined {
  const [, name = ""] = /^(?:ignored: )?([\w-]+)/.exec(problem) ?? [];
  const at = header.split("\n").findIndex((line) => line.startsWith(`${name}:`));
  return at < 0 ? undefined : at + 2;
}

function shown(path: string): string {
  return oneLine(path, 300) || basename(path);
}

function firstLineOf(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "") ?? "";
  return oneLine(line.replace(/^#+\s*/, ""), MAX_FIRST_LINE_CHARS);
}
