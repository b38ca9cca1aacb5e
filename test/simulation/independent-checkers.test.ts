import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('./checkers/', import.meta.url)

test('simulation: checkers run no code of the product', () => {
  const files = readdirSync(folder)
  assert.ok(files.length > 20)
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8')
    const imports = [...source.matchAll(/^import ([\s\S]*?) from '(@strata\/[^']+)'/gm)]
    const running = imports.filter(([, what = '']) => !what.startsWith('type '))
    assert.deepEqual(
      running.map(([line]) => line),
      [],
      `${file} imports more than types of the product`,
    )
  }
})
