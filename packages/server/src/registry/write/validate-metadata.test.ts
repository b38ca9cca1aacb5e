import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, configMaps, fieldErrorText, type ResourceDefinition } from '@strata/api'
import { validateMetadata } from './validate-metadata.ts'

const definition = configMaps as unknown as ResourceDefinition
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
const problems = (metadata: ApiObject['metadata']): string[] =>
  validateMetadata({ metadata }, definition).map(fieldErrorText)

const cases: ReadonlyArray<[name: string, metadata: ApiObject['metadata'], want: readonly RegExp[]]> = [
  ['a plain name', { name: 'a' }, []],
  ['no name', {}, [/^metadata.name: Required value: name or generateName is required$/]],
  ['a base that ends in a dash', { generateName: 'a-', name: 'a-x' }, []],
  ['a bad base', { generateName: 'A_', name: 'a' }, [/^metadata.generateName: Invalid value: "A_"/]],
  ['dots only', { name: '..' }, [/^metadata.name: Invalid value: "..": may not be '..'$/]],
  [
    'an owner without a uid',
    { name: 'a', ownerReferences: [{ ...owner, uid: '' }] },
    [/ownerReferences\.uid: .*must not be empty/],
  ],
  ['one controller', { name: 'a', ownerReferences: [{ ...owner, controller: true }, owner] }, []],
  [
    'two controllers',
    {
      name: 'a',
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'p', controller: true },
      ],
    },
    [
      /Only one reference can have Controller set to true. Found "true" in references for ConfigMap\/o and ConfigMap\/p$/,
    ],
  ],
  [
    'an event as owner',
    { name: 'a', ownerReferences: [{ ...owner, kind: 'Event' }] },
    [/Kind=Event is disallowed from being an owner/],
  ],
  ['standard finalizers', { name: 'a', finalizers: ['orphan', 'example.dev/x'] }, []],
  [
    'a finalizer without a domain',
    { name: 'a', finalizers: ['mine'] },
    [/metadata.finalizers\[0\]: .*neither a standard finalizer name/],
  ],
  [
    'orphan and foreground',
    { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
    [/cannot be both set/],
  ],
]
for (const [name, metadata, want] of cases) {
  test(`metadata: ${name}`, () => {
    const found = problems(metadata)
    assert.equal(found.length, want.length, found.join('; '))
    for (const [index, pattern] of want.entries()) assert.match(found[index] ?? '', pattern)
  })
}
