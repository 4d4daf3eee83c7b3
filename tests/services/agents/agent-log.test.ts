import { expect, test } from "bun:test";
import { AgentLog } from "../../../src/services/agents/io/agent-log.ts";

test.skipIf(process.platform !== "linux")(
  "a full disk ends the output file of an agent with one fault, not the agent",
  () => {
    const faults: unknown[] = [];
    const log = new AgentLog("/dev/full", (error) => faults.push(error));
    log.add("a first line");
    log.add("a second line");
    log.end("[completed]");
    expect(faults).toEqual([expect.objectContaining({ code: "ENOSPC" })]);
  },
);
