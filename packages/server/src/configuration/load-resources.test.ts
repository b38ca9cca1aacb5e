import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadResources } from './load-resources.ts'

const files: Readonly<Record<string, string>> = {
  'good.mjs': 'export const resources = [{ releases: { x: {}, y: {} } }]',
  'text.mjs': 'this is not JavaScript',
  'empty.mjs': 'export const kinds = []',
  'notes.txt': 'hello',
}

describe("kinds of one's own", () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-resources-'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text)
  })
  after(() => rm(home, { recursive: true, force: true }))

  test('are loaded, and know their releases', async () => {
    assert.equal((await loadResources([join(home, 'good.mjs')], 'y')).length, 1)
  })

  const refused: readonly [module: string, release: string | undefined, message: RegExp][] = [
    ['missing.mjs', undefined, /^--resources .*missing\.mjs: there is no such file$/],
    ['text.mjs', undefined, /^--resources .*text\.mjs: cannot be loaded as a module: .+$/],
    ['notes.txt', undefined, /^--resources .*notes\.txt: cannot be loaded as a module: .+$/],
    ['empty.mjs', undefined, /^--resources .*empty\.mjs: the module must export an array named "resources"/],
    ['good.mjs', 'z', /^--release z: no kind has this release; known: x, y$/],
  ]
  for (const [module, release, message] of refused) {
    test(`${module}${release ? ` at release ${release}` : ''} is refused in one line`, async () => {
      const loading = loadResources([join(home, module)], release)
      await assert.rejects(loading, { name: 'ConfigurationProblem', message })
    })
  }
})
