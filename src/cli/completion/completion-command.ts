import { Argument, Command } from "commander";
import { printOut } from "../../platform/standard-output.ts";
import type { Found } from "../invocation.ts";
import type { CompletedShell } from "./completion-script.ts";

export function completionCommand(found: Found): Command {
  return new Command("completion")
    .description("print a script that completes commands, options and values in a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      "\nbash: source <(quoll completion bash)\nzsh:  source <(quoll completion zsh)\nfish: quoll completion fish | source",
    )
    .action((shell: CompletedShell, _, { parent }: Command) =>
      found(async () => {
        const { completionScript } = await import("./completion-script.ts");
        if (parent) printOut(completionScript(parent, shell));
        return 0;
      }),
    );
}
