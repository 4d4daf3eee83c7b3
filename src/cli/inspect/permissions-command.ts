import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { callContext } from "../../contracts/call-context.ts";
import { issueSentence } from "../../contracts/describe-issue.ts";
import { isDocumentationHost } from "../../contracts/documentation-hosts.ts";
import { errorMessage, ModelFacingError, UserFacingError } from "../../contracts/errors.ts";
import type { PermissionRequest } from "../../contracts/permission.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../contracts/permission-mode.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { ToolCall } from "../../contracts/tool.ts";
import { revealLine } from "../../faces/repl/view/reveal.ts";
import { resolvePath } from "../../platform/files/resolve-path.ts";
import { host, printProblem } from "../../platform/host.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { printLine } from "../../platform/standard-output.ts";
import { type Explanation, renderExplanation } from "../../services/permission/explanation.ts";
import { describeUnknown, unknownTool } from "../../services/permission/rules/known-tools.ts";
import { hostOf, nameExample } from "../../services/permission/rules/rule-examples.ts";
import { RuleSyntaxError, splitRule } from "../../services/permission/rules/rule-syntax.ts";
import type { PolicyOptions } from "../invocation.ts";
import { sessionConfigOf } from "../session/session-config.ts";

const MAX_TABLE_BYTES = 4 * 1024 * 1024;

const expectationsSchema = z.array(
  z.strictObject({
    call: z.string().describe("`Bash(npm test)`, `Edit(src/a.ts)` …, or a shell command"),
    expect: z.enum(["allow", "ask", "deny"]),
    mode: z.enum(PERMISSION_MODES).optional().describe("default: the mode of --permission-mode"),
  }),
);

/** Runs a command with the permission engine that judges a model's calls. No call runs. */
async function withSession(options: PolicyOptions, run: (session: Session) => number | Promise<number>) {
  const unsaved = { ...options, model: "offline", sessionPersistence: false, outputFormat: "text" } as const;
  await using session = await openSession(
    openApp({ version: "" }),
    { ...sessionConfigOf(unsaved, { startedIn: host().cwd, answerer: "person" }), asksNoModel: true },
    { startupWarning: printProblem },
  );
  return await run(session);
}

/** `quoll permissions list`. */
export function listRules(options: PolicyOptions): Promise<number> {
  return withSession(options, (session) => list(session, options.json === true));
}

/** `quoll permissions explain`. @param call `Tool(argument)`, a tool's name, or a shell command. */
export function explainCall(call: string, options: PolicyOptions): Promise<number> {
  return withSession(options, (session) => explain(session, call, options.json === true));
}

/** `quoll permissions test`. @param file A table of expected verdicts. */
export function testRules(file: string, { verbose = false, ...options }: PolicyOptions & { verbose?: boolean }) {
  return withSession(options, (session) => testTable(session, file, verbose));
}

/** The effect of each mode on calls that no rule decides about. */
const UNRULED: Readonly<Record<PermissionMode, string>> = {
  default: "Quoll asks about every call that needs permission",
  acceptEdits: "edits in the workspace run, and Quoll asks about every other call that needs permission",
  plan: "calls that change something are refused",
  auto: "a model judges the calls that need permission",
  dontAsk: "calls that need permission are refused",
  bypassPermissions: "calls run without a question",
};

function list({ main: { permissions } }: Session, asJson: boolean): number {
  const rules = permissions.describe();
  if (asJson) printLine(JSON.stringify(rules, null, 2));
  else if (rules.length === 0)
    printLine(`There are no rules: in the mode ${permissions.mode}, ${UNRULED[permissions.mode]}.`);
  else
    for (const { decision, rule, source, note } of rules)
      printLine(revealLine(line([decision.padEnd(5), rule, source, note ?? ""])));
  const consent = permissions.consent();
  if (consent.isGiven && !asJson) printLine(consent.line);
  return 0;
}

async function explain(session: Session, text: string, asJson: boolean): Promise<number> {
  const explanation = await explanationOf(session, text);
  printLine(asJson ? JSON.stringify(explanation, null, 2) : renderExplanation(explanation));
  return 0;
}

async function testTable(session: Session, file: string, isVerbose: boolean): Promise<number> {
  const rows = await readTable(file);
  if (rows.length === 0) throw new UserFacingError(`${file} is an empty table: nothing was tested.`, 2);
  const starting = session.main.permissions.mode;
  let failed = 0;
  for (const { call, expect, mode = starting } of rows) {
    setMode(session, mode);
    const explanation = await explanationOf(session, call);
    if (explanation.decision === expect) {
      if (isVerbose) printLine(`✓ ${call}: ${expect}`);
      continue;
    }
    failed += 1;
    printLine(`✗ ${call}: expected ${expect}, is ${explanation.decision}\n${indent(renderExplanation(explanation))}`);
  }
  printLine(`${rows.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function setMode({ main: { permissions } }: Session, mode: PermissionMode): void {
  if (permissions.mode !== mode) permissions.mode = mode;
}

/** @throws {UserFacingError} (exit 2) the file is missing or is not a table of examples. */
async function readTable(file: string): Promise<z.infer<typeof expectationsSchema>> {
  const text = await readSmallText(file, MAX_TABLE_BYTES).catch((cause: unknown) => {
    throw new UserFacingError(`${file} can't be read: ${errorMessage(cause)}`, 2, { cause });
  });
  if (text === undefined) throw new UserFacingError(`There is no file ${file}.`, 2);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UserFacingError(`${file} is not valid JSON: ${errorMessage(cause)}`, 2, { cause });
  }
  const parsed = expectationsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserFacingError(
    `${file}: ${issue ? issueSentence(issue, "it") : "the file is not a table"}. A table is [{ "call": "Bash(npm test)", "expect": "allow" }, …].`,
    2,
  );
}

async function explanationOf(session: Session, text: string): Promise<Explanation> {
  const request = await requestFor(session, text).catch((cause: unknown) => {
    if (!(cause instanceof ModelFacingError)) throw cause;
    throw new UserFacingError(`${oneLine(text)} can't be judged: ${errorMessage(cause)}`, 2, { cause });
  });
  return session.main.permissions.explain(request);
}

/** Reads a text as a call: `Tool(argument)`, a tool's name, or a shell command. */
async function requestFor(session: Session, text: string): Promise<PermissionRequest> {
  const { toolName, spec } = readCall(text);
  const base = { toolUseId: "explained", toolName };
  if (toolName === "Bash" && spec !== undefined) {
    const { tool } = session.main.registry.get("Bash");
    const { toolPorts, workspace } = session.main;
    const { signal } = new AbortController();
    const own = { toolUseId: "explained", cwd: workspace.cwd, signal, emit: () => undefined };
    const call = await tool.prepare({ command: spec, description: "explained" }, callContext(toolPorts, own));
    return { ...base, call };
  }
  return { ...base, call: await plainCall(session, toolName, spec) };
}

/** @throws {UserFacingError} (exit 2) the text is empty or no call. */
function readCall(text: string): { readonly toolName: string; readonly spec: string | undefined } {
  if (text.trim() === "") throw new UserFacingError("The call is empty: name a shell command, or Tool(what).", 2);
  if (!/^(?:[A-Z][A-Za-z]*|mcp__[\w-]+)(?:\(|$)/.test(text.trim())) return { toolName: "Bash", spec: text };
  // A command may contain brackets: only the outermost pair belongs to the call.
  const bash = /^\s*Bash\(([\s\S]*)\)\s*$/.exec(text)?.[1];
  if (bash !== undefined) return { toolName: "Bash", spec: bash };
  try {
    const { tool, spec } = splitRule(text);
    const unknown = unknownTool(tool);
    if (unknown !== undefined) throw new RuleSyntaxError(describeUnknown(unknown));
    return { toolName: tool, spec };
  } catch (cause) {
    throw new UserFacingError(`${text} is not a call: ${errorMessage(cause)}.`, 2, { cause });
  }
}

const READERS: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);
const WRITERS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

async function plainCall(session: Session, toolName: string, spec: string | undefined): Promise<ToolCall> {
  const level = READERS.has(toolName) ? "read" : WRITERS.has(toolName) ? "write" : "execute";
  return {
    input: {},
    level,
    concurrencySafe: false,
    subjects: spec === undefined ? [] : [await subjectOf(session, toolName, spec)],
    title: spec ?? toolName,
    corrections: [],
    run: () => Promise.reject(new Error("A call that is only explained can't run.")),
  };
}

async function subjectOf(
  { main: { workspace }, app: { own } }: Session,
  toolName: string,
  spec: string,
): Promise<Subject> {
  if (READERS.has(toolName) || WRITERS.has(toolName)) {
    const { path, given } = await resolvePath(spec, { cwd: workspace.cwd, home: own.home });
    const action = READERS.has(toolName) ? "read" : "write";
    return { action, path, ...(given !== undefined && given !== path && { given }) };
  }
  if (toolName === "WebFetch") {
    const host = hostOf(spec.trim());
    return { action: "network", host, ...(isDocumentationHost(host) && { isDocumentation: true }) };
  }
  return nameExample(spec.trim());
}

function line(cells: readonly string[]): string {
  return cells.join("  ").trimEnd();
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
