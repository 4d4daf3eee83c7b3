import { parser } from "./real-parser.ts";

const ok = String.raw`ls -la
npm test 2>&1 | tail -40
cd src && ls
git status --short; git diff HEAD~1 -- src/a.ts
grep -rn "foo bar" src --include='*.ts' | head -20
find . -name '*.ts' -not -path './node_modules/*' | wc -l
git commit -m "feat: add thing (closes #12)"
sed -n '1,20p' file.ts
echo "$HOME" && echo "\${x}"
for f in a b c; do echo "$f"; done
for f in *.ts; do wc -l "$f"; done
while read -r line; do echo "$line"; done < in.txt
while IFS= read -r line; do echo "$line"; done < in.txt
if [ -f package.json ]; then cat package.json; else echo none; fi
if [ -f a ]; then ls; elif [ -d b ]; then pwd; fi
[ "$a" = "b" ] && echo yes
[[ -f foo ]] && cat foo
[[ "$a" == "b" ]] || exit 1
case $x in a|b) ls;; *) pwd;; esac
case "$1" in start) ls ;; stop) pwd ;; esac
(cd src; ls) > out.txt
{ ls; pwd; } 2>/dev/null
! grep -q foo bar
time npm test
FOO=bar npm test
export FOO=bar
export FOO=bar && npm test
unset FOO
cat <<'EOF' > a.txt
cat a.txt &
cat a.txt 2> /dev/null || true
node -e 'console.log(1)'
python3 -c "print('hi')"
git log --oneline -5 --format='%h %s'
git log --author="A B" --since=2.weeks
git show HEAD:src/a.ts
git diff main...HEAD
git stash list
git show stash@{0}
git rev-parse @{u}
echo a\#b
a #b
echo hi # it's a comment with "quotes
ls {a,b}
echo {1..3}
mkdir -p src/{a,b}
ls ~/foo
rg -n "foo\(" src
rg 'a|b' -g '*.ts'
jq '.a.b[]' f.json
awk '{print $1}' f
xargs -0 rm < list
tar xzf a.tgz -C out
curl -s http://x | bash
docker run --rm -v "$PWD":/app img
kill -9 1234
cmd >out 2>err </dev/null
cmd &> x
cmd &>> x
cmd >| x
cmd <> x
cmd 3>&-
cat <<< word
cat <<< "some words"
echo $'a\nb'
l\s
"ls"
ls -- -foo
echo a; echo b
echo a	b
printf '%s\n' "a b" c
test -f x -a -f y
[ 1 -eq 2 ]
[ -n "$x" ]
[ ! -f x ]
[ $# -eq 0 ]
foo=bar
foo=bar baz=qux
> f
A=1 > f
echo =a a=b --c=d
echo -n
ls . .. ...
echo a@b.c user@host:path
echo 100% 5+5 a^b
echo a,b a:b a/b
echo [abc] a[0] [
echo }
echo }{
find . \( -name a -o -name b \) -print
find . -name "*.js" -exec grep -l foo {} +
find . -exec ls {} \;
git log -S'foo' --pickaxe-regex
true
:
echo "a\"b" 'c"d'
echo "it's"
echo 'a'"b"c\d
echo ""
echo '' ""
echo "a
b"
ls \
  -la \
  foo
npx tsc --noEmit -p . | head -5
bun test tests/a.test.ts
cargo build --release 2>&1 | grep -E "^error" | head
ps aux | grep node | grep -v grep
du -sh * | sort -h
echo "$?" $? $$ $# $@ $* $1
ls -l | awk '{ print $5 }'
sleep 1 && echo done
npm run build -- --watch=false
git add -A && git commit -q -m 'x' && git push
echo hello > /tmp/a.txt && cat /tmp/a.txt
until false; do ls; done
select x in a; do ls; done
set -euo pipefail
set -e; ls
exec > log.txt
command -v node
type ls
which node
env A=1 ls
timeout 60 npm test
nohup npm start &
echo 1 2>&1
2>&1 echo
echo 5>x
echo a5>x
echo -5
echo 0x1f 10#2
ls *.{ts,js}
git checkout -- .
git checkout -b feature/x
git log --graph --all --decorate
sort -u a | uniq -c
diff <(a) <(b)
wc -l < a
test -d x && ls x || mkdir x
echo "100%" "$5" 'x'
echo $
echo "a$"
echo 'a' | tee -a b
ls|wc
ls&&pwd
ls;pwd
(ls)
( ls )
((1+1))
export A="$x" B
declare -x A=1
readonly A=1
printf "%d items\n" 3
cat a b > c
sed -i 's/a/b/g' x.ts
perl -pe 's/x/y/' f
echo é ü 日本 😀 👨‍👩‍👧
echo "— dash"
git commit -m "$MSG"
git commit -m 'multi

line'
test -z "$A" -o -z "$B"
[ "$a" -gt 5 ]
[[ $x -eq 0 ]]
[[ 1 -eq 0 ]]
[[ a < b ]]
[[ $x =~ ^a ]]
[[ -n $a && -n $b ]]
trap - EXIT
wait
exit 1
exit $?
shift
read x
true && (cd a && ls) || { pwd; }
if true; then
  ls
fi
for x in 1 2 3
do
  echo $x
done
for ((i=0;i<3;i++)); do ls; done
function f { ls; }
f() { ls; }
npm test -- --grep "a b" | cat -n
cat a | while read -r l; do echo $l; done
make -j4 CC=gcc
VAR= cmd
A+=b cmd
git config --get user.name
git -C dir status
git --no-pager log -3
a=1; b=2; echo $a$b
echo ${"$"}{a}b
head -c 100 f
head -5 f
tail -n +3 f
ls -1 --color=never
rg --files | wc -l
ls -d */
echo **/*.ts
ls ?.ts
ls [a-z]*.ts
echo a\ b
echo "\$HOME \\ \a"
pushd x
cd -
cd
cd ..
cd "$DIR" && ls`.split("\n");
const multi = [
  "cat <<EOF\nhello\nEOF\n",
  "cat <<EOF\nhello\nEOF",
  "cat <<'EOF'\n$x `id`\nEOF\necho hi",
  "cat <<-EOF\n\thello\n\tEOF\necho x",
  "cat > a <<EOF\nb\nEOF",
  "cat <<EOF > a\nb\nEOF",
  "cat <<EOF | grep x\nb\nEOF",
  "cat <<EOF && ls\nb\nEOF",
  "cat <<A <<B\na\nA\nb\nB",
  'cat <<"EOF"\n$x\nEOF',
  "cat <<\\EOF\n$x\nEOF",
  "if true\nthen\n ls\nfi",
  "case x in\n a) ls;;\n b|c)\n pwd\n ;;\nesac",
  "ls |\n wc",
  "ls &&\n pwd",
  "# comment\nls",
  "ls\n\n\npwd\n",
  "ls # c\npwd",
  "cat <<'EOF' > f.py\nimport x\nprint('it''s')\nEOF\npython f.py",
  "for f in a; do\n  cat <<EOF\nx\nEOF\ndone",
  "(cat <<EOF\nx\nEOF\n)",
  "git commit -m 'a\nb'\nls",
  "cat <<EOF\nEOF\nls",
  "cat << EOF\nx\nEOF\nls",
  "cat <<'EOF' arg && echo b\nbody\nEOF",
  "cat <<'EOF' arg\nbody\nEOF",
  "python3 - <<'PY'\nimport os\nprint(1)\nPY",
  "cat <<EOF; ls\nx\nEOF",
  "{ cat <<EOF\nx\nEOF\n}",
  "cat <<EOF 2>&1 | tee x\na\nEOF",
];
for (const s of [...ok, ...multi]) {
  const r = parser.parse(s);
  if (!r.understood) console.log(JSON.stringify(s), "=>", r.reason, r.unclear);
}
