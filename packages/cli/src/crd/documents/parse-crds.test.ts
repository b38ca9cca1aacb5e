import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCrds } from './parse-crds.ts'

const lamps = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: lamps.example.dev
spec:
  group: example.dev
  names: {plural: lamps, kind: Lamp}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
`

const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n'

const rows: readonly [
  name: string,
  text: string,
  want: readonly (readonly [name: string, at: string])[],
  others: number,
][] = [
  ['one document', lamps, [['lamps.example.dev', '1 of 1, line 1, storage 12']], 0],
  [
    'others before and after it, comments and empty documents',
    `# a licence\n---\n${config}---\n\n---\n${lamps}---\n# the end\n`,
    [['lamps.example.dev', '2 of 2, line 10, storage 21']],
    1,
  ],
  [
    'JSON',
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a.b.c' },
      spec: {},
    }),
    [['a.b.c', '1 of 1, line 1, storage 1']],
    0,
  ],
  [
    'a List',
    `kind: List\napiVersion: v1\nitems:\n- ${lamps.trimEnd().replaceAll('\n', '\n  ')}\n`,
    [['lamps.example.dev', '1 of 1, line 1, storage 15']],
    0,
  ],
  ['a kind of that name in another group', lamps.replace('apiextensions.k8s.io', 'example.org'), [], 1],
  ['nothing', '\n# empty\n', [], 0],
]
for (const [name, text, want, others] of rows) {
  test(`parse CRDs: ${name}`, () => {
    const found = parseCrds(text, 'crds.yaml')
    assert.equal(found.others, others)
    assert.deepEqual(
      found.crds.map(({ name: each, place, lineOf }) => [
        each,
        `${place.document} of ${place.documents}, line ${place.line}, storage ${lineOf(['spec', 'versions', 0, 'storage'])}`,
      ]),
      want,
    )
  })
}

test('parse CRDs: decoded as a server does it, with defaults and without unknown fields', () => {
  const [found] = parseCrds(
    lamps.replace('  scope: Namespaced', '  scope: Namespaced\n  colour: red'),
    'f',
  ).crds
  assert.deepEqual(found?.unknownFields, ['spec.colour'])
  assert.equal(found?.crd.spec.names.listKind, 'LampList')
  assert.deepEqual(found?.crd.spec.conversion, { strategy: 'None' })
  assert.match(JSON.stringify(found?.manifest), /"colour":"red"/)
})

test('parse CRDs: v1beta1 of an old release', () => {
  const old = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: lamps.example.dev}
spec:
  group: example.dev
  names: {plural: lamps, kind: Lamp}
  version: v1
  validation:
    openAPIV3Schema: {type: object}
`
  const [found] = parseCrds(old, 'f').crds
  assert.equal(found?.apiVersion, 'apiextensions.k8s.io/v1beta1')
  assert.deepEqual(found?.crd.spec.versions, [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
  ])
  assert.equal(found?.crd.spec.preserveUnknownFields, true)
  assert.equal(found?.crd.spec.scope, 'Namespaced')
})

const refused: readonly [name: string, text: string, says: RegExp][] = [
  [
    'a template',
    `${config}---\n${lamps}  {{- if .Values.more }}\n`,
    /^crds\.yaml \(document 2\): cannot read it as YAML: line \d+: .*render templates first/,
  ],
  [
    'a key that is there twice',
    `${config}---\n${lamps.replace('kind: Custom', 'kind: Custom\nkind: Custom')}`,
    /^crds\.yaml \(document 2\): cannot read it as YAML: a key is there twice: line 8: key "kind"/,
  ],
  [
    'another version',
    lamps.replace('/v1\n', '/v2\n'),
    /^crds\.yaml: apiVersion apiextensions\.k8s\.io\/v2: /,
  ],
  [
    'a field of another type',
    lamps.replace('scope: Namespaced', 'scope: [a]'),
    /^crds\.yaml: it is no CustomResourceDefinition: json: cannot unmarshal array into Go struct field/,
  ],
  [
    'no name',
    lamps.replace('name: lamps.example.dev', 'labels: {}'),
    /^crds\.yaml: .* has no metadata\.name$/,
  ],
]
for (const [name, text, message] of refused) {
  test(`parse CRDs: ${name} is refused`, () => {
    assert.throws(() => parseCrds(text, 'crds.yaml'), { name: 'UnreadableCrd', message })
  })
}
