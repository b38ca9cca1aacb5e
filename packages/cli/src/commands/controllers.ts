import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { collect } from '../duration.ts'
import { CliError } from '../errors.ts'

interface ControllersFlags extends ClusterFlags {
  readonly controllers: readonly string[]
  readonly rootCaFile?: string
}

export function addControllers(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  program
    .command('controllers')
    .description(
      'Run the leader-elected controllers: they forget servers that are gone, fill and empty namespaces, collect garbage.',
    )
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: $KUBECONFIG, the local fleet, ~/.kube/config)',
    )
    .option(
      '--context <name>',
      'a server of the fleet; may be repeated, then the next one is asked when one fails',
      collect,
      [],
    )
    .option(
      '--controllers <names>',
      "which to run, separated by commas: '*' for all, '-name' for all but this one",
      (names: string) => names.split(','),
      ['*'],
    )
    .option(
      '--root-ca-file <file>',
      'certificates to publish in every namespace (kube-root-ca.crt); without it none are',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ strata controllers
  $ strata controllers --kubeconfig admin.kubeconfig --context strata-1 --context strata-2
  $ strata controllers --controllers '*,-garbage-collector'`,
    )
    .action(async (flags: ControllersFlags) => {
      const { chosenControllers, runControllers } = await import('@strata/controllers/main')
      try {
        chosenControllers(flags.controllers)
      } catch (error) {
        throw new CliError(`--controllers: ${error instanceof Error ? error.message : error}`)
      }
      const rootCa = flags.rootCaFile === undefined ? {} : { rootCa: await readRootCa(flags.rootCaFile) }
      const connection = await connectCluster(flags, context, 'strata-controllers')
      try {
        await runControllers({
          world: context.world,
          client: connection.client,
          options: { controllers: flags.controllers, ...rootCa },
          signal: context.signal,
        })
      } finally {
        connection.close()
      }
      done(0)
    })
}

async function readRootCa(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as { code?: string }
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new CliError(`--root-ca-file ${path}: ${why}`)
  })
  // What is published is what others will trust: a key, or a wrong file, must not get there.
  if (/-----BEGIN CERTIFICATE-----/.test(text) && !/PRIVATE KEY/.test(text)) return text
  throw new CliError(`--root-ca-file ${path}: must hold certificates in PEM form, and no key`)
}
