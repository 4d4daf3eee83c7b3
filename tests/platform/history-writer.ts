import { promptHistory } from "../../src/platform/prompt-history.ts";

/** Adds numbered prompts to a history, and opens it anew in between, as processes of one project do. */
const [file = "", name = "", count = "0"] = process.argv.slice(2);
for (let at = 0; at < Number(count); at += 1) {
  const history = promptHistory(file);
  await history.load();
  await history.add(`${name} ${at} ${"x".repeat(at % 7 === 0 ? 9_000 : 10)}`);
}
