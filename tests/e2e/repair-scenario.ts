import { reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import type { SentBody } from "../support/quoll-process.ts";

/** A small repository whose own check fails: `total` counts the last item twice. */
export const BROKEN_REPO = {
  "package.json": '{ "name": "basket", "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/total.js": [
    "/** The price of all items. */",
    "export function total(items) {",
    "  let sum = 0;",
    "  for (let i = 0; i <= items.length; i += 1) {",
    "    sum += items[Math.min(i, items.length - 1)].price;",
    "  }",
    "  return sum;",
    "}",
    "",
  ].join("\n"),
  "test/check.sh": [
    "set -e",
    "if grep -q 'i <= items.length' src/total.js; then echo 'FAIL: total([1, 2]) is 5, not 3'; exit 1; fi",
    "echo '1 passed'",
    "",
  ].join("\n"),
};

export const REPAIRED_LINE = "  for (let i = 0; i < items.length; i += 1) {";

/**
 * A model that fixes that repository in five rounds. The model takes each step only if the previous result is as
 * expected, so a tool with another answer ends the repair early.
 */
export function repairModel({ body }: ScenarioRequest) {
  const last = (body as SentBody).messages.at(-1)?.content ?? [];
  const results = last.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content));
  const got = results.join("\n");
  if (results.length === 0) {
    return reply([
      text("I look for the fault."),
      toolUse("Bash", { command: "sh test/check.sh", description: "Run the check" }),
      toolUse("Grep", { pattern: "function total", output_mode: "content" }),
    ]);
  }
  if (got.includes("FAIL: total") && got.includes("src/total.js"))
    return reply([toolUse("Read", { file_path: "src/total.js" })]);
  if (got.includes("Edited src/total.js"))
    return reply([toolUse("Bash", { command: "sh test/check.sh", description: "Run the check again" })]);
  if (got.includes("The price of all items")) {
    return reply([
      text("The loop runs once too often."),
      toolUse("Edit", {
        file_path: "src/total.js",
        old_string: "i <= items.length",
        new_string: "i < items.length",
      }),
    ]);
  }
  if (got.includes("1 passed")) return reply("Fixed: the loop in `src/total.js:4` ran once too often. 1 passed.");
  return reply(`I am lost: ${got.slice(0, 500)}`);
}
