// `node tools/rehearsal-examples.ts` writes the examples that the dashboard offers, from examples/rehearsals; those that need no
// module. rehearsal-examples.test.ts compares the two.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './repository.ts'

const folder = join(root, 'examples/rehearsals')
export const rehearsalExamplesFile = join(root, 'packages/cli/src/rehearse/examples.json')

/** Each with its CRDs inside, because a page cannot read files. */
export function renderRehearsalExamples(): string {
  const examples = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name: name.replace(/\.yaml$/, ''), text: readFileSync(join(folder, name), 'utf8') }))
    .map(({ name, text }) => ({ name, title: titleOf(text), path: parse(text) }))
    .filter(({ path }) => path.crds !== undefined && path.conversions === undefined)
    .map(({ path, ...example }) => ({ ...example, path: { ...path, crds: inline(path.crds) } }))
  return `${JSON.stringify(examples)}\n`
}

const inline = (crds: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(crds).map(([release, file]) => [release, parse(readFileSync(join(folder, file), 'utf8'))]),
  )

/** The comment below the first line. */
const titleOf = (text: string): string =>
  text
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('# '))
    .map((line) => line.slice(2))
    .join(' ')

if (import.meta.main) writeFileSync(rehearsalExamplesFile, renderRehearsalExamples())
