import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Theme } from "./theme.ts";

export type Welcome = { readonly version: string; readonly cwd: string };

/** The two lines at the start of a session. */
export function welcomeLines({ version, cwd }: Welcome, theme: Theme, columns: number): readonly string[] {
  return [
    truncateText(`${theme.accent("quoll")} ${theme.dim(`${version} · ${plainText(cwd)}`)}`, columns),
    truncateText(theme.dim("Say what you want done. / lists commands, ? shows keys, !cmd runs a command."), columns),
  ];
}
