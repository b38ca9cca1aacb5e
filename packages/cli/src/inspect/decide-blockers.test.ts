import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideBlockers } from './decide-blockers.ts'
import { countedIn, lamps, possiblyIn, withStoredVersions } from './facts-for-test.ts'
import type { ResourceFacts } from './resource-facts.ts'

const objects = lamps.objects ?? { count: 0, managers: [], lastApplied: [] }

const cases: readonly [name: string, seen: Partial<ResourceFacts>, want: readonly string[], text?: RegExp][] =
  [
    ['nothing blocks a version that nothing names', {}, []],
    [
      'the version that is written',
      { storage: { version: 'v1', source: 'CRD' } },
      ['storage version'],
      /written in v1 \(CRD\)/,
    ],
    ['a version in storedVersions', withStoredVersions('v1', 'v2'), ['storedVersions'], /lists v1/],
    [
      'the version that is written is in storedVersions anyway',
      { ...withStoredVersions('v1'), storage: { version: 'v1', source: 'CRD' } },
      ['storage version'],
    ],
    [
      'stored objects',
      { stored: countedIn({ v1: 3, v2: 2 }) },
      ['stored objects'],
      /3 objects are stored in v1 \(shop\/a, …\)/,
    ],
    [
      'one stored object',
      { stored: countedIn({ v1: 1 }) },
      ['stored objects'],
      /1 object is stored in v1 \(shop\/a\)/,
    ],
    ['objects that are only possible do not block', { stored: possiblyIn('v1', 'v2') }, []],
    ['objects in other versions do not block', { stored: countedIn({ v1beta1: 3 }) }, []],
    ['the only served version', { served: [{ version: 'v1', deprecated: false }] }, ['only served version']],
    ['a version that is not served any more', { served: [{ version: 'v2', deprecated: false }] }, []],
    [
      'a conversion webhook that does not answer',
      { conversion: [{ version: 'v1', result: 'fails', because: 'connection refused' }] },
      ['conversion'],
      /connection refused/,
    ],
    [
      'a conversion webhook without objects',
      { conversion: [{ version: 'v1', result: 'no object to convert' }] },
      [],
    ],
    [
      'managers, the first three by name',
      {
        objects: {
          ...objects,
          managers: ['a', 'b', 'c', 'd'].map((manager) => ({ version: 'v1', manager, count: 2, last: '' })),
        },
      },
      ['managedFields'],
      /a in 2 objects, b in 2 objects, c in 2 objects and 1 more/,
    ],
    [
      'applied manifests',
      { objects: { ...objects, lastApplied: [{ version: 'v1', count: 1, objects: ['shop/a'] }] } },
      ['last-applied'],
      /1 object was last applied in v1 \(shop\/a\)/,
    ],
    [
      'Helm releases, each once',
      {
        helmReleases: [
          { version: 'v1', name: 'shop/web' },
          { version: 'v1', name: 'shop/web' },
          { version: 'v2', name: 'b' },
        ],
      },
      ['Helm releases'],
      /1 Helm release has manifests in v1: shop\/web/,
    ],
    ['admission rules', { webhooks: [{ version: 'v1', name: 'guard' }] }, ['webhooks'], /guard/],
  ]
for (const [name, seen, want, text] of cases) {
  test(`blockers: ${name}`, () => {
    const found = decideBlockers('v1', { ...lamps, ...seen })
    assert.deepEqual(
      found.map(({ kind }) => kind),
      want,
    )
    if (text) assert.match(found[0]?.text ?? '', text)
  })
}

const evidenceCases: readonly [name: string, seen: Partial<ResourceFacts>, want: string][] = [
  [
    'of another cluster: only with --accept',
    {},
    'strata migrate lamps.light.example.dev, then strata prune lamps.light.example.dev --accept observed-clean',
  ],
  [
    'with an agreement record: it can be proven',
    { storage: { version: 'v2', source: 'agreement record' } },
    'strata migrate lamps.light.example.dev, then strata prune lamps.light.example.dev',
  ],
  [
    'after a migration',
    { evidence: { verdict: 'observed clean', because: 'migrated' } },
    'strata prune lamps.light.example.dev --accept observed-clean',
  ],
  [
    'after a proof',
    { evidence: { verdict: 'proven', because: 'counted' } },
    'strata prune lamps.light.example.dev',
  ],
]
for (const [name, seen, want] of evidenceCases) {
  test(`blockers: the next step after storedVersions, ${name}`, () => {
    const [blocker] = decideBlockers('v1', { ...lamps, ...withStoredVersions('v1', 'v2'), ...seen })
    assert.equal(blocker?.next, want)
  })
}

test('inspect: objects in a version that the CRD no longer has are not migrated before it is back', () => {
  const { definition } = withStoredVersions('v2')
  assert.ok(definition)
  const versions = definition.versions.filter(({ name }) => name !== 'v1')
  const dropped = { ...lamps, definition: { ...definition, versions }, stored: countedIn({ v1: 1 }) }
  const [blocker] = decideBlockers('v1', dropped)
  assert.match(blocker?.next ?? '', /^add v1 back to the CRD/)
})
