import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideHeadings } from './flag-headings.ts'

test('headings: a command with many kinds of flags has one for each; what only it has comes under its name', () => {
  const flags = ['--all', '--qps', '--accept', '--dry-run', '--special']
  assert.deepEqual(
    [...decideHeadings('migrate', flags).values()],
    ['What:', 'Pace:', 'Proof:', 'Writing:', 'Flags of migrate:'],
  )
})

test('headings: a command with few kinds of flags has one', () => {
  assert.deepEqual(
    [...decideHeadings('prune', ['--all', '--dry-run']).values()],
    Array(2).fill('Flags of prune:'),
  )
})
