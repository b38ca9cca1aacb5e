import { type Command, CommanderError, Option } from 'commander'
import { parseServerUrl } from '../connection/server-url.ts'
import { collect, parseCount } from '../options/duration.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type OutputForm, outputForms } from '../output/print-report.ts'

export const kubeconfigHelp =
  'how to reach the cluster (default: $KUBECONFIG, whose files are merged; else the local fleet; else ~/.kube/config)'

/** The flags of every command that reads a cluster, and its exit code for invalid arguments. */
export function addClusterOptions(command: Command, forms: readonly OutputForm[] = outputForms): Command {
  return command
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
    })
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option(
      '--context <name>',
      'context of the kubeconfig; may be repeated (default: the current one, and those with the same CA and user)',
      collect,
      [],
    )
    .addOption(new Option('-o, --output <form>', 'output format').choices(forms).default('table'))
}

/** Where only discovery shows the storage version of a resource, each server has to be asked. */
export function addServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'address of one API server, not of a load balancer; repeat it for each server. Needed where only discovery shows what a server writes',
      (url, previous: readonly string[]) => collect(parseServerUrl(url), previous),
      [],
    )
    .addOption(
      new Option(
        '--samples <n>',
        'without --server: how many connections to make to the address of the cluster, to reach several servers',
      )
        .argParser(parseCount)
        .default(5),
    )
}
