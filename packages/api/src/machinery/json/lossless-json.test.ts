import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRawNumber } from '../patch/index.ts'
import { parseLossless, parseSent } from './lossless-json.ts'

const kept: readonly string[] = [
  '{"a":9007199254740993,"b":[1.0,1,-0,1e3,1E-7,0.1],"c":"1.0"}',
  '{"big":123456789012345678901234567890}',
  '{"plain":1,"negative":-5,"text":"v1.2"}',
  '[-9223372036854775808,9223372036854775807]',
  '{"__proto__":1.0}',
  '{"a":"since 1.2","b":"in: -0, \\"","c":3}',
  '{"a":"since 1.2","b":1.0}',
  '{"a":"since 1.2, \\\\\\"","b":-0,"c":"\\\\"}',
  '{"a":"since 1.2","b":[1,2,3,1234567890123456]}',
  '["since 1.2",1e3]',
  '1.0',
  '-0',
  '12345678901234567890',
]
for (const text of kept) {
  test(`lossless JSON: ${text}`, () => assert.equal(JSON.stringify(parseLossless(text)), text))
}

for (const space of ['', ' ', '\n', '\t', '\r']) {
  test(`lossless JSON: a number is found behind ${JSON.stringify(space)}`, () => {
    for (const number of ['1.0', '-0', '-0.0', '1e3', '-1E+3', '1234567890123456']) {
      const [item, value] = [`[1,${space}${number}]`, `{"a":${space}${number}}`]
      assert.equal(JSON.stringify(parseLossless(item)), `[1,${number}]`)
      assert.equal(JSON.stringify(parseLossless(value)), `{"a":${number}}`)
      assert.equal(JSON.stringify(parseLossless(`[${space}${number}]`)), `[${number}]`)
    }
  })
}

test('lossless JSON: ordinary numbers stay numbers', () => {
  const value = parseLossless('{"a":1,"b":0.5,"c":1.0}') as Record<string, unknown>
  assert.equal(value['a'], 1)
  assert.equal(value['b'], 0.5)
  assert.ok(isRawNumber(value['c']))
})

for (const number of ['1e400', '-1e309', '9'.repeat(400)]) {
  test(`lossless JSON: ${number.slice(0, 10)} is refused when sent, and read when stored`, () => {
    const text = `{"a":[${number}]}`
    assert.throws(() => parseSent(text), {
      name: 'NumberOutOfRange',
      message: `json: cannot unmarshal number ${number} into Go value of type float64`,
    })
    assert.equal(JSON.stringify(parseLossless(text)), text)
  })
}

test('lossless JSON: minus zero is zero when sent, as Go writes it', () => {
  assert.equal(JSON.stringify(parseSent('{"a":-0,"b":[-0,-0.0]}')), '{"a":0,"b":[0,-0.0]}')
})
