/** A value for each option of `/batch`, as it is typed. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["files", "'src/**/*.ts'"],
  ["lines", "modules.txt"],
  ["jsonl", "cases.jsonl"],
  ["agent", "Explore"],
  ["model", "haiku"],
  ["max-usd", "5"],
  ["max-tokens", "2000000"],
  ["parallel", "3"],
  ["out", "found.jsonl"],
  ["expect-files", "'{input}'"],
  ["expect-command", "'bun test {input}'"],
  ["schema", "answer.schema.json"],
]);
const SOURCE = /--(files|lines|jsonl)\b/;

/** A line that works, with the option that a message names, or with the source of the line that was typed. */
export function exampleFor(message: string, argument: string): string {
  const named = [...message.matchAll(/--([a-z-]+)/g)].map(([, name = ""]) => name).find((name) => VALUES.has(name));
  const [verb] = /^(?:run|show)\b/.exec(argument) ?? [];
  if (verb !== undefined) return `/batch ${verb} 1${verb === "run" && named ? ` ${optionOf(named)}` : ""}`;
  const [, typed = "files"] = SOURCE.exec(argument) ?? [];
  const source = SOURCE.exec(`--${named}`)?.[1] ?? typed;
  const more = named === undefined || named === source ? "" : ` ${optionOf(named)}`;
  return `/batch ${optionOf(source)}${more} -- Check {input}.`;
}

function optionOf(name: string): string {
  return `--${name} ${VALUES.get(name)}`;
}
