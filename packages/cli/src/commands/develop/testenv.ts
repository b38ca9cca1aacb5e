import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parsePort } from '../../options/duration.ts'
import { addFlags, flag, group, listFlag, textFlag } from '../../options/flag.ts'

export const testenvFlags = {
  ...group('What it serves:', {
    crds: listFlag('--crds <path>', 'file or folder with CRDs in YAML or JSON, served from the start'),
    resources: listFlag('--resources <module>', 'JavaScript or TypeScript module that exports kinds'),
    release: textFlag('--release <name>', 'release of these kinds (default: the newest)'),
    kubernetesVersion: textFlag(
      '--kubernetes-version <release>',
      'the built-in versions of that Kubernetes release, such as 1.30, as far as Strata has them (default: all)',
    ),
    controllers: flag<readonly string[]>(
      '--controllers <names>',
      "controllers that run beside it, separated by commas; '*' for all, none for none (default: those that end namespaces, collect dependents and create service accounts)",
      (text) => (text === 'none' ? [] : text.split(',')),
      [],
      '',
    ),
  }),
  ...group('Connection:', {
    port: flag(
      '--port <port>',
      'port on 127.0.0.1 (default: a free one)',
      parsePort,
      undefined as number | undefined,
    ),
  }),
}

interface TestenvValues {
  readonly crds: readonly string[]
  readonly resources: readonly string[]
  readonly release: string | undefined
  readonly kubernetesVersion: string | undefined
  readonly controllers: readonly string[]
  readonly port: number | undefined
}

export function addTestenv(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('testenv')
    .description('Run one API server for tests: a store in memory, a free port, and an end with its parent.')
  addFlags(command, testenvFlags)
    .addHelpText(
      'after',
      `
When the server is ready, it prints one line of JSON on standard output: {"url": …, "kubeconfig": …, "ca": …, "token": …, "pid": …}.
Warnings go to standard error; with STRATA_LOG_LEVEL=debug, the whole log. It ends, and removes its files, when the process that started it ends.

Exit codes:
  0  ended with its parent, or stopped by a signal
  1  the server cannot start
  2  a flag, or a file that it names, is wrong

Examples:
  $ strata testenv
  $ strata testenv --crds config/crd/bases --kubernetes-version 1.33
  $ strata testenv --resources kinds.ts --controllers none`,
    )
    .action(async (values: TestenvValues) => {
      const { runTestenv } = await import('../../testenv/run-testenv.ts')
      const isChosen = command.getOptionValueSource('controllers') === 'cli'
      await runTestenv({ ...values, controllers: isChosen ? values.controllers : undefined }, context)
      done(0)
    })
}
