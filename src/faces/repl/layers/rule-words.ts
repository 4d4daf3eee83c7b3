import { splitSuggestions } from "../../../contracts/outside-pattern.ts";

/** The host of a rule about pages, without patterns. */
const PAGES_OF = /^WebFetch\(domain:([\w.-]+)\)$/;
const FIXED: ReadonlyMap<string, string> = new Map([
  ["WebFetch(documentation)", "pages of known documentation sites"],
  ["WebSearch", "all web searches"],
]);

/** Rules in words for people: commands as typed, edits and pages in plain words, other rules as written. */
export function rulesInWords(rules: readonly string[]): string {
  const { rules: allowed, outside } = splitSuggestions(rules);
  const outsideRules = outside.map((pattern) => `Bash(${pattern})`);
  // A command that may run outside the sandbox may run inside it too.
  const inside = allowed.filter((rule) => !outsideRules.includes(rule));
  const all = [...inside.map(inWords), ...outsideRules.map((rule) => `${inWords(rule)} outside the sandbox`)];
  return [...all.slice(0, -2), all.slice(-2).join(" and ")].join(", ");
}

function inWords(rule: string): string {
  const host = PAGES_OF.exec(rule)?.[1];
  const known = host === undefined ? FIXED.get(rule) : `pages of ${host}`;
  return known ?? commandWords(rule) ?? pathWords(rule) ?? toolWords(rule) ?? quoted(rule);
}

/** `Bash(npm test *)` → `npm test …`. A pattern with another star is shown as written. */
function commandWords(rule: string): string | undefined {
  const spec = /^Bash\((.+)\)$/s.exec(rule)?.[1];
  if (spec === undefined) return undefined;
  const isFamily = spec.endsWith(" *");
  const command = unescaped(isFamily ? spec.slice(0, -2) : spec, /[*()]/);
  return command && quoted(`${command}${isFamily ? " …" : ""}`);
}

/** As code; a text with a backtick is between quotation marks, because its end could not be told. */
function quoted(text: string): string {
  return text.includes("`") ? `“${text}”` : `\`${text}\``;
}

const VERBS = { Edit: "edits", Read: "reads" } as const;

/** `Edit(/src/**)` → "edits in src/". A path with another pattern is shown as written. */
function pathWords(rule: string): string | undefined {
  const [, tool, spec = ""] = /^(Edit|Read)\(\/(.*)\)$/s.exec(rule) ?? [];
  if (tool !== "Edit" && tool !== "Read") return undefined;
  const verb = VERBS[tool];
  if (spec === "**") return `all ${verb} of this project`;
  const isFolder = spec.endsWith("/**");
  const path = unescaped(isFolder ? spec.slice(0, -3) : spec, /[*?[\]{}!#()]/);
  return path && `${verb} ${isFolder ? `in ${path}/` : `of ${path}`}`;
}

function toolWords(rule: string): string | undefined {
  const [, kind, name, rest] = /^(Agent|Skill)\(([\w.:@/-]+)( \*)?\)$/.exec(rule) ?? [];
  if (kind !== undefined) return `the ${kind.toLowerCase()} ${name}${rest === undefined ? "" : " …"}`;
  const [, server, tool] = /^mcp__([\w.-]+?)__([\w.-]+)$/.exec(rule) ?? [];
  return tool && `${tool} of ${server}`;
}

/** The text behind the backslashes; undefined for an empty text, and for one with a special character that has none. */
function unescaped(spec: string, special: RegExp): string | undefined {
  const isPattern = special.test(spec.replace(/\\./gs, ""));
  return isPattern || spec === "" ? undefined : spec.replace(/\\(.)/gs, "$1");
}
