import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listFiles, root } from './repository.ts'

const page = readFileSync(join(root, 'docs/reference/api-names.md'), 'utf8')

const sources = listFiles()
  .filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|for-test\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))

/** What a pattern captures anywhere in the sources, each once, sorted. */
const inSources = (pattern: RegExp): string[] =>
  [...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found)))].sort()

const unmentioned = (names: readonly string[]): string[] =>
  names.filter((name) => !page.includes(`\`${name}\``))

/** The pattern has to find something: if the code is written another way, the test has to be, too. */
function checkNames(what: string, pattern: RegExp): void {
  test(`docs/reference/api-names.md has every ${what}`, () => {
    const names = inSources(pattern)
    assert.notEqual(names.length, 0)
    assert.deepEqual(unmentioned(names), [])
  })
}

checkNames('annotation', /\w+Annotation = '(strata\.dev\/[a-z-]+)'/g)
checkNames('condition of an agreement record', /\bcondition\(\s*'(\w+)'/g)
checkNames('reason of such a condition', /\bcondition\(\s*'\w+',\s*(?:true|false),\s*'(\w+)'/g)
checkNames('reason of a migration', /reason(?:: | = )'((?:StorageVersion)?Migration\w+)'/g)
checkNames('reason of an Event about a migration', /\b(?:normal|warning)\('(\w+)'/g)

test('docs/reference/api-names.md names no annotation that the code does not set or read', () => {
  const known = inSources(/'(strata\.dev\/[a-z-]+)'/g)
  const named = [...page.matchAll(/^\| `(strata\.dev\/[a-z-]+)`/gm)].map(([, name = '']) => name)
  assert.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  )
})

test('docs/reference/api-names.md has the exit codes of the code, and no others', () => {
  const [, table = ''] =
    sources
      .map((text) => /export const exitCodes = \{(.*?)\n\}/s.exec(text) ?? [])
      .find(({ length }) => length > 0) ?? []
  const coded = [...table.matchAll(/^ {2}(\w+): (\d+),$/gm)].map(([, word, code]) => `${word} ${code}`)
  const documented = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(
    ([, word, code]) => `${word} ${code}`,
  )
  assert.notEqual(coded.length, 0)
  assert.deepEqual(documented.sort(), coded.sort())
})
