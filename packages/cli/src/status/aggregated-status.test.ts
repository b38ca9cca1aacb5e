import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementCondition, StorageAgreement } from '@strata/api'
import type { AggregatedGroup, SeenRecord } from '@strata/insight'
import { describeChanges, describeFleet, type FleetFacts, type Question } from '@strata/insight'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { renderStatus } from './render-status.ts'

const [v1, v2] = ['example.dev/v1', 'example.dev/v2'] as [string, string]
const own = record([entry('apiserver-a', v1)], agreedOnV1)
const fleet: FleetFacts = {
  records: [{ ...own, spec: { group: 'own.dev', resource: 'gears' } }],
  leases: [lease('apiserver-a', 'a', { holderIdentity: 'a_1' })],
}
const condition = (status: 'True' | 'False', message = ''): AgreementCondition => ({
  ...{ type: 'AllServersReported', status, message, reason: '', lastTransitionTime: '' },
})
const read = (object: StorageAgreement): SeenRecord => ({ kind: 'record', record: object })
const group = (seen: SeenRecord, more: Partial<AggregatedGroup> = {}): AggregatedGroup => ({
  ...{
    group: 'example.dev',
    apiServices: ['v1.example.dev'],
    resources: new Map([['things', seen]]),
    ...more,
  },
})
const agreed = group(read(record([entry('apiserver-x', v1)], agreedOnV1)))
const mixed = group(read(record([entry('apiserver-x', v1), entry('apiserver-y', v2)])))
const waiting = group(
  read(record([entry('apiserver-x', v1)], { conditions: [condition('False', 'no entry from apiserver-y')] })),
)
const refused = group({ kind: 'refused', because: 'two origins: it is in two stores' })
const away = group(refused.resources.get('things') as SeenRecord, {
  ...{ unseen: 'service unavailable', resources: new Map() },
})
const status = (
  aggregated: readonly AggregatedGroup[],
  resources: readonly string[] = [],
  more: object = {},
) => describeFleet({ ...fleet, aggregated, ...more }, nowMs, { resources, expectedServers: 0 })

const named = ['things.example.dev']
const alone = { records: [], hasRecords: false }
const rows: readonly [
  name: string,
  seen: AggregatedGroup,
  /** Without a name; by name; and where only aggregated servers have records. */
  agreed: readonly [boolean, boolean, boolean],
  text: RegExp,
][] = [
  [
    'agreed',
    agreed,
    [true, true, true],
    /^All servers agree on the version of every resource of example\.dev: 1/m,
  ],
  ['different versions', mixed, [true, false, false], /^things\.example\.dev +NO /m],
  [
    'a server is missing',
    waiting,
    [true, false, false],
    /No agreement on 1 of 1 resource:\n {2}.*no entry from apiserver-y/,
  ],
  ['two origins', refused, [true, false, false], /two origins: it is in two stores/],
  ['away', away, [true, false, false], /^Not seen, so nothing is known to be agreed: service unavailable$/m],
]
for (const [name, seen, [plain, asked, only], text] of rows) {
  test(`aggregated status: ${name}`, () => {
    assert.equal(status([seen]).agreed, plain)
    const one = status([seen], named)
    assert.equal(one.agreed, asked)
    assert.deepEqual([one.resources, one.problems], [[], []])
    assert.equal(status([seen], [], alone).agreed, only)
    const shown = renderStatus(status([seen]), nowMs, { all: false, wide: false })
    assert.match(shown, text)
    assert.match(shown, /^aggregated: example\.dev \(APIService v1\.example\.dev\)$/m)
    assert.match(shown, /^All servers agree on the version of every resource of this fleet: 1 resource/m)
  })
}

test('aggregated status: a row has the version, the epoch, the fence, and the servers as columns', () => {
  const shown = renderStatus(status([agreed]), nowMs, { all: true, wide: false })
  assert.match(shown, /^RESOURCE +AGREED +SINCE +EPOCH +FENCED +apiserver-x$/m)
  assert.match(shown, /^things\.example\.dev +v1 +90s +3 +yes +v1 \(v2\)$/m)
  assert.match(
    renderStatus(status([refused]), nowMs, { all: true, wide: false }),
    /^things\.\S+ +NO +- +- +no$/m,
  )
})

test('aggregated status: a named resource of this fleet does not show aggregated ones, and a wrong name is a problem', () => {
  assert.equal(status([agreed, away], ['gears']).aggregated, undefined)
  const wrong = status([agreed], ['nothing.example.dev'])
  assert.deepEqual([wrong.agreed, wrong.problems.length], [false, 1])
})

test('aggregated status: on a pipe, each change is a line', () => {
  const question: Question = { resources: [], expectedServers: 0, byInstance: true }
  const at = (seen: AggregatedGroup) => describeFleet({ ...fleet, aggregated: [seen] }, nowMs, question)
  const lines = (before: AggregatedGroup, after: AggregatedGroup): readonly string[] =>
    describeChanges(at(before), at(after))
  assert.deepEqual(lines(agreed, agreed), [])
  assert.match(
    lines(agreed, mixed).join(),
    /^aggregated things\.example\.dev: agreed v1 → disagreed \(apiserver-y encodes v2\)/,
  )
  assert.deepEqual(lines(agreed, away), [
    'aggregated example.dev: not seen, nothing is known: service unavailable',
  ])
  assert.deepEqual(lines(away, away), [])
  assert.deepEqual(lines(away, agreed), ['aggregated example.dev: seen again'])
  assert.match(
    lines(away, mixed).join('\n'),
    /seen again\naggregated things\.example\.dev: disagreed: servers encode/,
  )
  assert.deepEqual(describeChanges(at(agreed), describeFleet(fleet, nowMs, question)), [
    'aggregated example.dev: not served any more',
  ])
})
