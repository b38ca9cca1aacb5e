/**
 * Bash splits words at ":" and "=" as well, and replaces only what is behind the last of these: so words are put together again
 * by the line, and an answer is cut where Bash has cut the word. Answers are read line by line: an array made of an unquoted text
 * would turn "*" into names of files.
 */
const bash = `_strata() {
  local rest=\${COMP_LINE:0:COMP_POINT} word blank typed cut each i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    if ((i == COMP_CWORD)); then word=$rest; fi
    if ((i == 0)) || [[ -n $blank ]]; then words+=("$word"); else words[\${#words[@]}-1]+=$word; fi
    rest=\${rest#"$word"}
  done
  typed=\${words[\${#words[@]}-1]}
  cut=''
  if [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]]; then cut=\${typed%"\${typed##*:}"}
  elif [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]]; then cut=\${typed%"\${typed##*=}"}; fi
  COMPREPLY=()
  while IFS= read -r each; do
    each=\${each#"$cut"}
    if [[ $each == *[!-a-zA-Z0-9_.,:=@/%+]* ]]; then printf -v each %q "$each"; fi
    COMPREPLY+=("$each")
  done < <(strata completion --words -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _strata strata`

/** The shells that can be completed in, and what each has to source. All of them ask `strata completion --words`. */
export const completionScripts = {
  bash,
  zsh: `#compdef strata
_strata() {
  local -a found
  found=("\${(@f)$(strata completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  compadd -a found
}
compdef _strata strata`,
  fish: `complete -c strata -e
complete -c strata -f -a '(strata completion --words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
} as const
