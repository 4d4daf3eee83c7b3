import type { Extension } from "@quoll/extension-api";

/** A provider: `quoll --model echo/loud` answers with your own words. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.defineProvider({
      name: "echo",
      models: ["plain", "loud"],
      async *answer({ model, messages }) {
        const blocks = messages.findLast(({ role }) => role === "user")?.content ?? [];
        const last = blocks.findLast((block) => block.type === "text");
        const words = last?.type === "text" ? last.text : "";
        for (const word of (model === "loud" ? words.toUpperCase() : words).split(/(?<= )/)) {
          yield { type: "text", text: word };
        }
        yield { type: "usage", inputTokens: words.length, outputTokens: words.length };
      },
    });
  },
};
