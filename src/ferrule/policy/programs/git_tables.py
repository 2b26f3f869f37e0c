"""The sub-commands of git that only read, with the options that keep them so. The notation is that of `options.py`.

Left out are the options that write (`--output`) or run what the configuration names (`--ext-diff`, `--textconv`,
`--show-signature`, `--open-files-in-pager`, `--paginate`).
"""

from ferrule.policy.programs.options import names

_DIFF = (
    "-# -0 -1 -2 -3 -a -b -c -m -p -q -s -t -u -w -z -B=? -C=? -D -G= -I= -M=? -O=< -R -S= -U= -W -l= --abbrev=? "
    "--anchored= --base --binary --break-rewrites=? --cached --cc --check --color-moved-ws= --color-moved=? "
    "--color-words=? --color=? --combined-all-paths --compact-summary --cumulative --default-prefix --diff-algorithm= "
    "--diff-filter= --diff-merges= --dirstat=? --dst-prefix= --exit-code --find-copies-harder --find-copies=? "
    "--find-object= --find-renames=? --full-index --function-context --histogram --ignore-all-space "
    "--ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --ignore-space-at-eol --ignore-space-change "
    "--ignore-submodules=? --indent-heuristic --inter-hunk-context= --irreversible-delete --ita-invisible-in-index "
    "--line-prefix= --merge-base --minimal --name-only --name-status --no-color --no-color-moved --no-diff-merges "
    "--no-ext-diff --no-index --no-indent-heuristic --no-patch --no-prefix --no-relative --no-rename-empty "
    "--no-renames --no-textconv --numstat --ours --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all "
    "--pickaxe-regex --quiet --raw --relative=? --rename-empty --rotate-to= --shortstat --skip-to= --src-prefix= "
    "--staged --stat-count= --stat-graph-width= --stat-name-width= --stat-width= --stat=? --submodule=? --summary "
    "--text --theirs --unified= --word-diff-regex= --word-diff=? --ws-error-highlight= "
)
_REVISIONS = (
    "-n= --max-count= --skip= --since= --after= --until= --before= --max-age= --min-age= --author= --committer= "
    "--grep= --grep-reflog= --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F "
    "--fixed-strings -P --perl-regexp --merges --no-merges --min-parents= --max-parents= --no-min-parents "
    "--no-max-parents --first-parent --not --all --branches=? --tags=? --remotes=? --glob= --exclude= --reflog "
    "--cherry --cherry-mark --cherry-pick --left-only --right-only -g --walk-reflogs --merge --boundary "
    "--simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path=? --date-order "
    "--author-date-order --topo-order --reverse --no-walk=? --do-walk --parents --children --left-right --date= "
    "--relative-date --abbrev-commit --no-abbrev-commit --no-abbrev --oneline --pretty=? --format= --show-pulls "
    "--exclude-first-parent-only --count --timestamp --graph --encoding= "
)
_LOG = (
    _REVISIONS + "--notes=? --no-notes --decorate=? --no-decorate --decorate-refs= --decorate-refs-exclude= "
    "--clear-decorations --source --use-mailmap --mailmap --no-mailmap --no-use-mailmap --log-size -L= --follow "
    "--full-diff --show-linear-break=? --root "
)
_REFS = (
    "-i --ignore-case --sort= --format= --color=? --no-color --contains=? --no-contains=? --merged=? --no-merged=? "
    "--points-at= --column=? --no-column --omit-empty "
)

READS = {
    "status": (
        "words; -s -b -v -u=? -z --short --branch --show-stash --porcelain=? --long --verbose "
        "--untracked-files=? --ignore-submodules=? --ignored=? --column=? --no-column --ahead-behind "
        "--no-ahead-behind --renames --no-renames --find-renames=?"
    ),
    "log": f"words; {_DIFF}{_LOG}",
    "whatchanged": f"words; {_DIFF}{_LOG}",
    "show": f"words; {_DIFF}{_LOG}",
    "diff": f"words; {_DIFF}",
    "diff-tree": f"words; {_DIFF}-r --root --stdin --no-commit-id --pretty=? --format= -v",
    "diff-index": f"words; {_DIFF}",
    "diff-files": f"words; {_DIFF}",
    "range-diff": f"words; {_DIFF}--creation-factor= --no-dual-color --dual-color --left-only --right-only",
    "rev-list": (
        f"words; {_LOG}-# --objects --objects-edge --unpacked --disk-usage=? --header --stdin --use-bitmap-index "
        "--no-object-names --object-names --filter= --quiet --bisect"
    ),
    "shortlog": f"words; {_REVISIONS}-# -n -s -e -c -w=? --numbered --summary --email --committer --group=",
    "blame": (
        "words; -# -b -C=? -M=? -c -e -f -h -k -l -L= -n -p -s -t -w -S=< --abbrev=? --color-by-age "
        "--color-lines --contents=< --date= --encoding= --first-parent --ignore-rev= --ignore-revs-file=< "
        "--incremental --line-porcelain --minimal --porcelain --progress --no-progress --reverse --root "
        "--score-debug --show-email --show-name --show-number --show-stats --since= --diff-algorithm="
    ),
    "annotate": "words; -b -C=? -M=? -e -f -l -L= -n -p -s -t -w -S=<",
    "grep": (
        "pattern; -# -0 -1 -2 -3 -4 -5 -A= -B= -C= -E -F -G -H -I -L -P -W -a -c -e= -f=< -h -i -l -m= -n -o -p "
        "-q -r -v -w -z --after-context= --all-match --and --basic-regexp --before-context= --break --cached "
        "--color=? --column --context= --count --exclude-standard --extended-regexp --files-with-matches "
        "--files-without-match --fixed-strings --full-name --function-context --heading --ignore-case "
        "--invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-exclude-standard "
        "--no-index --no-recursive --no-textconv --not --null --only-matching --or --parent-basename "
        "--perl-regexp --quiet --recurse-submodules --recursive --show-function --text --threads= --untracked "
        "--word-regexp ( )"
    ),
    "ls-files": (
        "words; -c -d -f -i -k -m -o -r -s -t -u -v -x= -X=< -z --abbrev=? --cached --deduplicate --deleted "
        "--directory --empty-directory --eol --error-unmatch --exclude-from=< --exclude-per-directory= "
        "--exclude-standard --exclude= --format= --full-name --ignored --killed --modified --no-empty-directory "
        "--others --recurse-submodules --resolve-undo --sparse --stage --unmerged --with-tree="
    ),
    "ls-tree": (
        "words; -d -l -r -t -z --abbrev=? --format= --full-name --full-tree --long --name-only --name-status "
        "--object-only"
    ),
    "cat-file": (
        "words; -e -p -s -t -Z --allow-unknown-type --batch-all-objects --batch-check=? --batch-command=? "
        "--batch=? --buffer --filter= --follow-symlinks --mailmap --no-mailmap --unordered --use-mailmap"
    ),
    "rev-parse": (
        "words; --abbrev-ref=? --absolute-git-dir --all --branches=? --default= --disambiguate= --exclude= "
        "--flags --git-common-dir --git-dir --git-path= --glob= --is-bare-repository --is-inside-git-dir "
        "--is-inside-work-tree --is-shallow-repository --local-env-vars --no-flags --no-revs --not "
        "--path-format= --prefix= --quiet -q --remotes=? --resolve-git-dir=~ --revs-only --shared-index-path "
        "--short=? --show-cdup --show-object-format=? --show-prefix --show-superproject-working-tree "
        "--show-toplevel --since= --sq --symbolic --symbolic-full-name --tags=? --until= --verify"
    ),
    "describe": (
        "words; --abbrev=? --all --always --broken=? --candidates= --contains --debug --dirty=? --exact-match "
        "--exclude= --first-parent --long --match= --tags"
    ),
    "name-rev": (
        "words; --all --always --annotate-stdin --exclude= --name-only --no-undefined --refs= --stdin --tags "
        "--undefined"
    ),
    "merge-base": "words; -a --all --fork-point --independent --is-ancestor --octopus",
    "for-each-ref": f"words; {_REFS}--count= --stdin --include-root-refs --exclude=",
    "show-ref": (
        "words; -d -q -s -v --abbrev=? --dereference --exists --hash=? --head --heads --branches --quiet --tags "
        "--verify"
    ),
    "show-branch": (
        "words; -a -g=? -r --all --color=? --current --date-order --independent --list --merge-base --more=? "
        "--no-color --no-name --reflog=? --remotes --sha1-name --sparse --topics --topo-order"
    ),
    "count-objects": "none; -H -v --human-readable --verbose",
    "check-ignore": "words; -n -q -v -z --no-index --non-matching --quiet --stdin --verbose",
    "check-attr": "words; -a -z --all --cached --source= --stdin",
    "check-ref-format": "words; --allow-onelevel --branch --normalize --refspec-pattern --no-allow-onelevel",
    "check-mailmap": "words; --stdin",
    "cherry": "words; -v --abbrev=?",
    "hash-object": "reads; -t= --literally --no-filters --path= --stdin --stdin-paths",
    "verify-pack": "reads; -s -v --stat-only --verbose",
    "fsck": (
        "words; --cache --connectivity-only --dangling --full --name-objects --no-dangling --no-full "
        "--no-progress --no-reflogs --progress --root --strict --tags --unreachable --verbose -v"
    ),
    "var": "words; -l",
    "version": "none; --build-options",
    "help": "none; -a -c -g --all --config --guides --no-external-commands --verbose --no-verbose",
    "patch-id": "none; --stable --unstable --verbatim",
    "stripspace": "none; -c -s --comment-lines --strip-comments",
    "get-tar-commit-id": "none;",
    "column": "none; --command= --indent= --mode= --nl= --padding= --raw-mode= --width=",
    "remote": "none; -v --verbose",
    "remote get-url": "words; --all --push",
    "remote show": "words; -n",
    "branch": f"none; {_REFS}-a -l -r -v -vv --all --list --remotes --show-current --verbose --abbrev=? --no-abbrev",
    "tag": f"none; {_REFS}-l -n=? --list",
    "stash list": f"words; {_DIFF}{_LOG}",
    "stash show": f"words; {_DIFF}-u --include-untracked --only-untracked",
    "reflog": f"words; {_DIFF}{_LOG}",
    "reflog show": f"words; {_DIFF}{_LOG}",
    "reflog list": "none;",
    "reflog exists": "words;",
    "worktree list": "none; -v -z --porcelain --verbose",
    "notes": "none;",
    "notes list": "words;",
    "notes show": "words;",
    "submodule": "none;",
    "submodule status": "words; --cached --recursive",
    "bundle verify": "reads; -q --quiet",
    "bundle list-heads": "reads;",
    "bisect log": "none;",
    "rerere status": "none;",
    "rerere diff": "none;",
    "sparse-checkout list": "none;",
    "apply": (
        "reads; --check --stat --numstat --summary -p= -v --verbose -R --reverse --cached --index --3way "
        "--directory= --recount"
    ),
    "clean": "words; -f --force -n -d -x -X -e= -q --dry-run --exclude= --quiet",
    "symbolic-ref": "words; -q --quiet --short --no-recurse --recurse",
    "merge-file": "reads; -p -q --stdout --quiet --ours --theirs --union --diff3 --zdiff3 -L=",
    "format-patch": (
        f"words; {_DIFF}{_LOG}--stdout -k -N -s -n --numbered --no-numbered --signoff --no-stat "
        "--subject-prefix= --start-number="
    ),
    "archive": "none; -l --list",
    "lfs ls-files": "words; -l -s -n --long --size --name-only",
}
"""With a second word where that decides. `branch` and `tag` list patterns only behind `--list`."""
LISTING = {
    "branch": names("--list -l --contains --merged --no-merged --no-contains --points-at"),
    "tag": names("--list -l -n --contains --merged --no-merged --points-at"),
}
"""Options with which their operands are patterns instead of names to make."""
NEEDED = {
    "apply": {"--check", "--stat", "--numstat", "--summary"},
    "clean": {"-n", "--dry-run"},
    "merge-file": {"-p", "--stdout"},
    "format-patch": {"--stdout"},
    "archive": {"-l", "--list"},
    "remote show": {"-n"},
}
"""Sub-commands that change something unless one of these options is given."""
PATHS = {"diff", "show", "blame", "annotate", "grep", "log", "cat-file", "diff-index", "diff-files", "whatchanged"}
"""Sub-commands whose operands may be files that are shown."""
NETWORK = names(
    "fetch pull push clone ls-remote fetch-pack send-pack http-fetch http-push imap-send send-email request-pull "
    "daemon instaweb remote-http remote-https remote-ext upload-pack receive-pack upload-archive svn p4 cvsimport "
    "cvsserver shell http-backend submodule-update archimport"
)
NETWORK_TWO = names(
    "remote~update remote~prune remote~show submodule~update submodule~add submodule~init lfs~fetch lfs~pull "
    "lfs~push lfs~clone remote~set-head"
)
DANGER_TWO = names(
    "stash~drop stash~clear reflog~expire reflog~delete worktree~remove worktree~prune notes~remove notes~prune "
    "submodule~deinit lfs~prune reflog~drop reflog~write reflog~migrate credential~fill bisect~reset "
    "sparse-checkout~set remote~add remote~set-url lfs~install maintenance~start"
)
DANGER = names(
    "filter-branch filter-repo prune credential credential-store credential-cache replace update-server-info obliterate"
)
HARMLESS_SETTINGS = names(
    "color. core.quotepath core.abbrev core.pager=cat core.pager= core.fsmonitor=false core.fsmonitor= "
    "core.hookspath=/dev/null core.optionallocks log.date log.decorate log.abbrevcommit log.showsignature=false "
    "diff.renames diff.renamelimit diff.noprefix diff.mnemonicprefix diff.algorithm diff.context diff.colormoved "
    "diff.wserrorhighlight status.short status.branch status.showuntrackedfiles status.relativepaths status.renames "
    "status.showstash status.aheadbehind column. advice. grep.linenumber grep.column grep.patterntype user.name "
    "user.email i18n. blame.showemail blame.showroot blame.blankboundary blame.date blame.coloring pager.log=false "
    "pager.diff=false pager.branch=false pager.show=false core.precomposeunicode core.ignorecase diff.external= "
    "merge.conflictstyle"
)
"""Settings that may be given with `-c` while git only reads; with a value after `=` only that value."""
STEERING = tuple(
    names(
        "core.hookspath core.fsmonitor core.sshcommand core.pager core.editor core.askpass core.gitproxy core.worktree "
        "core.bare core.attributesfile core.alternaterefscommand alias. credential. filter. diff. merge. mergetool. "
        "difftool. include. includeif. url. http. https. remote. gpg. gpg.program sequence.editor init.templatedir "
        "protocol. uploadpack. receive. submodule. browser. man. web. sendemail. pager. interactive. trailer. tar. "
        "ssh. safe. pack. extensions. guitool. instaweb. lfs. push.gpgsign commit.gpgsign tag.gpgsign user.signingkey "
        "user.name-command fsmonitor. hook."
    )
)
"""Settings through which git runs programs or talks to others."""
