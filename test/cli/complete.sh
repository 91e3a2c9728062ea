#!/usr/bin/env bash
# Completion: what the program offers is what it has and what its help explains, and the shells pass it on.
. "$(dirname "$0")/lib.bash"
wrong=0
lacks() {
  echo "$*" >&2
  wrong=1
}

# WORDS...: what is offered, in the file `offered`
offer() {
  zwang complete -- "$@"
  is 0
  says_nothing
  cut -f 1 out >offered
}
offers() {
  checks=$((checks + 1))
  for word; do grep -qxF -- "$word" offered || fail "it does not offer '$word'"; done
}
offers_only() { # in any order
  checks=$((checks + 1))
  printf '%s\n' "$@" | sort >expected
  sort offered | cmp -s expected - || fail "it offers $(tr '\n' ' ' <offered) in place of $*"
}

# ---- all commands, all options ----
zwang help
commands=$(sed -n 's/^  zwang \([a-z]*\) .*/\1/p' out)
offer ""
# shellcheck disable=SC2086 # a list of words
offers_only $commands --help --version
for command in $commands; do
  zwang help "$command"
  cp out help
  offer "$command" -
  # options stand in lines that begin with one; several may share a line
  grep '^  -' help | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u >explained
  while read -r option; do
    grep -qxF -- "$option" offered || grep -qE -- "[a-z:;] $option" help ||
      lacks "'zwang help $command' explains $option, completion does not offer it"
  done <explained
  while read -r option; do
    [ "$option" = --help ] || grep -qE -- "(^|[ ,[])$option([] ,=]|$)" help ||
      lacks "'zwang $command' has the option $option, 'zwang help $command' does not explain it"
  done <offered
  # an explanation fits into a line
  awk -F '\t' 'length($2) > 80 { print; bad = 1 } END { exit bad }' out || lacks "an explanation is too long"
done
[ $wrong = 0 ] || fail "completion and help do not agree"
offer run --forc
offers_only --forces

# ---- values ----
offer run model.zw --integrator ""
offers auto explicit radau rattle bdf adams
offer run --integrator=ra
offers_only radau rattle
offer run --formulation gibbs
offers_only gibbs-appell gibbs-appell-quasi
offer check --kernel ""
offers_only auto interpret native
offer run --format c
offers_only csv csv,h5
offer run --record ""
offers_only all
offer run --conserve ""
offers_only energy
offer run --limit ""
offers_only memory= iterations= nesting=
offer dump model.zw --stage ""
offers_only text model equations kernel
for word in $(cat offered); do
  cp "$root/examples/pendulum.zw" .
  zwang dump pendulum.zw --stage "$word"
  is 0
done
offer run --to ""
prints_nothing

# ---- operands ----
offer run ""
offers_only ":files .zw"
offer plot ""
offers_only ":files .csv .h5 .part"
offer run --out ""
offers_only :folders
offer derive model.zw --output ""
offers_only :files
offer help compa
offers_only compare
offer examples --copy pend
offers_only pendulum pendulum-sundials
offer examples pendulum net
offers_only net
offer run model.zw "" # one model at a time: what comes next is an option
offers --to --out
offer run -- -
offers_only ":files .zw"
offer nonsense ""
prints_nothing
zwang complete
is 2
says "which words? write: zwang complete -- WORD..."

# ---- bash ----
mkdir -p tree/sub "tree/a folder"
touch tree/one.zw "tree/two words.zw" tree/result.csv tree/result.h5 tree/other.txt
cat >ask.bash <<'E2'
# WORDS...: as bash calls the function; an answer in each line
. "$ZWANG_ROOT/completions/zwang.bash"
complete -p zwang >/dev/null || exit 1
cd tree || exit 1
COMP_WORDS=("$ZWANG" "$@")
COMP_CWORD=$#
_zwang
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
E2
in_bash() {
  last="bash: zwang $*"
  bash ask.bash "$@" >offered 2>err || fail "bash"
  says_nothing
}
in_bash ru
offers_only run
in_bash run --int
offers_only --integrator
in_bash run --integrator = ra
offers_only radau rattle
in_bash run --integrator =
offers auto radau
in_bash run ""
offers_only "a folder" one.zw sub "two words.zw"
in_bash run '"two'
offers_only "two words.zw"
in_bash run 'two\ w'
offers_only "two words.zw"
in_bash plot ""
offers_only "a folder" result.csv result.h5 sub
in_bash run one.zw --out ""
offers_only "a folder" sub
in_bash derive one.zw -o o
offers_only one.zw other.txt
in_bash run one.zw --set m = 2 --integrator e
offers_only explicit
in_bash sweep one.zw --over m = 1..3 : 5 --thr
offers_only --threads

# ---- fish and zsh, where they are ----
if command -v fish >/dev/null; then
  mkdir -p home bin
  ln -sf "$ZWANG" bin/zwang
  in_fish() { # LINE
    last="fish: $1"
    HOME=$PWD/home PATH=$PWD/bin:$PATH fish --no-config -c "source $root/completions/zwang.fish; cd tree; complete -C '$1'" |
      cut -f 1 >offered
  }
  in_fish "zwang ru"
  offers_only run
  in_fish "zwang run --integrator=ra"
  offers_only --integrator=radau --integrator=rattle
  in_fish "zwang plot re"
  offers_only result.csv result.h5
fi
if command -v zsh >/dev/null; then
  zsh -n "$root/completions/zwang.zsh" || fail "zwang.zsh is not zsh"
fi
done_well
