import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { loadAllCommands } from './all-commands.ts'
import { listFiles, root } from './repository.ts'

test('docs/commands.md has every command', async () => {
  const page = readFileSync(join(root, 'docs/commands.md'), 'utf8')
  const firsts = Array.from(page.matchAll(/^\| ([^|]*) \|/gm), ([, names = '']) => names)
  const named = firsts.flatMap((names) =>
    Array.from(names.matchAll(/`(?:strata )?([a-z-]+)/g), ([, name]) => name),
  )
  const { commands } = await loadAllCommands()
  assert.deepEqual(
    commands.map((command) => command.name()).filter((name) => !named.includes(name)),
    [],
  )
})

/** `strata …` as it is typed, up to a comment, a pipe or the end: in code only. */
const TYPED = /(?:^|[`$(|;&] ?|-- |npm exec )(strata (?:-- )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?[^`#|;\n]*)/gm

/** What a command line has that the command has not; undefined if nothing. */
function problemOf(
  program: Command,
  [, line = '', first = '', second = '']: readonly string[],
): string | undefined {
  const named = (parent: Command, name: string) => parent.commands.find((each) => each.name() === name)
  const command = named(program, first)
  if (command === undefined) return `there is no ${first}`
  const last = named(command, second) ?? command
  if (command.commands.length > 0 && second !== '' && last === command)
    return `there is no ${first} ${second}`
  const known = [program, command, last].flatMap(({ options }) => options.map(({ long }) => long))
  const [, ...flags] = line.split(/ (?=--[a-z])/).map((part) => /^--[a-z-]+/.exec(part)?.[0] ?? '')
  const unknown = flags.find((flag) => flag !== '--help' && flag !== '' && !known.includes(flag))
  return unknown === undefined ? undefined : `${last.name()} has no ${unknown}`
}

test('documents show no command or flag that is not there', async () => {
  const program = await loadAllCommands()
  const isHistory = (path: string): boolean => path.startsWith('docs/decisions/') || path === 'CHANGELOG.md'
  const pages = listFiles().filter((path) => path.endsWith('.md') && !isHistory(path))
  const problems = pages.flatMap((path) => {
    const code = readFileSync(join(root, path), 'utf8').match(/^```[\s\S]*?^```|`[^`\n]*`/gm) ?? []
    return code
      .flatMap((text) => [...text.replaceAll(/\\\n\s*/g, '').matchAll(TYPED)])
      .flatMap((typed) => {
        const problem = problemOf(program, typed)
        return problem === undefined ? [] : [`${path}: ${typed[1]}: ${problem}`]
      })
  })
  assert.deepEqual(problems, [])
})
