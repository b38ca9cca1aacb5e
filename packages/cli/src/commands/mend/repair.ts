import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { observeNothingSetAside } from '../../migration/repair/nothing-set-aside.ts'
import { resourcesSetAside } from '../../migration/repair/observe-set-aside.ts'
import type { RepairOptions } from '../../migration/repair/repair-objects.ts'
import { repairResource } from '../../migration/repair/repair-objects.ts'
import { exitOfResult, type RepairedResource } from '../../migration/repair/repair-report.ts'
import { reportRepairs } from '../../migration/repair/report-repairs.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../../migration/resources/cluster.ts'
import { givenFlags } from '../../migration/resources/given-flags.ts'
import { collect } from '../../options/duration.ts'
import { addStoreAccess, givenStore, type StoreAccessFlags, storeSource } from '../../options/store-source.ts'
import { CliError } from '../../output/errors.ts'
import { type ExitWord, exitCodes, worstOf } from '../../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../../output/print-report.ts'
import { addClusterOptions, addServerOptions } from '../cluster-options.ts'

interface Flags extends MigrationFlags, OutputFlags, StoreAccessFlags {
  readonly object: readonly string[]
  readonly retry: boolean
  readonly deleteUndecodable: boolean
  readonly saveTo?: string
  readonly dryRun: boolean
  readonly yes: boolean
}

export function addRepair(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('repair')
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts (default: those of which a migration has set something aside)',
    )
    .description(
      'Walk through objects that a migration has set aside: why, the ways to mend each, and try again.',
    )
    .option('--object <namespace/name>', 'only this object; may be repeated', collect, [])
    .option('--retry', 'write each object again, after what refused it was mended', false)
    .option(
      '--delete-undecodable',
      'delete objects that no server can decode, after their bytes are saved; only objects that --object names',
      false,
    )
    .option(
      '--save-to <directory>',
      'where bytes are saved (default: $XDG_STATE_HOME/strata/objects, by cluster)',
    )
    .option('--dry-run', 'ask the server for every write, and store nothing', false)
    .option('-y, --yes', 'ask nothing; by itself it neither writes nor deletes', false)
  addStoreAccess(addServerOptions(addClusterOptions(command)))
    .addHelpText('after', help)
    .action(async (names: readonly string[], flags: Flags) => {
      requireClear(names, flags, context)
      const source = storeSource(flags)
      await withCluster(flags, context, async (cluster) => {
        const asked = resourcesOf(cluster, names, names.length === 0)
        const resources = names.length > 0 ? asked : await resourcesSetAside(cluster, asked, context.signal)
        const nothing =
          resources.length === 0 ? await observeNothingSetAside(cluster, asked, context) : undefined
        const options: RepairOptions = {
          ...{ objects: flags.object, retry: flags.retry, dryRun: flags.dryRun, source },
          ...{ deleteUndecodable: flags.deleteUndecodable, store: givenStore(flags) },
          isAsking: isAsking(flags, context),
          directory: flags.saveTo ?? (await cluster.stateDirectory('objects')),
          given: givenFlags({ ...flags, throughApi: false, dryRun: false }),
        }
        const repaired: RepairedResource[] = []
        for (const each of resources) {
          try {
            repaired.push(await repairResource(cluster, each, options, context))
          } catch (error) {
            // What was done before Ctrl-C is reported: it may be a deletion, and where its bytes are.
            if (!context.signal.aborted) throw error
            break
          }
        }
        printTo(context, reportRepairs(repaired, options.given), flags)
        if (nothing) context.warn?.(nothing.text)
        const exit = nothing?.exit ?? exitOf(repaired)
        done(context.signal.aborted ? exitCodes.stopped : exitCodes[exit])
      })
    })
}

/** On a terminal each object is asked about, unless the flags say what to do with all of them. */
const isAsking = (
  { retry, deleteUndecodable, dryRun, yes, output }: Flags,
  { ask, isTerminal }: CliContext,
): boolean =>
  ask !== undefined && isTerminal && output === 'table' && !yes && !dryRun && !retry && !deleteUndecodable

/** A deletion past finalizers and webhooks is for objects that the user has named, or is asked about. */
function requireClear(names: readonly string[], flags: Flags, { ask }: CliContext): void {
  const refuse = (text: string): CliError => new CliError(text, exitCodes.usage)
  if (flags.object.length > 0 && names.length !== 1)
    throw refuse('--object is an object of one resource: name that resource')
  if (flags.deleteUndecodable && flags.object.length === 0)
    throw refuse(
      ask === undefined
        ? '--delete-undecodable deletes only objects that are named: give --object for each'
        : '--delete-undecodable deletes only objects that are named: give --object for each, or leave the flag out and answer d',
    )
}

function exitOf(repaired: readonly RepairedResource[]): ExitWord {
  const words = repaired.flatMap(({ objects, unnamed, because, exit }) => [
    ...objects.map(({ result }) => exitOfResult[result]),
    ...(unnamed > 0 ? ['incomplete' as const] : []),
    ...(exit === undefined ? [] : [exit]),
    ...(because !== undefined && exit === undefined ? ['incomplete' as const] : []),
  ])
  return words.length === 0 ? 'proven' : worstOf(words)
}

const help = `
"strata migrate" sets aside what it cannot rewrite, and goes on. This command shows each of these objects, why it was refused, the
ways to mend that, the recommended one first, and the exact command of each. It also shows what no server can decode.

Where a list fails and the server does not name the objects, --etcd-servers does. A version that was dropped from the CRD too early
has to come back first, with "served: false": then "strata migrate" rewrites what is stored in it.

On a terminal it asks about each object. Mend it in another window, then answer r: the object is written again as a migration would
write it, and taken off the record. --retry does that for all of them. Then "strata migrate" proves that everything is current.

An object that no server can decode can only be deleted. Its bytes are saved first (mode 0600, on the disk before the request is
sent), so the store has to be named: --etcd-servers, or on Strata also --etcd-snapshot. Strata's servers delete just these bytes, by
their revision. Finalizers, dependents and webhooks are skipped. The servers need
--feature-gates=AllowUnsafeMalformedObjectDeletion=true, and you need the verbs delete and unsafe-delete-ignore-read-errors.
--yes never implies a deletion. Each API server is asked first: if one can decode the object, or could not be asked, nothing is
deleted; --server names them. Nor is it if a KMS plugin or a conversion webhook may only be away.

Exit codes:
  0    nothing is set aside any more, or nothing was (with --dry-run: the server would accept every write)
  1    objects are left, each with its reason and its ways
  2    a flag or argument is invalid; nothing was done
  5    the cluster, the store or a resource could not be read, or the servers disagree; without names also if nothing is
       recorded on this machine, and you may not list every resource
  6    a deletion was sent, and no answer came
  130  stopped by Ctrl-C

Examples:
  $ strata repair
  $ strata repair lamps.light.example.dev --retry
  $ strata repair lamps --object staging/lamp-7 --retry --dry-run
  $ strata repair -o json | jq '.resources[].objects[] | {name, reason, ways}'
  $ strata repair configmaps --object default/broken --delete-undecodable --etcd-servers https://127.0.0.1:2379 --cacert ca.crt --cert client.crt --key client.key`
