import { expect, setDefaultTimeout, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const echoPlace = () => quollPlace({ scenario: () => reply("Read.") });
const said = (place: Awaited<ReturnType<typeof echoPlace>>) =>
  place
    .sent()[0]
    ?.messages[0]?.content.map(({ text }) => text)
    .slice(1);

test("piped text stands beside the prompt as data, the prompt last", async () => {
  await using place = await echoPlace();
  expect(await place.run(["-p", "sum it up"], { stdin: "1\n2\n" })).toEqual({ code: 0, out: "Read.\n", err: "" });
  expect(said(place)).toEqual(["<stdin>\n1\n2\n\n</stdin>", "sum it up"]);
});

deepTest("without an argument the piped text is the prompt", async () => {
  await using place = await echoPlace();
  expect((await place.run(["-p"], { stdin: "what is this?\n" })).code).toBe(0);
  expect(said(place)).toEqual(["what is this?\n"]);
});

deepTest("offline the piped text is data beside a prompt, and a request when it is alone", async () => {
  await using place = await quollPlace({ files: { "a.txt": "A\n", "b.txt": "B\n" } });
  const beside = await place.run(["-p", "read a.txt", "--model", "offline"], { stdin: "read b.txt\n" });
  expect(beside).toEqual({ code: 0, out: "     1\tA\n", err: "" });
  const alone = await place.run(["-p", "--model", "offline"], { stdin: "read b.txt\n" });
  expect(alone).toEqual({ code: 0, out: "     1\tB\n", err: "" });
});

deepTest("nothing to do at all is wrong usage", async () => {
  await using place = await echoPlace();
  const err = 'quoll: There is no prompt: give one as an argument (quoll -p "…") or on stdin.\n';
  const runs = await Promise.all([
    place.run(["-p"]),
    place.run(["-p"], { stdin: "" }),
    place.run(["-p", "  "], { stdin: " \n" }),
  ]);
  const wanted = { code: 2, out: "", err };
  expect(runs).toEqual([wanted, wanted, wanted]);
  expect(place.sent()).toEqual([]);
});

test("more than 10 MB is refused, and nothing is asked", async () => {
  await using place = await echoPlace();
  const { code, out, err } = await place.run(["-p", "sum it up"], { stdin: Buffer.alloc(10 * 1024 * 1024 + 1, 97) });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toBe("quoll: stdin holds more than 10 MB: write it to a file and name the file in the prompt.\n");
  expect(place.sent()).toEqual([]);
});

deepTest("invalid UTF-8 is replaced and reported", async () => {
  await using place = await echoPlace();
  const { code, err } = await place.run(["-p", "sum it up"], { stdin: Buffer.from([0x61, 0xff, 0x62]) });
  expect({ code, err }).toEqual({
    code: 0,
    err: "quoll: stdin is not valid UTF-8: invalid bytes were replaced\n",
  });
  expect(said(place)?.[0]).toBe("<stdin>\na\ufffdb\n</stdin>");
});
