import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import { oneLine } from "@quoll/terminal-text/one-line";
import { revealText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { z } from "zod";
import type { Progress } from "../../../contracts/display.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import type { Level, Tool, ToolContext, ToolResult, ToolSpec } from "../../../contracts/tool.ts";
import { coerceInput } from "../../../contracts/tool-input.ts";
import { MAX_DESCRIPTION_CHARS } from "../mcp-limits.ts";
import { type AdaptedSchema, adaptSchema, restoreFields } from "./adapt-schema.ts";
import { type CheckInput, withoutPatterns } from "./input-checker.ts";
import { cutText } from "./sanitize-schema.ts";

const MAX_TITLE_COLUMNS = 80;
const MAX_PROBLEM_CHARS = 800;
const MAX_HINT_CHARS = 200;
/** The key in a tool's `_meta` that helps to find the tool. */
const SEARCH_HINT = "anthropic/searchHint";

const hint = z.boolean().optional().catch(undefined);
/** A tool as a server declares it, with a tolerant schema. */
export const toolDefinitionSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().catch(""),
  inputSchema: z.unknown(),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  _meta: z.record(z.string(), z.unknown()).optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: hint,
      destructiveHint: hint,
      openWorldHint: hint,
    })
    .optional()
    .catch(undefined),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

export type McpCall = {
  readonly tool: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  report(progress: Progress): void;
  /** The problem of a structured result that does not fit the tool's own schema; undefined if it fits. */
  checkOutput?(answer: {
    readonly structuredContent?: unknown;
    readonly isError?: boolean | undefined;
  }): string | undefined;
};

export type McpToolDeps = {
  /** The server's configured name, in printable form. */
  readonly server: string;
  /** The tool's name for the model. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** It is never deferred. */
  readonly alwaysLoad?: boolean;
  /** Compiles the server's schema; used at the first call. */
  checker(schema: unknown): CheckInput;
  call(call: McpCall): Promise<ToolResult>;
};

/**
 * Converts a server's tool to a tool of Quoll. The server's own hints affect its description and order, but never its
 * permissions: its calls have no subjects, so only a rule, a mode or a person can allow them.
 */
export function mcpTool(deps: McpToolDeps): Tool {
  const { server, definition } = deps;
  const adapted = adaptSchema(definition.inputSchema);
  const level = levelOf(definition);
  const isReadOnly = definition.annotations?.readOnlyHint === true;
  const shownName = oneLine(definition.name, 60);
  let check: CheckInput | undefined;
  return {
    spec: specOf(deps, adapted, level),
    async prepare(raw, context) {
      check ??= deps.checker(definition.inputSchema);
      const fitted = fit(raw, { tool: deps.name, adapted, check });
      const input = restoreFields(fitted.input, adapted.renamed);
      return {
        input: fitted.input,
        level,
        concurrencySafe: isReadOnly,
        subjects: [],
        title: truncateText(`${server} · ${shownName} ${revealText(shortInput(input))}`.trimEnd(), MAX_TITLE_COLUMNS),
        preview: { kind: "text", text: revealText(`${server}: ${shownName}\n${JSON.stringify(input, undefined, 2)}`) },
        corrections: fitted.corrections,
        run: (_grant, report) =>
          deps.call({ ...callOf(definition.name, input, context, report), checkOutput: outputCheck(deps) }),
      };
    },
  };
}

function outputCheck({ definition, checker }: McpToolDeps): NonNullable<McpCall["checkOutput"]> {
  const { outputSchema } = definition;
  return ({ structuredContent, isError }) =>
    outputSchema && isJsonObject(structuredContent) && isError !== true
      ? checker(outputSchema)(structuredContent)?.replace(/(^|, )input(?=[/ ])/g, "$1output")
      : undefined;
}

function callOf(tool: string, input: JsonObject, { signal }: ToolContext, report: McpCall["report"]): McpCall {
  return { tool, input, signal, report };
}

function specOf({ server, name, definition, alwaysLoad }: McpToolDeps, adapted: AdaptedSchema, level: Level): ToolSpec {
  const title = definition.title ?? definition.annotations?.title;
  const hint = definition._meta?.[SEARCH_HINT];
  const hints = [title, typeof hint === "string" ? hint.slice(0, MAX_HINT_CHARS) : undefined].filter(Boolean);
  const said = cutText(definition.description.trim(), MAX_DESCRIPTION_CHARS);
  const description = said || title || `The tool ${definition.name} of the MCP server ${server}.`;
  return {
    name,
    summary: oneLine(title ?? (definition.description.split(/(?<=[.!?])\s|\n/)[0] || definition.name), 100),
    description: [description, adapted.note]
      .filter((part) => part !== "")
      .join("\n\n")
      .toWellFormed(),
    level,
    inputSchema: adapted.schema,
    ...(alwaysLoad && { alwaysLoad: true }),
    ...(hints.length > 0 && { searchHint: hints.join(" ") }),
  };
}

/** The lowest level that the tool's hints allow; a tool without hints may do anything (MCP, ToolAnnotations). */
function levelOf({ annotations }: ToolDefinition): Level {
  if (annotations?.readOnlyHint === true) return "read";
  if (annotations?.destructiveHint !== false) return "execute";
  return annotations.openWorldHint === false ? "write" : "network";
}

type Fitting = { readonly tool: string; readonly adapted: AdaptedSchema; readonly check: CheckInput };

type Fitted = { readonly input: JsonObject; readonly corrections: readonly string[] };

/** The input in the form of the schema; corrects its form if that makes it fit. */
function fit(raw: JsonObject, { tool, adapted, check }: Fitting): Fitted {
  const problem = check(restoreFields(raw, adapted.renamed));
  if (problem === undefined) return { input: raw, corrections: [] };
  const { value: input, corrections } = corrected(raw, adapted.schema);
  if (corrections.length > 0 && check(restoreFields(input, adapted.renamed)) === undefined)
    return { input, corrections };
  throw unfit(tool, problem, adapted);
}

/** The input with the corrections that Quoll's own tools make; a field that zod can't express stays as it was sent. */
export function corrected(raw: JsonObject, schema: JsonObject): ReturnType<typeof coerceInput> {
  const plain = withoutPatterns(schema);
  return coerceInput({ ...raw }, formOf(plain) ?? formOfFields(plain), {});
}

function formOf(schema: JsonObject): z.ZodObject | undefined {
  const form = orUndefined(() => z.fromJSONSchema(schema));
  return form instanceof z.ZodObject ? form : undefined;
}

function formOfFields(schema: JsonObject): z.ZodObject {
  const { properties, required, $defs, definitions } = schema;
  const names = Array.isArray(required) ? required : [];
  // References of a field lead into the definitions.
  const base = {
    type: "object",
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
  const fields = Object.entries(objectOf(properties)).map(([name, field]) => {
    const form = formOf({ ...base, properties: { [name]: field }, required: names.filter((one) => one === name) });
    return [name, form?.shape[name] ?? z.unknown()] as const;
  });
  return z.object(Object.fromEntries(fields));
}

function unfit(tool: string, problem: string, { schema }: AdaptedSchema): InvalidInputError {
  const fields = Object.keys(objectOf(schema["properties"]));
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const list = fields.map((field) => (required.has(field) ? field : `${field}?`)).join(", ") || "none";
  const shown =
    problem.length > MAX_PROBLEM_CHARS ? `${withoutCutEnd(problem.slice(0, MAX_PROBLEM_CHARS))} …` : problem;
  return new InvalidInputError(`The input of ${tool} does not fit: ${shown}. Its fields are: ${list}.`.toWellFormed());
}

function shortInput(input: JsonObject): string {
  const text = JSON.stringify(input);
  return text === "{}" ? "" : text.slice(0, MAX_TITLE_COLUMNS);
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
