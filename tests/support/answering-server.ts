export type SeenRequest = { readonly method: string; readonly path: string; readonly headers: Headers };

/** A server on this machine that gives every request the same answer and keeps what it was sent. */
export function answeringServer(answer: () => Response) {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ method, url, headers }) => {
      const { pathname, search } = new URL(url);
      seen.push({ method, path: pathname + search, headers });
      return answer();
    },
  });
  return { seen, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}
