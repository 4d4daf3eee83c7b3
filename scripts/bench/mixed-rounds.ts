import type { ToolUseBlock } from "../../src/contracts/message.ts";

const FILES = 120;
const WORKING_SET = 5;
/** Rounds after which the work moves on by one file. */
const ROUNDS_PER_FILE = 8;
/** The share of these moves that return to an earlier file. */
const RETURNS = 0.1;
const MIN_LINES = 30;
const MORE_LINES = 200;
const LINE = "  const total = items.reduce((sum, item) => sum + item.price, 0);\n";

type Round = { readonly use: ToolUseBlock; readonly result: string };

/**
 * Rounds as of a long task: reads, searches, changes and test runs over a few files at a time, which change as the work moves on. A
 * file is read when the work comes to it and its content is not in view.
 * @param seed Gives the same rounds in every run.
 * @param isCleared True if the result of a call is no longer in view.
 */
export function mixedRounds(seed: number, isCleared: (toolUseId: string) => boolean) {
  const random = numbers(seed);
  const reads = new Map<number, string>();
  const set: number[] = [];
  let next = 0;
  let round = 0;
  let all = 0;
  let repeated = 0;
  const moveOn = () => {
    const file = next > 0 && random() < RETURNS ? earlierFile(next, random()) : next++ % FILES;
    if (!set.includes(file)) set.push(file);
    if (set.length > WORKING_SET) set.shift();
  };
  const read = (id: string): Round | undefined => {
    const file = set.find((one) => {
      const earlier = reads.get(one);
      return earlier === undefined || isCleared(earlier);
    });
    if (file === undefined) return undefined;
    all += 1;
    if (reads.has(file)) repeated += 1;
    reads.set(file, id);
    return {
      use: call(id, "Read", { file_path: pathOf(file) }),
      result: LINE.repeat(MIN_LINES + ((file * 37) % MORE_LINES)),
    };
  };
  return {
    get repeatedPercent() {
      return (repeated / Math.max(1, all)) * 100;
    },
    next(id: string): Round {
      if (round % ROUNDS_PER_FILE === 0) moveOn();
      round += 1;
      const found = read(id);
      if (found) return found;
      const file = pathOf(set[Math.floor(random() * set.length)] ?? 0);
      const kind = random();
      if (kind < 0.4)
        return { use: call(id, "Edit", edit(file, round)), result: `Changed ${file}.\n${LINE.repeat(3)}` };
      if (kind < 0.7)
        return {
          use: call(id, "Bash", { command: `npm test -- ${file}` }),
          result: `${"ok 12 - adds the prices of items\n".repeat(20 + Math.floor(random() * 100))}`,
        };
      return {
        use: call(id, "Grep", { pattern: `total${round}`, path: "src" }),
        result: `${file}:12:${LINE}`.repeat(5 + Math.floor(random() * 40)),
      };
    },
  };
}

/** A recent file is more likely than an old one. */
function earlierFile(next: number, chance: number): number {
  return (next - 1 - Math.floor(chance ** 3 * next)) % FILES;
}

function pathOf(file: number): string {
  return `/p/src/module-${file}/index.ts`;
}

function edit(file: string, round: number) {
  return { file_path: file, old_string: LINE.repeat(2), new_string: `${LINE.repeat(2)}  log(${round});\n` };
}

function call(id: string, name: string, input: ToolUseBlock["input"]): ToolUseBlock {
  return { type: "tool_use", id, name, input };
}

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
