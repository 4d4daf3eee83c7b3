/** The least that an Ink program can show: what the first paint of Quoll is held against. */
import { render, Text } from "ink";

render(<Text>hello</Text>);
setInterval(() => undefined, 1_000);
