import { expect, test } from "bun:test";
import { connect, createServer, type Server } from "node:net";
import { resolve } from "node:path";
import { guardedLookup, isNumericHost, isPublicAddress } from "../../../../src/platform/resolve-host.ts";
import { bridgeArguments } from "../../../../src/services/sandbox/io/inner-relay.ts";
import { startRelay } from "../../../../src/services/sandbox/io/socket-relay.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempProject } from "../../../support/temp-project.ts";

const SELF = resolve(import.meta.dir, "../self.ts");

test.each([
  ["93.184.216.34", true],
  ["2606:2800:220:1::1", true],
  ["127.0.0.1", false],
  ["127.9.9.9", false],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["172.31.0.1", false],
  ["172.32.0.1", true],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["::1", false],
  ["::", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:93.184.216.34", true],
  ["::ffff:7f00:1", false],
  ["fe80::1%eth0", false],
  ["fd00::1", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["not an address", false],
  ["", false],
])("%s is on the public network: %p", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test.each([
  ["127.0.0.1", true],
  ["[::1]", true],
  ["::1", true],
  ["example.com", false],
  ["1.2.3.4.example.com", false],
])("%s is numeric: %p", (host, isNumeric) => {
  expect(isNumericHost(host)).toBe(isNumeric);
});

test("a name that leads to a refused address is refused, in each way that a socket asks", async () => {
  const ask = (isAllowed: boolean, all: boolean) =>
    new Promise((done) =>
      guardedLookup(() => isAllowed)(
        "localhost",
        { all, family: 4 } as never,
        ((error: Error | null, address: unknown) => done(error ? error.message : address)) as never,
      ),
    );
  expect(await ask(true, true)).toEqual([{ address: "127.0.0.1", family: 4 }]);
  expect(await ask(true, false)).toBe("127.0.0.1");
  expect(await ask(false, true)).toBe("localhost resolves to 127.0.0.1, which is not a public address");
});

async function echoServer(): Promise<Server & AsyncDisposable & { readonly port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return Object.assign(server, { port, [Symbol.asyncDispose]: async () => void server.close() });
}

function exchange(to: { path: string } | { port: number }, text: string): Promise<string> {
  return new Promise((done, failed) => {
    const socket = connect(to as { port: number });
    let heard = "";
    socket.on("data", (chunk) => (heard += chunk));
    socket.on("error", failed);
    socket.on("close", () => done(heard));
    socket.end(text);
  });
}

test("a relay hands on what both sides say, also after one has finished", async () => {
  await using project = await tempProject();
  await using echo = await echoServer();
  const socketPath = project.path("s");
  const relay = await startRelay({ socketPath }, { port: echo.port });
  expect(await exchange({ path: socketPath }, "x".repeat(200_000))).toBe("x".repeat(200_000));
  await relay.close();
  expect(exchange({ path: socketPath }, "x")).rejects.toThrow();
});

test("closing a relay ends connections that are open", async () => {
  await using project = await tempProject();
  await using echo = await echoServer();
  const socketPath = project.path("s");
  const relay = await startRelay({ socketPath }, { port: echo.port });
  const socket = connect(socketPath);
  const closed = new Promise<void>((done) => socket.on("close", () => done()));
  await new Promise<void>((done) => socket.once("data", () => done()) && socket.write("hello"));
  await relay.close();
  await closed;
});

test("the bridge gives a command the way to the socket, its exit code and its end by a signal", async () => {
  await using project = await tempProject();
  await using echo = await echoServer();
  const socketPath = project.path("s");
  const relay = await startRelay({ socketPath }, { port: echo.port });
  const spare = await echoServer();
  const { port } = spare;
  await spare[Symbol.asyncDispose]();
  const run = (script: string) =>
    runCommand([process.execPath, SELF, ...bridgeArguments(socketPath, port, ["bash", "-c", script])], {
      cwd: project.dir,
    });
  const through = await run(`exec 3<>/dev/tcp/127.0.0.1/${port}; echo hello >&3; head -1 <&3; exit 5`);
  expect(through).toEqual({ code: 5, out: "hello\n", err: "" });
  expect((await run("kill -TERM $$")).code).toBe(143);
  expect((await run("exit 0")).code).toBe(0);
  await relay.close();
});

test("a bridge that can't open its way or is called wrongly runs nothing", async () => {
  await using project = await tempProject();
  await using taken = await echoServer();
  const run = (...args: string[]) => runCommand([process.execPath, SELF, ...args], { cwd: project.dir });
  const busy = await run(...bridgeArguments("/nowhere", taken.port, ["touch", "ran"]));
  expect({ ...busy, err: busy.err.split("(")[0] }).toEqual({
    code: 126,
    out: "",
    err: "quoll: the sandbox's network bridge could not be opened ",
  });
  expect((await run("__sandbox-bridge", "x", "99", "touch", "ran")).code).toBe(2);
  expect((await run(...bridgeArguments("/nowhere", 1, ["/no/such/program"]))).code).toBe(126);
  expect(await Bun.file(project.path("ran")).exists()).toBe(false);
});
