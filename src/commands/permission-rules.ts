import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult, FormResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Decision, RuleDescription } from "../contracts/permission.ts";
import { SETTING_SCOPES, type SettingScope } from "../contracts/setting-sources.ts";
import type { SettingsView } from "../contracts/settings-view.ts";
import { yesNo } from "./yes-no.ts";

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
const TITLE = "Permissions";
const FIELD = "rule";
const SESSION = "session";
const YES = "--yes";
const EXAMPLE = "Bash(npm test *)";
const ADD = /^add(?:\s+(\S+))?(?:\s+(deny|ask|allow))?(?:\s+(\S[\s\S]*))?$/;
const REMOVE = /^remove\s+(--yes\s+)?(\S+)\s+(deny|ask|allow)\s+(\S[\s\S]*)$/;

/** The place of a rule: a file that `quoll config` writes, or this session. */
type RuleScope = SettingScope | typeof SESSION;
type RuleAt = { readonly place: RuleScope; readonly decision: Decision; readonly rule: string };

const WORDS: Readonly<Record<Decision, string>> = {
  deny: "never, whatever else allows it",
  ask: "only after a question",
  allow: "without a question",
};

/** The list of rules with the keys that change them. `overview`: the same for a face without lists. */
export function ruleList(
  { permissions }: CommandContext,
  overview: readonly string[],
  before: readonly string[] = [],
): CommandResult {
  const { line, isGiven } = permissions.consent();
  const consent: Choice = {
    label: line,
    detail: isGiven ? "enter revokes it" : "",
    input: isGiven ? "/permissions revoke sandbox" : "/permissions",
    about: [
      isGiven ? "Enter revokes this consent." : "A question about a command in the sandbox can give this consent.",
    ],
  };
  return {
    kind: "choose",
    title: TITLE,
    choices: [
      { label: "add a rule …", detail: "", input: "/permissions add", about: ["Allow, ask about or deny calls."] },
      ...permissions.describe().map(ruleChoice),
      consent,
    ],
    ...(before.length > 0 && { before }),
    lines: overview,
  };
}

/** Enter on a rule asks whether to remove it; a rule in a file of somebody else stays. */
function ruleChoice({ decision, rule, source, layer, note }: RuleDescription): Choice {
  const place = placeOf(layer);
  const why = note === undefined ? [] : [`No effect now: ${note}.`];
  const hint = place === undefined ? "read-only: its file is not yours" : "Enter removes it.";
  return {
    label: `${decision.padEnd("allow".length)}  ${rule}`,
    detail: source,
    brief: place === undefined ? "read-only" : (layer ?? ""),
    input: place === undefined ? "/permissions" : `/permissions remove ${place} ${decision} ${rule}`,
    about: [`${rule}: ${WORDS[decision]}`, `${source} · ${hint}`, ...why],
  };
}

function placeOf(layer: string | undefined): RuleScope | undefined {
  return layer === SESSION ? SESSION : SETTING_SCOPES.find((scope) => scope === layer);
}

/** `add …` or `remove …`. @returns undefined for other words. @throws {UserFacingError} the rule can't be changed. */
export async function changeRules(
  words: string,
  context: CommandContext,
  overview: () => readonly string[],
): Promise<CommandResult | undefined> {
  const toRemove = REMOVE.exec(words);
  if (toRemove) return remove(toRemove, context, overview);
  const toAdd = ADD.exec(words);
  if (!toAdd) return undefined;
  const [, named = "user", decision, rule] = toAdd;
  const scope = SETTING_SCOPES.find((one) => one === named);
  if (!scope)
    throw withExample(`There is no scope "${named}": choose ${SETTING_SCOPES.join(", ")}.`, {
      scope: "user",
      decision: decision ?? "allow",
    });
  const view = await settingsOf(context);
  const wanted = DECISIONS.find((one) => one === decision);
  if (!wanted) return kindList(scope, view);
  const save = async (text: string) => {
    const { lines, warnings } = await view.edit({
      what: "set",
      key: `permissions.${wanted}`,
      scope,
      value: text,
      adds: true,
    });
    return [...lines, ...warnings];
  };
  if (rule === undefined)
    return ruleForm(wanted, scope, async (text) => ruleList(context, overview(), await save(text)), {});
  const lines = await save(rule).catch((cause: unknown) => {
    if (!(cause instanceof UserFacingError)) throw cause;
    throw withExample(cause.message, { scope, decision: wanted }, cause);
  });
  return { kind: "text", lines };
}

/** An error with an example that works. */
function withExample(
  problem: string,
  { scope, decision }: { readonly scope: string; readonly decision: string },
  cause?: unknown,
): UserFacingError {
  return new UserFacingError(`${problem} For example: \`/permissions add ${scope} ${decision} ${EXAMPLE}\``, 1, {
    cause,
  });
}

async function settingsOf({ settings }: CommandContext): Promise<SettingsView> {
  const view = await settings?.();
  if (!view) throw new UserFacingError("`quoll config set permissions.deny <rule> --add` in a shell adds a rule.");
  return view;
}

function kindList(scope: SettingScope, { files }: SettingsView): CommandResult {
  const next = SETTING_SCOPES[(SETTING_SCOPES.indexOf(scope) + 1) % SETTING_SCOPES.length] ?? "user";
  return {
    kind: "choose",
    title: "Add a rule",
    choices: DECISIONS.map((decision) => ({
      label: decision,
      detail: WORDS[decision],
      input: `/permissions add ${scope} ${decision}`,
      about: [`The rule goes to ${files[scope]}.`],
    })),
    shortcuts: [{ letter: "p", label: `file: ${scope}`, input: `/permissions add ${next}` }],
    back: "/permissions",
    lines: ["`/permissions add user deny <rule>` adds a rule."],
  };
}

/** A rule that the parser refuses comes back with the reason. */
function ruleForm(
  decision: Decision,
  scope: SettingScope,
  save: (rule: string) => Promise<CommandResult>,
  given: { readonly value?: string; readonly problem?: string },
): FormResult {
  return {
    kind: "form",
    title: `${decision[0]?.toUpperCase()}${decision.slice(1)}`,
    fields: [{ name: FIELD, label: `a rule, such as ${EXAMPLE}`, ...given }],
    lines: [`\`/permissions add ${scope} ${decision} <rule>\` adds a rule.`],
    back: `/permissions add ${scope}`,
    async submit({ [FIELD]: rule = "" }) {
      try {
        return await save(rule);
      } catch (error) {
        if (!(error instanceof UserFacingError)) throw error;
        return ruleForm(decision, scope, save, { value: rule, problem: error.message });
      }
    },
  };
}

async function remove(
  [, yes, named = "", kind, rule = ""]: RegExpExecArray,
  context: CommandContext,
  overview: () => readonly string[],
): Promise<CommandResult> {
  const place = placeOf(named);
  const decision = DECISIONS.find((one) => one === kind);
  const known = context.permissions
    .describe()
    .find((one) => one.rule === rule && one.decision === decision && placeOf(one.layer) === place);
  if (!place || !decision || !known) throw new UserFacingError(`There is no ${kind} rule ${rule} in ${named}.`);
  if (yes === undefined) return removalQuestion({ place, decision, rule }, known.source);
  return ruleList(context, overview(), await removed({ place, decision, rule }, context));
}

function removalQuestion({ place, decision, rule }: RuleAt, source: string): CommandResult {
  const input = `/permissions remove ${YES} ${place} ${decision} ${rule}`;
  return yesNo({
    title: `Remove the ${decision} rule ${rule} of ${source}?`,
    no: { input: "/permissions" },
    yes: { label: "Yes, remove it", input },
    back: "/permissions",
    lines: [`\`${input}\` removes it.`],
  });
}

async function removed({ place, decision, rule }: RuleAt, context: CommandContext): Promise<readonly string[]> {
  if (place === SESSION) {
    const refused = context.permissions.changeRules?.({ kind: "remove", decision, rules: [rule] }, "the person") ?? [
      rule,
    ];
    return [refused.length === 0 ? `Removed ${rule} for this session.` : `${rule} can't be removed in this session.`];
  }
  const view = await settingsOf(context);
  const { lines, isSame } = await view.edit({
    what: "unset",
    key: `permissions.${decision}`,
    scope: place,
    value: rule,
  });
  return isSame ? [...lines, `A rule with examples is removed in ${view.files[place]} itself.`] : lines;
}
