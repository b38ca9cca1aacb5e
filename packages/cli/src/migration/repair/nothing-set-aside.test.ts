import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@strata/client'
import { Simulation } from '@strata/world/sim'
import { decideNothingSetAside, observeNothingSetAside } from './nothing-set-aside.ts'

const of = (resource: string) => ({ group: '', resource })
const resources = ['a', 'b', 'c', 'd', 'e'].map(of)

const rows: readonly [what: string, facts: Parameters<typeof decideNothingSetAside>[0], RegExp, string][] = [
  [
    'the records of the cluster',
    { isStrata: true, resources, unlistable: [] },
    /^no migration has set/,
    'proven',
  ],
  [
    'the records of this machine',
    { isStrata: false, resources, unlistable: [] },
    /on this machine .* Only these records were looked at; .* strata repair RESOURCE$/,
    'proven',
  ],
  [
    'a user without rights',
    { isStrata: false, resources, unlistable: resources },
    /on this machine .*, and nothing can be listed: not allowed: .* lacks list of a, b, c and 2 more/,
    'notSeen',
  ],
  [
    'a user with few rights',
    { isStrata: false, resources, unlistable: [of('b')] },
    /1 of 5 resources cannot be listed: .* list of b /,
    'notSeen',
  ],
  [
    'no resource is served',
    { isStrata: false, resources: [], unlistable: [] },
    /^nothing was checked/,
    'unknown',
  ],
]
for (const [what, facts, text, exit] of rows) {
  test(`nothing set aside: ${what}`, () => {
    const decided = decideNothingSetAside(facts)
    assert.match(decided.text, text)
    assert.equal(decided.exit, exit)
  })
}

for (const [who, isAllowed, want] of [
  ['all', () => true, ['*', 'proven']],
  ['none', () => false, ['*abcde', 'notSeen']],
  ['each, but no other', (resource: string) => resource !== '*', ['*abcde', 'proven']],
] as const) {
  test(`nothing set aside: rights are asked for, of one who may list ${who}`, async () => {
    let asked = ''
    const create = async ({ spec }: { spec: { resourceAttributes: { resource: string } } }) => {
      asked += spec.resourceAttributes.resource
      return { status: { allowed: isAllowed(spec.resourceAttributes.resource) } }
    }
    const client = { resource: () => ({ create }) } as unknown as Client
    const simulation = new Simulation('nothing set aside')
    const context = { world: simulation.process('cli'), signal: new AbortController().signal }
    const served = resources.map((each) => ({
      ...{ ...each, versionName: 'v1', kind: 'A', namespaced: true, verbs: [] },
    }))
    const { exit } = await simulation.settle(
      observeNothingSetAside({ client, isStrata: false }, served, context),
    )
    assert.deepEqual([asked, exit], want)
  })
}
