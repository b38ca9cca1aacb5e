import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'

interface Flags {
  readonly kind?: string
  readonly dir?: string
  readonly packages?: string
}

export function addInit(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  program
    .command('init')
    .description('Create a project from a starter.')
    .command('kind')
    .argument('<new-resource>', 'plural and group of the kind, such as gadgets.shop.example.dev')
    .description(
      'Create a project with a kind of your own: two versions, conversion, releases, tests and a server.',
    )
    .option('--kind <name>', 'the Kind (default: the plural without its ending)')
    .option('--dir <directory>', 'a new or empty directory (default: named after the plural)')
    .option(
      '--packages <directory>',
      'take the packages from this directory, as "npm run package" writes them (default: from the registry)',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  the project is written
  1  a file cannot be written
  2  a name is invalid, the directory is not empty, or --packages lacks a package

Examples:
  $ strata init kind gadgets.shop.example.dev
  $ strata init kind policies.acme.example --kind Policy --dir ./policies
  $ strata init kind gadgets.shop.example.dev --packages ./strata/dist/release`,
    )
    .action(async (resource: string, { kind, dir, packages: folder }: Flags) => {
      const { decideNames } = await import('../../init/decide-names.ts')
      const { describeNextSteps } = await import('../../init/next-steps.ts')
      const { arePackagesFound, writeStarter } = await import('../../init/write-starter.ts')
      const names = decideNames(resource, kind)
      if ('problem' in names) throw new CliError(names.problem, exitCodes.usage)
      const directory = dir ?? names.plural
      const packages = { version: program.version() ?? '', folder }
      const files = await writeStarter(directory, names, packages)
      context.print(`wrote ${files.join(', ')} into ${directory}`)
      const place = folder !== undefined ? 'archives' : arePackagesFound(directory) ? 'found' : 'nowhere'
      context.print(describeNextSteps({ directory, resource }, place))
      done(0)
    })
}
