import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseYaml } from './yaml.ts'

const read: ReadonlyArray<readonly [yaml: string, json: string]> = [
  ['a: 9007199254740993', '{"a":9007199254740993}'],
  ['a: [-9223372036854775808, 9223372036854775807]', '{"a":[-9223372036854775808,9223372036854775807]}'],
  ['a: 12345678901234567890123', '{"a":12345678901234567890123}'],
  ['9007199254740993: 9007199254740992', '{"9007199254740993":9007199254740992}'],
  ['1: a\ntrue: b', '{"1":"a","true":"b"}'],
  ['x: &k name\ny: {*k : 1}', '{"x":"name","y":{"name":1}}'],
]
for (const [yaml, json] of read) {
  test(`yaml: ${JSON.stringify(yaml)} reads ${json}`, () => {
    assert.equal(JSON.stringify(parseYaml(yaml).value), json)
  })
}

const refused: ReadonlyArray<readonly [yaml: string, why: string]> = [
  ['a: .inf', 'json: unsupported value: .inf'],
  ['a: [-.Inf]', 'json: unsupported value: -.Inf'],
  ['a: .nan', 'json: unsupported value: .nan'],
  ['a: 1e400', 'json: unsupported value: 1e400'],
  ['a: 1\n? [b]\n: 2', 'yaml: line 2: invalid map key'],
  ['{{a: 1}: 2}', 'yaml: line 1: invalid map key'],
  ['~: 1', 'yaml: line 1: invalid map key'],
  ['x: &k [1]\ny: {*k : 1}', 'yaml: line 1: invalid map key'],
]
for (const [yaml, why] of refused) {
  test(`yaml: ${JSON.stringify(yaml)} is refused`, () => {
    assert.throws(() => parseYaml(yaml), { name: 'MalformedJson', message: why })
  })
}
