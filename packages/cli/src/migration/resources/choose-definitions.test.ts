import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, DiscoveredResource, Discovery } from '@strata/client'
import { chooseDefinitions } from './choose-definitions.ts'

const served = (group: string, resource: string, kind: string): DiscoveredResource => ({
  ...{ group, resource, kind, versionName: 'v1', namespaced: true, verbs: ['get', 'list', 'patch'] },
})
const definition = (group: string, plural: string, kind: string) => ({
  metadata: { name: `${plural}.${group}` },
  spec: { group, names: { plural, kind, singular: kind.toLowerCase(), shortNames: [plural.slice(0, 2)] } },
})
const items = [
  definition('light.example.dev', 'lamps', 'Lamp'),
  definition('a.example.dev', 'things', 'Thing'),
  definition('b.example.dev', 'things', 'Thing'),
]
const client = { resource: () => ({ list: async () => ({ items }) }) } as unknown as Client
const discovery: Discovery = {
  resources: [
    served('', 'configmaps', 'ConfigMap'),
    ...items.map(({ spec }) => served(spec.group, spec.names.plural, spec.names.kind)),
  ],
  failures: [],
}

const rows: readonly [name: string, want: string | RegExp][] = [
  ['lamps.light.example.dev', 'lamps.light.example.dev'],
  ['lamps', 'lamps.light.example.dev'],
  ['Lamp', 'lamps.light.example.dev'],
  ['la', 'lamps.light.example.dev'],
  ['lamps.v1.light.example.dev', 'lamps.light.example.dev'],
  ['things', /^"things": it may be any of things\.a\.\S+, things\.b\.\S+; give one of these names$/],
  ['things.b.example.dev', 'things.b.example.dev'],
  [
    'configmaps',
    /^"configmaps": configmaps has no CRD \(built in or aggregated\), and this command works on CRDs only$/,
  ],
  ['nothing', /^"nothing": no CRD has this name; "kubectl get crd" lists them$/],
]
for (const [name, want] of rows) {
  test(`prune: a CRD called ${name}`, async () => {
    const { signal } = new AbortController()
    const chosen = chooseDefinitions({ client, discovery }, [name], false, signal)
    if (want instanceof RegExp) await assert.rejects(chosen, { name: 'CliError', exitCode: 5, message: want })
    else assert.deepEqual(await chosen, [want])
  })
}
