import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leases } from '../coordination/lease.ts'
import { configMaps } from '../core/config-map.ts'
import { goDecodeProblem } from './go-decode-problem.ts'

const configMap = configMaps.versions['v1']?.schema ?? {}
const lease = leases.versions['v1']?.schema ?? {}

const { rawJSON: raw } = JSON as unknown as { rawJSON(text: string): unknown }

const cases: ReadonlyArray<
  [what: string, object: unknown, kind: 'ConfigMap' | 'Lease', problem: string | undefined]
> = [
  ['what fits', { metadata: { name: 'a' }, data: { k: 'v' } }, 'ConfigMap', undefined],
  ['null anywhere', { metadata: null, data: { k: null } }, 'ConfigMap', undefined],
  [
    'a number in a map of strings',
    { data: { k: 1 } },
    'ConfigMap',
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'a string for a map',
    { data: 'x' },
    'ConfigMap',
    'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
  ],
  [
    'a bool for a name',
    { metadata: { name: true } },
    'ConfigMap',
    'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    'a list for labels',
    { metadata: { labels: [] } },
    'ConfigMap',
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [
    'a fraction for a whole number',
    { spec: { leaseDurationSeconds: 1.5 } },
    'Lease',
    'json: cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
  ],
  [
    'more than 32 bits hold',
    { spec: { leaseDurationSeconds: 2147483648 } },
    'Lease',
    'json: cannot unmarshal number 2147483648 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
  ],
  [
    'a generation of 64 bits',
    JSON.parse('{"metadata":{"generation":9007199254740991}}'),
    'ConfigMap',
    undefined,
  ],
  [
    'an integer beyond a float64',
    { metadata: { generation: raw('1e400') } },
    'ConfigMap',
    'json: cannot unmarshal number 1e400 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  ['bad base64', { binaryData: { k: '***' } }, 'ConfigMap', 'illegal base64 data at input byte 0'],
]
for (const [what, object, kind, problem] of cases) {
  test(`Go decoding: ${what}`, () =>
    assert.equal(goDecodeProblem(object, kind === 'Lease' ? lease : configMap, kind), problem))
}

test('Go decoding: a float beyond a float64', () =>
  assert.equal(
    goDecodeProblem({ a: raw('-1e309') }, { type: 'object', properties: { a: { type: 'number' } } }, 'Thing'),
    'json: cannot unmarshal number -1e309 into Go struct field Thing.a of type float64',
  ))
