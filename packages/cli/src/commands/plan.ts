import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { planAll } from '../migration/plan/plan-all.ts'
import { writePlan } from '../migration/plan/plan-file.ts'
import { reportPlan } from '../migration/report/report-plan.ts'
import { whyNotMigratable } from '../migration/resources/choose-resources.ts'
import { type MigrationFlags, resourcesOf, withCluster } from '../migration/resources/cluster.ts'
import { givenFlags } from '../migration/resources/given-flags.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes, worstOf } from '../output/exit-codes.ts'
import { isForReaders, type OutputFlags, printTo } from '../output/print-report.ts'
import { paceOf } from './pace-flags.ts'
import { addRewriteOptions, type RewriteFlags } from './rewrite-flags.ts'

interface Flags extends MigrationFlags, OutputFlags, RewriteFlags {
  readonly out?: string
}

export function addPlan(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('plan')
    .description('Find out what a migration would do and which objects would be refused. Writes nothing.')
  addRewriteOptions(command, 'the resources that strata migrate --all takes')
    .option('--out <file>', 'write the plan to this file, for strata migrate --plan')
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      await withCluster(flags, context, async (cluster) => {
        const resources = resourcesOf(cluster, names, flags.all)
        const [refusal] = resources.flatMap((each) => whyNotMigratable(each) ?? [])
        if (refusal !== undefined) throw new CliError(refusal, exitCodes.notSeen)
        const { agreementTimeout: agreementTimeoutMs, ...rest } = flags
        const options = {
          ...rest,
          ...paceOf(flags),
          agreementTimeoutMs,
          takeOver: false,
          dryRun: true,
          throughApi: true,
        }
        const plan = await planAll(cluster, resources, options, context)
        if (flags.out !== undefined) writePlan(flags.out, plan)
        const given = givenFlags({ ...flags, throughApi: false })
        if (plan.resources.length > 0 || !isForReaders(flags.output))
          printTo(context, reportPlan(plan, flags.out, given), flags)
        else
          context.warn?.(
            'nothing to plan: no resource needs a migration, or none publishes its storage version',
          )
        const exits = plan.resources.map(({ exit }) => exit)
        done(exitCodes[exits.length === 0 && resources.length > 0 ? 'rehearsed' : worstOf(exits)])
      })
    })
}

const help = `
Sends every write of a migration as a dry run. The server decodes, converts, validates and admits each object, calls the
webhooks, and stores nothing. Objects that would be refused are named with the reason, by class: schema, immutable field,
denied by admission, webhook down, terminating namespace, conversion, undecodable, forbidden, too large.

A webhook with side effects cannot be asked in a dry run. Objects that such a webhook would be asked about are unknown.

With --out the plan is a file that "strata migrate --plan FILE" takes. That command refuses it if the cluster has moved on:
another cluster, CRD (uid, generation), storage version, epoch, or other webhooks for updates.

Exit codes:
  0    no object would be refused
  1    some objects would be refused
  2    a flag or argument is invalid
  4    the servers disagree, or their storage version changed meanwhile
  5    failed: no answer, no permission, or no such resource
  6    unknown: a dry run cannot tell; also if the cluster serves nothing that can be migrated
  130  stopped by Ctrl-C

Examples:
  $ strata plan lamps.light.example.dev
  $ strata plan --all --out plan.json && strata migrate --plan plan.json
  $ strata plan --all -o markdown > plan.md`
