import { Command } from "commander";
import { type ScreenOptions, withScreenOptions } from "../screen-options.ts";

/** A command about background sessions. `wanted`: the beginning of a session id. */
export type BackgroundAction =
  | { readonly what: "ps"; readonly as: "lines" | "json" | "ids" }
  | { readonly what: "attach"; readonly wanted?: string; readonly screen: ScreenOptions }
  | { readonly what: "logs"; readonly wanted?: string; readonly follows: boolean }
  | { readonly what: "stop"; readonly wanted?: string };

export type BackgroundInvocation = { readonly kind: "background"; readonly action: BackgroundAction };

/** `quoll ps`, `attach`, `logs` and `stop`. */
export function backgroundCommands(found: (asked: BackgroundInvocation) => void): readonly Command[] {
  const ask = (action: BackgroundAction) => found({ kind: "background", action });
  const named = (id: string | undefined) => (id === undefined ? {} : { wanted: id });
  const ps = new Command("ps")
    .description("list background sessions (quoll --bg): running sessions, and sessions that ended in the last week")
    .option("--json", "as JSON")
    .option("--ids", "only the ids of running sessions, one per line")
    .action(({ json = false, ids = false }: { json?: boolean; ids?: boolean }) =>
      ask({ what: "ps", as: json ? "json" : ids ? "ids" : "lines" }),
    );
  const attach = withScreenOptions(new Command("attach"))
    .description("open a background session on this terminal; Ctrl+Z leaves it running")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .action((id: string | undefined, screen: ScreenOptions) => ask({ what: "attach", ...named(id), screen }));
  const logs = new Command("logs")
    .description("print the conversation of a background session")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .option("-f, --follow", "keep printing until the session ends")
    .action((id: string | undefined, { follow = false }: { follow?: boolean }) =>
      ask({ what: "logs", ...named(id), follows: follow }),
    );
  const stop = new Command("stop")
    .alias("kill")
    .description("end a background session and everything that runs in it; the conversation stays saved")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .action((id: string | undefined) => ask({ what: "stop", ...named(id) }));
  return [ps, attach, logs, stop];
}
