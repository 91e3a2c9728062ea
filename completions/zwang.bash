# shellcheck shell=bash
# Completion of zwang in bash. The program itself says what may come next: zwang complete.

# Adds files that end in one of the endings, or any file, and folders to go into.
_zwang_files() {
  local typed=$1 file ending
  shift
  while IFS= read -r file; do
    if [[ $# == 0 || -d ${file/#\~/$HOME} ]]; then COMPREPLY+=("$file"); fi
    for ending; do
      if [[ $file == *"$ending" ]]; then COMPREPLY+=("$file"); fi
    done
  done < <(compgen -f -- "$typed")
  compopt -o filenames 2>/dev/null
}

_zwang() {
  local typed=${COMP_WORDS[COMP_CWORD]} word i
  local -a words=() endings=()
  # bash cuts words at = and :, zwang does not
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == [=:] ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  # what is completed is the last piece, without quotes
  if [[ $typed == [=:] ]]; then typed=""; fi
  typed=${typed#[\"\']}
  typed=${typed//\\/}

  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :folders)
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$typed")
        compopt -o filenames 2>/dev/null
        ;;
      :files*)
        read -r -a endings <<<"${word#:files}"
        _zwang_files "$typed" "${endings[@]}"
        ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
  # behind memory= comes the number
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}

complete -F _zwang zwang
