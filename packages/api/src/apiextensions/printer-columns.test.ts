import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column } from '../machinery/columns.ts'
import type { ApiObject } from '../meta/object.ts'
import { printerColumns } from './printer-columns.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

const object: ApiObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', labels: { 'a.b/c': 'dotted', x: 'y' } },
  spec: {
    color: 'red',
    n: 1,
    half: 0.5,
    tiny: 0.00001,
    large: rawJSON('9007199254740993'),
    float: rawJSON('1.0'),
    when: '2025-12-31T23:58:30Z',
    broken: 'yesterday',
    empty: '',
    ok: true,
    none: null,
    list: ['x', 'y', 'z'],
    map: { b: '<', a: [1, rawJSON('2.0')] },
    conditions: [
      { type: 'Ready', status: 'True', code: 7, at: '2026-01-01T00:00:00Z' },
      { type: 'Old', status: 'False', code: 3 },
    ],
  },
}
const nowMs = Date.parse('2026-01-01T00:00:00Z')

const cases: readonly [type: Column['type'], jsonPath: string, cell: unknown][] = [
  ['string', '.spec.color', 'red'],
  ['string', '.spec.nothing', null],
  ['string', '.spec.nothing.deeper', null],
  ['string', '.spec.color.deeper', null],
  ['string', '.spec.none', '<no value>'],
  ['string', '.spec.n', '1'],
  ['string', '.spec.half', '0.5'],
  ['string', '.spec.tiny', '1e-05'],
  ['string', '.spec.large', '9007199254740993'],
  ['string', '.spec.float', '1'],
  ['string', '.spec.ok', 'true'],
  ['string', '.spec.list', '["x","y","z"]'],
  ['string', '.spec.map', '{"a":[1,2],"b":"\\u003c"}'],
  ['string', '.spec.list[0]', 'x'],
  ['string', '.spec.list[-1]', 'z'],
  ['string', '.spec.list[3]', null],
  ['string', '.spec.list[1:]', 'y'],
  ['string', '.spec.list[*]', 'x'],
  ['string', '.spec.list[0:0]', null],
  ['string', '.spec.list[2,1]', 'z'],
  ['string', '.spec.list[0:3:2]', 'x'],
  ['string', '.spec.color[0]', null],
  ['string', '.spec.map.*', '[1,2]'],
  ['string', ".spec['color']", 'red'],
  ['string', '.metadata.labels.a\\.b/c', 'dotted'],
  ['string', '.metadata.labels.x', 'y'],
  ['string', '.spec.conditions[?(@.type=="Ready")].status', 'True'],
  ['string', ".spec.conditions[?(@.type=='Old')].status", 'False'],
  ['string', '.spec.conditions[?(@.type=="None")].status', null],
  ['string', '.spec.conditions[?(@.code>3)].type', 'Ready'],
  ['string', '.spec.conditions[?(@.code<=3)].type', 'Old'],
  ['string', '.spec.conditions[?(@.code!=7)].type', 'Old'],
  ['string', '.spec.conditions[?(@.code==7.0)].type', null],
  ['string', '.spec.conditions[?(@.at)].type', 'Ready'],
  ['string', '.spec.color[?(@.at)].type', null],
  ['string', '..code', '7'],
  ['string', '.spec.color}{.spec.n', 'red'],
  ['string', '.', null],
  ['integer', '.spec.n', 1],
  ['integer', '.spec.half', 0],
  ['integer', '.spec.float', 1],
  ['integer', '.spec.color', null],
  ['integer', '.spec.none', null],
  ['number', '.spec.half', 0.5],
  ['number', '.spec.n', 1],
  ['number', '.spec.ok', null],
  ['boolean', '.spec.ok', true],
  ['boolean', '.spec.color', null],
  ['date', '.spec.when', '90s'],
  ['date', '.spec.broken', '<invalid>'],
  ['date', '.spec.empty', '<unknown>'],
  ['date', '.spec.n', null],
  ['date', '.spec.nothing', null],
  ['date', '.metadata.creationTimestamp', '0s'],
]

for (const [type, jsonPath, cell] of cases) {
  test(`columns: ${type} at ${jsonPath}`, () => {
    const [, column] = printerColumns({ additionalPrinterColumns: [{ name: 'C', type, jsonPath }] })
    assert.equal(column?.cell(object, nowMs), cell)
  })
}

test('columns: an integer that JavaScript cannot hold is shown digit by digit', () => {
  const additionalPrinterColumns = [{ name: 'Large', type: 'integer', jsonPath: '.spec.large' }]
  const [, column] = printerColumns({ additionalPrinterColumns })
  assert.equal(JSON.stringify(column?.cell(object, nowMs)), '9007199254740993')
})

test('columns: the name comes first, and what is said of the others is kept', () => {
  const columns = printerColumns({
    additionalPrinterColumns: [
      { name: 'Color', type: 'string', description: 'the color', jsonPath: '.spec.color' },
      { name: 'N', type: 'integer', format: 'int32', priority: 1, jsonPath: '.spec.n' },
    ],
  })
  const said = columns.map(({ cell: _, description, ...rest }) => rest)
  assert.deepEqual(said, [
    { name: 'Name', type: 'string', format: 'name' },
    { name: 'Color', type: 'string' },
    { name: 'N', type: 'integer', format: 'int32', priority: 1 },
  ])
  assert.deepEqual(
    columns.slice(1).map(({ description }) => description),
    ['the color', 'Custom resource definition column (in JSONPath format): .spec.n'],
  )
})

test('columns: without any there is the age', () => {
  const columns = printerColumns({})
  assert.deepEqual(
    columns.map(({ name, type }) => [name, type]),
    [
      ['Name', 'string'],
      ['Age', 'date'],
    ],
  )
})

test('columns: a path that cannot be read ends them', () => {
  for (const jsonPath of ['.spec[', '.spec.list[a]', '.a....b', '.a[?(@.b', '.a!b #', '.spec.list["x"]']) {
    const columns = printerColumns({
      additionalPrinterColumns: [
        { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        { name: 'Broken', type: 'string', jsonPath: jsonPath },
        { name: 'N', type: 'integer', jsonPath: '.spec.n' },
      ],
    })
    const names = columns.map(({ name }) => name)
    assert.deepEqual(names, ['Name', 'Color'], jsonPath)
  }
})
