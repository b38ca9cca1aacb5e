import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  invalidObject,
  notSupported,
  type ResourceDefinition,
  type UpgradeReview,
  upgradeReviews,
} from '@strata/api'
import type { Client } from '@strata/client'
import { type CheckQuestion, observeUpgrade } from './observe-upgrade.ts'

const never = new AbortController().signal
const things = { group: 'g.dev', resource: 'things' }
const servers = [
  { serverID: 'a', decodableVersions: ['g.dev/v1'] },
  { serverID: 'b', decodableVersions: ['g.dev/v1', 'g.dev/v2'] },
]
const lease = (name: string, release: string) => ({
  ...{ metadata: { name, annotations: { 'strata.dev/release': release } } },
})

/** A server of 0.1.0 beside one of 0.2.0, and the questions that it got. */
function fleet() {
  const asked: UpgradeReview['spec'][] = []
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    storageagreements: [
      { spec: things, status: { servers } },
      { spec: { group: '', resource: 'maps' }, status: { servers: [] } },
    ],
    leases: [lease('a', '0.1.0'), lease('b', '0.2.0')],
  }
  const client = {
    discover: async () => ({
      resources: [{ group: 'strata.dev', resource: 'upgradereviews' }],
      failures: [],
    }),
    resource: ({ resource }: ResourceDefinition) => ({
      list: async () => ({ items: lists[resource] ?? [] }),
      create: async ({ spec }: UpgradeReview) => {
        if (spec.release !== undefined && spec.release !== '0.1.0') {
          throw invalidObject(upgradeReviews, '', [notSupported('spec.release', spec.release, ['0.1.0'])])
        }
        asked.push(spec)
        return { status: { verdict: 'Safe', resources: [] } }
      },
    }),
  } as unknown as Client
  return { client, asked }
}

const maps = { group: '', resource: 'maps' }
const rows: readonly [name: string, question: CheckQuestion, want: UpgradeReview['spec']][] = [
  ['a release that the server knows', { release: '0.1.0', declared: [], ownKinds: [] }, { release: '0.1.0' }],
  [
    'a release that another server of the fleet runs',
    { release: '0.2.0', declared: [], ownKinds: [] },
    { resources: [{ ...things, decodableVersions: ['g.dev/v1', 'g.dev/v2'] }, maps] },
  ],
  [
    'declarations of the user override those of the fleet',
    { release: '0.2.0', declared: [{ ...things, decodableVersions: ['v3'] }], ownKinds: [] },
    { resources: [{ ...things, decodableVersions: ['v3'] }, maps] },
  ],
  [
    'the fleet declares what the program does not',
    { release: '0.1.0', declared: [], ownKinds: [{ ...maps, decodableVersions: ['v1'] }] },
    {
      resources: [
        { ...things, decodableVersions: ['g.dev/v1'] },
        { ...maps, decodableVersions: ['v1'] },
      ],
    },
  ],
  [
    'one declared resource: all others are checked too',
    { release: 'mine', declared: [{ ...things, decodableVersions: ['v1'] }], ownKinds: [] },
    { resources: [{ ...things, decodableVersions: ['v1'] }, maps] },
  ],
  [
    'declarations of the user override those of the program',
    {
      release: 'mine',
      declared: [{ ...things, decodableVersions: ['v1'] }],
      ownKinds: [{ ...things, decodableVersions: ['v2'] }],
    },
    { resources: [{ ...things, decodableVersions: ['v1'] }, maps] },
  ],
  [
    'a declared resource without a record is checked, a new kind of the program is not',
    {
      release: 'mine',
      declared: [{ group: 'g.dev', resource: 'thinks', decodableVersions: ['v1'] }],
      ownKinds: [{ group: 'g.dev', resource: 'news', decodableVersions: ['v1'] }],
    },
    { resources: [things, maps, { group: 'g.dev', resource: 'thinks', decodableVersions: ['v1'] }] },
  ],
]
for (const [name, question, want] of rows) {
  test(`check: the question to the server: ${name}`, async () => {
    const { client, asked } = fleet()
    const { verdict } = await observeUpgrade(client, question, 0, never)
    assert.deepEqual([verdict, asked], ['Safe', [want]])
  })
}

test('check: a release without a server in the fleet stays unknown', async () => {
  const question = { release: '0.3.0', declared: [], ownKinds: [] }
  await assert.rejects(observeUpgrade(fleet().client, question, 0, never), { code: 422 })
})

test('check: an unsafe resource without objects is said to have none, and stays unsafe', async () => {
  const verdicts = ['things', 'maps'].map((resource) => ({
    ...{
      group: 'g.dev',
      resource,
      verdict: 'Unsafe',
      reason: 'NotDecodable',
      message: 'why',
      missing: ['v1'],
    },
  }))
  const served = verdicts.map(({ group, resource }) => ({ group, resource }))
  const client = {
    discover: async () => ({
      resources: [{ group: 'strata.dev', resource: 'upgradereviews' }, ...served],
      failures: [],
    }),
    resource: () => ({
      list: async () => ({ items: [] }),
      create: async () => ({ status: { verdict: 'Unsafe', resources: verdicts } }),
    }),
    metadata: ({ resource }: { readonly resource: string }) => ({
      listPage: async () => ({ items: resource === 'maps' ? [{}] : [], metadata: {} }),
    }),
  } as unknown as Client
  const question = { release: '0.1.0', declared: [], ownKinds: [] }
  const { verdict, resources } = await observeUpgrade(client, question, 0, never)
  assert.equal(verdict, 'Unsafe')
  assert.deepEqual(
    resources.map((each) => [each.verdict, each.isEmpty, each.message]),
    [
      ['Unsafe', true, 'why; it has no objects now'],
      ['Unsafe', undefined, 'why'],
    ],
  )
})
