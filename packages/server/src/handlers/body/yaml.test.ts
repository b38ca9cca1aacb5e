import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alias } from 'yaml'
import { parseYaml, readYaml } from './yaml.ts'

const read: ReadonlyArray<readonly [yaml: string, json: string]> = [
  ['a: 9007199254740993', '{"a":9007199254740993}'],
  ['a: [-9223372036854775808, 9223372036854775807]', '{"a":[-9223372036854775808,9223372036854775807]}'],
  ['a: 18446744073709551615', '{"a":18446744073709551615}'],
  // Beyond 64 bits Go has a float64, and beyond that a text.
  ['a: [12345678901234567890123, 1e400, -1e400]', '{"a":[1.2345678901234568e+22,"1e400","-1e400"]}'],
  ['a: [y, Y, yes, Yes, YES, on, On, ON, true]', `{"a":[${Array(9).fill('true')}]}`],
  ['a: [n, N, no, No, NO, off, Off, OFF, false]', `{"a":[${Array(9).fill('false')}]}`],
  ['a: [yEs, oN, nO, yess, ye]', '{"a":["yEs","oN","nO","yess","ye"]}'],
  ['a: ["yes", \'no\', !!str on]', '{"a":["yes","no","on"]}'],
  ['a: |\n  off\nb: >-\n  y', '{"a":"off\\n","b":"y"}'],
  ['yes: 1\noff: 2\n017: 3', '{"15":3,"true":1,"false":2}'],
  ['a: [017, -017, +017, 0o17, 00, 08, 0.8]', '{"a":[15,-15,15,15,0,8,0.8]}'],
  ['a: [0x1F, -0x1f, 0b101, -0B11, 0x, 0b2]', '{"a":[31,-31,5,-3,"0x","0b2"]}'],
  ['a: [1_000, 685_230.15, _1, 1_]', '{"a":[1000,685230.15,"_1",1]}'],
  ['a: [+12, .5, -.5, 1., 1e3, 1.e3, ., .e3]', '{"a":[12,0.5,-0.5,1,1000,1000,".",".e3"]}'],
  [
    'a: [12:30:45, 2001-01-01, 2001-12-14T21:59:43Z]',
    '{"a":["12:30:45","2001-01-01","2001-12-14T21:59:43Z"]}',
  ],
  ['a: [~, null, Null, NULL, nUll]\nb:', '{"a":[null,null,null,null,"nUll"],"b":null}'],
  ['a: [!!int 9007199254740993, !!int "017", !!bool "yes", !!float 1]', '{"a":[9007199254740993,15,true,1]}'],
  ['a: &x yes\nb: *x', '{"a":true,"b":true}'],
  ['9007199254740993: 9007199254740992', '{"9007199254740993":9007199254740992}'],
  ['1: a\ntrue: b', '{"1":"a","true":"b"}'],
  ['x: &k name\nz: {*k : 1}', '{"x":"name","z":{"name":1}}'],
  ['{a: &k x, *k : 1}', '{"a":"x","x":1}'],
  ['a: &k x\nb: *k\nc: &k z\nd: {*k : *k }', '{"a":"x","b":"x","c":"z","d":{"z":"z"}}'],
  ['a: &x [&y 1, *y ]\nb: [*x , *x ]', '{"a":[1,1],"b":[[1,1],[1,1]]}'],
  [`a: &k x\nb: [${'*k ,'.repeat(500)}]`, `{"a":"x","b":[${Array(500).fill('"x"')}]}`],
]
for (const [yaml, json] of read) {
  test(`yaml: ${JSON.stringify(yaml).slice(0, 80)} reads ${json.slice(0, 80)}`, () => {
    assert.equal(JSON.stringify(parseYaml(yaml).value), json)
  })
}

const excessive = 'yaml: document contains excessive aliasing'
/** Each line stands for many of the line before. */
const lines = (count: number, line: (n: number) => string): string =>
  ['a0: &a0 [1]', ...Array.from({ length: count }, (_, index) => line(index + 1))].join('\n')

const refused: ReadonlyArray<readonly [yaml: string, why: string]> = [
  ['a: .inf', 'json: unsupported value: .inf'],
  ['a: [-.Inf]', 'json: unsupported value: -.Inf'],
  ['a: .nan', 'json: unsupported value: .nan'],
  ['a: 1\n? [b]\n: 2', 'yaml: line 2: invalid map key'],
  ['{{a: 1}: 2}', 'yaml: line 1: invalid map key'],
  ['~: 1', 'yaml: line 1: invalid map key'],
  ['x: &k [1]\ny: {*k : 1}', 'yaml: line 1: invalid map key'],
  ['a: *k', "yaml: unknown anchor 'k' referenced"],
  ['{*k : 1, a: &k x}', "yaml: unknown anchor 'k' referenced"],
  ['a: &k [*k ]', "yaml: anchor 'k' value contains itself"],
  [`a: &k ["${'x'.repeat(40_000)}"]\nb: [${'*k ,'.repeat(80)}]`, excessive],
  // Empty lists are nothing that the library would count.
  [`a: &k [${'[],'.repeat(1_000)}]\nb: [${'*k ,'.repeat(1_500)}]`, excessive],
  [`${lines(9, (n) => `a${n}: &a${n} [${`*a${n - 1} ,`.repeat(9)}]`)}`, excessive],
]
for (const [yaml, why] of refused) {
  test(`yaml: ${JSON.stringify(yaml).slice(0, 60)} is refused`, () => {
    assert.throws(() => parseYaml(yaml), { name: 'MalformedJson', message: why })
  })
}

test('yaml: two words for one boolean are one key that stands twice', () => {
  assert.deepEqual(parseYaml('y: 1\nyes: 2').twice, ['line 2: key true already set in map'])
})

test('yaml: an alias for a key that stands already is a key that stands twice', () => {
  assert.deepEqual(parseYaml('a: &k x\nb:\n  x: 1\n  *k : 2').twice, ['line 4: key "x" already set in map'])
})

test('yaml: no alias has the library walk through the whole document', ({ mock }) => {
  const resolve = mock.method(Alias.prototype, 'resolve')
  parseYaml(
    `{x: [&a a,&b b], m: {${'*a :,*b :,'.repeat(900)}}, y: [&c [*a ], *c ], z: [${'1,'.repeat(900)}]}`,
  )
  const { calls } = resolve.mock
  assert.ok(calls.length > 1_800)
  // Without a context the library remembers nothing between two aliases.
  assert.equal(calls.filter(({ arguments: [, context] }) => context === undefined).length, 0)
})

const threads: ReadonlyArray<[name: string, text: string, isThread: boolean]> = [
  ['a short one', 'a: 1', false],
  ['one with stars in it', 'verbs: ["*"]', false],
  ['one as long as may be', `a: ${'x'.repeat(16 * 1024 - 3)}`, false],
  ['a longer one', `a: ${'x'.repeat(16 * 1024 - 2)}`, true],
  ['one that uses an anchor', 'a: &k 1\nb: *k', true],
]
for (const [name, text, isThread] of threads) {
  test(`yaml: ${name} is read by ${isThread ? 'the thread' : 'the main thread'}`, async () => {
    const { signal } = new AbortController()
    const yaml = { read: async () => ({ value: 'of the thread', twice: [] }) }
    const { value } = await readYaml(text, { yaml, user: undefined, signal })
    assert.equal(value === 'of the thread', isThread)
  })
}
