import { readFile } from "node:fs/promises";
import type { Command } from "../../src/contracts/command.ts";

/** `/every <kind>` answers with a result of this kind; `/every edit <file>` has the file edited. */
export const everyKindCommand: Command = {
  name: "every",
  summary: "Answer with any kind of result",
  argumentHint: "<kind>",
  async run(argument, _context, signal) {
    const [kind, file = ""] = argument.split(" ");
    switch (kind === "edit" ? kind : argument) {
      case "choose": {
        const choices = ["red", "blue"].map((label) => ({ label, detail: "", input: `/every took ${label}` }));
        return {
          kind: "choose",
          title: "Which colour?",
          choices,
          before: ["Two are left."],
          lines: ["`/every <colour>`"],
        };
      }
      case "list": {
        const choice = (label: string) => ({ label, detail: "", input: `/every inner ${label}` });
        return {
          kind: "choose",
          title: "Outer",
          choices: [{ ...choice("one"), about: ["The first of all"], also: { k: "/every kept one" } }, choice("two")],
          shortcuts: [{ letter: "k", label: "keep" }],
          lines: [],
          later: async () => ["zero", "one", "two"].map(choice),
        };
      }
      case "inner two":
        return {
          kind: "choose",
          title: "Inner",
          choices: [{ label: "deep", detail: "", input: "/every deep" }],
          lines: [],
          back: "/every list",
        };
      case "deep":
        return {
          kind: "form",
          title: "Depth",
          fields: [{ name: "depth", label: "Depth", value: "4", problem: "5 is too deep" }],
          lines: [],
          back: "/every inner two",
          submit: async ({ depth }) => ({ kind: "text", lines: [`It is ${depth}.`] }),
        };
      case "form":
        return {
          kind: "form",
          title: "New server",
          fields: [
            {
              name: "host",
              label: "Host",
              suggest: async (typed) => ["example.com", "example.org"].filter((one) => one.startsWith(typed)),
            },
            { name: "token", label: "Token", isSecret: true },
          ],
          lines: ["`/every <host> <token>`"],
          submit: async ({ host, token = "" }) => ({
            kind: "text",
            lines: [`${host} has a token of ${token.length} characters.`],
          }),
        };
      case "edit":
        return {
          kind: "edit",
          file,
          lines: ["Edit the file yourself."],
          edited: async () => ({ kind: "text", lines: [`It holds ${(await readFile(file, "utf8")).trim()}.`] }),
        };
      case "prompt":
        return { kind: "prompt", prompt: "say what the command said" };
      case "mark": {
        const keys = { d: "drop", p: "pin" };
        const rows = ["red", "blue"].map((id) => ({ id, line: `    ${id} paint`, keys }));
        const heading = { id: "", line: "  Paints", keys: {} };
        return {
          kind: "mark",
          title: "All paints",
          lines: ["Two are left."],
          rows: [heading, ...rows],
          input: "/every took",
          accepts: "takes them",
        };
      }
      case "view":
        return { kind: "view", title: "All pages", lines: ["page 1", "page 2"] };
      case "operation":
        return {
          kind: "operation",
          title: "Counting",
          run: async (report) => {
            report({ text: "files", done: 3, total: 12 });
            await new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason), { once: true });
            });
            return { kind: "text", lines: [] };
          },
        };
      case "quick":
        return {
          kind: "operation",
          title: "Counting",
          run: async (report) => {
            report({ text: "files" });
            return { kind: "view", title: "Counted", lines: ["12 files"] };
          },
        };
      default:
        return { kind: "text", lines: [`It said ${argument}.`] };
    }
  },
};
