import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { softwareRelease } from './software-release.ts'

test('release: what servers say they run is what is published', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  assert.equal(softwareRelease, JSON.parse(manifest).version)
})
