import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { listFiles, root } from './repository.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const citing = listFiles().filter(
  (path) =>
    /\.(?:ts|md)$/.test(path) && path !== 'tools/cited-facts.test.ts' && !path.startsWith('test/golden/'),
)

const isPage = (path: string): boolean => /^(?:docs\/|[A-Z]+\.md$)/.test(path)

const pages = ['docs/reference/upstream-behaviour.md', 'docs/reference/wire-compatibility.md']

/** The numbers of a page's headings (`1.6`), and the IDs in the first cell of its rows (`P13`, `B8 to B13`). */
function namesOn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, number = ''] of text.matchAll(/^#+ ([0-9]+(?:\.[0-9]+)?)\.? /gm)) names.add(number)
  for (const [, cell = ''] of text.matchAll(/^\| ((?:[A-Z][0-9]+(?:, | to )?)+) \|/gm)) {
    for (const id of cell.match(/[A-Z][0-9]+/g) ?? []) names.add(id)
    const [, letter = '', first, last] = /^([A-Z])([0-9]+) to [A-Z]([0-9]+)$/.exec(cell) ?? []
    for (let id = Number(first); id <= Number(last); id += 1) names.add(`${letter}${id}`)
  }
  return names
}

for (const page of pages) {
  const file = page.slice(page.lastIndexOf('/') + 1)
  test(`docs: every citation of ${file} leads to a row or a section of it`, () => {
    const names = namesOn(read(page))
    const citation = new RegExp(
      `${file.replace('.', '\\.')}\`?,? (?:section |case |cases |rule )?([A-Z]?[0-9][^)\n]*)`,
      'g',
    )
    const missing: string[] = []
    for (const path of citing) {
      for (const [, cited = ''] of read(path).matchAll(citation)) {
        const ids =
          /^(?:,? ?(?:and |to |sections? |cases? )?(?:[A-Z][0-9]+|[0-9]+(?:\.[0-9]+)?)\b)+/.exec(
            cited,
          )?.[0] ?? cited
        for (const id of ids.match(/[A-Z]?[0-9]+(?:\.[0-9]+)?/g) ?? []) {
          if (!names.has(id)) missing.push(`${path} cites ${id}`)
        }
      }
    }
    assert.deepEqual(missing, [])
  })
}

test('docs: tests name only cases of upstream-behaviour.md', () => {
  const names = namesOn(read('docs/reference/upstream-behaviour.md'))
  const missing: string[] = []
  for (const path of citing.filter((name) => name.endsWith('.test.ts'))) {
    // Case IDs stand at the beginning of a test's name or of its row: `P13: …`, `engine: M1, K10: …`.
    for (const [, ids = ''] of read(path).matchAll(
      /['"`(](?:[\w’ ]+:? )?((?:[AGIBRVMJKNPQX][0-9]+(?:, | to | and )?)+)[:,] /g,
    )) {
      for (const id of ids.match(/[A-Z][0-9]+/g) ?? [])
        if (!names.has(id)) missing.push(`${path} names ${id}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('docs: no page cites a file that is not in the clone', () => {
  const outside = /(?<![\w-])(?:behaviour|compat|users)\.md\b|\bseeds? 00[0-9]\b/i
  const found = citing.filter((path) => isPage(path) && outside.test(read(path)))
  assert.deepEqual(found, [])
})

test('docs: every source file that a page names exists', () => {
  const files = listFiles()
  const isThere = (name: string): boolean => files.some((path) => path === name || path.endsWith(`/${name}`))
  const missing: string[] = []
  for (const path of citing.filter((name) => isPage(name) && name !== 'CONTRIBUTING.md')) {
    for (const [, name = ''] of read(path).matchAll(/`([\w./-]+\.ts)`/g)) {
      if (!isThere(name)) missing.push(`${path} names ${name}`)
    }
  }
  assert.deepEqual(missing, [])
})

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('docs: every link to a part of a page leads to a heading', () => {
  const missing: string[] = []
  for (const path of citing.filter((name) => name.endsWith('.md'))) {
    for (const [, page = '', anchor = ''] of read(path).matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)) {
      const target = page === '' ? path : join(dirname(path), page)
      const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
      if (!headings.includes(anchor)) missing.push(`${path} links to ${target}#${anchor}`)
    }
  }
  assert.deepEqual(missing, [])
})
