import { relative } from "node:path";
import { revealedLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { type Approvable, type Approvals, KIND_NAMES } from "../../../contracts/approval.ts";
import type { HeldSetting } from "../../../contracts/settings.ts";
import { namedFew } from "../../../contracts/words.ts";

/** Names in one line. */
const MAX_NAMED = 5;
const MAX_NAME_COLUMNS = 100;

type Kind = Approvable["kind"];

/** Describes, for one and for several items of a kind, the effect that they don't have in an untrusted folder. */
const WITHOUT: Readonly<Record<Kind, readonly [one: string, several: string]>> = {
  hook: ["does not run", "do not run"],
  "mcp-server": ["does not start", "do not start"],
  "status-line": ["does not run", "do not run"],
  extension: ["is not loaded", "are not loaded"],
  plugin: ["is not used", "are not used"],
  agent: ["does not start", "do not start"],
  skill: ["runs no commands and allows no calls", "run no commands and allow no calls"],
};

/** One line for each kind of content that has no effect because nobody could be asked whether the folder is trusted. */
export function untrustedLines(
  root: string,
  held: readonly HeldSetting[],
  items: readonly Approvable[],
): readonly string[] {
  const settings = held.map(({ file, line, what }) => `${named(what)} (${relative(root, file)}:${line})`);
  const ofSettings =
    settings.length === 1 ? "1 setting is ignored" : `${plural(settings.length, "setting")} are ignored`;
  const parts = [
    ...(settings.length > 0 ? [`${ofSettings}: ${namedFew(settings, MAX_NAMED)}`] : []),
    ...byKind(items).map(
      ({ kind, count, names }) =>
        `${count} ${WITHOUT[kind][names.length === 1 ? 0 : 1]}: ${namedFew(names, MAX_NAMED)}`,
    ),
  ];
  return parts.map(
    (part, at) =>
      `this folder is not trusted, so ${part}.${at === parts.length - 1 ? " To let all this take effect in this run, add --trust." : ""}`,
  );
}

const TO_APPROVE = "Start quoll without -p to see it, or add --trust.";

/**
 * One line about content that is left out because nobody could be asked, and one about hooks that refuse what they
 * guard because they have changed.
 */
export function unapprovedLines(items: readonly Approvable[], approvals: Pick<Approvals, "state">): readonly string[] {
  const isGuard = (item: Approvable) => item.kind === "hook" && approvals.state(item) === "changed";
  const guards = namedKinds(items.filter(isGuard));
  const others = namedKinds(items.filter((item) => !isGuard(item)));
  return [
    ...(guards === ""
      ? []
      : [
          `what these hooks guard is refused, because their files have changed since you approved them: ${guards}. ${TO_APPROVE}`,
        ]),
    ...(others === "" ? [] : [`left out, because you have not approved this content: ${others}. ${TO_APPROVE}`]),
  ];
}

function namedKinds(items: readonly Approvable[]): string {
  return byKind(items)
    .map(({ count, names }) => `${count} (${namedFew(names, MAX_NAMED)})`)
    .join(", ");
}

function byKind(items: readonly Approvable[]) {
  return [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, ofKind]) => ({
    kind,
    count: plural(ofKind.length, KIND_NAMES[kind]),
    names: ofKind.map(({ name }) => `"${named(name)}"`),
  }));
}

function named(text: string): string {
  return revealedLine(text, MAX_NAME_COLUMNS);
}
