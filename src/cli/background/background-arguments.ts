import { Command } from "commander";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";
import { withScreenOptions } from "../screen-options.ts";

/** `quoll ps`, `attach`, `logs` and `stop`. */
export function backgroundCommands(found: Found): readonly Command[] {
  const ps = new Command("ps")
    .description("list background sessions (quoll --bg): running sessions, and sessions that ended in the last week")
    .option("--json", "as JSON")
    .option("--ids", "only the ids of running sessions, one per line")
    .action(({ json = false, ids = false }: { json?: boolean; ids?: boolean }) =>
      found(async () => (await import("./background-command.ts")).list(json ? "json" : ids ? "ids" : "lines")),
    );
  const attach = withScreenOptions(new Command("attach"))
    .description("open a background session on this terminal; Ctrl+Z leaves it running")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .action(actions(found, () => import("./attach.ts"))((code) => code.attach));
  const logs = new Command("logs")
    .description("print the conversation of a background session")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .option("-f, --follow", "keep printing until the session ends")
    .action(actions(found, () => import("./show-logs.ts"))((code) => code.showLogs));
  const stop = new Command("stop")
    .alias("kill")
    .description("end a background session and everything that runs in it; the conversation stays saved")
    .argument("[id]", "the id or its beginning; if absent, the only running session")
    .action(actions(found, () => import("./background-command.ts"))((code) => code.stop));
  return [ps, attach, logs, stop];
}
