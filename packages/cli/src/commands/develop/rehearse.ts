import { type Command, Option } from 'commander'
import type { ClusterFlags } from '../../connection/cluster-client.ts'
import type { CliContext } from '../../context.ts'
import { parseWhole } from '../../options/duration.ts'
import { printDocument } from '../../output/document.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../../output/print-report.ts'
import { addClusterOptions } from '../cluster-options.ts'

interface Flags extends OutputFlags, Omit<ClusterFlags, 'verbose'> {
  readonly init: boolean
  readonly schema: boolean
  readonly live: boolean
  readonly seed: string
  readonly interleavings?: number
}

export function addRehearse(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('rehearse')
    .argument('[file...]', 'rehearsals; with --init, files and folders with CRDs, older releases first')
    .description(
      'Play an upgrade path with real API servers in simulated time, and judge each step. Needs no cluster.',
    )
    .option('--init', 'print a rehearsal of the way through these releases of CRDs', false)
    .option('--schema', 'print the JSON schema of a rehearsal file, for editors', false)
    .option('--live', 'run real server processes, in real time; no interleavings are searched', false)
    .option(
      '--seed <text>',
      'which interleavings are tried; the same seed gives the same result',
      'rehearsal',
    )
    .addOption(
      new Option(
        '--interleavings <count>',
        'how many interleavings are searched (default: what the file says, or 12)',
      ).argParser(parseWhole),
    )
  addClusterOptions(command)
    .addHelpText('after', help)
    .action(async (files: readonly string[], flags: Flags) => {
      if (flags.schema) {
        const { rehearsalSchema } = await import('../../rehearse/play-files.ts')
        context.print(printDocument(rehearsalSchema, 'json'))
        return done(0)
      }
      if (flags.init) {
        const { initPath } = await import('../../rehearse/init-path.ts')
        if (files.length < 2) {
          throw new CliError(
            '--init needs the CRD files or folders of two releases or more, older ones first: strata rehearse --init v1.4/crds config/crds',
            exitCodes.usage,
          )
        }
        context.print(await initPath(files))
        return done(0)
      }
      if (files.length === 0) {
        throw new CliError(
          'name a rehearsal; --init prints one, from the CRDs of two releases',
          exitCodes.usage,
        )
      }
      const { exitOfRehearsals, reportRehearsals } = await import('../../rehearse/report-rehearsals.ts')
      const { playFiles } = await import('../../rehearse/play-files.ts')
      try {
        const played = await playFiles(files, flags, context)
        printTo(context, reportRehearsals(played), flags)
        done(exitOfRehearsals(played))
      } catch (error) {
        if (!context.signal.aborted) throw error
        done(exitCodes.stopped)
      }
    })
}

const help = `
A rehearsal is a file with a path: releases of your kinds, or of CRDs, in order; objects born at each; servers that are late or
crash; migrations; rollbacks. Objects are really created, written by the servers of each release, and read back by those of the
next. What cannot be read, or would lose a field, is named by object and path. docs/rehearse.md describes the file. A path may begin
with what a snapshot of etcd holds, or with what the cluster of the kubeconfig has; the cluster is only read.

"server: kube-apiserver" plays the path on servers that write without a fence, as kube-apiserver does. Then the path is played
again with a server that stops in the middle of a write; the first play that goes wrong is printed as a numbered story.

Exit codes:
  0    each step is safe, or has the verdict that the file expects
  1    a step is unsafe or refused, or has another verdict than expected
  2    a flag or a file is invalid; nothing was played
  5    failed: a path begins with what a cluster has, and the cluster cannot be read
  6    some steps could not be seen, for example because a conversion webhook is not there; the others passed
  130  stopped by Ctrl-C

Examples:
  $ strata rehearse upgrade.yaml
  $ strata rehearse --init v1.4/crds config/crds > rehearsal.yaml
  $ strata rehearse rehearsals/*.yaml -o junit > rehearsals.xml
  $ strata rehearse upgrade.yaml -o markdown >> "$GITHUB_STEP_SUMMARY"
  $ strata rehearse upgrade.yaml --interleavings 200 --seed 7
  $ strata rehearse upgrade.yaml --live`
