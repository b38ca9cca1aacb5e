import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMigrations } from './render-migrations.ts'
import { reportOfRequest } from './request-migration.ts'

const lamps = { group: 'light.example.dev', resource: 'lamps' }
const where = 'storageversionmigrations.migration.k8s.io/lamps-1'
const start =
  /but no controllers are at work\n {2}Start them: strata controllers\n {2}Or do it here: strata migrate lamps\.light\.example\.dev$/

const cases = [
  ['alive', true, /: left to the controllers: kubectl get storageversionmigrations\S+\/lamps-1$/],
  ['absent', false, start],
  ['silent', undefined, /: left to the controllers: kubectl get storageversionmigrations\S+\/lamps-1$/],
] as const

for (const [controllers, atWork, says] of cases) {
  test(`--no-wait, the controllers ${controllers}: asked for, nothing is called done, exit code 6`, () => {
    const report = reportOfRequest(lamps, where, controllers)
    const text = renderMigrations([report])
    assert.match(text, /^lamps\.light\.example\.dev +asked for +-/m)
    assert.doesNotMatch(text, /done/)
    assert.match(text, says)
    assert.deepEqual(
      [report.exit, report.outcome, report.controllersAtWork],
      ['unknown', 'requested', atWork],
    )
  })
}
