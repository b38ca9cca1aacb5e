import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { flagsPage, renderFlagsPage } from './flags-page.ts'

test('docs/reference/flags.md has every command, flag, default and help (node tools/flags-page.ts writes it)', async () => {
  assert.equal(readFileSync(flagsPage, 'utf8'), await renderFlagsPage())
})
