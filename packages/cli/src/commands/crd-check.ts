import { type Command, CommanderError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import type { CrdDocument } from '../crd/documents/index.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type OutputForm, outputForms, printTo } from '../output/print-report.ts'
import { renderGithub } from '../output/render-github.ts'
import { renderGitlab } from '../output/render-gitlab.ts'
import type { Report } from '../output/report.ts'

const annotations = { github: renderGithub, gitlab: renderGitlab } as const

type Form = OutputForm | keyof typeof annotations

interface Flags {
  readonly output: Form
  readonly verbose: boolean
  readonly recursive: boolean
  readonly allowRollbackBreak: boolean
  readonly strict: boolean
}

const forms: readonly Form[] = [...outputForms, 'github', 'gitlab']

export function addCrdCheck(group: Command, context: CliContext, done: (exitCode: number) => void): void {
  group
    .command('check')
    .argument('<old>', 'files or a directory with the CRDs of an older release')
    .argument('<releases...>', 'further older releases, from old to new; the last one is the new release')
    .description('Before a release: would clusters of older releases refuse its CRDs? Needs no cluster.')
    .option('-R, --recursive', 'also read the directories in a directory', false)
    .option('--allow-rollback-break', 'do not fail if a cluster cannot go back to an older release', false)
    .option('--strict', 'fail for warnings too', false)
    .option('-v, --verbose', 'list every change of a schema', false)
    .addOption(new Option('-o, --output <form>', 'output format').choices(forms).default('table'))
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
    })
    .addHelpText('after', help)
    .action(async (first: string, rest: string[], flags: Flags) => {
      const { report, exitCode } = await check([first, ...rest], flags)
      print(context, report, flags)
      done(exitCode)
    })
}

const help = `
Each argument is one release: a file, or a directory as "kubectl apply -f" takes it. A cluster may have been born at any of the
older ones, and upgraded through any of those between. For each CRD of the new release it says:
  - which clusters refuse it, in the words of kube-apiserver, and which steps bring it there
  - whether the old file can be applied again afterwards
  - which changes of the schema make stored objects invalid, or prune their fields (warnings)

API servers from 1.30 on tolerate an invalid field until it changes; older ones refuse every write of such an object.

Exit codes:
  0    every cluster born at one of these releases takes the new one, and can go back
  1    a cluster refuses a CRD, or cannot go back; with --strict also for warnings
  2    an argument is invalid, or a file cannot be read; nothing was checked

Examples:
  $ strata crd check v1.4/crds config/crds
  $ strata crd check crds-1.15.yaml crds-1.17.yaml crds-1.20.yaml -v
  $ strata crd check v1.4/crds config/crds --allow-rollback-break -o json | jq '.crds[].refusals'

In CI, with the files of the last releases from Git:
  git archive --prefix=v1.4/ v1.4 config/crds | tar -x -C /tmp
  strata crd check /tmp/v1.4/config/crds config/crds -o github    # GitHub Actions: annotations in the pull request
  strata crd check /tmp/v1.4/config/crds config/crds -o gitlab > gl-code-quality-report.json`

async function check(
  paths: readonly string[],
  flags: Flags,
): Promise<{ readonly report: Report; readonly exitCode: number }> {
  // Reading YAML as a server does needs parts of the server.
  const { readCrds } = await import('../crd/documents/index.ts')
  const { decideCrdChecks, isAccepted, releaseNames, reportCrdCheck, toRelease } = await import(
    '../crd/check/index.ts'
  )
  const names = releaseNames(paths)
  const releases = []
  for (const [index, path] of paths.entries()) {
    releases.push(toRelease(names[index] ?? path, await readCrds([path], flags)))
  }
  const newest = releases.pop()
  const path = paths.at(-1)
  if (!newest || path === undefined) throw new CliError('give the new release as well', exitCodes.usage)
  const report = reportCrdCheck(decideCrdChecks(releases, newest), {
    older: releases.map(({ name }) => name),
    newest: { name: newest.name, path, lineOf: lineFinder(newest.crds, flags.output) },
    rules: { mayBreakRollback: flags.allowRollbackBreak, isStrict: flags.strict },
  })
  return { report, exitCode: isAccepted(report.results) ? 0 : 1 }
}

/** Finding lines means to parse each file a second time. A table shows none. */
function lineFinder(crds: ReadonlyMap<string, CrdDocument>, form: Form) {
  const hasLines = form !== 'table' && form !== 'wide' && form !== 'markdown'
  return (name: string, at: Parameters<CrdDocument['lineOf']>[0]): number =>
    (hasLines ? crds.get(name)?.lineOf(at) : undefined) ?? 1
}

function print(context: CliContext, report: Report, { output, verbose }: Flags): void {
  if (output === 'github' || output === 'gitlab') context.print(annotations[output](report))
  else printTo(context, report, { output, verbose })
}
