import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitCodes } from '../../output/exit-codes.ts'
import { renderText } from '../../output/render-text.ts'
import { reportOfTarget } from './migration-report.ts'
import { reportMigrations } from './render-migrations.ts'

const renderMigrations = (...given: Parameters<typeof reportMigrations>): string =>
  renderText(reportMigrations(...given).sections)

const resource = { group: 'light.example.dev', resource: 'lamps' }
const end = { outcome: 'failed', proof: 'unknown', because: 'not allowed: User "eve" cannot list' } as const

test('migrate: what failed before it began does not go on where it stopped', () => {
  const text = renderMigrations([reportOfTarget(resource, undefined, end)])
  assert.match(text, /\n {2}Run it again when that is fixed: strata migrate lamps\.light\.example\.dev$/)
  assert.doesNotMatch(text, /Go on/)
})

test('migrate: what is to be done next is done to the same cluster, in the same way', () => {
  const given = { strata: ' --kubeconfig k --through-api', kubectl: ' --kubeconfig k', controllers: '' }
  const target = { resource, how: 'record', fenced: true } as const
  const text = renderMigrations([{ ...reportOfTarget(resource, target, end), handOver: 'kubectl x' }], given)
  assert.match(
    text,
    /Resume it where it stopped: strata migrate lamps\.light\.example\.dev --kubeconfig k --through-api\n/,
  )
  assert.match(text, /the controllers resume it: kubectl x --kubeconfig k$/)
})

test('migrate: what no server can list is not resumed: its version has to come back first', () => {
  const target = { resource, how: 'definition', fenced: false } as const
  const because = 'request to convert CR from an invalid group/version: light.example.dev/v1'
  const failed = { ...reportOfTarget(resource, target, { ...end, because }), handOver: 'kubectl x' }
  const text = renderMigrations([failed])
  assert.match(text, /add v1 back to the CRD lamps\.light\.example\.dev/)
  assert.doesNotMatch(text, /Resume it|kubectl x/)
})

test('migrate: objects that were set aside are mended on the same cluster, by a command that has no pace', () => {
  const given = { strata: ' --context c --through-api', kubectl: ' --context c', controllers: '' }
  const left = { outcome: 'incomplete', proof: 'unknown', because: 'one is left' } as const
  const text = renderMigrations([reportOfTarget(resource, undefined, left, { quarantined: 1 })], given)
  assert.match(text, /The ways to mend these: strata repair lamps\.light\.example\.dev --context c\n/)
  assert.match(
    text,
    /Then run it again: strata migrate lamps\.light\.example\.dev --context c --through-api$/,
  )
})

test('migrate: what kept several from beginning is said once, and so is what to do', () => {
  const other = { ...end, because: 'no answer' }
  const text = renderMigrations([
    reportOfTarget({ group: '', resource: 'secrets' }, undefined, end),
    reportOfTarget({ group: '', resource: 'events' }, undefined, other),
    reportOfTarget(resource, undefined, end),
  ])
  const [, ...reported] = text.split('\n\n')
  assert.deepEqual(reported, [
    `secrets, lamps.light.example.dev: ${end.because}\n  Run it again when that is fixed: strata migrate secrets lamps.light.example.dev`,
    'events: no answer\n  Run it again when that is fixed: strata migrate events',
  ])
})

test('migrate: a rehearsal ends with 0, and calls nothing proven', () => {
  const rehearsed = { outcome: 'rehearsed', proof: 'unknown', because: 'no object would be refused' } as const
  assert.equal(reportOfTarget(resource, undefined, rehearsed).exit, 'rehearsed')
  assert.equal(exitCodes[reportOfTarget(resource, undefined, rehearsed).exit], 0)
  assert.equal(reportOfTarget(resource, undefined, rehearsed, { quarantined: 1 }).exit, 'incomplete')
})

test('migrate: a rehearsal of several says which would be rewritten, and how many in all', () => {
  const rehearsed = { outcome: 'rehearsed', proof: 'unknown', because: 'no object would be refused' } as const
  const report = (plural: string, total: number, stale: number | undefined) => ({
    ...reportOfTarget({ group: '', resource: plural }, undefined, rehearsed, { total }),
    stale,
  })
  const text = renderMigrations([
    report('secrets', 5, 3),
    report('services', 2, 0),
    report('pods', 7, undefined),
  ])
  assert.match(text, /^secrets +rehearsed +5 +- +2 +0 +-$/m)
  assert.match(text, /^services +rehearsed +2 +- +2 +0 +-$/m)
  assert.match(text, /^pods +rehearsed +7 +- +- +0 +-$/m)
  const [, ...reported] = text.split('\n\n')
  assert.deepEqual(reported, [
    'secrets: no object would be refused\n  3 would be rewritten, by a census of the store',
    '3 of 7 objects in 2 resources would be rewritten; for 1 resource the number is unknown',
  ])
  assert.match(
    renderMigrations([report('pods', 7, undefined), report('nodes', 1, undefined)]),
    /\n\nHow many objects would be rewritten is unknown: the store could not be counted$/,
  )
})
