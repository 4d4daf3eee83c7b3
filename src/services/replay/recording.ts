import { z } from "zod";
import { UserFacingError } from "../../contracts/errors.ts";
import type { AssistantMessage, ToolResultContent } from "../../contracts/message.ts";
import { withOldFacts } from "../../contracts/old-results.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { PERMISSION_MODES } from "../../contracts/permission-mode.ts";
import type { ResultFacts } from "../../contracts/result-facts.ts";

/** Version of the file format. A reader refuses a newer version. */
export const RECORDING_FORMAT = 1;
const MAKES_ONE = "`quoll sessions export <session> --replayable` creates one";
const MAX_PROBLEM_CHARS = 200;
/** Values are walked by recursion after parsing. */
const MAX_NESTING = 500;

const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const opaque = z.looseObject({ type: z.literal("opaque"), data: z.record(z.string(), z.unknown()) });
const redacted = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });
const picture = z.looseObject({
  type: z.enum(["image", "document"]),
  mediaType: z.string(),
  data: z.string(),
});
const count = z.number().nonnegative();
const message = z.looseObject({
  role: z.literal("assistant"),
  id: z.string(),
  model: z.string(),
  content: z.array(z.discriminatedUnion("type", [text, thinking, redacted, toolUse, opaque])),
  stopReason: z.string(),
  usage: z.object({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count }),
});
const relativePath = z
  .string()
  .min(1)
  .refine(
    (path) => !path.startsWith("/") && !path.includes("\0") && path.split("/").every((part) => isName(part)),
    "a path inside the project",
  );

const lines = {
  recording: z.object({
    kind: z.literal("recording"),
    format: z.literal(RECORDING_FORMAT),
    sessionId: z.string(),
    /** The version of the Quoll that created it. */
    version: z.string(),
    /** ISO 8601, UTC. */
    madeAt: z.string(),
    /** True if credentials were removed. */
    isRedacted: z.boolean(),
    /** True if the results carry their facts; absent in older files, which say them only in words. */
    hasFacts: z.literal(true).optional(),
    /** Data that a replay would need but that this file lacks, one line each. */
    missing: z.array(z.string()).readonly(),
  }),
  /** A file of the project at the start of the session. */
  file: z.object({
    kind: z.literal("file"),
    /** Relative to the project root. */
    path: relativePath,
    /** Null: the file did not exist. */
    text: z.string().nullable(),
    /** The session changed it by Edit or Write. */
    isChanged: z.boolean(),
  }),
  /** The configuration from here on. Paths contain placeholders: see path-placeholders.ts. */
  setup: z.object({
    kind: z.literal("setup"),
    /** A process began: Quoll's knowledge of files was lost. */
    isStart: z.boolean(),
    cwd: z.string(),
    /** Undefined if the session did not record it. */
    mode: z.enum(PERMISSION_MODES).optional(),
    model: z.string().optional(),
    tools: z.array(z.string()).readonly().optional(),
    platform: z.string().optional(),
    version: z.string().optional(),
    head: z.string().optional(),
  }),
  said: z.object({ kind: z.literal("said"), by: z.enum(["user", "hook", "harness"]), prompt: z.string() }),
  answer: z.object({ kind: z.literal("answer"), message }),
  result: z.object({
    kind: z.literal("result"),
    toolUseId: z.string(),
    /** True if the call was allowed and started; false if it was refused or invalid. */
    ran: z.boolean(),
    content: z.union([z.string(), z.array(z.union([text, picture]))]),
    isError: z.boolean(),
    end: z.looseObject({ kind: z.enum(["refused", "interrupted", "unanswered"]) }).optional(),
    shows: z.enum(["part", "nothing"]).optional(),
    wrote: z.enum(["new", "adapted"]).optional(),
    movedTo: z.string().optional(),
    wholeIn: z.string().optional(),
  }),
  turn_end: z.object({ kind: z.literal("turn_end"), reason: z.string() }),
} as const;

type Line<Kind extends keyof typeof lines> = Readonly<z.infer<(typeof lines)[Kind]>>;

export type RecordingHead = Line<"recording">;
export type StartFile = Line<"file">;
export type Setup = Line<"setup">;
export type RecordedResult = Omit<Line<"result">, "content" | keyof ResultFacts> & {
  readonly content: ToolResultContent;
} & ResultFacts;

/** One event, in order. */
export type Step =
  | Setup
  | Line<"said">
  | { readonly kind: "answer"; readonly message: AssistantMessage }
  | RecordedResult
  | Line<"turn_end">;

/** All data for a replay. */
export type Recording = {
  readonly head: RecordingHead;
  readonly files: readonly StartFile[];
  readonly steps: readonly Step[];
};

/** The results of the answer at `index`, by call id. */
export function resultsAfter(steps: readonly Step[], index: number): ReadonlyMap<string, RecordedResult> {
  const results = new Map<string, RecordedResult>();
  for (let at = index + 1; at < steps.length; at += 1) {
    const next = steps[at];
    if (next?.kind !== "result") break;
    results.set(next.toolUseId, next);
  }
  return results;
}

function isName(part: string): boolean {
  return part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git";
}

/** One JSON object per line: the head, the files, then the steps. */
export function formatRecording({ head, files, steps }: Recording): string {
  return [head, ...files, ...steps].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/**
 * Parses the output of `formatRecording`.
 * @param name The name for messages.
 * @throws {UserFacingError} (exit 2) the text is not a recording, has a newer format, or is damaged.
 */
export function parseRecording(source: string, name: string): Recording {
  const rows = source.split("\n");
  const head = parseHead(rows[0] ?? "", name);
  const files: StartFile[] = [];
  const steps: Step[] = [];
  for (const [index, row] of rows.entries()) {
    if (index === 0 || row.trim() === "") continue;
    const line = parseLine(row, `${name}, line ${index + 1}`);
    if (line.kind === "file") files.push(line);
    else steps.push(line.kind === "result" && !head.hasFacts ? withOldFacts(line) : line);
  }
  if (!source.endsWith("\n")) throw broken(name, "its last line is cut off");
  if (!steps.some(({ kind }) => kind === "answer")) throw broken(name, "it contains no answer of a model");
  return { head, files, steps };
}

function parseHead(row: string, name: string): RecordingHead {
  const value = parsedJson(row);
  const object = asObject(value);
  if (object?.["kind"] === "session")
    throw new UserFacingError(`${name} is a session file, not a recording: ${MAKES_ONE}.`, 2);
  if (object?.["kind"] !== "recording")
    throw new UserFacingError(`${name} is not a recording of a session: ${MAKES_ONE}.`, 2);
  const { format } = object;
  if (typeof format === "number" && format > RECORDING_FORMAT) {
    throw new UserFacingError(
      `${name} was made by a newer Quoll (format ${format}, this one reads ${RECORDING_FORMAT}): update Quoll to replay it.`,
      2,
    );
  }
  const parsed = lines.recording.safeParse(value);
  if (!parsed.success) throw broken(`${name}, line 1`, problemOf(parsed.error));
  return parsed.data;
}

function parseLine(row: string, where: string): StartFile | Step {
  const value = parsedJson(row);
  const kind = asObject(value)?.["kind"];
  if (!isKind(kind)) throw broken(where, value === undefined ? "not JSON" : `unknown kind ${JSON.stringify(kind)}`);
  if (isDeeperThan(value, MAX_NESTING)) throw broken(where, "values in it are nested too deeply");
  const parsed = lines[kind].safeParse(value);
  if (!parsed.success) throw broken(where, problemOf(parsed.error));
  // Blocks keep fields that only their provider knows.
  return parsed.data as StartFile | Step;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function isKind(kind: unknown): kind is Exclude<keyof typeof lines, "recording"> {
  return typeof kind === "string" && kind !== "recording" && Object.hasOwn(lines, kind);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join(".") ?? "";
  const what = `${where === "" ? "" : `${where}: `}${issue?.message ?? "invalid format"}`;
  return what.replace(/\s+/g, " ").slice(0, MAX_PROBLEM_CHARS);
}

function broken(where: string, problem: string): UserFacingError {
  return new UserFacingError(`${where}: the recording is damaged (${problem}). Export the session again.`, 2);
}
