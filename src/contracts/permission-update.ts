import { z } from "zod";
import type { RuleChange } from "./permission.ts";
import { PERMISSION_MODES, type PermissionMode } from "./permission-mode.ts";

/** A permission change in an answer. */
export type PermissionUpdate =
  /** `isKept`: the change also applies after this session. */
  | { readonly kind: "rules"; readonly change: RuleChange; readonly isKept: boolean }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  /** A change that is not possible in this run, as one line. */
  | { readonly kind: "unknown"; readonly problem: string };

const CHANGES = { addRules: "add", replaceRules: "replace", removeRules: "remove" } as const;
const rulesSchema = z.looseObject({
  type: z.enum(["addRules", "replaceRules", "removeRules"]),
  behavior: z.enum(["allow", "ask", "deny"]),
  destination: z.string(),
  rules: z.array(z.looseObject({ toolName: z.string().min(1), ruleContent: z.string().nullish() })),
});
const FOLDERS = "only a person adds folders (--add-dir, /add-dir)";
/** Known changes that are not supported. */
const REFUSED: Readonly<Record<string, string>> = { addDirectories: FOLDERS, removeDirectories: FOLDERS };
const modeSchema = z.looseObject({ type: z.literal("setMode"), mode: z.enum(PERMISSION_MODES) });
/** The destinations that end with the session; every other destination is a settings file. */
const PASSING: ReadonlySet<string> = new Set(["session", "cliArg"]);

/** Reads one of the `updatedPermissions` of an answer. */
export function readPermissionUpdate(value: unknown): PermissionUpdate {
  const rules = rulesSchema.safeParse(value);
  if (rules.success) {
    const { type, behavior: decision, destination } = rules.data;
    const texts = rules.data.rules.map(({ toolName, ruleContent }) => ruleText(toolName, ruleContent));
    const change = { kind: CHANGES[type], decision, rules: texts };
    return { kind: "rules", change, isKept: !PASSING.has(destination) };
  }
  const mode = modeSchema.safeParse(value);
  if (mode.success) return { kind: "mode", mode: mode.data.mode };
  const type = z.looseObject({ type: z.string() }).safeParse(value);
  const name = type.success ? type.data.type : "without a type";
  const why = REFUSED[name] ?? "it has an unknown form";
  return { kind: "unknown", problem: `A permission change (${name}) was ignored: ${why}.` };
}

function ruleText(toolName: string, content: string | null | undefined): string {
  return content ? `${toolName}(${content})` : toolName;
}
