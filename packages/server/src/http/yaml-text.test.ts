import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@strata/api'
import { yamlText } from './yaml-text.ts'

const cases: ReadonlyArray<[name: string, json: string, yaml: string]> = [
  ['keys are sorted', '{"b":1,"a":"x"}', 'a: x\nb: 1\n'],
  ['numbers inside keys count', '{"a10":1,"a2":1,"a":1,".":1}', '.: 1\na: 1\na2: 1\na10: 1\n'],
  [
    'lists are not indented',
    '{"a":[{"x":1,"y":[1,2]},[3,4]]}',
    'a:\n- x: 1\n  "y":\n  - 1\n  - 2\n- - 3\n  - 4\n',
  ],
  ['empty ones', '{"a":{},"b":[],"c":null,"d":""}', 'a: {}\nb: []\nc: null\nd: ""\n'],
  [
    'what looks like something else',
    '["true","1","1.5","null","0x1f","1:30","2026-01-01","no","1e3"]',
    '- "true"\n- "1"\n- "1.5"\n- "null"\n- "0x1f"\n- "1:30"\n- "2026-01-01"\n- "no"\n- "1e3"\n',
  ],
  [
    'what only looks like it',
    '["1.2.3","v1","-","a: b","a #b","{a}","-x","it\'s",": x","1a"]',
    "- 1.2.3\n- v1\n- '-'\n- 'a: b'\n- 'a #b'\n- '{a}'\n- -x\n- it's\n- ': x'\n- 1a\n",
  ],
  [
    'edges',
    '[" a","a ","\\ta","é","😀","a\\u0001"]',
    '- \' a\'\n- \'a \'\n- "\\ta"\n- é\n- "\\U0001F600"\n- "a\\x01"\n',
  ],
  [
    'lines',
    '{"k":"a\\nb\\n","l":"a\\nb","m":"a\\n\\n","n":" a\\nb","o":"a \\nb"}',
    'k: |\n  a\n  b\nl: |-\n  a\n  b\nm: |+\n  a\n\n"n": |2-\n   a\n  b\no: "a \\nb"\n',
  ],
  [
    'lines in lists',
    '{"a":[{"b":{"c":"x\\n\\ny\\n"}}],"d":["e\\n"]}',
    'a:\n- b:\n    c: |\n      x\n\n      y\nd:\n- |\n  e\n',
  ],
  [
    'large and precise numbers',
    '{"a":9007199254740993,"b":1.0,"c":1.5,"d":1234567.5,"e":0.00001}',
    'a: 9007199254740993\nb: 1\nc: 1.5\nd: 1.2345675e+06\ne: 1e-05\n',
  ],
  ['keys that need quotes', '{"a: b":1,"true":2,"f:{\\"x\\"}":3}', `'a: b': 1\nf:{"x"}: 3\n"true": 2\n`],
]
for (const [name, json, yaml] of cases) {
  test(`yaml: ${name}`, () => assert.equal(yamlText(parseLossless(json)), yaml))
}

test('yaml: long lines are folded between words', () => {
  const words = Array.from({ length: 20 }, () => 'wonderful').join(' ')
  const [first = '', second = '', ...rest] = yamlText({ key: { text: words } })
    .split('\n')
    .slice(1)
  assert.equal(first, `  text: ${Array.from({ length: 8 }, () => 'wonderful').join(' ')}`)
  assert.match(second, /^ {4}wonderful/)
  assert.deepEqual(rest.slice(-1), [''])
})
