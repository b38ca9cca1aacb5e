import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { allMigratable, chooseResources, nameInFull, whyNotMigratable } from './choose-resources.ts'

const verbs = ['get', 'list', 'patch', 'update']
const one = (
  group: string,
  resource: string,
  kind: string,
  more: Partial<DiscoveredResource> = {},
): DiscoveredResource => ({ group, resource, kind, versionName: 'v1', namespaced: true, verbs, ...more })

const served = [
  one('', 'configmaps', 'ConfigMap', { shortNames: ['cm'], singular: 'configmap' }),
  one('', 'events', 'Event'),
  one('', 'bindings', 'Binding', { verbs: ['create'] }),
  one('events.k8s.io', 'events', 'Event'),
  one('light.example.dev', 'lamps', 'Lamp', { versionName: 'v2', shortNames: ['l'] }),
  one('light.example.dev', 'lamps', 'Lamp', { shortNames: ['l'] }),
  one('a.example.dev', 'things', 'Thing'),
  one('b.example.dev', 'things', 'Thing', { verbs: ['get', 'list', 'update'] }),
]

const rows: readonly [name: string, want: string | RegExp][] = [
  ['configmaps', 'configmaps'],
  ['cm', 'configmaps'],
  ['ConfigMap', 'configmaps'],
  ['core.configmaps', 'configmaps'],
  ['lamps', 'lamps.light.example.dev'],
  ['l', 'lamps.light.example.dev'],
  ['lamps.light.example.dev', 'lamps.light.example.dev'],
  ['lamps.v1.light.example.dev', 'lamps.light.example.dev'],
  ['light.example.dev.lamps', 'lamps.light.example.dev'],
  ['events', 'events'],
  ['things', /"things" may be any of things\.a\.example\.dev, things\.b\.example\.dev: name it in full/],
  ['things.b.example.dev', 'things.b.example.dev'],
  ['lamp.example.dev', /"lamp.example.dev" is not served/],
  ['', /"" is not served/],
]
for (const [name, want] of rows) {
  test(`resources: ${JSON.stringify(name)} is ${want}`, () => {
    const choice = chooseResources([name], served)
    if (choice.kind === 'refused') assert.match(choice.because, want instanceof RegExp ? want : /^never/)
    else assert.deepEqual(choice.resources.map(groupResourceText), [want])
  })
}

test('resources: one that is named twice is chosen once', () => {
  const choice = chooseResources(['l', 'lamps', 'cm'], served)
  assert.ok(choice.kind === 'chosen')
  assert.deepEqual(choice.resources.map(groupResourceText), ['lamps.light.example.dev', 'configmaps'])
})

const inFull: readonly [name: string, want: string][] = [
  ['Lamp', 'lamps.light.example.dev'],
  ['l', 'lamps.light.example.dev'],
  ['cm', 'configmaps'],
  // The resource is served in both groups.
  ['things', 'things'],
  ['thing', 'thing'],
  ['lamps', 'lamps'],
  ['gone.example.dev', 'gone.example.dev'],
]
for (const [name, want] of inFull) {
  test(`resources: ${name} is ${want} where all groups are looked at`, () =>
    assert.equal(nameInFull(name, served), want))
}

test('resources: all are those that can be listed and written, without events', () => {
  assert.deepEqual(allMigratable(served).map(groupResourceText), [
    'configmaps',
    'lamps.light.example.dev',
    'things.a.example.dev',
    'things.b.example.dev',
  ])
})

for (const [can, want] of [
  [['create'], 'things.g.dev cannot be migrated: its objects cannot be listed (its verbs: create)'],
  [
    ['get', 'list'],
    'things.g.dev cannot be migrated: its objects cannot be written again (its verbs: get, list)',
  ],
  [[], 'things.g.dev cannot be migrated: its objects cannot be listed (its verbs: none)'],
  [['list', 'update'], undefined],
  [['list', 'patch'], undefined],
] as const) {
  test(`resources: one that can be asked to ${can.join(', ')}: ${want ?? 'can be migrated'}`, () => {
    assert.equal(whyNotMigratable(one('g.dev', 'things', 'Thing', { verbs: can })), want)
  })
}
