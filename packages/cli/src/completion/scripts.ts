/** The shells that can be completed in, and what each has to source. All of them ask `strata completion --words`. */
export const completionScripts = {
  bash: `_strata() {
  local IFS=$'\\n'
  COMPREPLY=($(strata completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _strata strata`,
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
