import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../../output/render-text.ts'
import { reportMigrations } from '../report/render-migrations.ts'
import { reportOfHeld, reportOfRequest } from './request-migration.ts'

const renderMigrations = (...given: Parameters<typeof reportMigrations>): string =>
  renderText(reportMigrations(...given).sections)

const lamps = { group: 'light.example.dev', resource: 'lamps' }
const where = 'storageversionmigrations.migration.k8s.io/lamps-1'
const start =
  /but no controllers are running\n {2}Start them: strata controllers\n {2}Or do it here: strata migrate lamps\.light\.example\.dev$/

const cases = [
  ['alive', true, /: left to the controllers: kubectl get storageversionmigrations\S+\/lamps-1$/],
  ['absent', false, start],
  ['stale', false, /: their Lease is not renewed\n {2}Start them: strata controllers\n/],
  ['unseen', undefined, /: left to the controllers: kubectl get storageversionmigrations\S+\/lamps-1$/],
] as const

for (const [controllers, atWork, says] of cases) {
  test(`--no-wait, the controllers ${controllers}: asked for, nothing is called done, exit code 6`, () => {
    const report = reportOfRequest(lamps, { where, wasPaused: false }, controllers)
    const text = renderMigrations([report])
    assert.match(text, /^lamps\.light\.example\.dev +requested +-/m)
    assert.doesNotMatch(text, /done/)
    assert.match(text, says)
    assert.deepEqual(
      [report.exit, report.outcome, report.controllersAtWork],
      ['unknown', 'requested', atWork],
    )
  })
}

test('--no-wait, and it was paused: it is said that it is not any more', () => {
  const { because, outcome } = reportOfRequest(lamps, { where, wasPaused: true }, 'alive')
  assert.equal(outcome, 'requested')
  assert.equal(because, `the pause was removed; left to the controllers: kubectl get ${where}`)
})

test('--no-wait, and another command is at it: the report names it, and says that stopping it pauses the migration', () => {
  const claim = { by: 'command', id: 'c', hostname: 'desk', bootId: 'b', pid: 7, startTicks: '9' } as const
  const report = reportOfHeld(lamps, { where, wasPaused: false }, claim)
  const text = renderMigrations([report])
  assert.match(
    text,
    /: another "strata migrate" \(pid 7 on desk\) runs it, not the controllers: kubectl get /,
  )
  assert.match(
    text,
    /the migration stays paused until you request it again: strata migrate --no-wait lamps\.light\./,
  )
  assert.deepEqual(
    [report.exit, report.outcome, report.controllersAtWork],
    ['unknown', 'requested', undefined],
  )
})
