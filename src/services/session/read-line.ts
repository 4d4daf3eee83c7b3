import { parsedJson } from "../../contracts/parsed-json.ts";
import type { Entry } from "../../contracts/session.ts";

/** The fields that every entry has, including entries of an unknown kind. */
export type Frame = {
  readonly v: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: string;
  readonly agentId?: string | undefined;
  readonly parentAgentId?: string | null | undefined;
  readonly optional?: boolean | undefined;
};

/** The parsed form of one line of a session file. */
export type ReadLine =
  | { readonly kind: "entry"; readonly entry: Entry }
  /** An entry of an unknown kind. The entry only links the entries before and after it. */
  | { readonly kind: "foreign"; readonly record: Frame }
  /** The file can't be continued. `why`: a phrase. */
  | { readonly kind: "newer"; readonly why: string }
  | { readonly kind: "malformed" };

const KNOWN: Readonly<Record<Entry["kind"], true>> = {
  session: true,
  setup: true,
  user: true,
  tools: true,
  assistant: true,
  tool_started: true,
  tool_finished: true,
  results: true,
  turn_finished: true,
  shown: true,
  cleared: true,
  compacted: true,
  note: true,
  pinned: true,
  label: true,
  worktree: true,
  uncompacted: true,
  branch: true,
};

/** True if this version reads entries of this kind. */
export function isKnownKind(kind: string): kind is Entry["kind"] {
  return Object.hasOwn(KNOWN, kind);
}

/** Parses a line that this process wrote, so that its form needs no check. */
export function parseOwnLine(line: string): ReadLine {
  const entry = parsedJson(line) as Entry | undefined;
  return entry ? { kind: "entry", entry } : { kind: "malformed" };
}
