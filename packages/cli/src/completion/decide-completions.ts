/** A command as completion sees it. */
export interface CompletedCommand {
  readonly names: readonly string[]
  readonly flags: readonly CompletedFlag[]
  readonly subcommands: readonly CompletedCommand[]
  /** What each of its arguments is; the last one counts for all that follow if it may be repeated. */
  readonly args?: readonly CompletedArgument[]
}

export interface CompletedFlag {
  readonly names: readonly string[]
  readonly takesValue: boolean
  readonly values: readonly string[]
}

export interface CompletedArgument {
  readonly kind: ClusterNames | 'other'
  readonly isRepeated: boolean
}

/** Names that only the cluster knows. */
export type ClusterNames = 'resources' | 'crds'

export interface Completions {
  readonly words: readonly string[]
  /** Names of the cluster that may follow as well, and what has been typed of them. */
  readonly asks?: { readonly kind: ClusterNames; readonly typed: string }
  /** Values of flags that were typed before, by the long names of these. */
  readonly given: ReadonlyMap<string, string>
}

/** What may follow: `words` are those after `strata`, and the last one is being typed, and may be empty. */
export function decideCompletions(words: readonly string[], program: CompletedCommand): Completions {
  const typed = words.at(-1) ?? ''
  const given = new Map<string, string>()
  const none: Completions = { words: [], given }
  let command = program
  let pending: CompletedFlag | undefined
  let count = 0
  for (const word of words.slice(0, -1)) {
    if (word === '--') return none
    if (pending) {
      given.set(pending.names.at(-1) ?? '', word)
      pending = undefined
      continue
    }
    const [name = '', value] = splitFlag(word)
    const flag = command.flags.find(({ names }) => names.includes(name))
    if (flag?.takesValue && value !== undefined) given.set(flag.names.at(-1) ?? '', value)
    else if (flag?.takesValue) pending = flag
    const subcommand = command.subcommands.find(({ names }) => names.includes(word))
    if (subcommand) command = subcommand
    else if (!word.startsWith('-')) count++
  }
  if (pending) return { words: startingWith(typed, pending.values), given }
  if (typed.startsWith('-')) return { words: completedFlag(typed, command), given }
  const kind = argumentAt(command, count)?.kind ?? 'other'
  return {
    words: startingWith(typed, namesOf(command.subcommands)),
    ...(kind === 'other' ? {} : { asks: { kind, typed } }),
    given,
  }
}

/** `--context=prod` is one word. */
const splitFlag = (word: string): readonly string[] => /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]

function completedFlag(typed: string, { flags }: CompletedCommand): readonly string[] {
  const [name = '', value] = splitFlag(typed)
  if (value === undefined) return startingWith(typed, namesOf(flags))
  const values = flags.find(({ names }) => names.includes(name))?.values ?? []
  return startingWith(value, values).map((each) => `${name}=${each}`)
}

function argumentAt({ args = [] }: CompletedCommand, count: number): CompletedArgument | undefined {
  const last = args.at(-1)
  return args[count] ?? (last?.isRepeated ? last : undefined)
}

const namesOf = (all: readonly { readonly names: readonly string[] }[]): readonly string[] =>
  all.flatMap(({ names }) => names)

/** A list of names separated by commas is completed at its last name. */
export function startingWith(typed: string, candidates: readonly string[]): readonly string[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  return candidates.map((each) => before + each).filter((each) => each.startsWith(typed))
}
