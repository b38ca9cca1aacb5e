import { type Command, CommanderError, Option } from 'commander'
import { parseServerUrl } from '../connection/server-url.ts'
import { collect, parseCount } from '../options/duration.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** What commands about a cluster have in common: how it is reached, in which form it is told, and how a mistake ends. */
export function addClusterOptions(
  command: Command,
  forms: readonly string[] = ['table', 'json', 'yaml'],
): Command {
  return command
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
    })
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: $KUBECONFIG, whose files are merged, the local fleet, ~/.kube/config)',
    )
    .option(
      '--context <name>',
      'which context of the kubeconfig; may be repeated (default: the current one, and those of the same authority and user)',
      collect,
      [],
    )
    .addOption(new Option('-o, --output <form>', 'how to print').choices(forms).default('table'))
}

/** Where only discovery says in what a resource is stored, each server has to be asked. */
export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'the address of one API server by itself, not of a balancer; repeat it for each. Matters where nothing but discovery tells what a server writes',
      (url, previous: readonly string[]) => collect(parseServerUrl(url), previous),
      [],
    )
    .addOption(
      new Option(
        '--samples <n>',
        'without --server: how many connections to the one address of the cluster are asked',
      )
        .argParser(parseCount)
        .default(5),
    )
}
