import { resolve } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { Subject as DeclaredSubject } from "@quoll/extension-api";
import { oneLine } from "@quoll/terminal-text/one-line";
import { revealText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { z } from "zod";
import type { Progress } from "../../contracts/display.ts";
import { errorMessage, InvalidInputError, ToolFailedError } from "../../contracts/errors.ts";
import { EXTENSION_TOOL_PREFIX } from "../../contracts/extension.ts";
import type { Subject } from "../../contracts/subject.ts";
import { type Tool, type ToolContext, type ToolResult, textResult } from "../../contracts/tool.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import type { AnyTool } from "./definitions.ts";
import { readDisplay } from "./tool-display.ts";
import { type FaultyCode, withinTime } from "./within-time.ts";

const CALL_MS = 120_000;
const MAX_TITLE_COLUMNS = 80;
const MAX_SUMMARY_COLUMNS = 100;
const MAX_PROGRESS_COLUMNS = 200;
const MAX_SUBJECTS = 1_000;
/** More than the model sees: the engine writes a long result to a file. */
const MAX_RESULT_CHARS = 10_000_000;

export type ExtensionToolParts = FaultyCode & {
  /** The extension's name, in printable form. */
  readonly extension: string;
  /** True for the person's own extension: its declared level and subjects are trusted. */
  readonly isOfPerson: boolean;
  /** Compiles a check of inputs; loaded at the first call. */
  checker(): Promise<(schema: unknown) => (input: Readonly<Record<string, unknown>>) => string | undefined>;
};

type Input = Readonly<Record<string, unknown>>;

const subjectsSchema = z
  .array(
    z.discriminatedUnion("action", [
      z.object({ action: z.enum(["read", "write"]), path: z.string().min(1) }),
      z.object({ action: z.literal("network"), host: z.string().min(1) }),
    ]),
  )
  .max(MAX_SUBJECTS);
const outputSchema = z.union([
  z.string(),
  z.object({ content: z.string(), isError: z.boolean().optional(), display: z.unknown().optional() }),
]);

/**
 * Converts the tool of an extension to a tool of Quoll. A call of a tool that is not the person's own has an additional
 * subject, the use of the tool, so that only a rule, a mode or a person can allow the call.
 */
export function extensionTool(definition: AnyTool, parts: ExtensionToolParts): Tool {
  const name = `${EXTENSION_TOOL_PREFIX}${definition.name}`;
  const { description, level, input: inputSchema, isConcurrencySafe = false } = definition;
  const { extension, isOfPerson } = parts;
  const check = lazy(async () => (await parts.checker())(inputSchema));
  return {
    spec: {
      name,
      summary: oneLine(description.split(/(?<=[.!?])\s|\n/)[0] ?? name, MAX_SUMMARY_COLUMNS),
      description: description.toWellFormed(),
      level: level === "none" && !isOfPerson ? "read" : level,
      inputSchema,
    },
    async prepare(raw, context) {
      const problem = (await check())(raw);
      if (problem !== undefined) throw new InvalidInputError(`The input of ${name} does not fit: ${problem}.`);
      const declared = declaredSubjects(definition, raw, context, parts);
      const subjects = isOfPerson ? declared : [...declared, { action: "use", name, extension } as const];
      const text = JSON.stringify(raw);
      return {
        input: raw,
        level: level === "none" && !isOfPerson ? "read" : level,
        concurrencySafe: isConcurrencySafe,
        subjects,
        title: truncateText(revealText(text === "{}" ? extension : text), MAX_TITLE_COLUMNS),
        preview: {
          kind: "text",
          text: revealText(`${name} of the extension ${extension}\n${JSON.stringify(raw, undefined, 2)}`),
        },
        corrections: [],
        run: (_grant, report) => call(definition, raw, { parts, context, report }),
      };
    },
  };
}

/** @throws {ToolFailedError} the extension's own code failed. */
function declaredSubjects(
  { name, subjects }: AnyTool,
  input: Input,
  { cwd }: ToolContext,
  { code, extension, fault }: ExtensionToolParts,
): readonly Subject[] {
  try {
    return subjectsSchema
      .parse(code.call(() => subjects?.(input, { cwd })) ?? [])
      .map((subject) => resolved(subject, cwd));
  } catch (error) {
    const why = error instanceof z.ZodError ? "they are not a list of subjects" : errorMessage(error);
    fault(`the subjects of ${name}: ${why}`);
    throw new ToolFailedError(`${name} failed: the extension ${extension} could not tell what the call touches.`, {
      cause: error,
    });
  }
}

function resolved(subject: DeclaredSubject, cwd: string): Subject {
  if (subject.action === "network") return subject;
  const given = resolve(cwd, subject.path);
  const path = realPathOrSelf(given);
  return { action: subject.action, path, ...(given !== path && { given }) };
}

type Calling = {
  readonly parts: ExtensionToolParts;
  readonly context: ToolContext;
  report(progress: Progress): void;
};

/** @throws {ToolFailedError} the extension's code threw, took too long or answered with something else than a text. */
async function call(definition: AnyTool, input: Input, calling: Calling): Promise<ToolResult> {
  const { parts, context, report } = calling;
  const { clock, code, fault, extension } = parts;
  const { name, timeoutMs: ms = CALL_MS } = definition;
  const startedMs = clock.monotonicMs();
  const progress = (line: unknown) => {
    const tail = [oneLine(String(line), MAX_PROGRESS_COLUMNS)];
    const elapsedMs = clock.monotonicMs() - startedMs;
    code.leave(() => report({ tail, totalLines: 1, bytes: 0, elapsedMs }));
  };
  try {
    const { cwd, signal } = context;
    const answer = await withinTime(
      (limited) => definition.run(structuredClone(input), { cwd, signal: limited, progress }),
      { clock, code, ms, signal },
    );
    const output = outputSchema.safeParse(answer);
    if (!output.success) throw new Error("it returned no text");
    if (typeof output.data === "string") return textResult(cut(output.data));
    const { content, isError, display } = output.data;
    const shown = display === undefined ? undefined : readDisplay(display);
    // The model gets its text in any case.
    if (shown?.problem !== undefined) fault(`the display of ${name}: ${shown.problem}`);
    return textResult(cut(content), { ...(isError && { isError }), ...(shown?.display && { display: shown.display }) });
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    const why = errorMessage(error);
    fault(`${name}: ${why}`);
    throw new ToolFailedError(`${name} of the extension ${extension} failed: ${why}`, { cause: error });
  }
}

function cut(text: string): string {
  const whole = text.slice(0, MAX_RESULT_CHARS).toWellFormed();
  return text.length <= MAX_RESULT_CHARS ? whole : `${whole}\n[cut: the result has ${text.length} characters]`;
}
