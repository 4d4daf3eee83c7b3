import { Argument, Command } from "commander";

export const COMPLETED_SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletedShell = (typeof COMPLETED_SHELLS)[number];

export type CompletionInvocation = { readonly kind: "completion"; readonly shell: CompletedShell };

export function completionCommand(found: (asked: CompletionInvocation) => void): Command {
  return new Command("completion")
    .description("print a script that completes commands, options and values in a shell")
    .addArgument(new Argument("<shell>").choices(COMPLETED_SHELLS))
    .addHelpText(
      "after",
      "\nbash: source <(quoll completion bash)\nzsh:  source <(quoll completion zsh)\nfish: quoll completion fish | source",
    )
    .action((shell: CompletedShell) => found({ kind: "completion", shell }));
}
