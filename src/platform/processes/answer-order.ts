import { readFileSync } from "node:fs";

/**
 * The part of a child that `runConvertChild` started: reads an order, one line of JSON, and the bytes after it from
 * stdin, and writes the answer as JSON to stdout.
 * @returns the exit code: 2 if stdin holds no order.
 */
export async function answerOrder<Order>(
  answer: (order: Order, bytes: Uint8Array) => Promise<unknown>,
): Promise<number> {
  const input = readFileSync(0);
  const end = input.indexOf("\n");
  if (end < 0) return 2;
  const order: Order = JSON.parse(input.toString("utf8", 0, end));
  const made = JSON.stringify(await answer(order, input.subarray(end + 1)));
  await new Promise<void>((done) => void process.stdout.write(made, () => done()));
  return 0;
}
