#compdef zwang
# Completion of zwang in zsh. The program itself says what may come next: zwang complete.

_zwang() {
  local line
  local -a endings described begun
  local -a answers=("${(@f)$("${(Q)words[1]/#\~/$HOME}" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  for line in $answers; do
    case $line in
      (:folders) _files -/ ;;
      (:files*)
        endings=(${=line#:files})
        endings=('*'$^endings)
        if (( $#endings )); then _files -g "$endings"; else _files; fi
        ;;
      (*=$'\t'*) begun+=("${line%%$'\t'*}") ;;
      (*) described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  if (( $#begun )); then compadd -S '' -a begun; fi
  if (( $#described )); then _describe -t words 'zwang' described; fi
}

# loaded by name, or sourced
if [[ $funcstack[1] == _zwang ]]; then _zwang "$@"; else compdef _zwang zwang; fi
