import { groupResourceText } from '@strata/api'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { needsRewrite, verdictExits } from '../migration/evidence/decide-evidence.ts'
import { observeEvidence } from '../migration/evidence/observe-evidence.ts'
import { verifyByWriting } from '../migration/evidence/verify-by-writing.ts'
import { renderVerifications } from '../migration/report/render-verifications.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../migration/resources/cluster.ts'
import { askEach } from '../migration/resources/each-resource.ts'
import { givenFlags } from '../migration/resources/given-flags.ts'
import { printDocument } from '../output/document.ts'
import { exitCodes, exitCodesHelp, nothingServed, worstOf } from '../output/exit-codes.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags {
  readonly output: 'table' | 'json' | 'yaml'
  readonly all: boolean
  readonly write: boolean
}

export function addVerify(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('verify')
    .argument('[resource...]', 'e.g. lamps.light.example.dev, secrets, or as kubectl shows them')
    .description(
      'Say whether everything is stored as the servers agree: proven, observed clean, or unknown; and how that is known.',
    )
    .option('-A, --all', 'every resource that can be migrated', false)
  addServerOptions(addClusterOptions(command))
    .option(
      '--write',
      'where the store cannot be read, find out by writing: each object gets a patch that changes nothing, twice',
      false,
    )
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      await withCluster(flags, context, async (cluster) => {
        const resources = resourcesOf(cluster, names, flags.all)
        const reports = await askEach(resources, context, async (each, look) => {
          const seen = await look((signal) => observeEvidence(cluster, each, signal))
          const evidence =
            flags.write && needsRewrite(seen)
              ? await verifyByWriting(cluster, each, seen, flags.output, context)
              : seen
          return { resource: groupResourceText(each), ...evidence }
        })
        const form = flags.output
        if (reports.length === 0) context.warn?.(nothingServed)
        if (reports.length > 0 || form !== 'table')
          context.print(
            form === 'table'
              ? renderVerifications(reports, !flags.all, givenFlags({ ...flags, throughApi: false }))
              : printDocument({ resources: reports }, form),
          )
        const words = reports.map(({ verdict }) =>
          verdict === 'not seen' ? 'notSeen' : verdictExits[verdict],
        )
        done(exitCodes[context.signal.aborted ? 'stopped' : worstOf(words)])
      })
    })
}

const help = `
Run it after a migration, and before you remove an old version or an old key. Nothing is written without --write.

Proven: the store was read (strata census) or everything was rewritten (strata migrate) under an agreement that each write is
guarded by, and which still stands. Observed clean: the last pass found nothing to rewrite, and what the servers write has not changed since;
no guard keeps a late server out. Unknown: neither. Stale: something is stored otherwise, and "strata migrate" is next. Disagreed: the servers
do not write the same, and "strata status" shows who. Not seen: it could not be asked; what may pass is asked again for a minute.

How agreement is known, by what the cluster offers, from the strongest: the agreement record and its epoch; a StorageVersion object;
the definition of a custom resource; the hash in discovery, of each server named with --server, or in --samples through one address.

On a cluster whose store cannot be read (any but Strata) the answer is what the last migration by
this user, from this machine, found. With --write it is found out: whatever was stale is written anew by that.

${exitCodesHelp}

Examples:
  $ strata verify lamps.light.example.dev
  $ strata verify --all -o json | jq '.resources[] | select(.verdict != "proven")'
  $ strata verify deployments.apps --write --server https://10.0.0.1:6443 --server https://10.0.0.2:6443`
