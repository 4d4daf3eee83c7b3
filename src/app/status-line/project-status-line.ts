import type { Approvable } from "../../contracts/approval.ts";
import type { StatusLineSettings } from "../../contracts/settings.ts";
import type { LoadedSettings } from "../../services/config/load-settings.ts";
import { statusLineApprovable } from "../../services/trust/status-line-approvable.ts";

/** A command or a template as it was written. */
export type WrittenLine = { readonly type: "command" | "template"; readonly text: string };

/** The status line commands of the project's own file, as items to approve. */
export function statusLineItems({ layers }: Pick<LoadedSettings, "layers">, root: string): readonly Approvable[] {
  return layers.flatMap(({ name, value: { statusLine }, file }) => {
    const line = name === "project" && statusLine ? lineOf(statusLine) : undefined;
    return line?.type === "command" ? [statusLineApprovable(line.text, file, root)] : [];
  });
}

/** @returns undefined for a setting without a text of its type. */
export function lineOf({ type, command, template }: StatusLineSettings): WrittenLine | undefined {
  const kind = type ?? (command === undefined ? "template" : "command");
  const text = kind === "command" ? command : template;
  return text === undefined ? undefined : { type: kind, text };
}
