import type { Client } from '@strata/client'
import type { Command } from 'commander'
import {
  type ClusterConnection,
  type ClusterFlags,
  connectCluster,
  turnToAnswering,
} from '../../connection/cluster-client.ts'
import type { CliContext } from '../../context.ts'
import {
  applyAll,
  deleteAll,
  type FoundPlace,
  lookAtPlaces,
} from '../../controllers-install/change-objects.ts'
import { decideObjects, type Installation } from '../../controllers-install/decide-objects.ts'
import { exitOf, type ObjectReport, reportOfInstall } from '../../controllers-install/install-report.ts'
import { observePlaces } from '../../controllers-install/observe-places.ts'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { inheritedFlags } from '../../options/inherited-flags.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { isConfirmed } from '../../output/is-confirmed.ts'
import { type OutputFlags, printTo } from '../../output/print-report.ts'
import { addClusterOptions } from '../cluster-options.ts'

interface InstallFlags extends ClusterFlags, OutputFlags, Installation {
  readonly dryRun: boolean
}

interface UninstallFlags extends InstallFlags {
  readonly yes: boolean
}

type Done = (exitCode: number) => void

export function addControllersInstall(controllers: Command, context: CliContext, done: Done): void {
  const command = controllers
    .command('install')
    .description(
      'Install the controllers that keep a cluster migrated, as a Deployment with the least rights.',
    )
    .requiredOption('--image <image>', 'the image of strata in a registry that the cluster can reach')
    .option('-n, --namespace <name>', 'where they run; created if it is not there', 'strata')
    .option('--dry-run', 'ask the server for every write, and store nothing', false)
  addClusterOptions(command)
    .addHelpText('after', installHelp)
    .action(async () => {
      const flags = inheritedFlags<InstallFlags>(command)
      const { dryRun, namespace } = flags
      await withPlaces(flags, context, async (places) => {
        const objects = await applyAll(places, dryRun, context)
        const manifest = dryRun ? { manifest: places.map(({ object }) => object) } : {}
        const isDone = exitOf(objects) === 'proven' && !dryRun
        const next = isDone
          ? [`Next: kubectl -n ${namespace} rollout status deployment/strata-controllers`]
          : []
        printTo(context, reportOfInstall('controllers install', { objects, next, ...manifest }), flags)
        done(codeOf(objects, context))
      })
    })
}

export function addControllersUninstall(controllers: Command, context: CliContext, done: Done): void {
  const command = controllers
    .command('uninstall')
    .description('Remove what strata controllers install has installed, and nothing else.')
    .option('-n, --namespace <name>', 'where they run', 'strata')
    .option('-y, --yes', 'do not ask before the first deletion', false)
    .option('--dry-run', 'print what would be deleted, and delete nothing', false)
  addClusterOptions(command)
    .addHelpText('after', uninstallHelp)
    .action(async () => {
      const flags = inheritedFlags<UninstallFlags>(command)
      const { dryRun, yes } = flags
      if (!yes && !dryRun && context.ask === undefined)
        throw new CliError('there is no terminal to ask: give --yes or --dry-run', exitCodes.usage)
      await withPlaces(flags, context, async (places) => {
        const planned = await deleteAll(places, { ...flags, dryRun: true }, context)
        const count = planned.filter(({ result }) => result === 'would be deleted').length
        const question = `Delete ${count} objects, and keep what was migrated?`
        const isOver = dryRun || count === 0 || !(yes || (await ask(planned, question)))
        const objects = isOver ? planned : await deleteAll(places, { ...flags, dryRun: false }, context)
        printTo(context, reportOfInstall('controllers uninstall', { objects, next: kept }), flags)
        const isKept = isOver && !dryRun && count > 0
        done(isKept ? exitCodes.incomplete : codeOf(objects, context))
      })
    })

  function ask(planned: readonly ObjectReport[], question: string): Promise<boolean> {
    for (const { kind, name, result } of planned) context.warn?.(`${kind} ${name}: ${result}`)
    return isConfirmed(context, question)
  }
}

const codeOf = (objects: readonly ObjectReport[], { signal }: CliContext): number =>
  exitCodes[signal.aborted ? 'stopped' : exitOf(objects)]

async function withPlaces(
  flags: InstallFlags,
  context: CliContext,
  act: (places: readonly FoundPlace[]) => Promise<void>,
): Promise<void> {
  let connection: ClusterConnection | undefined
  try {
    connection = await connectCluster(flags, context, 'strata-controllers-install')
    await turnToAnswering(connection, context)
    await act(await look(connection.client, flags, context))
  } catch (error) {
    if (context.signal.aborted) throw new CliError('it was stopped', exitCodes.stopped, { cause: error })
    throw notSeenError('the cluster could not be asked', error)
  } finally {
    connection?.close()
  }
}

async function look(
  client: Client,
  flags: InstallFlags,
  context: CliContext,
): Promise<readonly FoundPlace[]> {
  const { default: manifest } = await import('../../controllers-install/manifest.json', {
    with: { type: 'json' },
  })
  const places = await observePlaces(client, decideObjects(manifest, flags), context.signal)
  return lookAtPlaces(places, flags, context)
}

const kept = [
  'Kept: the namespace, the CRDs of migration.k8s.io, StorageStates and StorageVersionMigrations.',
]

const installHelp = `
It applies the same objects as the Helm chart: a ServiceAccount, a ClusterRole and a Role with the rights that "strata rbac
controllers" prints, their bindings, a Deployment of two replicas, a Service for metrics, a NetworkPolicy and a
PodDisruptionBudget. The controllers do not run as cluster-admin. Who installs them needs the right to grant theirs
(strata rbac controllers install).

Run it again to change the image. It is a server-side apply without force: a field that others have changed is a conflict,
and is named. What Helm or others have installed under these names is left alone.

With --dry-run the server is asked for every write. -o yaml then also prints the objects (manifest).

Exit codes:
  0    installed (with --dry-run: it would be)
  1    refused: an object belongs to others, or the server refused it
  2    a flag or argument is invalid; nothing was done
  5    the cluster did not answer, or serves no workloads; or a right is missing
  6    unknown: a write was sent, and no answer came. Run it again
  130  stopped by Ctrl-C

Examples:
  $ strata controllers install --image registry.example.dev/strata:0.1.0 --dry-run
  $ strata controllers install --image registry.example.dev/strata:0.1.0 --namespace storage
  $ strata controllers install --image strata:0.1.0 --dry-run -o json | jq '.manifest[]'`

const uninstallHelp = `
It deletes objects with the label app.kubernetes.io/managed-by: strata under the names that install uses. The namespace stays,
because others may keep things in it. So do the CRDs of migration.k8s.io and what is recorded in them: they say what was
migrated.

Exit codes:
  0    nothing of it is left (with --dry-run: nothing would be)
  1    refused by the server, or not confirmed
  2    a flag or argument is invalid; nothing was done
  5    the cluster did not answer, or serves no workloads; or a right is missing
  6    unknown: a deletion was sent, and no answer came. Run it again
  130  stopped by Ctrl-C

Examples:
  $ strata controllers uninstall --dry-run
  $ strata controllers uninstall --namespace storage --yes`
