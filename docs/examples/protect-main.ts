import type { Extension } from "@quoll/extension-api";

/** A guard at an event: no command may push to the branch main. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.on(
      "PreToolUse",
      ({ tool_input }) => {
        const command = String(tool_input?.["command"] ?? "");
        if (!/\bgit\s+push\b.*\bmain\b/.test(command)) return undefined;
        return {
          hookSpecificOutput: {
            permissionDecision: "deny",
            permissionDecisionReason: "Push to a branch of your own, and open a pull request.",
          },
        };
      },
      // If the guard itself fails, the call is refused.
      { matcher: "Bash", onFailure: "block" },
    );
  },
};
