"""Programs that only read, with the options that keep them so. The notation is that of `options.py`."""

from ferrule.policy.programs.answers import serves

SUMS = (
    "tame reads; -a= -b -c -t -l= -w -z -r -n --binary --check --tag --text --zero --ignore-missing --quiet "
    "--status --strict --warn --algorithm= --length= --raw --base64 --debug --untagged"
)
GREP = (
    "tame pattern; -A= -B= -C= -D= -E -F -G -H -I -L -P -T -U -V -Z -a -b -c -d= -e= -f=< -h -i -l -m= -n -o -q -r "
    "-s -v -w -x -y -z -# --after-context= --basic-regexp --before-context= --binary --binary-files= --byte-offset "
    "--color=? --colour=? --context= --count --devices= --directories= --exclude= "
    "--exclude-dir= --exclude-from=< --extended-regexp --file=< --files-with-matches --files-without-match "
    "--fixed-strings --group-separator= --ignore-case --include= --include-dir= --initial-tab --invert-match --label= "
    "--line-buffered --line-number --line-regexp --max-count= --no-filename --no-group-separator --no-ignore-case "
    "--no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp= --silent --text "
    "--with-filename --word-regexp"
)
LS = (
    "tame lists; -# -1 -A -B -C -D -F -G -H -I= -N -Q -R -S -T= -U -X -Z -a -b -c -d -f -g -h -i -k -l -m -n -o -p "
    "-q -r -s -t -u -v -w= -x -@ -O -e -% --all --almost-all --author --block-size= --classify=? --color=? --context "
    "--dereference-command-line --directory --dired --escape --file-type --format= --full-time "
    "--group-directories-first --hide= --human-readable --hyperlink=? --ignore= --ignore-backups --indicator-style= "
    "--inode --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --si --size "
    "--sort= --time= --time-style= --width= --zero"
)
DIFF = (
    "tame reads; -# -0 -a -b -B -c -C= -d -D= -e -E -F= -h -H -i -I= -l -L= -n -N -P -p -q -r -s -S= -T -t -u -U= -w "
    "-W= -x= -X=< -y -Z --brief --color=? --context=? --exclude= --exclude-from=< --expand-tabs --from-file=< "
    "--ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= --ignore-space-change "
    "--ignore-trailing-space --label= --left-column --minimal --new-file --no-dereference --normal --palette= "
    "--recursive --report-identical-files --show-c-function --show-function-line= --side-by-side --speed-large-files "
    "--strip-trailing-cr --suppress-blank-empty --suppress-common-lines --tabsize= --text --to-file=< --unified=? "
    "--unidirectional-new-file --width= --line-format= --changed-group-format= --old-line-format= --new-line-format="
)
TEXT = {
    "cat": (
        "tame reads; -A -b -e -E -n -s -t -T -u -v -l --show-all --number --number-nonblank --squeeze-blank "
        "--show-ends --show-tabs --show-nonprinting"
    ),
    "tac": "tame reads; -b -r -s= --before --regex --separator=",
    "head": "tame reads; -# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated",
    "tail": (
        "tame reads; -# -b= -c= -f -F -n= -q -r -s= -v -z --bytes= --follow=? --lines= --pid= --quiet --retry "
        "--silent --sleep-interval= --max-unchanged-stats= --verbose --zero-terminated"
    ),
    "wc": "tame reads; -c -l -L -m -w --bytes --chars --lines --max-line-length --words --files0-from=< --total=",
    "nl": (
        "tame reads; -b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-format= "
        "--number-width= --number-separator= --starting-line-number= --line-increment="
    ),
    "cut": (
        "tame reads; -b= -c= -d= -f= -n -s -w -z --bytes= --characters= --complement --delimiter= --fields= "
        "--only-delimited --output-delimiter= --zero-terminated"
    ),
    "paste": "tame reads; -d= -s -z --delimiters= --serial --zero-terminated",
    "tr": "tame words; -c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1",
    "fold": "tame reads; -# -b -c -s -w= --bytes --characters --spaces --width=",
    "fmt": (
        "tame reads; -# -c -g= -p= -s -t -u -w= --width= --goal= --prefix= --split-only --tagged-paragraph "
        "--uniform-spacing"
    ),
    "pr": (
        "tame reads; -# -a -c -d -D= -e=? -F -f -h= -i=? -J -l= -m -n=? -N= -o= -r -s=? -S=? -t -T -v -w= -W= "
        "--columns= --header= --omit-header --length= --width= --merge --double-space"
    ),
    "expand": "tame reads; -# -i -t= --initial --tabs=",
    "unexpand": "tame reads; -# -a -t= --all --first-only --tabs=",
    "rev": "tame reads; -0 --zero",
    "column": (
        "tame reads; -c= -d -e -E= -H= -i= -J -L -l= -m -n= -N= -o= -O= -p= -r= -R= -s= -t -T= -W= -x --json "
        "--output-separator= --separator= --table --table-columns= --table-hide= --table-name= "
        "--table-noheadings --table-right= --fillrows --output-width= --keep-empty-lines"
    ),
    "colrm": "tame words;",
    "comm": "tame reads; -1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
    "join": (
        "tame reads; -# -1= -2= -a= -e= -i -j= -o= -t= -v= -z --check-order --nocheck-order --header "
        "--ignore-case --zero-terminated"
    ),
    "tsort": "tame reads; -w",
    "look": "tame pattern; -a -b -d -t=",
    "cmp": "tame reads; -b -i= -l -n= -s --bytes= --ignore-initial= --print-bytes --quiet --silent --verbose",
    "diff": DIFF,
    "colordiff": DIFF,
    "diff3": (
        "tame reads; -A -a -e -E -i -L= -m -T -x -X -3 --easy-only --ed --label= --merge --overlap-only "
        "--show-all --text"
    ),
    "od": (
        "tame reads; -A= -a -b -c -d -e -f -h -i -I -l -L -j= -N= -o -s -S=? -t= -v -w=? -x -X --address-radix= "
        "--endian= --format= --output-duplicates --read-bytes= --skip-bytes= --strings=? --width=?"
    ),
    "hexdump": (
        "tame reads; -b -c -C -d -e= -f=< -L=? -n= -o -s= -v -x -X --canonical --length= --skip= --no-squeezing "
        "--format="
    ),
    "hd": "tame reads; -b -c -C -d -e= -n= -o -s= -v -x",
    "base64": "tame reads; -d -D -i -w= -b= --break= --decode --ignore-garbage --wrap=",
    "base32": "tame reads; -d -i -w= --decode --ignore-garbage --wrap=",
    "basenc": (
        "tame reads; -d -i -w= --base16 --base2lsbf --base2msbf --base32 --base32hex --base64 --base64url "
        "--decode --ignore-garbage --wrap= --z85"
    ),
    **serves(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum md5 crc32 xxhsum xxh64sum",
        SUMS,
    ),
    "zcat": "tame reads; -f -v",
    "gzcat": "tame reads; -f -v",
    "bzcat": "tame reads; -s",
    "xzcat": "tame reads; -q -v",
    "zstdcat": "tame reads; -f",
    "lz4cat": "tame reads;",
    "zgrep": "pattern; -A= -B= -C= -E -F -H -c -e= -h -i -l -m= -n -o -q -s -v -w -x",
    "zdiff": "reads;",
    "zcmp": "reads;",
    "ts": "tame words; -r -i -s -m",
    "yes": "text",
    "help": "text",
    "bc": "tame reads; -c -e= -h -i -l -q -s -v -w --mathlib --quiet --standard --warn",
    "hexyl": "tame reads; -c= -n= -s= --length= --skip= --color= --plain",
    "seq": "tame words; -# -f= -s= -t= -w --format= --separator= --equal-width",
    "expr": "text",
    "factor": "tame words; -h --exponents",
    "numfmt": (
        "tame words; -d= -z --delimiter= --field= --format= --from= --from-unit= --grouping --header=? "
        "--invalid= --padding= --round= --suffix= --to= --to-unit= --zero-terminated"
    ),
    "echo": "text",
    "true": "text",
    "false": "text",
    ":": "text",
    "cal": (
        "tame words; -# -1 -3 -A= -B= -C -M -N -b -d= -h -j -m -n= -s -w -y -Y --color=? --julian --monday "
        "--months= --one --span --sunday --three --week=? --year"
    ),
    "ncal": "tame words; -3 -A= -B= -C -M -N -S -b -d= -e -h -j -m= -p -w -y",
    "units": "tame words; -t -v --terse --verbose",
    "cowsay": "words; -b -d -g -n -p -s -t -w -y -e= -T= -W=",
    "figlet": "words; -w= -c -l -r",
}
"""Text in, text out."""

FILES = {
    "ls": LS,
    "dir": LS,
    "vdir": LS,
    "gls": LS,
    "exa": (
        "lists; -1 -a -B -d -D -F -g -G -h -H -i -I= -l -L= -m -r -R -s= -S -t= -T -u -U -x --all --binary "
        "--color= --colour= --git --git-ignore --group --group-directories-first --header --icons=? --level= "
        "--long --no-permissions --no-user --no-time --oneline --recurse --reverse --sort= --time= "
        "--time-style= --tree --only-dirs --only-files --total-size"
    ),
    "lsd": (
        "lists; -1 -a -A -d -F -h -i -I= -l -r -R -S -t -v -X --all --almost-all --color= --date= --depth= "
        "--group-dirs= --header --human-readable --icon= --icon-theme= --long --oneline --recursive --reverse "
        "--size= --sort= --total-size --tree"
    ),
    "stat": (
        "tame lists; -# -c= -f= -F -L -l -n -q -r -s -t= -x --cached= --dereference --file-system --format= "
        "--printf= --terse"
    ),
    "file": (
        "reads; -0 -b -d -E -F= -h -i -I -k -L -N -n -p -P= -r -s -v -e= -f=< -m=< --brief "
        "--checking-printout --dereference --extension --files-from=< --keep-going --mime --mime-type "
        "--mime-encoding --no-buffer --no-dereference --no-pad --print0 --raw --separator="
    ),
    "du": (
        "tame lists; -0 -a -A -B= -b -c -d= -D -g -h -H -I= -k -l -m -n -P -r -S -s -t= -x -X=< --all "
        "--apparent-size --block-size= --bytes --count-links --dereference-args --exclude= "
        "--exclude-from=< --files0-from=< --human-readable --inodes --max-depth= --no-dereference --null "
        "--one-file-system --separate-dirs --si --summarize --threshold= --time=? --time-style= --total"
    ),
    "df": (
        "tame lists; -a -B= -b -g -h -H -i -I -k -l -m -n -P -t= -T -v -x= -Y --all --block-size= "
        "--exclude-type= --human-readable --inodes --local --no-sync --output=? --portability --print-type --si "
        "--sync --total --type="
    ),
    "tree": (
        "lists; -a -A -C -d -D -f -F -g -h -i -I= -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x -X -J -c "
        "--charset= --device --dirsfirst --du --filelimit= --filesfirst --gitignore --gitfile=< "
        "--ignore-case --info --inodes --matchdirs --metafirst --noreport --prune --si --sort= --timefmt= "
        "--compress= -H= -T="
    ),
    "basename": "tame words; -a -s= -z --multiple --suffix= --zero",
    "dirname": "tame words; -z --zero",
    "realpath": (
        "tame lists; -e -L -m -P -q -s -z --canonicalize-existing --canonicalize-missing --logical "
        "--no-symlinks --physical --quiet --relative-base= --relative-to= --strip --zero"
    ),
    "readlink": (
        "tame lists; -e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing "
        "--no-newline --quiet --silent --verbose --zero"
    ),
    "pathchk": "tame words; -p -P --portability",
    "namei": "tame lists; -l -m -n -o -v -x --long --modes --mountpoints --nosymlinks --owners --vertical",
    "lsattr": "tame lists; -a -d -l -p -R -v -V",
    "getfacl": (
        "tame lists; -a -c -d -e -E -n -p -P -R -s -t --access --absolute-names --omit-header --recursive --numeric"
    ),
    "pwd": "tame words; -L -P --logical --physical",
    "which": "tame words; -a -s --all --skip-alias --skip-functions --tty-only",
    "whereis": "tame words; -b -B= -f -g -l -m -M= -s -S= -u",
    "type": "tame words; -a -f -p -P -t",
    "whatis": "tame words; -d -l -r -s= -w --long --regex --sections= --wildcard",
    "apropos": "tame words; -a -d -e -l -r -s= -w --and --exact --long --regex --sections=",
    "otool": "tame reads; -a -d -D -f -h -I -l -L -n -o -r -s= -S -t -T -v -V -X",
    "lipo": "reads; -info -archs -detailed_info",
    "plutil": "reads; -p -lint -s",
    "pdfinfo": "tame reads; -box -f= -l= -enc= -meta -rawdates",
    "tokei": (
        "lists; -C -e= -f -l -s= -t= --compact --exclude= --files --hidden --languages --no-ignore --output= "
        "--sort= --types="
    ),
    "scc": (
        "lists; -c -d -i= -n= -s= -w --by-file --ci --exclude-dir= --include-ext= --no-cocomo --no-complexity "
        "--no-duplicates --sort= --wide"
    ),
    "cloc": (
        "lists; --by-file --csv --exclude-dir= --exclude-ext= --exclude-lang= --hide-rate --include-ext= "
        "--include-lang= --json --md --not-match-d= --quiet --xml --yaml"
    ),
    "bat": (
        "reads; -A -d -f -h -l= -n -p -r= -s -S -u -H= --color= --decorations= --highlight-line= --language= "
        "--line-range= --list-languages --list-themes --map-syntax= --number --paging= --plain --show-all "
        "--squeeze-blank --style= --tabs= --theme= --wrap="
    ),
    "batcat": (
        "reads; -A -f -l= -n -p -r= -s -S --color= --decorations= --language= --line-range= --number --paging= "
        "--plain --style= --theme= --wrap="
    ),
    "diffstat": "tame reads; -b -c -C -d -D= -E -f= -h -k -K -l -m -n= -N= -p= -q -r= -R -s -S= -t -T -u -v -w=",
    "shellcheck": (
        "reads; -C=? -e= -f= -i= -o= -s= -S= -W= --color=? --enable= --exclude= "
        "--format= --include= --list-optional --norc --severity= --shell= "
        "--wiki-link-count="
    ),
    "zipinfo": "tame reads; -1 -2 -C -h -l -m -M -s -t -T -v -z",
}
"""Files and what they are."""

BINUTILS = {
    "strings": (
        "reads; -# -a -d -e= -f -n= -o -s= -t= -T= -w -U= --all --bytes= --data --encoding= "
        "--print-file-name --radix= --include-all-whitespace"
    ),
    "nm": (
        "reads; -a -A -B -C -D -e -f= -g -h -j -l -m -n -o -p -P -r -s -S -t= -u -U -v -V --defined-only "
        "--demangle=? --dynamic --extern-only --format= --line-numbers --no-sort --numeric-sort --print-size "
        "--size-sort --undefined-only"
    ),
    "objdump": (
        "reads; -# -a -C -d -D -e -f -g -G -h -H -i -j= -l -m= -M= -p -P= -r -R -s -t -T -v -w -x -z "
        "--all-headers --archive-headers --architecture= --demangle=? --disassemble=? --disassemble-all "
        "--disassembler-options= --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers "
        "--line-numbers --no-show-raw-insn --private-headers --reloc --section= --section-headers "
        "--start-address= --stop-address= --syms --wide"
    ),
    "readelf": (
        "reads; -a -A -c -d -D -e -g -h -H -I -l -n -p= -r -R= -s -S -t -u -v -V -W -w=? -x= -z --all "
        "--dynamic --file-header --headers --hex-dump= --histogram --notes --program-headers --relocs "
        "--section-details --section-groups --section-headers --sections --segments --string-dump= --symbols "
        "--syms --unwind --use-dynamic --version-info --wide"
    ),
    "size": "reads; -A -B -d -G -o -t -x --common --format= --radix= --totals",
    "addr2line": (
        "words; -a -b= -C -e=< -f -i -j= -p -s --addresses --basenames --demangle=? --exe=< --functions "
        "--inlines --pretty-print"
    ),
    "c++filt": "words; -i -n -p -s= -t -_ --format= --no-params --types",
}
"""Programs for which `@FILE`, wherever it stands, is a file of further words."""

SEARCH = {
    "grep": GREP,
    "egrep": GREP,
    "fgrep": GREP,
    "ggrep": GREP,
    "rgrep": GREP,
    "rg": (
        "pattern; -. -# -0 -A= -B= -C= -E= -F -H -I -M= -N -P -S -T= -U -V -a -b -c -e= -f=< -g= -h -i -j= -l -m= "
        "-n -o -p -q -r= -s -t= -u -v -w -x -d= --after-context= --before-context= --binary --block-buffered "
        "--byte-offset --case-sensitive --color= --colors= --column --context= --context-separator= --count "
        "--count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator= "
        "--field-match-separator= --file=< --files --files-with-matches --files-without-match --fixed-strings "
        "--generate= --glob= --glob-case-insensitive --heading --hidden --hyperlink-format= --iglob= --ignore-case "
        "--ignore-file=< --include-zero --invert-match --json --line-buffered --line-number --line-regexp "
        "--max-columns= --max-columns-preview --max-count= --max-depth= --max-filesize= --mmap --multiline "
        "--multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude "
        "--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number "
        "--no-messages --no-mmap --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system "
        "--only-matching --passthru --path-separator= --pcre2 --pcre2-version --pretty --quiet --regex-size-limit= "
        "--regexp= --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trace "
        "--trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --vimgrep --with-filename "
        "--word-regexp"
    ),
    "ag": (
        "pattern; -# -0 -A=? -B=? -C=? -D -F -G= -H -L -Q -R -S -U -a -c -h -i -l -m= -n -o -p=< -r -s -t -u -v -w "
        "-W= --ackmate --after=? --all-text --all-types --before=? --break --case-sensitive --color --column "
        "--context=? --count --depth= --file-search-regex= --files-with-matches --files-without-matches --filename "
        "--fixed-strings --group --heading --hidden --ignore= --ignore-case --ignore-dir= --invert-match "
        "--line-numbers --literal --max-count= --no-break --no-color --no-filename --no-group --no-heading "
        "--no-numbers --nobreak --nocolor --nogroup --noheading --nofilename --nonumbers --null --numbers "
        "--only-matching --print-long-lines --silent --smart-case --stats --unrestricted --vimgrep --width= "
        "--word-regexp"
    ),
    "ack": (
        "pattern; -A= -B= -C= -H -L -Q -R -c -h -i -k -l -m= -n -o -r -s -t= -v -w -x -1 --after-context= "
        "--before-context= --break --color --column --context= --count --files-with-matches --group --heading "
        "--ignore-case --ignore-dir= --ignore-file= --invert-match --literal --max-count= --no-color --no-filename "
        "--no-group --no-heading --no-recurse --noenv --nobreak --nocolor --nogroup --noheading --nofilename --recurse "
        "--smart-case --type= --with-filename --word-regexp --python --js --java --cpp --cc --go --rust --html --css "
        "--json --md"
    ),
    "fd": (
        "pattern; -# -0 -1 -a -c= -d= -e= -E= -F -g -H -i -I -j= -l -p -q -s -S= -t= -u -o= --absolute-path --and= "
        "--base-directory=~ --case-sensitive --changed-before= --changed-within= --color= --depth= --exact-depth= "
        "--exclude= --extension= --fixed-strings --full-path --glob --hidden --ignore-case --ignore-file=< "
        "--list-details --max-depth= --max-results= --min-depth= --newer= --no-ignore --no-ignore-parent "
        "--no-ignore-vcs --older= --one-file-system --owner= --path-separator= --print0 --prune --quiet --regex "
        "--relative-path --search-path=~ --size= --strip-cwd-prefix=? --threads= --type= --unrestricted"
    ),
    "locate": (
        "tame words; -A -b -c -e -i -l= -n= -P -q -r= -S -w -0 --all --basename --count --existing "
        "--ignore-case --limit= --null --quiet --regex --regexp= --statistics --wholename"
    ),
}
SEARCH["fdfind"] = SEARCH["fd"]
FILES["eza"] = FILES["exa"]
