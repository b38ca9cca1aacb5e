/** A command as completion sees it. */
export interface CompletedCommand {
  readonly names: readonly string[]
  readonly flags: readonly CompletedFlag[]
  readonly subcommands: readonly CompletedCommand[]
}

export interface CompletedFlag {
  readonly names: readonly string[]
  readonly takesValue: boolean
  readonly values: readonly string[]
}

/** What may follow: `words` are those after `strata`, and the last one is being typed, and may be empty. */
export function decideCompletions(words: readonly string[], program: CompletedCommand): readonly string[] {
  const typed = words.at(-1) ?? ''
  let command = program
  let pending: CompletedFlag | undefined
  for (const word of words.slice(0, -1)) {
    if (word === '--') return []
    if (pending) {
      pending = undefined
      continue
    }
    const flag = command.flags.find(({ names }) => names.includes(word))
    if (flag?.takesValue) pending = flag
    const subcommand = command.subcommands.find(({ names }) => names.includes(word))
    if (subcommand) command = subcommand
  }
  if (pending) return startingWith(typed, pending.values)
  if (typed.startsWith('-')) return startingWith(typed, namesOf(command.flags))
  return startingWith(typed, namesOf(command.subcommands))
}

const namesOf = (all: readonly { readonly names: readonly string[] }[]): readonly string[] =>
  all.flatMap(({ names }) => names)

/** A list of names separated by commas is completed at its last name. */
function startingWith(typed: string, candidates: readonly string[]): readonly string[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  return candidates.map((each) => before + each).filter((each) => each.startsWith(typed))
}
