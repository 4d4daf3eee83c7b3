import type { JsonObject } from "../../contracts/message.ts";
import type { Decision } from "../../contracts/permission.ts";

/** A part of Quoll's configuration. */
export type ImportPart =
  | {
      readonly kind: "setting";
      readonly path: readonly string[];
      readonly value: unknown;
      /** True if the value is one item of a list. */
      readonly isItem: boolean;
    }
  | { readonly kind: "server"; readonly name: string; readonly entry: JsonObject }
  /**
   * A key binding. `contexts`: the contexts in which the key can be bound, the most likely first. Action null: a
   * default binding is taken away.
   */
  | {
      readonly kind: "keys";
      readonly contexts: readonly string[];
      readonly keys: string;
      readonly action: string | null;
    };

/** One entry of an imported file. If `part` is absent, the entry is left out, and `why` gives the reason. */
export type ImportLine = {
  /** The entry as its file writes it, without values that may be secret. */
  readonly read: string;
  readonly part?: ImportPart;
  readonly why?: string;
  /** Explains a difference in meaning. */
  readonly note?: string;
  /** Counting from 1. */
  readonly line?: number;
};

/** A parsed file. */
export type ReadFile = {
  readonly data: JsonObject;
  /**
   * True if the file's own folder differs from the project, so that rules for paths below the project have another
   * meaning.
   */
  readonly isOfUser: boolean;
  /** The line of a part, counted from 1; undefined if unknown. */
  lineOf(path: readonly (string | number)[]): number | undefined;
};

export type ImportReader = (file: ReadFile) => readonly ImportLine[];

export const NO_SETTING = "Quoll has no such setting";

/** Other programs limit these tools to the workspace; a rule of Quoll without a path would not. */
const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "Edit"]);
const WIDER = "a rule of Quoll would also apply outside the workspace; the mode acceptEdits allows edits inside";

export function leftOut(read: string, why: string): ImportLine {
  return { read, why };
}

export function setting(path: readonly string[], value: unknown, read = path.join(".")): ImportLine {
  return { read, part: { kind: "setting", path, value, isItem: false } };
}

export function item(path: readonly string[], value: unknown, read: string): ImportLine {
  return { read, part: { kind: "setting", path, value, isItem: true } };
}

export function rule(decision: Decision, text: string, read = `permissions.${decision}: ${text}`): ImportLine {
  return item(["permissions", decision], text, read);
}

/** A rule for every call of a tool. */
export function toolRule(decision: Decision, tool: string, read: string): ImportLine {
  return isWider(decision, tool) ? leftOut(read, WIDER) : rule(decision, tool, read);
}

/** Makes a line for each key that no part of a reader handles. */
export function otherKeys(
  data: JsonObject,
  known: ReadonlySet<string>,
  reasons: Readonly<Record<string, string>> = {},
): readonly ImportLine[] {
  return Object.keys(data).flatMap((key) => (known.has(key) ? [] : [leftOut(key, reasons[key] ?? NO_SETTING)]));
}

/** True for an allow rule that would also allow calls outside the workspace. */
export function isWider(decision: Decision, tool: string): boolean {
  return decision === "allow" && FILE_TOOLS.has(tool);
}

export function server(name: string, entry: JsonObject, read: string): ImportLine {
  return { read, part: { kind: "server", name, entry } };
}

/** The entries of an object; empty for any other value. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

export function objectOf(value: unknown): JsonObject {
  return Object.fromEntries(entriesOf(value));
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Any value as text; an object or list as JSON. */
export function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A server without its arguments, headers and variables, which may hold secrets. */
export function shownServer({ command, url }: JsonObject): string {
  const program = textOf(command);
  if (program !== undefined) return program;
  const address = textOf(url) ?? "";
  return URL.canParse(address) ? new URL(address).host : "a server";
}
