import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOfTarget } from './migration-report.ts'
import { renderMigrations } from './render-migrations.ts'

const resource = { group: 'light.example.dev', resource: 'lamps' }
const end = { outcome: 'failed', proof: 'unknown', because: 'not allowed: User "eve" cannot list' } as const

test('migrate: what failed before it began does not go on where it stopped', () => {
  const text = renderMigrations([reportOfTarget(resource, undefined, end)])
  assert.match(text, /\n {2}Then run it again: strata migrate lamps\.light\.example\.dev$/)
  assert.doesNotMatch(text, /Go on/)
})
