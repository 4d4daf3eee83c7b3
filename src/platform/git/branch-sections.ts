/** The settings that connect a branch to its upstream. */
export const TRACKING_KEYS = ["remote", "merge", "rebase"] as const;
type TrackingKey = (typeof TRACKING_KEYS)[number];

/** `values`: the settings to write; undefined removes all of `TRACKING_KEYS`. */
export type BranchChange = {
  readonly branch: string;
  readonly values: Readonly<Partial<Record<TrackingKey, string>>> | undefined;
};

const HEADER = /^\s*\[/;
const SETTING = /^\s*(\w+)\s*=.*(?<!\\)$/;
const PLAIN_VALUE = /^[\w./@+-]+$/;

export function changedKeys({ values }: BranchChange): readonly TrackingKey[] {
  return TRACKING_KEYS.filter((key) => !values || values[key] !== undefined);
}

/**
 * Changes the tracking settings in the text of a repository's settings file. Only understands sections as git writes
 * them, one setting a line; the caller lets git compare the texts, because a person may have written them differently.
 * @param text May hold any bytes, one character each (latin1), and so may names and values.
 */
export function withTracking(text: string, changes: readonly BranchChange[]): string {
  let lines = text.split("\n");
  for (const change of changes) lines = withoutTracking(lines, change);
  const kept = lines.join("\n");
  const added = changes.map(sectionOf).join("");
  return added === "" || kept === "" || kept.endsWith("\n") ? kept + added : `${kept}\n${added}`;
}

/** An empty section is removed too. */
function withoutTracking(lines: readonly string[], change: BranchChange): string[] {
  const header = `[branch "${escaped(change.branch)}"]`;
  const keys: readonly string[] = changedKeys(change);
  const isChanged = (line: string) => keys.includes(SETTING.exec(line)?.[1]?.toLowerCase() ?? "");
  const isOurs = (line: string) => line.trim().replace(/^\[branch/i, "[branch") === header;
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    while (end < lines.length && !HEADER.test(lines[end] ?? "")) end += 1;
    const section = lines.slice(at, end);
    const left = isOurs(section[0] ?? "") ? section.filter((line) => !isChanged(line)) : section;
    const isEmptied = left.length < section.length && left.slice(1).every((line) => line.trim() === "");
    // The last line break of the file is not part of the section.
    kept.push(...(isEmptied ? (end === lines.length ? [""] : []) : left));
    at = end;
  }
  return kept;
}

function sectionOf({ branch, values }: BranchChange): string {
  const settings = TRACKING_KEYS.flatMap((key) => {
    const value = values?.[key];
    return value === undefined ? [] : [`\t${key} = ${PLAIN_VALUE.test(value) ? value : `"${escaped(value)}"`}\n`];
  });
  return settings.length === 0 ? "" : `[branch "${escaped(branch)}"]\n${settings.join("")}`;
}

function escaped(text: string): string {
  return text.replace(/["\\]/g, "\\$&");
}
