import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdForTest } from '../plan/crd-for-test.ts'
import { decideWayBack, type UpgradeRecord } from './way-back.ts'

const live = crdForTest({ versions: 'v1 v2*' })
const { uid } = live.metadata
const original = crdForTest({ versions: 'v1* v2' })
const kept = { original, sent: [live.spec], isLast: false }
const other = { ...live, metadata: { ...live.metadata, uid: 'another' } }

const rows: readonly [string, typeof live | undefined, Partial<UpgradeRecord>, RegExp | 'return'][] = [
  ['an upgrade changed it', live, { kept }, 'return'],
  ['an upgrade created it, and a later one changed it', live, { kept, createdUid: uid }, 'return'],
  ['an upgrade created it', live, { createdUid: uid }, /^the upgrade created this CRD; it is left as it is/],
  ['the upgrade had not reached it', live, {}, /^this user has no record .* it is left as it is$/],
  ['it was made again since', other, { kept, createdUid: uid }, /^this user has no record /],
  ['it is gone', undefined, { kept }, /^the cluster does not have this CRD$/],
]
for (const [name, seen, record, want] of rows) {
  test(`the way back: ${name}`, () => {
    const way = decideWayBack(seen, { kept: undefined, createdUid: undefined, ...record })
    if (want === 'return') assert.deepEqual(way, { kind: 'return', original })
    else assert.match(way.kind === 'skip' ? way.because : way.kind, want)
  })
}
