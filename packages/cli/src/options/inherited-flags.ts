import type { Command } from 'commander'

/** The flags of a subcommand, with those that it was not given, but its parent was: `strata controllers --kubeconfig F init`. */
export function inheritedFlags<Flags extends object>(command: Command): Flags {
  const { parent } = command
  const given = (name: string): boolean =>
    parent?.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
  const names = command.options.map((option) => option.attributeName()).filter(given)
  return {
    ...command.opts(),
    ...Object.fromEntries(names.map((name) => [name, parent?.getOptionValue(name)])),
  } as Flags
}
