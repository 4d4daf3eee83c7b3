import { callTarget } from "../../contracts/call-target.ts";
import { mapTexts } from "../../contracts/map-texts.ts";
import type { AssistantBlock } from "../../contracts/message.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { Entry } from "../../contracts/session.ts";
import { namedFew } from "../../contracts/words.ts";
import { makeSteps } from "./make-steps.ts";
import { type PlaceholderFolders, withPlaceholders } from "./path-placeholders.ts";
import { RECORDING_FORMAT, type Recording, type StartFile, type Step } from "./recording.ts";
import { type PresentText, startFiles } from "./start-files.ts";

const MAX_NAMED = 5;

export type RecordingSource = {
  readonly sessionId: string;
  /** The conversation, oldest first. */
  readonly entries: readonly Entry[];
  /** The version of this Quoll. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  readonly places: PlaceholderFolders;
  readonly present: PresentText;
  /** True if a replay has the project, so that files that were only searched or run come from it. */
  readonly hasProject?: boolean;
};

/** A session as a recording, before redaction. Folders of this machine are placeholders. */
export async function makeRecording(source: RecordingSource): Promise<Recording> {
  const { sessionId, entries, version, madeAt, places, present, hasProject = false } = source;
  const found = makeSteps(entries);
  const [root = "/"] = places.project;
  const [home = "/"] = places.home;
  const { files, unknown } = await startFiles(found, { root, home, present });
  const hide = withPlaceholders(places);
  const steps = found.map((step) => mapTexts(step, hide));
  const missing = [...missingSetup(steps), ...missingFiles(unknown), ...missingRest(steps, hasProject)];
  const head = { kind: "recording", format: RECORDING_FORMAT, sessionId, version, madeAt, hasFacts: true } as const;
  return { head: { ...head, isRedacted: false, missing }, files: files.map((file) => mapTexts(file, hide)), steps };
}

/**
 * The recording without credentials. Two passes, because a value that is recognised late must also be hidden where it
 * occurs early.
 */
export function redactRecording({ head, files, steps }: Recording, redactor: Redactor): Recording {
  const hide = <Line extends StartFile | Step>(line: Line): Line => redactLine(line, redactor);
  const first = { files: files.map(hide), steps: steps.map(hide) };
  const redacted = { files: first.files.map(hide), steps: first.steps.map(hide) };
  // Contains file names.
  const missing = head.missing.map((line) => redactor.redact(line));
  return { head: { ...head, missing, isRedacted: true }, ...redacted };
}

/** First each text is redacted, then the whole line, because a field's name may show that its value is secret. */
function redactLine<Line extends StartFile | Step>(line: Line, redactor: Redactor): Line {
  const each = mapTexts(line, (text) => redactor.redact(text));
  const source = JSON.stringify(each);
  const hidden = redactor.redact(source);
  if (hidden === source) return each;
  return orUndefined(() => JSON.parse(hidden) as Line) ?? each;
}

function missingSetup(steps: readonly Step[]): readonly string[] {
  return steps.some((step) => step.kind === "setup" && step.mode !== undefined)
    ? []
    : ["mode, tools and platform of the session (an older Quoll did not note them)"];
}

function missingFiles(unknown: readonly string[]): readonly string[] {
  if (unknown.length === 0) return [];
  return [`the state before the session of ${namedFew(unknown, MAX_NAMED)}`];
}

/** Data that no recording contains and that a replay of this recording would need. */
function missingRest(steps: readonly Step[], hasProject: boolean): readonly string[] {
  const names = new Set(steps.flatMap((step) => (step.kind === "answer" ? step.message.content : [])).map(nameOf));
  return [
    ...(names.has("Bash") && !hasProject ? ["files that only commands read or changed"] : []),
    ...((names.has("Glob") || names.has("Grep")) && !hasProject ? ["files that only searches found"] : []),
    ...([...names].some((name) => name?.startsWith("mcp__")) ? ["the servers of MCP tools"] : []),
  ];
}

function nameOf(block: AssistantBlock): string | undefined {
  return block.type === "tool_use" ? callTarget(block).name : undefined;
}
