import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf } from './migration-form.ts'

for (const [because, want] of [
  ['migration encountered unhandled error: it was cancelled', 'aborted'],
  ['3/7 not yet migrated. migration encountered unhandled error: it was cancelled', 'aborted'],
  ['migration encountered unhandled error: the target moved', 'aborted'],
  ['migration encountered unhandled error: nobody answers', 'failed'],
] as const) {
  test(`migration object: Failed, ${because}: ${want}`, () => {
    const conditions = [{ type: 'Failed', status: 'True', message: because }]
    assert.equal(
      endOf({ metadata: {}, spec: { resource: { resource: 'things' } }, status: { conditions } })?.outcome,
      want,
    )
  })
}
