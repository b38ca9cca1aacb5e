import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Log, silentLog } from '@strata/world'
import { askAboutNames, unmatchedNames, warnAboutNames } from './unmatched-names.ts'

const known = [
  { group: '', resource: 'secrets' },
  { group: 'coordination.k8s.io', resource: 'leases' },
]
const cases: ReadonlyArray<[name: string, isMatched: boolean]> = [
  ['secrets', true],
  ['secretz', false],
  ['leases', false],
  ['leases.coordination.k8s.io', true],
  ['gadgets.example.dev', false],
  ['*.', true],
  ['*.*', true],
  ['*.coordination.k8s.io', true],
  ['*.example.dev', false],
]
for (const [name, isMatched] of cases) {
  test(`names of an encryption configuration: ${name} is ${isMatched ? '' : 'not '}a resource`, () => {
    const rule = { resources: [name], providers: [{ kind: 'identity' as const }] }
    assert.deepEqual(unmatchedNames({ rules: [rule, rule] }, known), isMatched ? [] : [name])
  })
}

const warned: ReadonlyArray<[name: string, what: RegExp]> = [
  ['secretz', /cannot be a custom resource/],
  ['deployments.apps', /cannot be a custom resource/],
  ['gadgets.example.dev', /unless a custom resource has that name/],
]
for (const [name, what] of warned) {
  test(`names of an encryption configuration: what is said of ${name}`, () => {
    const said: string[] = []
    const log: Log = { ...silentLog, warn: (text) => said.push(text) }
    const rule = { resources: [name], providers: [{ kind: 'identity' as const }] }
    warnAboutNames({ rules: [rule] }, known, { file: 'keys.yaml', log })
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', what)
  })
}

test('names of an encryption configuration: a refused file is asked about the names that nothing has', () => {
  const providers = [{ kind: 'identity' as const }]
  assert.equal(askAboutNames({ rules: [{ resources: ['secrets'], providers }] }, known), '')
  assert.match(
    askAboutNames({ rules: [{ resources: ['secretz'], providers }] }, known),
    /secretz is no resource known here/,
  )
})
