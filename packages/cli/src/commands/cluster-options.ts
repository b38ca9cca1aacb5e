import { type Command, CommanderError, Option } from 'commander'
import { collect, parseWhole } from '../duration.ts'
import { exitCodes } from '../exit-codes.ts'

/** What commands about stored objects have in common: how a cluster is reached, and how a mistake ends. */
export function addClusterOptions(command: Command): Command {
  return command
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
    })
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: $KUBECONFIG, the local fleet, ~/.kube/config)',
    )
    .option(
      '--context <name>',
      'which context of the kubeconfig; may be repeated (default: the current one, and those of the same authority and user)',
      collect,
      [],
    )
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['table', 'json', 'yaml']).default('table'),
    )
}

/** Where only discovery says in what a resource is stored, each server has to be asked. */
export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'a server by itself, where nothing but discovery tells what it writes; name each of them',
      collect,
      [],
    )
    .addOption(
      new Option('--samples <n>', 'without --server: how often to ask through the address of the cluster')
        .argParser(parseWhole)
        .default(5),
    )
}
