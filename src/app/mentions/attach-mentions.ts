import { dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import { decidedByText } from "../../contracts/decided-by.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import { type FileMention, fileMentions } from "../../contracts/file-mention.ts";
import { textOf, type UserBlock } from "../../contracts/message.ts";
import { pagesWords } from "../../contracts/read-words.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import type { Subject } from "../../contracts/subject.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolder } from "../../platform/files/list-folder.ts";
import { type ResolvedPath, resolvePath } from "../../platform/files/resolve-path.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import { shownPath, subjectOf } from "../../services/tools/target-file.ts";
import { type CallingAgent, runOutsideCall } from "../session/actions/run-outside-call.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";

/** The maximum number of files, folders and agents that one prompt attaches. */
const MAX_MENTIONS = 20;
const MAX_NAME_COLUMNS = 200;
const AGENT_MENTION = "agent-";

/**
 * Attaches the files and folders that a prompt names with `@`, in the form and under the rules of Read, and a note for
 * each named agent type. A word that names no file stays plain text. The person sees one line about what was
 * attached, one line for each file that was not, and one about words that look like files but name none.
 */
export async function attachMentions(
  words: string,
  parts: MentionParts,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  const blocks: UserBlock[] = [];
  const attached: string[] = [];
  const named = new Set<string>();
  const missing: string[] = [];
  const { own, project } = parts.agent.environment;
  const where = { cwd: parts.agent.workspace.cwd, startedIn: project.cwd, home: own.home };
  for (const mention of fileMentions(words)) {
    const agent = agentNamed(mention.paths, parts);
    const file = agent === undefined ? await mentionedFile(mention, where) : undefined;
    const key = file ? `${file.target.path}#${file.lines?.first}-${file.lines?.last} ${file.pages}` : agent;
    if (key === undefined) missing.push(...(await missingName(mention, where)));
    if (key === undefined || named.has(key)) continue;
    named.add(key);
    if (named.size > MAX_MENTIONS) continue;
    if (agent !== undefined) blocks.push(agentNote(agent));
    if (!file) continue;
    const done = await attach(file, parts, signal);
    const shown = oneLine(file.shown, MAX_NAME_COLUMNS);
    blocks.push(...done.blocks);
    if ("size" in done) attached.push(`${shown} (${done.size})`);
    else parts.notify(`${shown} was not attached: ${done.problem}`);
  }
  if (attached.length > 0) parts.notify(`Attached ${attached.join(", ")}.`, "info");
  const line = missingLine([...new Set(missing)]);
  if (line !== undefined) parts.notify(line, "info");
  const rest = named.size - MAX_MENTIONS;
  if (rest > 0) {
    const line = `A prompt attaches at most ${MAX_MENTIONS} files: the other ${plural(rest, "file")} did not fit.`;
    parts.notify(line);
    blocks.push({ type: "text", text: line });
  }
  return blocks;
}

async function attach(file: MentionedFile, parts: MentionParts, signal: AbortSignal): Promise<Attached> {
  try {
    return await (file.isFolder ? attachFolder(file, parts, signal) : attachFile(file, parts, signal));
  } catch (error) {
    const problem = errorMessage(error);
    return { blocks: [{ type: "text", text: `${file.shown} was not attached: ${problem}` }], problem };
  }
}

/** The type of agent that a mention names: `@agent-Explore`. */
function agentNamed(paths: readonly string[], { agent }: MentionParts): string | undefined {
  if (!agent.registry.names.includes(AGENT_TOOL)) return undefined;
  const names = paths.flatMap((path) => (path.startsWith(AGENT_MENTION) ? [path.slice(AGENT_MENTION.length)] : []));
  return agent.session.delegation.types.all.find(({ name }) => names.includes(name))?.name;
}

function agentNote(name: string): UserBlock {
  return {
    type: "text",
    text: `With @${AGENT_MENTION}${name} the user asks for an agent of the type ${name}: give it the task with ${AGENT_TOOL}.`,
  };
}

const READ = "Read";

/**
 * Attaches a file in the form that Read returns: with its hooks, permissions, limits and hidden credentials. Edit then
 * knows the file.
 */
async function attachFile(
  { target, shown, lines, pages }: MentionedFile,
  parts: MentionParts,
  signal: AbortSignal,
): Promise<Attached> {
  const id = outsideCallId(parts.agent.session.app.ids.next());
  const range = { ...(lines && { offset: lines.first, limit: lines.last - lines.first + 1 }), ...(pages && { pages }) };
  const emit = (event: EngineEvent) => {
    if (event.type === "notice") parts.notify(event.message, event.level);
  };
  const call = { id, name: READ, input: { file_path: target.given, ...range } };
  const { result, display, denials } = await runOutsideCall(parts.agent, call, {
    signal,
    emit,
    touched: parts.touched,
  });
  // A later mention or call of Read returns the text again.
  parts.forgetResults(new Set([id]));
  const { content, isError } = result;
  if (isError) {
    const text = textOf(content);
    const [denial] = denials;
    const problem = denial ? `refused by ${decidedByText(denial.decidedBy)}` : firstSentence(text);
    return { blocks: [{ type: "text", text: `${shown} was not attached: ${text}` }], problem };
  }
  const part = lines ? `, ${linesWords(lines)}` : pages ? `, ${pagesWords(pages)}` : "";
  const head = `The user attached ${shown}${part}. ${READ} gives:`;
  const isWhole = !lines && !pages && result.shows === undefined && result.wholeIn === undefined;
  const knows = isWhole ? result.knows : undefined;
  const given: readonly UserBlock[] =
    typeof content === "string" ? [{ type: "text", text: content, ...(knows && { knows }) }] : content;
  const size = display?.kind === "summary" ? display.text : "read";
  return { blocks: [{ type: "text", text: head }, ...given], size };
}

function linesWords({ first, last }: NonNullable<MentionedFile["lines"]>): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

/** The rest of an error of Read is advice for the model. */
function firstSentence(text: string): string {
  return /^[\s\S]*?[.?!](?=\s|$)/.exec(text)?.[0].replace(/\.$/, "") ?? text;
}

/** The maximum number of listed entries of a folder. */
const MAX_ENTRIES = 200;

/** Attaches the names in a folder, if Read may look into it; hidden files are left out. */
async function attachFolder(
  { target, shown }: MentionedFile,
  { agent: { session, permissions } }: MentionParts,
  signal: AbortSignal,
): Promise<Attached> {
  const call = {
    input: { file_path: target.path },
    level: "read",
    concurrencySafe: true,
    subjects: [subjectOf("read", target)],
    title: shown,
    corrections: [],
    run: async () => ({ content: (await namesIn(target.path, (path) => permissions.isHidden(path))).join("\n") }),
  } as const;
  const request = { toolUseId: outsideCallId(session.app.ids.next()), toolName: "Read", call };
  const verdict = await permissions.authorize(request, signal);
  if (verdict.decision === "deny") {
    const text = `${shown} was not attached: ${verdict.message}`;
    return { blocks: [{ type: "text", text }], problem: `refused by ${decidedByText(verdict.decidedBy)}` };
  }
  const names = (await call.run()).content.split("\n").filter((name) => name !== "");
  const left = names.length - MAX_ENTRIES;
  const more = left > 0 ? [`[${plural(left, "more name")}; Glob lists them]`] : [];
  const text = [`The user attached the folder ${shown}. It holds:`, ...names.slice(0, MAX_ENTRIES), ...more].join("\n");
  return { blocks: [{ type: "text", text }], size: names.length === 1 ? "1 entry" : `${names.length} entries` };
}

async function namesIn(folder: string, isHidden: (path: string) => boolean): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries
    .filter(({ name }) => !isHidden(join(folder, name)))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
}

type MentionParts = {
  readonly agent: CallingAgent & {
    readonly session: Pick<SessionParts, "delegation">;
    /** The folder for `~/`, and the folder in which the session began. */
    readonly environment: Pick<ProjectEnvironment, "own" | "project">;
    readonly permissions: PermissionService;
  };
  /** Called before a call runs, with its subjects. */
  touched(subjects: readonly Subject[]): Promise<void>;
  /** Records that the model no longer has the results of these calls. */
  forgetResults(toolUseIds: ReadonlySet<string>): void;
  /** Tells the person one line. */
  notify(line: string, level?: "info"): void;
};

/**
 * The blocks of a mention for the model. `size`: a description for the person; `problem`: the reason why nothing was
 * attached.
 */
type Attached = { readonly blocks: readonly UserBlock[] } & ({ readonly size: string } | { readonly problem: string });

/** An existing file or folder that a prompt names. */
type MentionedFile = {
  readonly target: ResolvedPath;
  /** Relative to the working folder if it is inside. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly lines?: FileMention["lines"];
  readonly pages?: FileMention["pages"];
};

type MentionPlace = {
  /** The working folder now. */
  readonly cwd: string;
  /** The working folder at the start, from which the list names files. */
  readonly startedIn: string;
  readonly home: string;
};

/** The mention without the punctuation around it if it is meant as a file although there is none; otherwise nothing. */
async function missingName({ paths }: FileMention, { cwd, home }: MentionPlace): Promise<readonly string[]> {
  const path = paths.at(-1) ?? "";
  const folder = dirname(path);
  const target = await resolvePath(folder, { cwd, home }).catch(() => undefined);
  const hasFolder = target !== undefined && kindAt(target.path) === "folder";
  return looksLikeFile(path, hasFolder) ? [oneLine(path, MAX_NAME_COLUMNS)] : [];
}

/** The file or folder that a mention names; undefined if there is none. */
async function mentionedFile(
  { paths, lines, withRange = [], pages }: FileMention,
  { cwd, startedIn, home }: MentionPlace,
): Promise<MentionedFile | undefined> {
  for (const base of new Set([cwd, startedIn])) {
    for (const path of [...withRange, ...paths]) {
      const target = await resolvePath(path, { cwd: base, home }).catch(() => undefined);
      const kind = target && kindAt(target.path);
      if (!target || kind === undefined || kind === "other") continue;
      const isFolder = kind === "folder";
      const part = { ...(lines && !withRange.includes(path) && { lines }), ...(pages && { pages }) };
      return { target, shown: shownPath(cwd, target.path), isFolder, ...part };
    }
  }
  return undefined;
}

/** `@Override`, `@app.route` and `@example.com` are no files, so only these endings make a word a file's name. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|css|s[ac]ss|less|html?|xml|svg|jsonc?|ya?ml|toml|ini|cfg|conf|env|lock|md|mdx|rst|txt|log|csv|tsv|sql|sh|bash|zsh|fish|ps1|py|ipynb|rb|php|pl|lua|go|rs|java|kts?|scala|swift|dart|exs?|erl|hs|clj|c|cc|cpp|h|hpp|cs|fs|vb|r|jl|zig|nix|tf|proto|graphql|diff|patch|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|png|jpe?g|gif|webp)$/i;
/** `@server:resource` names a resource of an MCP server. */
const RESOURCE = /^[\w-]+:/;
const MAX_SHOWN = 3;

/**
 * True for a word after `@` that is meant as a file although there is none: it ends like a file, begins like a path, or its folder exists.
 * Packages such as `@types/node` have neither.
 * @param hasFolder True if the folder of the path exists.
 */
function looksLikeFile(path: string, hasFolder: boolean): boolean {
  if (RESOURCE.test(path)) return false;
  return FILE_ENDING.test(path) || /^\.\.?\/./.test(path) || (hasFolder && /[^/.]\/./.test(path));
}

/** One line about words of a prompt that name no file; undefined without any. @param names The words without `@`. */
function missingLine(names: readonly string[]): string | undefined {
  const [first, ...others] = names.map((name) => `\`@${name}\``);
  if (first === undefined) return undefined;
  if (others.length === 0) return `${first} names no file, so nothing was attached for it.`;
  const shown = [first, ...others].slice(0, MAX_SHOWN);
  const rest = names.length - shown.length;
  const [last = ""] = shown.slice(-1);
  const list = rest > 0 ? `${shown.join(", ")} and ${rest} more` : `${shown.slice(0, -1).join(", ")} and ${last}`;
  return `${list} name no file, so nothing was attached for them.`;
}
