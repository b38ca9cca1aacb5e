import { groupResourceText } from '@strata/api'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { collect } from '../options/duration.ts'
import { printYaml } from '../output/document.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { decideQuestion, type RightsQuestion } from '../rbac/decide-question.ts'
import { decideRights } from '../rbac/decide-rights.ts'
import { rolesOf, type Subject } from '../rbac/roles.ts'

interface Flags {
  readonly all: boolean
  readonly user: readonly string[]
  readonly group: readonly string[]
  readonly serviceaccount: readonly Subject[]
  readonly name?: string
  readonly aggregated: boolean
  readonly inTree: boolean
  readonly deleteUndecodable: boolean
  readonly output: 'yaml' | 'json'
}

export function addRbac(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const subject = (flags: string, what: string): Option =>
    new Option(flags, `${what} that gets the rights; may be repeated`).argParser(collect).default([])
  program
    .command('rbac')
    .argument(
      '[command or resource...]',
      'commands, and full names of resources to which the rights are limited',
    )
    .description('Print the least privilege that commands need, as roles and bindings. Asks no cluster.')
    .option('-A, --all', 'every command but the controllers', false)
    .addOption(subject('--user <name>', 'user'))
    .addOption(subject('--group <name>', 'group'))
    .addOption(
      new Option('--serviceaccount <namespace:name>', 'service account that gets the rights; may be repeated')
        .argParser((text, previous: readonly Subject[]) => [...previous, parseServiceAccount(text)])
        .default([]),
    )
    .option('--name <name>', 'name of the roles and bindings (default: made from the arguments)')
    .option('--in-tree', 'also what strata migrate --in-tree needs', false)
    .option('--delete-undecodable', 'also what strata repair --delete-undecodable needs', false)
    .option('--aggregated', 'also what resources of aggregated Strata servers need', false)
    .addOption(new Option('-o, --output <form>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', help)
    .action((words: readonly string[], flags: Flags) => {
      const question = decideQuestion(words, flags.all)
      if (typeof question === 'string') throw new CliError(question, exitCodes.usage)
      const subjects = [
        ...flags.user.map((name): Subject => ({ kind: 'User', name })),
        ...flags.group.map((name): Subject => ({ kind: 'Group', name })),
        ...flags.serviceaccount,
      ]
      const name = flags.name ?? nameOf(question, flags.all)
      const objects = rolesOf(name, decideRights(question, flags), subjects)
      const list = { apiVersion: 'v1', kind: 'List', items: objects }
      context.print(
        flags.output === 'json' ? JSON.stringify(list, undefined, 2) : objects.map(printYaml).join('\n---\n'),
      )
      if (subjects.length === 0)
        context.warn?.(
          'no binding is printed: name who gets the rights with --user, --group or --serviceaccount',
        )
      done(0)
    })
}

function nameOf({ commands, resources }: RightsQuestion, all: boolean): string {
  const words = all ? ['all'] : commands.map((each) => each.replaceAll(' ', '-'))
  return ['strata', ...words, ...resources.map(groupResourceText)].join('-')
}

function parseServiceAccount(text: string): Subject {
  const [namespace, name, ...rest] = text.split(':')
  if (!namespace || !name || rest.length > 0)
    throw new InvalidArgumentError('give it as namespace:name, e.g. kube-system:strata.')
  return { kind: 'ServiceAccount', name, namespace }
}

const help = `
Prints a ClusterRole, a Role for what is limited to kube-system, and their bindings. kubectl apply -f - creates them.
Every user may read discovery and ask for its own rights by default (the ClusterRoles system:discovery and
system:basic-user), so these rights are not printed.

Name a resource to limit the rights to it: by its full name, e.g. deployments.apps; resources of the core group by their
plural, e.g. secrets. Without one the rights are those for every resource. What lists whole kinds cannot be limited.

A rule for a kind that a cluster does not serve grants nothing. The rules are for Strata and for other clusters.
A part of a command whose right is missing gives a weaker answer or an error that names the right.

Exit codes:
  0  printed
  2  an argument or flag is invalid

Examples:
  $ strata rbac migrate lamps.light.example.dev --user jane | kubectl apply -f -
  $ strata rbac status verify --group viewers
  $ strata rbac migrate lamps.light.example.dev --in-tree
  $ strata rbac repair configmaps --delete-undecodable
  $ strata rbac crd upgrade --serviceaccount ci:release
  $ strata rbac --all -o json
  $ strata rbac controllers --serviceaccount kube-system:strata-migration`
