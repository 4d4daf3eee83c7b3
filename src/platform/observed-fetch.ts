/**
 * The runtime's `fetch` that calls `onSent` after each request was handed to the network: the program is idle until the
 * answer arrives. `onSent` gets the promise of the answer's beginning.
 */
export function observedFetch(onSent: (answer: Promise<unknown>) => void): typeof globalThis.fetch {
  const noted = (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const answer = globalThis.fetch(input, init);
    onSent(answer);
    return answer;
  };
  return Object.assign(noted, { preconnect: globalThis.fetch.preconnect });
}
