import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type UpgradeReview } from '@strata/api'
import type { Client } from '@strata/client'
import { askSafety } from './ask-safety.ts'
import { observedFleet, recordOf } from './observed-for-test.ts'

const { signal } = new AbortController()
const read = ['example.dev/v1', 'example.dev/v2']
const observed = (() => {
  const fleet = observedFleet(['a', 'b'], [recordOf('things', { a: 'v1', b: 'v1' })])
  const objects = fleet.leases.objects.map(({ metadata, ...lease }) => {
    const release = metadata.name === 'b' ? 'y' : 'x'
    return { ...lease, metadata: { ...metadata, annotations: { 'strata.dev/release': release } } }
  })
  return { ...fleet, leases: { ...fleet.leases, objects } }
})()
const declared = { resources: [{ group: 'example.dev', resource: 'things', decodableVersions: read }] }

const cases: ReadonlyArray<
  [name: string, release: string, knows: readonly string[], asked: readonly UpgradeReview['spec'][]]
> = [
  ['the server knows the release', 'x', ['x'], [{ release: 'x' }]],
  ['only another server knows it, which runs now', 'y', ['x'], [{ release: 'y' }, declared]],
]
for (const [name, release, knows, want] of cases)
  test(`ask about safety: ${name}`, async () => {
    const asked: UpgradeReview['spec'][] = []
    const create = async ({ spec }: UpgradeReview) => {
      asked.push(spec)
      if (spec.release !== undefined && !knows.includes(spec.release))
        throw new ApiError(422, 'Invalid', 'no such release')
      return { metadata: {}, spec, status: { verdict: 'Safe', resources: [] } }
    }
    const client = { resource: () => ({ create }) } as unknown as Client
    assert.equal((await askSafety({ client, signal }, observed, release)).verdict, 'Safe')
    assert.deepEqual(asked, want)
  })
