import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../repository.ts'
import { problemsOf } from './check-output.ts'
import { type Repository, siteSource } from './pages.ts'
import { sidebarOf } from './sidebar.ts'

const repository: Repository = {
  read: (path) => `text of ${path} with a fence \`\`\`\n`,
  list: (path) => (path === 'examples/lamps' ? ['crd.yaml', 'lamps.yaml'] : undefined),
}
const linked = (text: string): string =>
  siteSource(
    [
      { path: 'docs/a.md', text },
      { path: 'docs/README.md', text: '' },
    ],
    repository,
  ).pages.find(({ path }) => path === 'docs/a.md')?.text ?? ''

for (const [name, text, want] of [
  ['a README is the page of its folder', '[all](README.md#judge)', '[all](./index.md#judge)'],
  ['a file gets a page', '[code](../src/a.ts#L7)', '[code](../src/a.ts.md)'],
  ['a folder gets a page', '[files](../examples/lamps/)', '[files](../examples/lamps/index.md)'],
  ['a section of the same page', '[b](#b) and [b](a.md#b)', '[b](#b) and [b](#b)'],
  ['a picture stays what it is', '![p](pictures/p.svg)', '![p](./pictures/p.svg)'],
  ['links to other places stay', '[x](https://example.com/a.md)', '[x](https://example.com/a.md)'],
  ['links in code stay', '`[x](a.ts)`', '`[x](a.ts)`'],
] as const) {
  test(`site: ${name}`, () => assert.equal(linked(text), want))
}

test('site: a page for a file shows all of it, and is not found by the search', () => {
  const { pages, pictures } = siteSource(
    [{ path: 'docs/a.md', text: '[code](b.ts) ![p](p.svg) [files](../examples/lamps)' }],
    repository,
  )
  const text = (path: string) => pages.find((page) => page.path === path)?.text
  assert.equal(
    text('docs/b.ts.md'),
    '---\nsearch: false\n---\n\n# docs/b.ts\n\n````ts\ntext of docs/b.ts with a fence ```\n````\n',
  )
  assert.match(text('examples/lamps/index.md') ?? '', /- `crd\.yaml`\n- `lamps\.yaml`/)
  assert.deepEqual(pictures, ['docs/p.svg'])
})

test('site: the sidebar has every page that docs/README.md lists', () => {
  const list = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const items = sidebarOf(list).flatMap((group) => group.items)
  assert.equal(items.length, Array.from(list.matchAll(/\]\(/g)).length)
  assert.ok(items.some(({ text, link }) => text === 'CRD upgrade' && link === '/docs/crd-upgrade'))
  assert.ok(items.some(({ link }) => link === '/docs/decisions/'))
})

describe('site: the check of what was built', () => {
  const files = new Set(['index.html', 'docs/a.html', 'docs/index.html', 'assets/x.js'])
  const check = (html: string) =>
    problemsOf(
      [
        { path: 'docs/a.html', text: html },
        { path: 'docs/index.html', text: '<h2 id="b&amp;c">' },
      ],
      files,
    )
  for (const [html, want] of [
    ['<a href="/docs/">', []],
    ['<a href="./index.html#b%26c">', []],
    ['<a href="../docs/a" id="x"><a href="#x">', []],
    ['<script src="/assets/x.js">', []],
    ['<a href="https://example.com">', []],
    ['<a href="/docs/b.html">', ['docs/a.html: /docs/b.html leads nowhere']],
    ['<a href="#y">', ['docs/a.html: #y: there is no such section']],
    ['<img alt="" src="https://e.example/x.png">', ['docs/a.html loads https://e.example/x.png']],
    ['<link rel="stylesheet" href="//e.example/x.css">', ['docs/a.html loads //e.example/x.css']],
  ] as const) {
    test(html, () => assert.deepEqual(check(html), want))
  }
})
