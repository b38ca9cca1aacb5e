import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { parseServerUrl } from '../connection/server-url.ts'
import { collect, parseCount, parseDuration } from '../options/duration.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type OutputForm, outputForms } from '../output/print-report.ts'

export const kubeconfigHelp =
  'how to reach the cluster (default: $KUBECONFIG, whose files are merged; else the local fleet; else ~/.kube/config)'

const clusterGroup = 'Cluster:'
const outputGroup = 'Output:'

/** The flags of every command that reads a cluster, with kubectl's names, and its exit code for invalid arguments. */
export function addClusterOptions(command: Command, forms: readonly OutputForm[] = outputForms): Command {
  addAccessOptions(command)
  for (const option of [
    new Option('-o, --output <form>', 'output format').choices(forms).default('table'),
    new Option('-v, --verbose', 'also what is summarised otherwise; and each request, on standard error'),
  ])
    command.addOption(option.helpGroup(outputGroup))
  return command
}

/** Those of them that say how to reach a cluster. */
export function addAccessOptions(command: Command): Command {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
  })
  for (const option of clusterOptions()) command.addOption(option.helpGroup(clusterGroup))
  return command
}

function clusterOptions(): readonly Option[] {
  return [
    new Option('--kubeconfig <file>', kubeconfigHelp),
    new Option(
      '--context <name>',
      'context of the kubeconfig; may be repeated (default: the current one, and those with the same CA and user)',
    )
      .argParser(collect)
      .default([]),
    new Option('--as <user>', 'make the requests as this user'),
    new Option('--as-group <group>', 'with --as: as a member of this group; may be repeated')
      .argParser(collect)
      .default([]),
    new Option('--as-uid <uid>', 'with --as: with this uid'),
    new Option('--token <token>', 'bearer token, instead of the credentials of the context'),
    new Option(
      '--request-timeout <duration>',
      'how long one request may take; 0 is no limit (default: 90s)',
    ).argParser(parseTimeout),
    new Option('--tls-server-name <name>', 'name in the certificate of the server'),
    new Option(
      '--insecure-skip-tls-verify',
      'do not check the certificate of the server: requests may reach any server',
    ),
  ]
}

/** As kubectl: a number without a unit is in seconds. */
function parseTimeout(text: string): number {
  return parseDuration(/^\d+$/.test(text) ? `${text}s` : text)
}

/** For commands that read: they can report about several clusters at once. */
export function addContextsOptions(command: Command): Command {
  const options = [
    new Option(
      '--contexts <names>',
      'report about several clusters: contexts, separated by commas',
    ).argParser((text) => {
      const names = text.split(',').filter((name) => name !== '')
      if (names.length === 0) throw new InvalidArgumentError('name at least one context.')
      return names
    }),
    new Option(
      '--all-contexts',
      'report about every cluster of the kubeconfig; several contexts of one cluster are asked once',
    ),
  ]
  for (const option of options) command.addOption(option.helpGroup(clusterGroup))
  return command
}

/** Where only discovery shows the storage version of a resource, each server has to be asked. */
export function addServerOptions(command: Command): Command {
  const options = [
    new Option(
      '--server <url>',
      'address of one API server, not of a load balancer; repeat it for each server. Needed where only discovery shows what a server writes, and the servers in the EndpointSlice default/kubernetes cannot be reached',
    )
      .argParser((url, previous: readonly string[]) => collect(parseServerUrl(url), previous))
      .default([]),
    new Option(
      '--samples <n>',
      'where no API server can be asked by itself: how many connections to make to the address of the cluster, to reach several servers',
    )
      .argParser(parseCount)
      .default(5),
  ]
  for (const option of options) command.addOption(option.helpGroup(clusterGroup))
  return command
}
