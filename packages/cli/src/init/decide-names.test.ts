import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideNames, rename } from './decide-names.ts'

const named: ReadonlyArray<readonly [resource: string, kind: string | undefined, want: string]> = [
  ['lamps.light.example.dev', undefined, 'Lamp lamp of light.example.dev'],
  ['policies.acme.io', undefined, 'Policy policy of acme.io'],
  ['boxes.acme.io', undefined, 'Box box of acme.io'],
  ['classes.acme.io', undefined, 'Class class of acme.io'],
  ['chassis.acme.io', 'Chassis', 'Chassis chassis of acme.io'],
  ['cloudlinks.acme.io', 'CloudLink', 'CloudLink cloudlink of acme.io'],
]
for (const [resource, kind, want] of named) {
  test(`names of ${resource}: ${want}`, () => {
    const names = decideNames(resource, kind)
    assert.ok(!('problem' in names))
    assert.equal(`${names.kind} ${names.singular} of ${names.group}`, want)
  })
}

for (const [resource, kind, problem] of [
  ['lamps', undefined, /^"lamps" is no resource: give its plural and a group/],
  ['Lamps.acme.io', undefined, /is no resource/],
  ['mains.acme.io', undefined, /^--kind "Main": main\.ts is another file/],
  ['lamps.acme.io', 'lamp', /^--kind "lamp": a kind begins with a capital letter/],
] as const) {
  test(`refused: ${resource} ${kind ?? ''}`, () => {
    const names = decideNames(resource, kind)
    assert.match('problem' in names ? names.problem : '', problem)
  })
}

test('every name of the starter is replaced', () => {
  const names = decideNames('policies.acme.io')
  assert.ok(!('problem' in names))
  assert.equal(
    rename("// Gadgets: import { type Gadget, gadgets } from './gadget.ts' // shop.example.dev", names),
    "// Policies: import { type Policy, policies } from './policy.ts' // acme.io",
  )
})
