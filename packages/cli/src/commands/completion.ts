import { Argument, type Command } from 'commander'
import type { KnownCommands } from '../command-modules.ts'
import {
  type ClusterNames,
  type CompletedArgument,
  type CompletedCommand,
  decideCompletions,
  startingWith,
} from '../completion/decide-completions.ts'
import { completionScripts } from '../completion/scripts.ts'
import { kubeconfigSource, loadContextNames } from '../connection/kubeconfig.ts'
import type { CliContext } from '../context.ts'
import { hiddenSwitch } from '../options/flag.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

const shells = Object.keys(completionScripts) as (keyof typeof completionScripts)[]

export function addCompletion(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
  known: KnownCommands,
): void {
  program
    .command('completion')
    .description('Print a script that completes commands, flags, contexts and resources in your shell.')
    .addArgument(new Argument('[shell]', `one of ${shells.join(', ')}`))
    .argument('[words...]')
    .addOption(hiddenSwitch('--words', 'print what may follow these words; the script calls it').option)
    .addHelpText('after', help)
    .action(
      async (first: string | undefined, rest: readonly string[], flags: { readonly words?: boolean }) => {
        if (flags.words) {
          const words = [first ?? '', ...rest]
          const tree = await treeFor(words, known, context)
          const { words: found, asks, given } = decideCompletions(words, tree)
          const names = asks ? startingWith(asks.typed, await namesFor(asks.kind, given, context)) : []
          for (const each of [...found, ...names]) context.print(each)
          done(0)
          return
        }
        const shell = shells.find((each) => each === first)
        if (shell === undefined || rest.length > 0)
          throw new CliError(`name one shell: ${shells.join(', ')}`, exitCodes.usage)
        context.print(completionScripts[shell])
        done(0)
      },
    )
}

/** Only the command that is being typed is loaded: a key press has to be answered at once. */
async function treeFor(
  words: readonly string[],
  { names, load }: KnownCommands,
  context: CliContext,
): Promise<CompletedCommand> {
  const [first = ''] = words
  const isKnown = words.length > 1 && names.includes(first)
  const program = treeOf(await load(isKnown ? [first] : []), isKnown ? await contextNames(context) : [])
  const others = names.map((name) => ({ names: [name], flags: [], subcommands: [] }))
  return isKnown ? program : { ...program, subcommands: others }
}

/** Loaded only when a name is being typed: the client takes longer than the rest. */
async function namesFor(
  kind: ClusterNames,
  given: ReadonlyMap<string, string>,
  context: CliContext,
): Promise<readonly string[]> {
  const { observeNames } = await import('../completion/cluster-names.ts')
  const [kubeconfig, name] = [given.get('--kubeconfig'), given.get('--context')]
  const [as, token] = [given.get('--as'), given.get('--token')]
  return observeNames(kind, { kubeconfig, context: name === undefined ? [] : [name], as, token }, context)
}

/** Without a kubeconfig there is nothing to complete, and nothing to complain about while typing. */
async function contextNames({ environment }: CliContext): Promise<readonly string[]> {
  return loadContextNames(kubeconfigSource(undefined, environment)).catch(() => [])
}

function treeOf(command: Command, contexts: readonly string[]): CompletedCommand {
  return {
    names: [command.name()],
    flags: [
      ...command.options
        .filter(({ hidden }) => !hidden)
        .map(({ short, long, required, optional, argChoices = [] }) => ({
          names: [short, long].filter((name) => name !== undefined),
          takesValue: required || optional,
          values: long === '--context' || long === '--contexts' ? contexts : argChoices,
        })),
      { names: ['-h', '--help'], takesValue: false, values: [] },
    ],
    subcommands: command.commands.map((each) => treeOf(each, contexts)),
    args: command.registeredArguments.map((each) => ({
      kind: namesOfCluster[each.name()] ?? 'other',
      isRepeated: each.variadic,
    })),
  }
}

/** By what the commands call their arguments. */
const namesOfCluster: Readonly<Record<string, CompletedArgument['kind']>> = {
  resource: 'resources',
  crd: 'crds',
}

const help = `
It completes commands, flags, the values that a flag may have, the contexts of the kubeconfig, and names of resources and CRDs.
For these it asks the cluster, for two seconds at most, and remembers the answer for 30 seconds (in $XDG_CACHE_HOME or ~/.cache).
A cluster that does not answer completes nothing.

Exit codes:
  0  the script was printed
  2  the shell is not one of these

Examples:
  $ strata completion bash > ~/.local/share/bash-completion/completions/strata
  $ strata completion zsh > "\${fpath[1]}/_strata"
  $ strata completion fish > ~/.config/fish/completions/strata.fish`
