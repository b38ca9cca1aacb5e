import { type Command, Option } from 'commander'
import { collect, parseDuration, parseWhole } from './duration.ts'

/** One row of a table of flags. Its key in the table is the name that commander gives to the value. */
export interface Flag<Value> {
  readonly option: Option
  readonly initial: Value
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>

/** The values that commander hands to an action. */
export type FlagValues<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Flag<infer Value> ? Value : never
}

export function flag<Value>(
  flags: string,
  help: string,
  parse: (text: string, previous: Value) => Value,
  initial: Value,
  shown?: string,
): Flag<Value> {
  const option = new Option(flags, help).argParser(parse)
  return { option: initial === undefined ? option : option.default(initial, shown), initial }
}

export const textFlag = (flags: string, help: string): Flag<string | undefined> =>
  flag<string | undefined>(flags, help, (text) => text, undefined)

export const countFlag = (flags: string, help: string, initial: number): Flag<number> =>
  flag(flags, help, parseWhole, initial)

export const durationFlag = (flags: string, help: string, initialMs: number): Flag<number> =>
  flag(flags, help, parseDuration, initialMs, durationText(initialMs))

/** May be repeated. */
export const listFlag = (flags: string, help: string, shown?: string): Flag<readonly string[]> =>
  flag<readonly string[]>(flags, `${help}; may be repeated`, collect, [], shown)

export function choiceFlag<Choice extends string>(
  flags: string,
  help: string,
  choices: readonly Choice[],
  initial: Choice,
): Flag<Choice> {
  return { option: new Option(flags, help).choices(choices).default(initial), initial }
}

/** Without a value. `--no-x` is true unless given, any other false. */
export function switchFlag(flags: string, help: string): Flag<boolean> {
  const initial = flags.startsWith('--no-')
  const option = new Option(flags, help)
  return { option: initial ? option : option.default(false), initial }
}

/** The same for tests: neither `--help` nor the page of flags has it. */
export function hiddenSwitch(flags: string, help: string): Flag<boolean> {
  const made = switchFlag(flags, help)
  made.option.hideHelp()
  return made
}

/** The heading under which `--help` shows these flags. */
export function group<Table extends FlagTable>(heading: string, table: Table): Table {
  for (const { option } of Object.values(table)) option.helpGroup(heading)
  return table
}

export function addFlags(command: Command, table: FlagTable): Command {
  for (const { option } of Object.values(table)) command.addOption(option)
  return command
}

/** The same values as arguments for another process. A default is left out: the other process has the same. */
export function flagArgs<Table extends FlagTable>(table: Table, values: FlagValues<Table>): string[] {
  return Object.entries(table).flatMap(([key, { option, initial }]) => {
    const value = values[key as keyof Table]
    const name = option.long ?? ''
    if (value === initial || value === undefined) return []
    if (typeof value === 'boolean') return [name]
    // A list that starts empty is repeated; one that is read from a single argument is written as one.
    if (Array.isArray(initial) && Array.isArray(value)) return value.flatMap((each) => [name, String(each)])
    return [name, String(value)]
  })
}

/** As kube-apiserver's help shows it: `5m`, `1h`, `0`. */
function durationText(ms: number): string {
  for (const [unit, length] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms > 0 && ms % length === 0) return `${ms / length}${unit}`
  }
  return String(ms)
}
