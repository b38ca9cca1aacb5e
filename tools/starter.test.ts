import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { renderStarter, starterFile } from './starter.ts'

test('strata init kind copies examples/starter (node tools/starter.ts writes the copy)', () => {
  assert.equal(readFileSync(starterFile, 'utf8'), renderStarter())
})
