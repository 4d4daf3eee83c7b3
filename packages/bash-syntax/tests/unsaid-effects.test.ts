import { expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import { firstCommand } from "./judge.ts";

const unsaid = (source: string) => classify(firstCommand(source)).hasUnsaidEffects;

test.each([
  "sed -n 'w x' a",
  "sed '1e id' a",
  "sed -i -e p -e 'r .env' a",
  'sed "s/a/$x/" a',
  "sed --unknown s/a/b/ a",
  "/usr/bin/sed e a",
  "npx sed e a",
  "awk '{print > \"x\"}' a",
  "sed -f a b",
  "sed -nfa b",
  "awk -f a b",
  "gawk --file=a b",
  "ed a",
  "ex -s a",
  "gawk -i inplace 1 a",
  "tar xf a",
  "tar xzvf a",
  "tar -x -f a -C ..",
  "tar xf a --directory=./",
  "unzip a",
  "unzip -d . a",
  "7z x a",
  "cpio -i",
  "git apply a",
  "git -C d am a",
  "git read-tree -m -u a",
  "git checkout-index -a",
  "patch -p1",
  "tar cf a -T list",
  "tar cTf list a",
  "tar -c --files-from=list",
  "rsync --files-from=list a b",
  "zip -@ a",
  "cpio -o",
  "curl -Klist",
  "wget -i list",
])("%s may do what its words don't say", (source) => {
  expect([source, unsaid(source)]).toEqual([source, true]);
});

test.each([
  "sed -i s/a/b/ a",
  "sed -i '1i x' a",
  "sed --version",
  "sed -n 1p a",
  "awk '{print}' a",
  "tar tf a",
  "tar cf a b",
  "tar xf a -C out",
  "unzip -l a",
  "unzip a -d out",
  "7z l a",
  "7z x a -oout",
  "git apply --check a",
  "git read-tree x",
  "git checkout-index a",
  "patch a b",
  "zip -r a b",
  "curl -sSL x",
  "wget x",
  "rsync -a a b",
  "patch --dry-run",
  "ssh host tar xf a",
  "make",
])("%s says all that it does", (source) => {
  expect([source, unsaid(source)]).toEqual([source, false]);
});
