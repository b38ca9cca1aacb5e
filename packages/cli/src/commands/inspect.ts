import type { Command } from 'commander'
import type { ClusterFlags } from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import type { Outcome } from '../contexts/merge-reports.ts'
import { reportClusters } from '../contexts/report-clusters.ts'
import { decideInspectExit } from '../inspect/decide-inspect-exit.ts'
import { inspect } from '../inspect/inspect-cluster.ts'
import { reportInspection } from '../inspect/report-inspect.ts'
import { requireOneStore } from '../options/one-store.ts'
import { addStoreSource, type StoreSourceFlags, storeSource } from '../options/store-source.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { OutputFlags } from '../output/print-report.ts'
import { addClusterOptions, addContextsOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags, ContextsFlags, StoreSourceFlags, OutputFlags {
  readonly all: boolean
}

export function addInspect(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('inspect')
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts, e.g. lamps.light.example.dev secrets',
    )
    .description('Show what is stored in which version, and what keeps each version from being removed.')
    .option('-A, --all', 'show every resource, also those with one version only', false)
  addStoreSource(addContextsOptions(addClusterOptions(command)))
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      const source = storeSource(flags)
      requireOneStore(source, flags)
      const look = async (each: Flags, at: CliContext): Promise<Outcome> => {
        const reached = { ...each, server: [], samples: 1 }
        const inspection = await inspect({ names, source, offline: each.offline }, reached, at)
        return {
          report: reportInspection(inspection, { all: each.all || names.length > 0 }),
          exit: exitCodes[at.signal.aborted ? 'stopped' : decideInspectExit(inspection)],
        }
      }
      done(await reportClusters('inspect', flags, context, exitCodes.notSeen, look))
    })
}

const help = `
It writes nothing. Columns:
  STORAGE   the version that is written now
  STORED    how many objects are stored in which version; "v1?" means that it is possible, and not known
  SERVED    the versions that clients may use
  BLOCKED   versions that something keeps from being removed; each reason and the next step are below the table

How STORED is known:
  --etcd-servers, --etcd-snapshot   the stored bytes: exact, on any cluster
  on Strata's servers               a census: exact
  after strata migrate              what the last migration of this user on this machine found: "observed clean"
  otherwise                         the API does not show it: "possible"
A snapshot is exact if its checksum is right. A copy of a member's db file lacks what is only in its WAL.

Also with a store the cluster is asked, for what a store does not tell: served versions, managers, webhooks, Helm releases.
--offline, or a cluster that does not answer, leaves that out, and says so.

Exit codes:
  0    everything was seen
  2    a flag or argument is invalid; or the store is of another cluster
  5    the cluster or the store could not be read; or it has no resource of that name
  6    something could not be seen, such as whether the store is this cluster's; the last line says what and why
  130  stopped by Ctrl-C

Examples:
  $ strata inspect
  $ strata inspect lamps.light.example.dev -o wide
  $ strata inspect lamps.light.example.dev --contexts prod,staging
  $ strata inspect --etcd-servers https://127.0.0.1:2379 --cacert ca.crt --cert client.crt --key client.key
  $ strata inspect --etcd-snapshot backup.db --offline -o json | jq '.resources[].stored'
  $ strata inspect secrets --etcd-snapshot backup.db --encryption-provider-config keys.yaml`
