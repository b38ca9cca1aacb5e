import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { examplesIn, publishedReadme } from './published-readme.ts'
import { root } from './repository.ts'

test('a link to a file of the repository becomes its name; others stay', () => {
  assert.equal(
    publishedReadme('api', 'see [all](../../docs/own-kinds.md#releases), [x](https://x.example/), `[a](b)`'),
    'see all (docs/own-kinds.md in the repository), [x](https://x.example/), `[a](b)`',
  )
})

test('each published README says how to install the package, and shows an example', () => {
  for (const name of readdirSync(join(root, 'packages'))) {
    const text = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
    if (manifest.private) continue
    assert.ok(text.startsWith(`# ${manifest.name}\n`), name)
    assert.match(text, new RegExp(`^npm install .*${manifest.name}\\b`, 'm'), name)
    assert.ok(name === 'cli' || examplesIn(text).length > 0, `packages/${name}/README.md has no example`)
  }
})
