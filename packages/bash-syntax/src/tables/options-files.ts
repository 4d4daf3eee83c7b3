import type { OptionTable } from "../option-table.ts";

/** Options of programs that list, read, search and change files. `!`: starts a program. */
const OPTIONS: Readonly<Record<string, string>> = {
  ls: `-# -1 -A -a -B -b -C -c -D -d -f -F? -G -g -H -h -i -I= -k -L -l -m -N -n -o -p= -Q -q -R -r -S -s -t -T= -U -u -v -w= -X -x -Z --all --almost-all
    --author --block-size= --classify? --color? --context --dereference --dereference-command-line --dereference-command-line-symlink-to-dir
    --directory --dired --escape --file-type --format= --full-time --group-directories-first --hide-control-chars --hide= --human-readable
    --hyperlink? --ignore-backups --ignore= --indicator-style= --inode --kibibytes --literal --no-group --numeric-uid-gid --quote-name
    --quoting-style= --recursive --reverse --show-control-chars --si --size --sort= --tabsize= --time-style= --time= --width= --zero`,
  cat: `-A -b -E -e -n -s -T -t -u -v --number --number-nonblank --show-all --show-ends --show-nonprinting --show-tabs --squeeze-blank`,
  head: "-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated",
  tail: `-# -c= -F -f -n= -q -s= -v -z --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --retry --silent --sleep-interval= --verbose
    --zero-terminated`,
  wc: "-c -L -l -m -w --bytes --chars --files0-from= --lines --max-line-length --words",
  nl: `-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --footer-numbering= --header-numbering= --join-blank-lines= --line-increment=
    --no-renumber --number-format= --number-separator= --number-width= --section-delimiter= --starting-line-number=`,
  tac: "-b -r -s= --before --regex --separator=",
  sort: `-b -C= -c= -d -f -g -h -i -k= -M -m -n -o=> -R -r -s -S= -t= -T=> -u -V -z --batch-size= --buffer-size= --check= --compress-program=! --debug
    --dictionary-order --field-separator= --files0-from= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks
    --ignore-nonprinting --key= --merge --month-sort --numeric-sort --output=> --parallel= --random-sort --random-source= --reverse --sort= --stable
    --temporary-directory=> --unique --version-sort --zero-terminated`,
  uniq: `-c -D -d -f= -i -s= -u -w= -z --all-repeated? --check-chars= --count --group? --ignore-case --repeated --skip-chars= --skip-fields= --unique
    --zero-terminated`,
  cut: `-b= -c= -d= -f= -M -n -s -z --bytes= --characters= --complement --delimiter= --fields= --only-delimited --output-delimiter= --zero-terminated`,
  tr: "-C -c -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
  paste: "-d= -s -z --delimiters= --serial --zero-terminated",
  join: "-1= -2= -a= -e= -i -j= -o= -t= -v= -z --check-order --header --ignore-case --nocheck-order --zero-terminated",
  comm: "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
  fold: "-# -b -s -w= --bytes --spaces --width=",
  stat: "-c= -f -L -t --cached= --dereference --file-system --format= --printf= --terse",
  df: `-a -B= -H -h -i -k -l -P -T -t= -v -x= --all --block-size= --exclude-type= --human-readable --inodes --local --output? --portability --print-type
    --si --sync --total --type=`,
  du: `-0 -a -b -B= -c -D -d= -H -h -k -L -l -m -P -S -s -t= -x -X= --all --apparent-size --block-size= --bytes --count-links --dereference
    --dereference-args --exclude-from= --exclude= --files0-from= --human-readable --inodes --max-depth= --null --one-file-system --separate-dirs --si
    --summarize --threshold= --time-style= --time? --total`,
  realpath: `-e -L -m -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --no-symlinks --physical --quiet --relative-base= --relative-to=
    --strip --zero`,
  readlink: `-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero`,
  md5sum: "-b -c -t -w -z --binary --check --ignore-missing --quiet --status --strict --tag --text --warn --zero",
  sha1sum: "-b -c -t -w -z --binary --check --ignore-missing --quiet --status --strict --tag --text --warn --zero",
  sha256sum: "-b -c -t -w -z --binary --check --ignore-missing --quiet --status --strict --tag --text --warn --zero",
  sha512sum: "-b -c -t -w -z --binary --check --ignore-missing --quiet --status --strict --tag --text --warn --zero",
  b2sum: `-b -c -l= -t -w -z --binary --check --ignore-missing --length= --quiet --status --strict --tag --text --warn --zero`,
  cksum: `-a= -c -l= -w -z --algorithm= --check --debug --ignore-missing --length= --quiet --status --strict --tag --untagged --warn --zero`,
  od: `-a -A= -b -c -d -f -i -j= -l -N= -o -s -S= -t= -v -w? -x --address-radix= --endian= --format= --output-duplicates --read-bytes= --skip-bytes=
    --strings? --traditional --width?`,
  base64: "-d -i -w= --decode --ignore-garbage --wrap=",
  base32: "-d -i -w= --decode --ignore-garbage --wrap=",
  expand: "-i -t= --initial --tabs=",
  unexpand: "-a -t= --all --first-only --tabs=",
  fmt: `-# -c -g= -p= -s -t -u -w= --crown-margin --goal= --prefix= --split-only --tagged-paragraph --uniform-spacing --width=`,
  shuf: `-e -i= -n= -o=> -r -z --echo --head-count= --input-range= --output=> --random-source= --repeat --zero-terminated`,
  numfmt: `-d= -M -z --debug --delimiter= --field= --format= --from-unit= --from= --grouping --header? --invalid= --padding= --round= --suffix= --to-unit=
    --to= --zero-terminated`,
  date: `-d= -f= -I? -R -r= -s=! -u --date= --debug --file= --iso-8601? --reference= --resolution --rfc-3339= --rfc-email --set=! --universal --utc`,
  uname: `-a -i -m -n -o -p -r -s -v --all --hardware-platform --kernel-name --kernel-release --kernel-version --machine --nodename --operating-system
    --processor`,
  id: "-a -G -g -n -r -u -Z -z --context --group --groups --name --real --user --zero",
  tee: "-a -i -p --append --ignore-interrupts --output-error?",
  touch: "-a -c -d= -f -h -m -r= -t= --date= --no-create --no-dereference --reference= --time=",
  mkdir: "-m= -p -v -Z --context? --mode= --parents --verbose",
  rmdir: "-p -v --ignore-fail-on-non-empty --parents --verbose",
  rm: "-d -f -I -i -R -r -v --dir --force --interactive? --one-file-system --preserve-root? --recursive --verbose",
  shred: "-f -n= -s= -u -v -x -z --exact --force --iterations= --random-source= --remove? --size= --verbose --zero",
  truncate: "-c -o -r= -s= --io-blocks --no-create --reference= --size=",
  cp: `-a -b -d -f -H -i -L -l -n -P -p -R -r -s -S= -T -t= -u -v -x -Z --archive --attributes-only --backup? --context? --copy-contents --dereference
    --force --interactive --link --no-clobber --one-file-system --parents --preserve? --recursive --reflink? --remove-destination --sparse=
    --strip-trailing-slashes --suffix= --symbolic-link --target-directory= --update --verbose`,
  install: `-b -C -c -D -d -g= -m= -o= -p -s -S= -T -t= -v -Z --backup? --compare --context? --directory --group= --mode= --owner= --preserve-context
    --preserve-timestamps --strip --strip-program=! --suffix= --target-directory= --verbose`,
  mv: `-b -f -i -n -S= -T -t= -u -v -Z --backup? --context --force --interactive --no-clobber --strip-trailing-slashes --suffix= --target-directory=
    --update --verbose`,
  ln: `-b -d -F -f -i -L -n -P -r -s -S= -T -t= -v --backup? --directory --force --interactive --logical --no-dereference --physical --relative --suffix=
    --symbolic --target-directory= --verbose`,
  chmod: "-c -f -R -v --changes --preserve-root --quiet --recursive --reference= --silent --verbose",
  chown: `-c -f -H -h -L -P -R -v --changes --dereference --from= --preserve-root --quiet --recursive --reference= --silent --verbose`,
  chgrp: `-c -f -H -h -L -P -R -v --changes --dereference --preserve-root --quiet --recursive --reference= --silent --verbose`,
  split: `-a= -b= -C= -d -e -l= -n= -t= -u -x --additional-suffix= --bytes= --elide-empty-files --filter=! --hex-suffixes? --line-bytes= --lines= --number=
    --numeric-suffixes? --separator= --suffix-length= --unbuffered --verbose`,
  csplit: `-b= -f=> -k -n= -s -z --digits= --elide-empty-files --keep-files --prefix=> --quiet --silent --suffix-format= --suppress-matched`,
  mktemp: "-d -p=> -q -t -u --directory --dry-run --quiet --suffix= --tmpdir?",
  sed: `-E -e= -f=! -I? -i? -l= -n -r -s -u -z --debug --expression= --file=! --follow-symlinks --in-place? --line-length= --null-data --posix --quiet
    --regexp-extended --sandbox --separate --silent --unbuffered`,
  diff: `-a -B -b -c -C= -d -D= -E -e -F= -i -I= -l! -L= -N -n -p -q -r -s -S= -T -t -u -U= -v -w -W= -X= -x= -y -Z --brief --color? --context? --ed
    --exclude-from= --exclude= --expand-tabs --from-file= --GTYPE-group-format= --horizon-lines= --ifdef= --ignore-all-space --ignore-blank-lines
    --ignore-case --ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --initial-tab
    --label= --left-column --line-format= --LTYPE-line-format= --minimal --new-file --no-dereference --normal --paginate! --palette= --rcs --recursive
    --report-identical-files --show-c-function --show-function-line= --side-by-side --speed-large-files --starting-file= --strip-trailing-cr
    --suppress-blank-empty --suppress-common-lines --tabsize= --text --to-file= --unidirectional-new-file --unified? --width=`,
  cmp: "-b -i= -l -n= -s -v --bytes= --ignore-initial= --print-bytes --quiet --silent --verbose",
  diff3: `-3 -A -a -E -e -i -L= -m -T -v -X -x --diff-program=! --easy-only --ed --initial-tab --label= --merge --overlap-only --show-all --show-overlap
    --strip-trailing-cr --text`,
  sdiff: `-a -B -b -d -E -H -i -I= -l -o=> -s -t -v -W -w= -Z --diff-program=! --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case
    --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --left-column --minimal --output=>
    --speed-large-files --strip-trailing-cr --suppress-common-lines --tabsize= --text --width=`,
  patch: `-b -B= -c -D= -d= -E -e -f -F= -g! -i= -l -N -n -o=> -p= -R -r=> -s -T -t -u -v -V= -Y= -Z -z= --backup --backup-if-mismatch --batch --binary
    --directory= --dry-run --force --forward --fuzz= --input= --merge? --no-backup-if-mismatch --posix --quiet --quoting-style= --read-only=
    --reject-format= --reverse --silent --strip= --verbose`,
  file: `-0 -b -c -C! -d -E -e= -F= -f= -h -i -k -L -l -m=~ -N -n -p -P= -r -S -s -v -Z -z --apple --brief --checking-printout --compile! --debug
    --dereference --exclude-quiet= --exclude= --extension --files-from= --keep-going --list --magic-file=~ --mime --mime-encoding --mime-type
    --no-buffer --no-pad --no-sandbox --parameter --preserve-date --print0 --raw --separator= --special-files --uncompress --uncompress-noreport`,
  xxd: "-a -b -C -c= -d -E -e -g= -h -i -l= -len= -n= -o= -p -ps -r -R= -s= -seek= -u -v",
  hexdump: `-b -C -c -d -e= -f= -h -L? -n= -o -s= -V -v -x --canonical --color? --format-file= --format= --length= --no-squeezing --one-byte-char
    --one-byte-octal --skip= --two-bytes-decimal --two-bytes-hex --two-bytes-octal`,
  strings: `-# -a -d -e= -f -h -n= -o -s= -T= -t= -U= -V -v -w --all --bytes= --data --encoding= --include-all-whitespace= --output-separator=
    --print-file-name --radix= --target= --unicode=`,
  column: `-c= -d -e -E= -h -H= -i= -J -L -l= -N= -n= -O= -o= -p= -R= -r= -s= -t -T= -V -W= -x --fillrows --json --keep-empty-lines --output-separator=
    --output-width= --separator= --table --table-columns-limit= --table-columns= --table-header-repeat --table-hide= --table-name= --table-noextreme=
    --table-noheadings --table-order= --table-right= --table-truncate= --table-wrap= --tree-id= --tree-parent= --tree=`,
  grep: `-# -a -A= -b -B= -c -C= -D= -d= -E -e= -F -f= -G -H -h -I -i -L -l -m= -n -NUM -o -P -q -R -r -s -T -U -V -v -w -x -y -Z -z --after-context=
    --basic-regexp --before-context= --binary --binary-files= --byte-offset --color? --colour? --context= --count --dereference-recursive --devices=
    --directories= --exclude-dir= --exclude-from= --exclude= --extended-regexp --file= --files-with-matches --files-without-match --fixed-strings
    --group-separator= --ignore-case --include= --initial-tab --invert-match --label= --line-buffered --line-number --line-regexp --max-count=
    --no-filename --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp= --silent --text --with-filename
    --word-regexp`,
  rg: `-# -. -0 -a -A= -b -B= -c -C= -d= -E= -e= -F -f= -g= -H -h -I -i -j= -L -l -M= -m= -N -n -o -P -p -q -r= -S -s -T= -t= -U -u -uu -uuu -V -v -w -x
    -z! --after-context= --auto-hybrid-regex --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column
    --context-separator= --context= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator=
    --field-match-separator= --file= --files --files-with-matches --files-without-match --fixed-strings --follow --glob-case-insensitive --glob=
    --heading --iglob= --ignore-case --ignore-file-case-insensitive --ignore-file= --include-zero --invert-match --json --line-buffered --line-number
    --line-regexp --max-columns-preview --max-columns= --max-count= --max-depth= --max-filesize= --mmap --multiline --multiline-dotall --no-config
    --no-filename --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent
    --no-ignore-vcs --no-messages --no-require-git --null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2
    --pcre2-unicode --pcre2-version --pre-glob= --pre=! --pretty --quiet --regex-size-limit= --regexp= --replace= --search-zip! --smart-case --sort=
    --sortr= --stats --text --threads= --trim --type-add= --type-clear= --type-list --type-not= --type= --unicode --unrestricted --vimgrep
    --with-filename --word-regexp`,
  fd: `-0 -1 -a -c= -d= -E= -e= -F -g -H -h -I -i -j= -L -l -o= -p -q -s -S= -t= -u -V -X=! -x=! --absolute-path --and= --base-directory= --batch-size=
    --case-sensitive --changed-before= --changed-within= --color= --exact-depth= --exclude= --exec-batch=! --exec=! --extension= --fixed-strings
    --follow --full-path --glob --hidden --ignore-case --ignore-file= --list-details --max-depth= --max-results= --min-depth= --no-ignore
    --no-ignore-parent --no-ignore-vcs --one-file-system --owner= --path-separator= --print0 --prune --quiet --regex --search-path= --show-errors
    --size= --strip-cwd-prefix --threads= --type= --unrestricted`,
  jq: `-a -b -C -c -e -f=! -h -j -L=! -M -n -R -r -S -s -V --arg=2 --argjson=2 --args --ascii-output --binary --color-output --compact-output --exit-status
    --from-file=! --indent= --join-output --jsonargs --library-path=! --monochrome-output --null-input --raw-input --raw-output --raw-output0
    --rawfile=2 --seq --slurp --slurpfile=2 --sort-keys --stream --stream-errors --tab --unbuffered`,
  tree: `-A -a -C -c -D -d -F -f -g -h -H= -i -I= -J -l -L= -N -n -o=> -p -P= -Q -q -R -r -S -s -t -T= -U -u -v -X -x --charset= --device --dirsfirst --du
    --fflinks --filelimit= --filesfirst --fromfile --gitfile= --gitignore --hintro= --houtro= --hyperlink --ignore-case --info --infofile= --inodes
    --matchdirs --metafirst --nolinks --noreport --prune --si --sort= --timefmt=`,
  gzip: `-# -1 -9 -c -d -f -h -k -L -l -N -n -q -r -S= -t -V -v --best --decompress --fast --force --keep --license --list --name --quiet --recursive
    --rsyncable --stdout --suffix= --synchronous --test --verbose`,
  gunzip: `-c -d -f -k -l -N -n -q -r -S= -t -v --force --keep --list --name --quiet --recursive --stdout --suffix= --synchronous --test --verbose`,
  bzip2: `-# -1 -9 -c -d -f -h -k -L -q -s -t -V -v -z --best --compress --decompress --fast --force --keep --license --quiet --small --stdout --test
    --verbose`,
  xz: `-0 -9 -c -d -e -f -H -h -k -l -q -t -T= -V -v -z --compress --decompress --extreme --force --keep --list --long-help --quiet --stdout --test
    --threads= --verbose`,
  zstd: `-# -B -b -c -d -D= -e -f -H -h -i -k -l -M -o=> -q -r -S -T -V -v --adapt --asyncio --auto-threads= --check --compress-literals --decompress
    --dictID= --exclude-compressed --fast? --filelist= --force --format= --keep --long? --maxdict= --output-dir-flat=> --output-dir-mirror=>
    --pass-through --patch-from= --priority= --progress --quiet --rm --row-match-finder --rsyncable --single-thread --size-hint= --sparse --stdout
    --stream-size= --target-compressed-block-size= --test --trace= --train --train-cover? --train-fastcover? --train-legacy? --ultra --verbose`,
  iconv: "-c -f= -l -o=> -s -t= -V --from-code= --list --output=> --silent --to-code= --usage --verbose",
  ps: `-A -a -c -C= -d -e -F -f -G= -g= -H -j -L -l -M -m -N -O= -o= -p= -q= -s= -T -t= -U= -u= -w -y -Z --cols= --columns= --context --cumulative
    --deselect --forest --format= --group= --headers --lines= --no-headers --no-heading --pid= --ppid= --rows= --sid= --sort= --tty= --user= --width=`,
  free: `-b -c= -g -h -k -l -m -s= -t -V -v -w --bytes --committed --count= --gibi --giga --human --kibi --kilo --lohi --mebi --mega --pebi --peta
    --seconds= --si --tebi --tera --total --wide`,
  pgrep: `-A -a -c -d= -f -F= -G= -g= -h -i -L -l -n -o -O= -P= -r= -s= -t= -U= -u= -V -v -w -x --cgroup= --count --delimiter= --euid= --exact --full
    --group= --ignore-ancestors --ignore-case --inverse --lightweight --list-full --list-name --logpidfile --newest --ns= --nslist= --older= --oldest
    --parent= --pgroup= --pidfile= --runstates= --session= --signal= --terminal= --uid=`,
  pkill: `-# -1 -15 -2 -9 -A -c -e -f -F= -G= -g= -H -h -HUP -i -INT -KILL -L -n -o -O= -P= -q= -r= -s= -t= -TERM -U= -u= -USR1 -USR2 -V -v -x --cgroup=
    --count --echo --euid= --exact --full --group= --ignore-ancestors --ignore-case --logpidfile --newest --ns= --nslist= --older= --oldest --parent=
    --pgroup= --pidfile= --queue= --runstates= --session= --signal= --terminal= --uid=`,
  seq: "-# -f= -s= -w --equal-width --format= --separator=",
  printenv: "-0 --null",
};

const FIND = `-H -L -P -O? -D= ! -not ( ) -a -and -o -or -empty -readable -writable -executable -print -print0 -prune -quit -depth -d -mount -xdev
  -daystart -follow -nouser -nogroup -true -false -ls -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -delete -name= -iname= -path= -ipath=
  -wholename= -iwholename= -regex= -iregex= -regextype= -type= -xtype= -size= -mtime= -mmin= -ctime= -cmin= -atime= -amin= -perm= -user= -group= -uid= -gid=
  -links= -inum= -maxdepth= -mindepth= -newer= -newermt= -newerat= -newerct= -anewer= -cnewer= -samefile= -lname= -ilname= -fstype= -used= -context=
  -printf= -fprint=> -fprint0=> -fls=> -fprintf=2`;
const AWK = "-F= -v= -f= -n --field-separator= --assign= --file= --posix --re-interval --csv --lint? --traditional";

export const FILE_OPTIONS: readonly OptionTable[] = [
  ...Object.entries(OPTIONS).map(([name, flags]) => ({ name, flags })),
  { name: "find", flags: FIND, singleDash: true, startsCommand: /^-(?:exec|ok)(?:dir)?$/ },
  ...["awk", "gawk", "mawk", "nawk"].map((name) => ({ name, flags: AWK })),
];
