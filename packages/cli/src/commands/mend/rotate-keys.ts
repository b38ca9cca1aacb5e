import { rulesFor } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { type Command, Option } from 'commander'
import type { CliContext } from '../../context.ts'
import {
  type Cluster,
  type MigrationFlags,
  resourcesOf,
  withCluster,
} from '../../migration/resources/cluster.ts'
import { givenFlag, givenFlags } from '../../migration/resources/given-flags.ts'
import { reportRotation } from '../../migration/rotate/report-rotation.ts'
import { type RotateOptions, rotateKeys } from '../../migration/rotate/rotation.ts'
import { durationOption } from '../../options/duration.ts'
import { addStoreAccess, givenStore, type StoreAccessFlags, storeSource } from '../../options/store-source.ts'
import { type Acceptance, acceptances, acceptedExit } from '../../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../../output/print-report.ts'
import { type KeyFile, readKeyFile } from '../../stored/read-key-file.ts'
import { addClusterOptions, addServerOptions } from '../cluster-options.ts'
import { addPaceOptions, type PaceFlags, paceOf } from '../pace-flags.ts'

interface Flags extends MigrationFlags, OutputFlags, PaceFlags, StoreAccessFlags {
  readonly to?: string
  readonly accept: Acceptance
  readonly agreementTimeout: number
  readonly dryRun: boolean
  readonly yes: boolean
}

export function addRotateKeys(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('rotate-keys')
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts (default: everything that is encrypted)',
    )
    .description('Rotate encryption keys: where it is, what is next, and whether an old key may be dropped.')
    .option(
      '--to <key>',
      'the new key by provider and name, e.g. aesgcm:key2 (default: the one that servers write with, or wait for)',
    )
  addPaceOptions(addStoreAccess(addServerOptions(addClusterOptions(command))))
    .addOption(
      durationOption(
        '--agreement-timeout <duration>',
        'how long to wait until all servers have loaded the file, and write with the key',
        60_000,
        '60s',
      ),
    )
    .addOption(
      new Option('--accept <verdict>', 'weakest evidence that ends with exit code 0')
        .choices(acceptances)
        .default('proven'),
    )
    .option('--dry-run', 'rewrite nothing and wait for nothing: show where it is', false)
    .option('-y, --yes', 'do not ask before objects are rewritten', false)
    .addHelpText('after', help)
    .action(async (names: readonly string[], flags: Flags) => {
      const { encryptionProviderConfig: keys } = flags
      const file = keys === undefined ? undefined : await readKeyFile(keys)
      const source = sourceOf(flags)
      await withCluster(flags, context, async (cluster) => {
        const given = givenFlags({
          ...flags,
          ...paceOf(flags),
          concurrency: flags.concurrency,
          throughApi: false,
          dryRun: false,
        })
        const report = await rotateKeys(
          cluster,
          {
            ...{ to: flags.to, dryRun: flags.dryRun, yes: flags.yes, file, source, given },
            resources: chosenResources(cluster, names, file),
            agreementTimeoutMs: flags.agreementTimeout,
            migrate: migrateOptions(flags, given.strata),
            again: againOf(names, flags, given.strata),
          },
          context,
        )
        printTo(context, reportRotation(report), flags)
        const isSuccess = report.step === 'drop' || report.step === 'done'
        done(acceptedExit(report.exit, isSuccess ? flags.accept : 'proven'))
      })
    })
}

/** The file of the keys says what is encrypted where no record does. */
function chosenResources(
  cluster: Cluster,
  names: readonly string[],
  file: KeyFile | undefined,
): readonly DiscoveredResource[] {
  if (names.length > 0) return resourcesOf(cluster, names, false)
  if (cluster.isStrata) return []
  return resourcesOf(cluster, [], true).filter(
    (each) => file !== undefined && rulesFor(file.rules, each).length > 0,
  )
}

/** The file alone opens no store: it also says what the servers should have loaded. */
function sourceOf(flags: Flags): RotateOptions['source'] {
  const isStore = flags.etcdServers !== undefined || flags.etcdSnapshot !== undefined
  if (isStore || flags.encryptionProviderConfig === undefined) return storeSource(flags)
  const { encryptionProviderConfig: _, ...others } = flags
  return storeSource(others)
}

function migrateOptions(flags: Flags, given: string): RotateOptions['migrate'] {
  const { output, agreementTimeout, dryRun } = flags
  return {
    ...{ ...paceOf(flags), output, all: false, includeCurrent: true, wait: true, takeOver: false, dryRun },
    ...{ agreementTimeoutMs: agreementTimeout, throughApi: false, given },
  }
}

function againOf(names: readonly string[], flags: Flags, given: string): string {
  const store = givenStore(flags) ?? givenFlag('--encryption-provider-config', flags.encryptionProviderConfig)
  return `strata rotate-keys${names.map((each) => ` ${each}`).join('')}${givenFlag('--to', flags.to)}${store}${given}`
}

const help = `
It looks at the servers and at what is stored, says which step of the rotation is next, takes the steps that it can take (wait until
the servers have loaded a file and agree, rewrite every object), and stops where you have to edit files, with the lines that belong there. Secrets are never
printed. Run it again after each step: it keeps no notes, and sees by the state where it is.

  add      every server reads the new key           (you edit the files)
  promote  the new key is the first one             (you edit the files)
  agree    every server writes with it              (the servers, by themselves)
  rewrite  every object is stored under it          (this command, as "strata migrate")
  drop     nothing is left under the old key        (you edit the files)

On Strata the records of the servers prove each step: an old key is called droppable only if no record has objects under it.

Elsewhere no API shows keys. There the command compares what it can see: --encryption-provider-config names the file that every
server should have, each server says the hash of the file that it has loaded (/metrics, kube-apiserver 1.34 or newer; name each with
--server), and the store says under which key each object is (--etcd-servers, or an --etcd-snapshot that is newer than that). Without
all of that it never calls a key droppable, and says what it did not see. The best answer there is "observed clean" (3).

Exit codes:
  0    proven: nothing is stored under another key; what is left is to take the old key out of the files, or nothing
  1    the next step is yours, or objects could not be rewritten
  2    a flag or argument is invalid; nothing was done
  3    observed clean: the same on other clusters
  4    the servers do not write with the key yet
  5    failed: no answer, no permission, or no such resource
  6    unknown: something was not seen, and no key is called droppable
  130  stopped by Ctrl-C

Examples:
  $ strata rotate-keys                                     # where is it?
  $ strata rotate-keys --to aesgcm:key2
  $ strata rotate-keys secrets --to aesgcm:key2 --yes -o json | jq '{step, droppable}'
  $ strata rotate-keys --encryption-provider-config keys.yaml --server https://10.0.0.1:6443 --server https://10.0.0.2:6443 --etcd-servers https://127.0.0.1:2379 --cacert ca.crt --cert client.crt --key client.key`
