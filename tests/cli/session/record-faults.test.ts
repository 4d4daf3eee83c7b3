import { expect, test } from "bun:test";
import { faultLine, RecordedFault, recordFaults } from "../../../src/cli/session/record-faults.ts";

const session = (where: string) => {
  const noted: unknown[] = [];
  const noteFault = (error: unknown) => {
    noted.push(error);
    return where;
  };
  return { noted, debugging: { noteFault } };
};

test("a fault of the work is noted, and its line says where the stack is", async () => {
  const here = session("its stack is in ~/x.log");
  const error = new TypeError("x is not a function");
  const thrown = await recordFaults(
    () => here,
    () => Promise.reject(error),
  ).catch((one: unknown) => one);
  expect(here.noted).toEqual([error]);
  expect(thrown).toBeInstanceOf(RecordedFault);
  expect(faultLine(thrown)).toBe("quoll: a bug in Quoll: x is not a function (its stack is in ~/x.log)");
});

test("an error that is not a fault, and an error before there is a session, are thrown unchanged", async () => {
  const error = new Error("not ours");
  for (const here of [session(""), undefined])
    expect(
      await recordFaults(
        () => here,
        () => Promise.reject(error),
      ).catch((one: unknown) => one),
    ).toBe(error);
  expect(faultLine(error)).toContain("--debug");
});

test("a rejection that nobody catches ends the work, and no listener stays", async () => {
  const before = process.listenerCount("unhandledRejection");
  const here = session("somewhere");
  const error = new TypeError("lost");
  const never = new Promise<never>(() => undefined);
  const work = () => {
    queueMicrotask(() => process.emit("unhandledRejection", error, never));
    return never;
  };
  expect(await recordFaults(() => here, work).catch((one: Error) => one.cause)).toBe(error);
  expect(process.listenerCount("unhandledRejection")).toBe(before);
});
