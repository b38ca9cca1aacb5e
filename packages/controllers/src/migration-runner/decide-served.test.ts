import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource, Discovery } from '@strata/client'
import { decideServed, gvrText, unservedNote } from './decide-served.ts'

const resource = { group: 'g.dev', resource: 'things' }
const served = (more: Partial<DiscoveredResource> = {}): DiscoveredResource => ({
  ...{ ...resource, versionName: 'v1', kind: 'Thing', namespaced: true },
  ...{ verbs: ['get', 'list', 'patch', 'update'], ...more },
})
const found = (...resources: readonly DiscoveredResource[]): Discovery => ({ resources, failures: [] })
const failed = (...groupVersions: readonly string[]): Discovery => ({
  resources: [],
  failures: groupVersions.map((groupVersion) => ({ groupVersion, why: 'away' })),
})

const cases: ReadonlyArray<
  [name: string, discovery: Discovery, missingForMs: number, want: string | RegExp]
> = [
  ['V1: it can be listed and written', found(served()), 0, 'served'],
  ['V2, ours: without update it is patched', found(served({ verbs: ['list', 'patch'] })), 0, 'served'],
  ['V3, ours: without patch it is updated', found(served({ verbs: ['list', 'update'] })), 0, 'served'],
  [
    'V4, V15: it cannot be listed',
    found(served({ verbs: ['patch', 'update'] })),
    0,
    /^resource "g.dev\/v1, Resource=things" does not support discovery operations: \[update patch list\]$/,
  ],
  ['V2, V15: it cannot be written', found(served({ verbs: ['get', 'list'] })), 0, /does not support/],
  [
    'V6, ours: one version is enough',
    found(served({ versionName: 'v2', verbs: ['get'] }), served()),
    0,
    'served',
  ],
  ['V7: the same name in another group is another', found(served({ group: 'h.dev' })), 0, 'wait'],
  ['V5, M12: it is not there yet', found(), 59_999, 'wait'],
  ['M5: it has not been there for a minute', found(), 60_000, /^resource does not exist in discovery$/],
  ['Q2: its group could not be asked for: that is no absence', failed('g.dev/v1'), 600_000, 'wait'],
  ['another group that could not be asked for says nothing', failed('h.dev/v1'), 60_000, /does not exist/],
]
for (const [name, discovery, missingForMs, want] of cases) {
  test(`served: ${name}`, () => {
    const decision = decideServed(resource, discovery, missingForMs)
    if (typeof want === 'string') assert.equal(decision.kind, want)
    else {
      assert.equal(decision.kind, 'failed')
      assert.match(decision.kind === 'failed' ? decision.message : '', want)
    }
  })
}

test('served: K11: a resource is named as Go names it', () => {
  assert.equal(gvrText(served()), 'g.dev/v1, Resource=things')
  assert.equal(gvrText({ group: '', versionName: 'v1', resource: 'nodes' }), '/v1, Resource=nodes')
})

const notes: ReadonlyArray<
  [name: string, servedVersion: string | undefined, discovery: Discovery, want: RegExp | undefined]
> = [
  ['X8: it is served', 'v1', found(served()), undefined],
  ['X8: none was named', undefined, found(served()), undefined],
  [
    'X8: it is gone',
    'v1',
    found(served({ versionName: 'v2' })),
    /version v1 is not served any more.* through v2$/,
  ],
  ['X8: nothing is served', 'v1', found(), undefined],
  [
    'X8: it could not be seen',
    'v1',
    { ...failed('g.dev/v1'), resources: [served({ versionName: 'v2' })] },
    undefined,
  ],
]
for (const [name, servedVersion, discovery, want] of notes) {
  test(`served version: ${name}`, () => {
    const note = unservedNote(resource, servedVersion, discovery)
    if (want) assert.match(note ?? '', want)
    else assert.equal(note, undefined)
  })
}
