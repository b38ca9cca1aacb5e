// `node tools/exit-codes-page.ts` writes docs/reference/exit-codes.md from the help of the commands; a test compares the two.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { loadAllCommands } from './all-commands.ts'
import { root } from './repository.ts'

export const exitCodesPage = join(root, 'docs/reference/exit-codes.md')

export interface CommandHelp {
  /** `strata controllers init`. */
  readonly name: string
  readonly help: string
  /** Empty if the help names none. */
  readonly codes: readonly { readonly code: number; readonly meaning: string }[]
  readonly ungrouped: readonly string[]
  /** It does something itself, and is no mere group of commands. */
  readonly acts: boolean
}

/** The help of every command, as a user sees it. */
export async function readCommandHelps(): Promise<readonly CommandHelp[]> {
  const program = await loadAllCommands()
  return program.commands.flatMap((command) => helpsOf(command, 'strata'))
}

function helpsOf(command: Command, parent: string): CommandHelp[] {
  const name = `${parent} ${command.name()}`
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const ungrouped = command.options
    .filter(({ hidden, helpGroupHeading }) => !hidden && !helpGroupHeading)
    .map(({ flags }) => flags)
  const acts = command.commands.length === 0 || /^Examples:/m.test(help)
  const own = { name, help, codes: codesOf(help), ungrouped, acts }
  return [own, ...command.commands.flatMap((each) => helpsOf(each, name))]
}

/** The lines below `Exit codes`; an indented line continues the one before. */
function codesOf(help: string): CommandHelp['codes'] {
  const [, block = ''] = /^Exit codes[^\n]*:\n((?: {2}.*\n?)+)/m.exec(help) ?? []
  const joined = block.replaceAll(/\n {4,}(?!\d)/g, ' ')
  return [...joined.matchAll(/^ {2}(\d+) +(.+)$/gm)].map(([, code = '', meaning = '']) => ({
    code: Number(code),
    meaning: meaning.trim(),
  }))
}

export async function renderExitCodesPage(): Promise<string> {
  const helps = await readCommandHelps()
  return [
    '# What do the exit codes mean?',
    '',
    'Only 0 means that everything is as the command was asked to make or to prove it. Codes are never renumbered. With several clusters or',
    'resources, the worst one counts. This page is generated from the help of the commands (`node tools/exit-codes-page.ts`), and a test',
    'compares it with them. In scripts, use exit codes and `-o json`, never the texts.',
    '',
    'A kubeconfig file or a context that does not exist is a cluster that could not be read, not a wrong flag: 5 for most commands, and what',
    'the table of the command says for that where it has no 5.',
    '',
    '```',
    'strata verify lamps.light.example.dev',
    'case $? in',
    '  0) echo proven ;;',
    '  3) echo observed clean: accept that with --accept observed-clean ;;',
    '  *) exit 1 ;;',
    'esac',
    '```',
    ...helps
      .filter(({ codes }) => codes.length > 0)
      .flatMap(({ name, codes }) => [
        ...['', `## ${name}`, '', '| code | meaning |', '|---|---|'],
        ...codes.map(({ code, meaning }) => `| ${code} | ${meaning.replaceAll('|', '\\|')} |`),
      ]),
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(exitCodesPage, await renderExitCodesPage())
