import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Theme } from "./theme.ts";

export type Welcome = { readonly version: string; readonly cwd: string };

const HINTS = [
  "Say what you want done. / lists commands, ? shows keys, !cmd runs a command.",
  "/ lists commands, ? shows keys",
] as const;

/** The two lines at the start of a session, which are part of the first paint, so imports of this file delay it. */
export function welcomeLines({ version, cwd }: Welcome, theme: Theme, columns: number): readonly string[] {
  const hint = HINTS.find((one) => textWidth(one) <= columns) ?? HINTS[1];
  return [
    truncateText(`${theme.accent("quoll")} ${theme.dim(`${version} · ${plainText(cwd)}`)}`, columns),
    truncateText(theme.dim(hint), columns),
  ];
}
