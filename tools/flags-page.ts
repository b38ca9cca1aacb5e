// `node tools/flags-page.ts` writes docs/reference/flags.md from the commands themselves; flags-page.test.ts compares the two.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { loadAllCommands } from './all-commands.ts'
import { root } from './repository.ts'

export const flagsPage = join(root, 'docs/reference/flags.md')

export async function renderFlagsPage(): Promise<string> {
  const program = await loadAllCommands()
  return [
    '# Which flags does each command have?',
    '',
    'Every command with its flags, their defaults and their help, as `strata <command> --help` shows them.',
    'This page is generated from the commands (`node tools/flags-page.ts`), and a test compares it with them.',
    ...program.commands.flatMap((command) => renderCommand(command, 'strata')),
    '',
  ].join('\n')
}

function renderCommand(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`
  const shown = command.options.filter(({ hidden }) => !hidden)
  const groups = Map.groupBy(shown, ({ helpGroupHeading }) => helpGroupHeading ?? '')
  return [
    ...['', `## ${name}`, '', command.description()],
    ...[...groups].flatMap(([heading, options]) => [
      ...(heading === '' ? [''] : ['', `**${heading.replace(/:$/, '')}**`, '']),
      ...['| flag | default | help |', '|---|---|---|', ...options.map(renderOption)],
    ]),
    ...command.commands.flatMap((each) => renderCommand(each, name)),
  ]
}

/** A default that is no constant stands in the help text itself. */
function renderOption({ flags, description, defaultValue, ...option }: Option): string {
  const [, help = '', inText] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(description) ?? []
  const value = option.defaultValueDescription ?? inText ?? shownDefault(defaultValue)
  const choices = option.argChoices ? `; one of ${option.argChoices.join(', ')}` : ''
  const cells = [`\`${flags}\``, value, `${help.replace('(see below)', '(see `--help`)')}${choices}`]
  return `| ${cells.map((each) => each.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

function shownDefault(value: unknown): string {
  return value === undefined || value === false || String(value) === '' ? '' : `\`${String(value)}\``
}

if (import.meta.main) writeFileSync(flagsPage, await renderFlagsPage())
