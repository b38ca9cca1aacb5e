import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesLabels, parseLabelSelector } from './label-selector.ts'

const labels: Readonly<Record<string, Record<string, string>>> = {
  s1: { app: 'a', tier: '1' },
  s2: { app: 'b', tier: '2' },
  s3: { app: 'c' },
  s4: {},
}
const selected = (text: string): string => {
  const selector = parseLabelSelector(text)
  return Object.keys(labels)
    .filter((name) => matchesLabels(selector, labels[name]))
    .join(' ')
}
const cases: ReadonlyArray<[text: string, names: string]> = [
  ['', 's1 s2 s3 s4'],
  ['app=a', 's1'],
  ['app==b', 's2'],
  ['app!=a', 's2 s3 s4'],
  ['app in (a,b)', 's1 s2'],
  ['app notin (a, b)', 's3 s4'],
  ['tier', 's1 s2'],
  ['!tier', 's3 s4'],
  ['app in (a,b),tier=2', 's2'],
  ['tier>1', 's2'],
  ['tier<2', 's1'],
  ['app=', ''],
  ['in=x', ''],
  ['app in (a,)', 's1'],
]
for (const [text, names] of cases)
  test(`label selector: ${text || 'nothing'}`, () => assert.equal(selected(text), names))

const malformed: ReadonlyArray<[text: string, message: string]> = [
  ['app in a', "unable to parse requirement: found 'a' expected: '('"],
  ['app=a,', "found '', expected: identifier after ','"],
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['app=a b', "found 'b', expected: ',' or 'end of string'"],
  [
    'tier>x',
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
]
for (const [text, message] of malformed) {
  test(`label selector: ${text} is refused`, () => assert.throws(() => parseLabelSelector(text), { message }))
}

test('label selector: a bad key is named', () => {
  assert.throws(
    () => parseLabelSelector('-bad=1'),
    /^MalformedSelector: unable to parse requirement: <nil>: Invalid value: "-bad": name part must consist/,
  )
})

test('label selector: names of the prototype are not labels', () => {
  assert.equal(matchesLabels(parseLabelSelector('constructor'), {}), false)
})
