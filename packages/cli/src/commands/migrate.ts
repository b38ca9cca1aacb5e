import { groupResourceText } from '@strata/api'
import type { DiscoveredResource, Discovery } from '@strata/client'
import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { decideInTreeApi, type InTreeApi, whyNotInTree } from '../migration/in-tree/in-tree-api.ts'
import { requirePlanHolds } from '../migration/plan/plan-all.ts'
import { readPlan } from '../migration/plan/plan-file.ts'
import type { MigrationPlan } from '../migration/plan/planned-resource.ts'
import { nothingMigrated, reportMigrations } from '../migration/report/render-migrations.ts'
import { whyNotMigratable } from '../migration/resources/choose-resources.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../migration/resources/cluster.ts'
import { givenFlags } from '../migration/resources/given-flags.ts'
import { type MigrateAllOptions, migrateAll } from '../migration/run/migrate-all.ts'
import { CliError } from '../output/errors.ts'
import {
  type Acceptance,
  acceptances,
  acceptedExit,
  exitCodes,
  exitCodesHelp,
  worstOf,
} from '../output/exit-codes.ts'
import { isForReaders, type OutputFlags, printTo } from '../output/print-report.ts'
import { concurrencyDefault, paceOf } from './pace-flags.ts'
import { addPartOptions, type PartFlags, partOf } from './part-flags.ts'
import { addRewriteOptions, type RewriteFlags } from './rewrite-flags.ts'

interface Flags extends MigrationFlags, OutputFlags, RewriteFlags, PartFlags {
  readonly accept: Acceptance
  readonly plan?: string
  readonly dryRun: boolean
  readonly takeOver: boolean
  readonly throughApi: boolean
  readonly inTree: boolean
  readonly wait: boolean
}

export function addMigrate(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('migrate')
    .description('Rewrite every stored object in the version that the servers agree on.')
  const allHelp =
    'every resource whose storage version is published, except events and CRDs that list no other stored version'
  addPartOptions(addRewriteOptions(command, allHelp))
    .option('--plan <file>', 'migrate what this plan names (strata plan --out), if it still holds')
    .option('--dry-run', 'store nothing: count the objects, and list those that would be refused', false)
    .addOption(
      new Option('--accept <verdict>', 'weakest result that ends with exit code 0')
        .choices(acceptances)
        .default('proven'),
    )
    .option(
      '--through-api',
      'patch each object with a request of its own, even where the servers can rewrite objects next to the data',
      false,
    )
    .option(
      '--in-tree',
      "let Kubernetes' own migrator do it (storagemigration.k8s.io, kube-controller-manager): plan first, verify afterwards",
      false,
    )
    .option('--take-over', 'run the migration here, even if the controllers are about to run it', false)
    .option(
      '--no-wait',
      'leave the migration to the controllers (strata controllers), and do not wait for it',
    )
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      if (!flags.wait && flags.dryRun)
        throw new CliError('--no-wait and --dry-run exclude each other: give one of them', exitCodes.usage)
      if (!flags.wait && flags.takeOver)
        throw new CliError('--no-wait and --take-over exclude each other: give one of them', exitCodes.usage)
      requireAlone(flags)
      const options = optionsOf(flags)
      await withCluster(flags, context, async (cluster) => {
        const plan = flags.plan === undefined ? undefined : readPlan(flags.plan)
        if (plan && (names.length > 0 || flags.all))
          throw new CliError('a plan names its resources: omit them, and --all', exitCodes.usage)
        const planned = plan?.resources.map(({ resource }) => resource)
        const inTree = flags.inTree ? requireInTree(cluster.discovery) : undefined
        const found = resourcesOf(cluster, planned ?? names, flags.all)
        const isFit = (each: DiscoveredResource) => inTree === undefined || whyNotInTree(each) === undefined
        const resources = flags.all ? found.filter(isFit) : found
        // Before any progress is stored that no later run could continue.
        const [refusal] = resources.flatMap(
          (each) => whyNotMigratable(each) ?? whyNotIn(each, options) ?? (inTree && whyNotInTree(each)) ?? [],
        )
        if (refusal !== undefined) throw new CliError(refusal, exitCodes.notSeen)
        if (plan) await requirePlanHolds(cluster, plan, resources, context)
        const reports = await migrateAll(
          cluster,
          resources,
          { ...options, inTree, planned: targetsOf(plan) },
          context,
        )
        if (reports.length > 0 || !isForReaders(flags.output))
          printTo(context, reportMigrations(reports, givenFlags(repeated(flags))), flags)
        if (reports.length === 0) context.warn?.(nothingMigrated(resources.length))
        const exit = worstOf(reports.map((each) => each.exit))
        done(reports.length === 0 ? exitCodes[exit] : acceptedExit(exit, flags.accept))
      })
    })
}

/** The suggested next command repeats --concurrency, unless it is the default. */
function repeated(flags: Flags): Parameters<typeof givenFlags>[0] {
  const { concurrency } = paceOf(flags)
  return { ...flags, concurrency: concurrency === concurrencyDefault ? undefined : concurrency }
}

function optionsOf(flags: Flags): MigrateAllOptions {
  const part = partOf(flags)
  if (part !== undefined && !flags.wait) {
    const why = 'the controllers always migrate all objects: omit --no-wait, or --namespace and the selectors'
    throw new CliError(why, exitCodes.usage)
  }
  const given = givenFlags({ ...repeated(flags), throughApi: false, inTree: false, accept: undefined }).strata
  const { inTree: _, ...rest } = flags
  return { ...rest, ...paceOf(flags), part, agreementTimeoutMs: flags.agreementTimeout, given }
}

/** Upstream's migrator takes a whole resource, in its own way and at its own pace. */
function requireAlone(flags: Flags): void {
  if (!flags.inTree) return
  const others = [
    ...(partOf(flags) === undefined ? [] : ['--namespace and the selectors']),
    ...(flags.dryRun ? ['--dry-run (strata plan does it)'] : []),
    ...(flags.throughApi ? ['--through-api'] : []),
    ...(flags.takeOver ? ['--take-over'] : []),
    ...(flags.wait ? [] : ['--no-wait']),
  ]
  if (others.length === 0) return
  throw new CliError(`--in-tree excludes ${others.join(', ')}: omit one of them`, exitCodes.usage)
}

function requireInTree(discovery: Discovery): InTreeApi {
  const api = decideInTreeApi(discovery)
  if (typeof api === 'string') throw new CliError(`--in-tree: ${api}`, exitCodes.notSeen)
  return api
}

function targetsOf(plan: MigrationPlan | undefined): MigrateAllOptions['planned'] {
  if (plan === undefined) return undefined
  return new Map(plan.resources.flatMap(({ resource, target }) => (target ? [[resource, target]] : [])))
}

function whyNotIn(resource: DiscoveredResource, { part }: MigrateAllOptions): string | undefined {
  if (part?.namespace === undefined || resource.namespaced) return undefined
  return `${groupResourceText(resource)} has no namespaces: omit --namespace`
}

const help = `
When the storage version or the encryption key of a resource changes, stored objects stay as they are until they are
written again. This command rewrites them. Then "strata verify" shows the result, and "strata prune" drops the old version
of a custom resource.

It works on any Kubernetes cluster: each object gets an empty patch, and the server rewrites the object if it is stored in
another version or key. An object that is refused is reported with the reason, and the others are migrated. On Strata the
result is proven (exit code 0). Elsewhere the best result is observed clean (3): a second pass found nothing to rewrite.

Strata's servers rewrite objects next to the data, thousands per second, without admission. They use patches instead if
a webhook is registered for updates of the resource, or with --through-api.

Progress is stored in a StorageVersionMigration (kubectl get storageversionmigrations.migration.k8s.io); on other clusters
in a file below $XDG_STATE_HOME or ~/.local/state. Ctrl-C stops after the current object, a second Ctrl-C at once. Run the
same command again to continue, also after kill -9. A second run at the same time follows the first one.

Where not every server guards its writes, as on other clusters, the migration starts after 70 seconds: until then a server
that has not seen the change may still write the old version. Several resources wait at the same time, and are migrated
five at a time. The next command does not wait again, as long as the CRD stays as it is.

The command first asks whether you may get, list and patch the resource, and ends with 5 if not.

With --in-tree, kube-controller-manager does the work: the storage version migrator of Kubernetes 1.35 and newer. It stops at
the first object that is refused, does not say which one, and cuts status.storedVersions of the CRD even then. So this
command first asks for every write as "strata plan" does, and creates nothing if one would be refused; names the objects
after a failure; adds the old versions to storedVersions again; and looks at every object once more after a success: the
result is that of this look. Stopped by Ctrl-C, the migrator goes on; the same command follows it.

With --namespace, --selector or --field-selector only these objects are rewritten, once. No progress is stored, and the
result is unknown (6), because the others were not visited.

With --dry-run the exit code is 0 if no object would be refused, else 1. With --no-wait it is 6, because no result is known
yet; the output says whether controllers are running. With --all, the exit code is 6 if every resource was skipped.

${exitCodesHelp}

Examples:
  $ strata migrate lamps.light.example.dev
  $ strata migrate --all --dry-run
  $ strata plan --all --out plan.json && strata migrate --plan plan.json
  $ strata migrate --all --accept observed-clean --qps 50
  $ strata migrate secrets --kubeconfig prod.kubeconfig --server https://10.0.0.1:6443 --server https://10.0.0.2:6443
  $ strata migrate lamps --in-tree --accept observed-clean
  $ strata migrate lamps -o json | jq '.resources[].quarantine[]'
  $ strata migrate lamps && strata prune lamps.light.example.dev          # Strata's servers
  $ strata migrate lamps --accept observed-clean && strata prune lamps.light.example.dev --accept observed-clean`
