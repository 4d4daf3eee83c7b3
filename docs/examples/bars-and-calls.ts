import type { Extension } from "@quoll/extension-api";

/** A renderer: blocks of the language `bars` become a chart. A part of the status line: the number of calls. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.defineRenderer({
      language: "bars",
      line(text, { columns }) {
        const [, label = "", value = "0"] = /^(.+?)\s+(\d+)%?$/.exec(text) ?? [];
        if (label === "") return text;
        const room = Math.max(5, Math.min(40, columns - 20));
        const filled = Math.round((Math.min(100, Number(value)) / 100) * room);
        return `${label.padEnd(12)} ${"█".repeat(filled)}${"░".repeat(room - filled)} ${value}%`;
      },
    });

    const status = quoll.defineStatusPart();
    let calls = 0;
    quoll.on("PostToolUse", () => {
      calls += 1;
      status.set(`${calls} calls`);
      return undefined;
    });
  },
};
