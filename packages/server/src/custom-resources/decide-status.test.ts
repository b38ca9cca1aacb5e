import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { decideStatus } from './decide-status.ts'
import { condition, gadgetDefinition, gadgetNames } from './definition-for-test.ts'

const now = '2026-02-02T00:00:00Z'
const noNames = { plural: '', kind: '' }
const fresh = { conditions: null, acceptedNames: noNames, storedVersions: ['v1'] }
const rival = gadgetDefinition({
  metadata: { name: 'gizmos.example.org' },
  status: { acceptedNames: { ...gadgetNames, plural: 'gizmos', singular: 'gizmo' } },
})

const cases: readonly {
  readonly name: string
  readonly definition: CustomResourceDefinition
  readonly others?: readonly CustomResourceDefinition[]
  /** Type, status and reason of each condition; undefined if the status is up to date. */
  readonly says: readonly string[] | undefined
  readonly kind?: string
  readonly isBuiltIn?: boolean
}[] = [
  { name: 'what is in force', definition: gadgetDefinition(), says: undefined },
  {
    name: 'a new one: names and that it is established, in one write',
    definition: gadgetDefinition({ status: fresh }),
    says: ['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted'],
    kind: 'Gadget',
  },
  {
    name: 'a new one in the place of a built-in resource',
    definition: gadgetDefinition({ status: fresh }),
    isBuiltIn: true,
    says: ['NamesAccepted False PluralConflict', 'Established False NotAccepted'],
    kind: 'Gadget',
  },
  {
    name: 'one in the place of a built-in resource that another release has established',
    definition: gadgetDefinition(),
    isBuiltIn: true,
    says: undefined,
  },
  {
    name: 'a new one whose kind is taken',
    definition: gadgetDefinition({ status: fresh }),
    others: [rival],
    says: ['NamesAccepted False ListKindConflict', 'Established False NotAccepted'],
    kind: '',
  },
  {
    name: 'one that waited for a kind which is free now',
    definition: gadgetDefinition({
      status: {
        acceptedNames: { plural: 'gadgets', singular: 'gadget', kind: '' },
        conditions: [
          condition('NamesAccepted', 'False', 'KindConflict'),
          condition('Established', 'False', 'NotAccepted'),
        ],
      },
    }),
    says: ['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted'],
    kind: 'Gadget',
  },
  {
    name: 'one in force that asks for a name which is taken: it stays in force',
    definition: gadgetDefinition({ spec: { names: { ...gadgetNames, singular: 'gizmo' } } }),
    others: [rival],
    says: ['NamesAccepted False SingularConflict', 'Established True '],
    kind: 'Gadget',
  },
  {
    name: 'one in a group of Kubernetes without approval',
    definition: gadgetDefinition({ spec: { group: 'things.k8s.io' }, metadata: { annotations: {} } }),
    says: [
      'NamesAccepted True ',
      'Established True ',
      'KubernetesAPIApprovalPolicyConformant False MissingAnnotation',
    ],
    kind: 'Gadget',
  },
]

for (const { name, definition, others = [], says, kind, isBuiltIn = false } of cases) {
  test(`the status of a definition: ${name}`, () => {
    const status = decideStatus(definition, others, now, isBuiltIn)
    assert.deepEqual(
      status?.conditions?.map((each) => `${each.type} ${each.status} ${each.reason}`),
      says,
    )
    assert.equal(status?.acceptedNames.kind, kind)
    if (!status) return
    // A decided status is final: otherwise every server would write it again and again.
    assert.equal(decideStatus({ ...definition, status }, others, now, isBuiltIn), undefined)
  })
}
