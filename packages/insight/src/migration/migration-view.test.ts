import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPaused, viewOf } from './migration-view.ts'

for (const [annotations, want] of [
  [undefined, false],
  [{}, false],
  [{ 'strata.dev/paused': 'false' }, false],
  [{ 'strata.dev/paused': 'true' }, true],
  [{ 'strata.dev/paused': 'yes' }, true],
  [{ 'strata.dev/paused': '' }, true],
] as const) {
  test(`paused: ${JSON.stringify(annotations)}: ${want}`, () => {
    const said = annotations === undefined ? {} : { annotations }
    assert.equal(isPaused(said), want)
    assert.equal(viewOf('migration.k8s.io', { metadata: { name: 'm', uid: 'u', ...said } }).isPaused, want)
  })
}
