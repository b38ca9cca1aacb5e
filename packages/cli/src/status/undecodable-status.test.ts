import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, type Lease, refusesText } from '@strata/api'
import { describeFleet, type FleetStatus } from '@strata/insight'
import { agreedOnV1, entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { renderStatus } from './render-status.ts'

const v1 = 'example.dev/v1'
const v2 = 'example.dev/v2'
const things = 'things.example.dev'
const old: AgreementEntry = { ...entry('a', v1), decodableVersions: [v1] }
const persisted = [v1, v2].map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 1 }))

/** A Lease that says what its server refuses; without a list, that of an older release. */
const saying = (refused?: readonly string[]): Lease => {
  const { metadata, ...rest } = lease('a', 'one')
  const refuses = refused && { 'strata.dev/refuses': refusesText(refused) }
  return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...refuses } } }
}
const look = (
  entries: readonly AgreementEntry[],
  leases: readonly Lease[],
  asked: string[] = [],
): FleetStatus =>
  describeFleet({ records: [record(entries, { ...agreedOnV1, persisted })], leases }, nowMs, {
    resources: asked,
    expectedServers: 0,
  })
const notServed =
  'S1 (one) does not serve it and is not ready: objects are stored as v2, which it cannot decode; start a server of a release that reads v1 and v2 and writes v1, then run "strata migrate things.example.dev"; no restart is needed after that'
const mayBe = 'objects may be stored as v2, which S1 (one) cannot decode: if there are any,'
const refuses = `${mayBe} it refuses the resource, unless it was started with --allow-undecodable-storage`
const serves = `${mayBe} it serves the resource without them, and once it is started again it may refuse all of it`

type Row = [
  name: string,
  seen: FleetStatus,
  agreed: boolean,
  refusals: readonly string[],
  undecodable: string | undefined,
]
const cases: readonly Row[] = [
  [
    'what a server says that it refuses is not served',
    look([old], [saying([things])]),
    false,
    [notServed],
    undefined,
  ],
  [
    'so it is if its entry is not there yet, and by which version is not known',
    look([entry('b', v1)], [saying([things]), lease('b', 'two')]),
    false,
    [
      'S1 (one) does not serve it and is not ready: it cannot decode or decrypt stored objects; its /readyz/storage-decodable says which, and what to do; no restart is needed after that',
    ],
    undefined,
  ],
  [
    'where another one reads it, and what is written can be read: a migration',
    look([old, entry('b', v1)], [saying([things]), lease('b', 'two')]),
    false,
    [
      'S1 (one) does not serve it and is not ready: objects are stored as v2, which it cannot decode; migrate first ("strata migrate things.example.dev"); no restart is needed after that',
    ],
    undefined,
  ],
  [
    'where the others write what it cannot read, these come first, for a migration changes nothing',
    look([old, entry('b', v2)], [saying([things]), lease('b', 'two')]),
    false,
    [
      'S1 (one) does not serve it and is not ready: objects are stored as v2, which it cannot decode; bring all servers that write v2 to a release that reads v1 and v2 and writes v1, then run "strata migrate things.example.dev" (before that, it changes nothing); no restart is needed after that',
    ],
    undefined,
  ],
  ['what else it refuses is of no concern here', look([old], [saying(['lamps'])]), true, [], serves],
  ['who refuses nothing may still lack single objects', look([old], [saying([])]), true, [], serves],
  [
    'an older release does not say, and what it may do is inferred',
    look([old], [saying()]),
    true,
    [],
    refuses,
  ],
  ['who can decode everything has nothing to say', look([entry('a', v1)], [saying([])]), true, [], undefined],
  [
    'without a Lease no server refuses anything',
    look([old, entry('b', v1)], [lease('b', 'two')]),
    false,
    [],
    refuses.replace('S1 (one)', 'S2 (a)'),
  ],
]
for (const [name, seen, agreed, refusals, undecodable] of cases) {
  test(`status: ${name}`, () => {
    const [resource] = seen.resources
    assert.deepEqual(
      [seen.agreed, resource?.refusals, resource?.notServed ?? []],
      [agreed, refusals, refusals],
    )
    if (undecodable === undefined) assert.equal(resource?.undecodable, undefined)
    else assert.ok(resource?.undecodable?.[0]?.startsWith(undecodable), String(resource?.undecodable))
  })
}

test('status: a resource that is not served is shown in the table, above the verdict, and once', () => {
  const shown = renderStatus(look([old], [saying([things])]), nowMs, { all: false, wide: false })
  assert.match(shown, /^things\.example\.dev +v1 .* not served \(v1\)$/m)
  assert.match(shown, /^RESOURCES ARE NOT SERVED:\n {2}things\.example\.dev: S1 \(one\) does not serve it/m)
  assert.match(shown, /, but see the problems above: 1 resource agreed\.$/m)
  assert.doesNotMatch(shown, /MAY BE UNREADABLE|WRITES ARE REFUSED|All servers agree/)
})

test('status: more refusals than a Lease can name leave every resource in doubt', () => {
  const names = Array.from({ length: 201 }, (_, index) => `kind-${index}`)
  const { agreed, problems } = look([old], [saying(names)], ['things'])
  assert.equal(agreed, false)
  assert.match(problems.join(), /S1 \(one\) cannot decode objects of more resources than its Lease can name/)
})
